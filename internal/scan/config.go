package scan

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sync/errgroup"

	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// configFormats knows which files some format wants, and which formats want a file. It keeps answers.
type configFormats struct {
	mu     sync.Mutex                  // of the answers
	all    []extract.Format            // those with the highest rank first
	byExt  map[string][]int            // "*.yaml": indexes into all
	byName map[string][]int            // base names without a wildcard
	base   []patterned                 // other patterns of base names
	paths  []patterned                 // patterns with a slash
	named  map[string][]extract.Format // by base name: the formats of files that no pattern with a slash fits
	sets   map[string][]extract.Format // by what fits: most base names have the formats of their extension
}

type patterned struct {
	pattern string
	last    string // the last element, which the base name has to fit
	format  int
}

func newConfigFormats(all []extract.Format) *configFormats {
	c := &configFormats{all: slices.Clone(all), byExt: map[string][]int{}, byName: map[string][]int{},
		named: map[string][]extract.Format{}, sets: map[string][]extract.Format{}}
	slices.SortStableFunc(c.all, func(a, b extract.Format) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Name, b.Name))
	})
	for i, f := range c.all {
		for _, p := range f.Files {
			switch {
			case strings.Contains(p, "/"):
				c.paths = append(c.paths, patterned{p, path.Base(p), i})
			case strings.HasPrefix(p, "*.") && !strings.ContainsAny(p[2:], "*?[{."):
				c.byExt[p[1:]] = append(c.byExt[p[1:]], i)
			case !strings.ContainsAny(p, "*?[{\\"):
				c.byName[p] = append(c.byName[p], i)
			default:
				c.base = append(c.base, patterned{p, p, i})
			}
		}
	}
	return c
}

// want lists the formats that may be in a file, those with the highest rank first. The list is shared.
func (c *configFormats) want(file string) []extract.Format {
	c.mu.Lock()
	defer c.mu.Unlock()
	base := path.Base(file)
	var byPath []int
	for _, p := range c.paths {
		if ok, _ := doublestar.Match(p.last, base); !ok {
			continue
		}
		if ok, _ := doublestar.Match(p.pattern, file); ok {
			byPath = append(byPath, p.format)
		}
	}
	if len(byPath) > 0 {
		return c.ranked(base, byPath)
	}
	out, ok := c.named[base]
	if !ok {
		out = c.ranked(base, nil)
		c.named[base] = out
	}
	return out
}

// ranked joins the formats that want a base name with others.
func (c *configFormats) ranked(base string, list []int) []extract.Format {
	ext := strings.ToLower(path.Ext(base))
	list = append(list, c.byName[base]...)
	for _, p := range c.base {
		if ok, _ := path.Match(p.pattern, base); ok {
			list = append(list, p.format)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	key := fmt.Sprint(ext, list)
	out, ok := c.sets[key]
	if !ok {
		list = append(list, c.byExt[ext]...)
		slices.Sort(list)
		for _, i := range slices.Compact(list) {
			out = append(out, c.all[i])
		}
		c.sets[key] = out
	}
	return out
}

// maxConfigBytes is the size above which a configuration file is not parsed: the largest hand-written ones are far below.
const maxConfigBytes = 4 << 20

// A batch of configuration files is read before it is parsed, by as many goroutines as there are processors.
const (
	batchFiles = 256
	batchBytes = 4 << 20
)

// readConfigs runs the formats over the configuration files of a revision.
func readConfigs(ctx context.Context, rev *source.Revision, files []string, formats *configFormats, f *model.Facts, blobs *blobFacts) error {
	repo := rev.Repo.Name
	trees := map[string]*doc.File{}
	parse := func(p string, data []byte) *doc.File {
		return doc.Parse(p, data, doc.Limits{MaxBytes: maxConfigBytes})
	}
	var mu sync.Mutex // of the trees, and of the revision while a batch is parsed
	tree := func(p string) *doc.File {
		mu.Lock()
		defer mu.Unlock()
		p = path.Clean(p)
		if t, ok := trees[p]; ok {
			return t
		}
		data, err := rev.ReadFile(p)
		if err != nil {
			trees[p] = nil
			return nil
		}
		trees[p] = parse(p, data)
		return trees[p]
	}
	read := func(p string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		return rev.ReadFile(p)
	}
	all := &extract.Files{Paths: files, Read: read, Tree: tree}
	covered := readRendered(ctx, rev, files, formats, f, all)
	files = slices.DeleteFunc(slices.Clone(files), func(p string) bool { return len(formats.want(p)) == 0 })
	// What is known of files that are as they were comes in the place that it has among those that are read.
	known := map[string]*model.Facts{}
	listed := files
	files = slices.DeleteFunc(slices.Clone(files), func(p string) bool {
		if covered[p] {
			return false // its contents were read where they are rendered
		}
		one := blobs.find(p, all.Paths)
		if one != nil {
			known[p] = &one.Facts
		}
		return one != nil
	})
	next := 0 // of all that has not been merged
	mergeKnown := func(until string) {
		for ; next < len(listed) && listed[next] != until; next++ {
			if one := known[listed[next]]; one != nil {
				f.Stats.ConfigFiles++
				f.Merge(one)
			}
		}
	}
	type reading struct {
		path string
		read func(*model.Facts)
		keep *fileFacts // nil: not by itself
	}
	var batch []reading
	bytes := 0
	flush := func() {
		f.Stats.ConfigFiles += len(batch)
		facts := make([]model.Facts, len(batch))
		group := new(errgroup.Group)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, r := range batch {
			group.Go(func() error {
				if ctx.Err() == nil {
					r.read(&facts[i])
				}
				return nil
			})
		}
		_ = group.Wait() // the functions never fail
		for i := range facts {
			mergeKnown(batch[i].path)
			f.Merge(&facts[i])
			if one := batch[i].keep; one != nil && ctx.Err() == nil {
				one.Facts = facts[i]
				blobs.add(one)
			}
		}
		batch, bytes = nil, 0
	}
	err := rev.Read(files, func(p string, data []byte) error {
		if covered[p] {
			// Its contents were read where they are rendered; what its comments say of rules holds for that.
			batch = append(batch, reading{p, func(one *model.Facts) { one.Suppressions = commentSuppressions(repo, p, parse(p, data)) }, nil})
		} else {
			want, keep := formats.want(p), &fileFacts{Path: p}
			look, mine := blobs.watch(keep, all)
			batch = append(batch, reading{p, func(one *model.Facts) { readConfig(repo, p, data, want, one, mine, look) }, keep})
		}
		if bytes += len(data); len(batch) >= batchFiles || bytes >= batchBytes {
			flush()
		}
		return ctx.Err()
	})
	flush()
	mergeKnown("")
	return cmp.Or(err, ctx.Err())
}

// readConfig reads one file under recover: a poisoned file costs that file.
func readConfig(repo, p string, data []byte, formats []extract.Format, f *model.Facts, all *extract.Files, tree func(string) *doc.File) {
	defer func() {
		if r := recover(); r != nil {
			*f = model.Facts{Gaps: []model.Gap{{Repo: repo, Path: p, Stage: "extract", Reason: panicText(r)}}}
		}
	}()
	file := doc.Parse(p, data, doc.Limits{MaxBytes: maxConfigBytes})
	expected := nobodyExpects(p) || file.Templated || len(formats) > 0 && formats[0].Rank < 0 // wanted by heuristics only
	for _, e := range file.Errs {
		f.Gaps = append(f.Gaps, model.Gap{Repo: repo, Path: p, Line: e.Pos.Line, Col: e.Pos.Col, Stage: "parse", Reason: e.Msg, Expected: expected})
	}
	out := &extract.Out{Repo: repo, Path: p, Facts: f, Tree: tree, Files: all}
	for _, d := range file.Docs {
		found := false
		for _, format := range formats {
			if format.Rank < 0 && found {
				break // heuristics only where no format knows the document
			}
			if format.Match(p, d) {
				found = true
				format.Read(d, out)
			}
		}
	}
	for i := range f.Gaps {
		f.Gaps[i].Expected = f.Gaps[i].Expected || expected
	}
	if len(f.Layers)+len(f.Boundaries)+len(f.Routes)+len(f.Edges)+len(f.DeadLetters) > 0 || strings.Contains(string(data), "retrylint:") {
		f.Suppressions = append(f.Suppressions, commentSuppressions(repo, p, file)...)
	}
}

// nobodyExpects reports whether nobody expects a file to parse: test data, templates, examples of broken input.
func nobodyExpects(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "testdata", "test-data", "test_data", "fixtures", "__fixtures__", "templates", "template", "test", "tests", "e2e", "invalid", "broken", "examples", "docs":
			return true
		}
	}
	return strings.Contains(path.Base(p), ".tmpl") || strings.Contains(path.Base(p), ".tpl") || strings.Contains(path.Base(p), "template")
}

// commentSuppressions finds "retrylint:ignore RULE[,RULE] -- reason" in comments.
func commentSuppressions(repo, p string, file *doc.File) []model.Suppression {
	var out []model.Suppression
	var next func(line int) int
	for _, c := range file.Comments {
		_, rest, ok := strings.Cut(c.Text, "retrylint:ignore")
		if !ok {
			continue
		}
		rules, reason, _ := strings.Cut(rest, "--")
		s := model.Suppression{At: model.Location{Repo: repo, Path: p, Line: c.Pos.Line, Col: c.Pos.Col, EndLine: c.Pos.EndLine, EndCol: c.Pos.EndCol},
			Line: c.Pos.Line, Reason: strings.TrimSpace(reason), Form: "retrylint:ignore"}
		// A comment that has its line for itself is about the next line that says something.
		if c.Own() {
			if next == nil {
				next = linesAfter(file)
			}
			s.Line = next(max(c.Pos.Line, c.Pos.EndLine))
		}
		s.Rules = strings.FieldsFunc(rules, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
		out = append(out, s)
	}
	return out
}

// linesAfter finds for a line of a file the next one on which there is more than a comment or nothing.
func linesAfter(file *doc.File) func(line int) int {
	lines := strings.Split(file.Text(), "\n")
	comment := map[int]bool{}
	for _, c := range file.Comments {
		if c.Own() {
			for l := c.Pos.Line; l <= max(c.Pos.EndLine, c.Pos.Line); l++ {
				comment[l] = true
			}
		}
	}
	return func(line int) int {
		for l := line + 1; l <= len(lines); l++ {
			if !comment[l] && strings.TrimSpace(lines[l-1]) != "" {
				return l
			}
		}
		return line
	}
}
