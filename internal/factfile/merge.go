package factfile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Merge puts files together, sorted by repository. The same repository with the same commit and the same facts twice is
// dropped (a shard that ran twice); at two commits, or with facts that differ, it is an error that names both. Merge is
// associative and commutative, its errors included.
func Merge(files ...*File) ([]*File, error) {
	type entry struct {
		file *File
		sum  [sha256.Size]byte
	}
	all := make([]entry, 0, len(files))
	names := make(map[string]int)
	for _, f := range files {
		names[f.Header.Repository.Name]++
		all = append(all, entry{file: f})
	}
	// Only repositories that occur twice are compared by content.
	for i := range all {
		if names[all[i].file.Header.Repository.Name] > 1 {
			var err error
			if all[i].sum, err = digest(all[i].file); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		x, y := a.file.Header, b.file.Header
		return cmp.Or(cmp.Compare(x.Repository.Name, y.Repository.Name), cmp.Compare(x.Repository.Commit, y.Repository.Commit),
			cmp.Compare(x.Extractor, y.Extractor), bytes.Compare(a.sum[:], b.sum[:]))
	})
	var out []*File
	for i, e := range all {
		if i == 0 || all[i-1].file.Header.Repository.Name != e.file.Header.Repository.Name {
			out = append(out, e.file)
			continue
		}
		if err := conflict(all[i-1].file.Header, e.file.Header, all[i-1].sum != e.sum); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func conflict(a, b Header, differ bool) error {
	name := a.Repository.Name
	switch {
	case a.Repository.Commit != b.Repository.Commit:
		return fmt.Errorf("merge facts: repository %s is there at two commits, %s and %s", name, text(a.Repository.Commit), text(b.Repository.Commit))
	case a.Extractor != b.Extractor:
		return fmt.Errorf("merge facts: repository %s was read by two versions, %s and %s", name, text(a.Extractor), text(b.Extractor))
	case differ:
		return fmt.Errorf("merge facts: repository %s is there twice at %s, with facts that differ (a changed work tree?)", name, text(a.Repository.Commit))
	}
	return nil
}

func text(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// digest is the hash of a file's canonical bytes.
func digest(f *File) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	if err := Write(h, f.Header, f.Facts); err != nil {
		return sum, err
	}
	h.Sum(sum[:0])
	return sum, nil
}
