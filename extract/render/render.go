// Package render makes of Helm charts and Kustomize overlays what really ships, by the libraries of these tools, so that
// the numbers of a values file or an overlay count and not the template's.
//
// Rendering runs a template language over files that anybody may have written, and a running template can be neither
// stopped nor bounded from within its process: a chart that loops or doubles a string would take the scan with it. So the
// libraries run in a child process, this program once more, which has a deadline, a limit of memory, no programs to call
// and no network (see worker.go). What it answers is text with the places from which each part of it comes; everything
// else (finding units, places in values files and overlays) is done here, from trees of package doc.
//
// Nothing here reads the disk: the caller hands over the files of a repository.
package render

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// Limits of one repository. What lies beyond them is read as it stands, unrendered, and said in a gap.
const (
	maxEnvironments = 20       // of one chart, the chart's own values included
	maxFile         = 1 << 20  // larger files are not given to the libraries
	maxAll          = 64 << 20 // of all files
	maxOutput       = 8 << 20  // of one environment
	maxUnits        = 500      // charts and overlays of one repository
)

// Files are a repository's files as the renderer needs them.
type Files struct {
	Paths []string                          // sorted; relative to the repository, forward slashes
	Read  func(path string) ([]byte, error) // of one of Paths
	Tree  func(path string) *doc.File       // parsed; nil where there is no such file
}

// Set is one chart, or overlays that share a base: each of its environments is another reading of the same files.
type Set struct {
	Name string // folder of the chart, or the folder above all overlays
	Envs []Env
	// Covers are the files whose contents are in the rendered texts: they need not be read once more.
	Covers []string
}

// Env is what one values file or overlay makes.
type Env struct {
	Name  string // "folder:values-prod.yaml", "folder:prod"; before the colon stands Set.Name
	Texts []*Text
}

// Text is one rendered text: YAML, with the place of everything in it.
type Text struct {
	Path string // of the template or of the kustomization
	Data []byte
	// Origin is the file from which a document comes, by its index; nil means Path.
	Origin func(d *doc.Document) string
	// Place finds where something at a place of Data was written.
	Place func(p doc.Pos) Place
}

// Place is a place in a file of the repository.
type Place struct {
	Path string
	Pos  doc.Pos
}

// Gap is something that was not rendered.
type Gap struct {
	Path      string
	Line, Col int
	Reason    string
	// Expected: nothing is wrong with the repository, but a part of what ships is elsewhere.
	Expected bool
}

// Wants reports whether a file is of use for rendering, beside those that formats want.
func Wants(file string) bool {
	if strings.HasSuffix(file, ".tpl") || strings.HasSuffix(file, ".yaml.gotmpl") || strings.HasSuffix(file, ".tgz") && path.Base(path.Dir(file)) == "charts" {
		return true
	}
	switch path.Base(file) {
	case "Chart.yaml", "Kustomization", "values.schema.json", "NOTES.txt", ".helmignore":
		return true
	}
	return false
}

// Each renders every chart and overlay of a repository, and gives each set to fn as soon as it is made: the next one is
// rendered by another process meanwhile. It does not fail: what could not be rendered is a gap.
func Each(ctx context.Context, files Files, fn func(Set)) []Gap {
	charts, dirs := chartsOf(files)
	overlays := overlaysOf(files)
	if len(charts)+len(overlays.leaves) == 0 {
		return nil
	}
	r := &renderer{ctx: ctx, files: files}
	defer r.close()
	releases := map[string][]release{}
	if len(charts) > 0 {
		releases = r.releasesOf(charts, dirs)
	}
	if gap := r.collect(dirs, releases, len(overlays.leaves) > 0); gap != nil {
		return append(r.gaps, *gap)
	}
	for i, c := range charts {
		if i == maxUnits {
			r.gaps = append(r.gaps, Gap{Path: c.dir, Reason: "more charts than are rendered for one repository; the rest is read unrendered", Expected: true})
			break
		}
		if s, ok := r.chart(c, releases[c.dir]); ok {
			fn(s)
		}
	}
	r.overlays(overlays, fn)
	return r.gaps
}

// renderer is the work on one repository.
type renderer struct {
	ctx   context.Context
	files Files
	send  map[string][]byte // what the child gets
	child *child
	gaps  []Gap
	down  bool // no child can be had: nothing is rendered
}

// collect reads the files that the child needs.
func (r *renderer) collect(charts []string, releases map[string][]release, overlays bool) *Gap {
	r.send = map[string][]byte{}
	values := map[string]bool{}
	for _, all := range releases {
		for _, rel := range all {
			for _, v := range rel.parts {
				values[v.file] = true
			}
		}
	}
	total := 0
	add := func(p string) bool {
		if _, ok := r.send[p]; ok {
			return true
		}
		data, err := r.files.Read(p)
		if err != nil || len(data) > maxFile {
			return true
		}
		total += len(data)
		r.send[p] = data
		return total <= maxAll
	}
	for _, p := range r.files.Paths {
		wanted := values[p] || overlays && overlayInput(p) || slices.ContainsFunc(charts, func(dir string) bool { return inside(p, dir) })
		if wanted && !add(p) {
			return &Gap{Path: p, Reason: "the repository's charts and overlays are too large to be rendered; they are read unrendered", Expected: true}
		}
	}
	return nil
}

func (r *renderer) close() {
	if r.child != nil {
		r.child.stop()
	}
}

// ask has one job done by the child, which is started where there is none.
func (r *renderer) ask(j job) (answer, bool) {
	if r.down || r.ctx.Err() != nil {
		return answer{}, false
	}
	if r.child == nil {
		c, err := startChild(r.send)
		if err != nil {
			r.down = true
			r.gaps = append(r.gaps, Gap{Path: j.Dir, Reason: "charts and overlays are read unrendered: " + err.Error(), Expected: true})
			return answer{}, false
		}
		r.child = c
	}
	a, err := r.child.do(r.ctx, j)
	if err != nil {
		r.child.stop()
		r.child = nil
		a.Err = err.Error()
	}
	return a, true
}

// inside reports whether a file lies in a folder.
func inside(file, dir string) bool { return dir == "." || strings.HasPrefix(file, dir+"/") }

// overlayInput reports whether an overlay may read such a file.
func overlayInput(p string) bool {
	switch path.Ext(p) {
	case ".yaml", ".yml", ".json", ".env", ".properties", ".conf", ".toml", ".ini", ".cfg", ".txt":
		return true
	}
	return path.Base(p) == "Kustomization"
}
