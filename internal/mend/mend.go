// Package mend applies the safe local changes that findings carry to the files of work trees.
package mend

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// File is one file to change.
type File struct {
	Repository, Path string // as results write them
	Name             string // on disk
	Edits            int    // findings that are mended
	old, new         []byte
}

// Plan is what mends the findings of a result.
type Plan struct {
	Files   []*File
	Mended  int // findings
	Skipped int // findings whose changes overlap others': another run mends them
}

// Of plans the changes for the findings of a result that are not suppressed. dir gives the folder of a repository's work tree;
// "" where there is none to change. A finding is mended as a whole or not at all. Nothing is written yet.
func Of(r *model.Result, dir func(repository string) string) (*Plan, error) {
	type unit struct {
		f     *model.FindingInfo
		edits []span
		file  *File
	}
	plan := &Plan{}
	files := map[[2]string]*File{}
	taken := map[*File][]span{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if len(f.Fix) == 0 || f.Suppressed != nil {
			continue
		}
		u := unit{f: f}
		for _, e := range f.Fix {
			key := [2]string{e.Repository, e.Path}
			if e.Repository == "" {
				key[0] = f.Place.Repository
			}
			root := dir(key[0])
			if root == "" || !filepath.IsLocal(filepath.FromSlash(e.Path)) {
				u.file = nil
				break
			}
			file := files[key]
			if file == nil {
				file = &File{Repository: key[0], Path: e.Path, Name: filepath.Join(root, filepath.FromSlash(e.Path))}
				data, err := os.ReadFile(file.Name)
				if err != nil {
					return nil, err
				}
				file.old = data
				files[key] = file
			}
			if u.file != nil && u.file != file {
				u.file = nil // changes in two files are no local ones
				break
			}
			u.file = file
			s, err := locate(file.old, e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file.Name, err)
			}
			u.edits = append(u.edits, s)
		}
		if u.file == nil {
			continue
		}
		if overlaps(taken[u.file], u.edits) {
			plan.Skipped++
			continue
		}
		taken[u.file] = append(taken[u.file], u.edits...)
		u.file.Edits++
		plan.Mended++
	}
	for _, f := range files {
		if f.Edits > 0 {
			f.new = apply(f.old, taken[f])
			plan.Files = append(plan.Files, f)
		}
	}
	slices.SortFunc(plan.Files, func(a, b *File) int {
		return cmp.Or(cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.Path, b.Path))
	})
	return plan, nil
}

// Write writes the files, each through a new one beside it, so that none is ever half written.
func (p *Plan) Write() error {
	for _, f := range p.Files {
		if now, err := os.ReadFile(f.Name); err != nil || !bytes.Equal(now, f.old) {
			return cmp.Or(err, fmt.Errorf("%s: changed since it was read", f.Name))
		}
		info, err := os.Stat(f.Name)
		if err != nil {
			return err
		}
		tmp, err := os.CreateTemp(filepath.Dir(f.Name), ".retrylint-*")
		if err != nil {
			return err
		}
		_, err = tmp.Write(f.new)
		err = cmp.Or(err, tmp.Chmod(info.Mode().Perm()), tmp.Close())
		if err == nil {
			err = os.Rename(tmp.Name(), f.Name)
		}
		if err != nil {
			_ = os.Remove(tmp.Name())
			return err
		}
	}
	return nil
}

// span is a change by bytes.
type span struct {
	from, to int
	text     string
}

// locate turns lines and columns into bytes.
func locate(src []byte, e model.EditInfo) (span, error) {
	from, ok1 := offset(src, e.Line, e.Column)
	to, ok2 := offset(src, e.EndLine, e.EndColumn)
	if !ok1 || !ok2 || to < from {
		return span{}, fmt.Errorf("line %d: no such place; the file is not the one that was scanned", e.Line)
	}
	return span{from, to, e.New}, nil
}

// offset is the byte at which a line and column stand; the line after the last one is the file's end.
func offset(src []byte, line, col int) (int, bool) {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	end := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		end = at + i
	}
	if line < 1 || col < 1 || at+col-1 > end {
		return 0, false
	}
	return at + col - 1, true
}

// overlaps reports whether two sets of changes touch the same bytes. Several may be put in at one place.
func overlaps(have, more []span) bool {
	for _, a := range have {
		for _, b := range more {
			if a.from == b.from && a.to == b.to && a.from == a.to && a.text != b.text {
				continue
			}
			if a.from < b.to && b.from < a.to || a.from == b.from && a.to == b.to {
				return true
			}
		}
	}
	return false
}

func apply(src []byte, edits []span) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(src[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(src[at:])
	return out.Bytes()
}
