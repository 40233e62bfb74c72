package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// chartFiles is a chart of its own: not one that lies in another.
type chartFiles struct {
	dir    string
	name   string
	values []string // values files beside the chart's own
}

// chartsOf finds the charts that are installed by themselves, and the folders of all charts. What lies in charts/ of
// another, or is named by another's dependencies with its path, is a part of that one; library charts make nothing.
func chartsOf(files Files) (charts []chartFiles, dirs []string) {
	manifests := map[string]*doc.Node{}
	parts := map[string]bool{}
	for _, p := range files.Paths {
		if path.Base(p) != "Chart.yaml" {
			continue
		}
		t := files.Tree(p)
		if t == nil || len(t.Docs) == 0 || t.Docs[0].Root.Get("name").Str() == "" || t.Templated {
			continue
		}
		dir := path.Dir(p)
		dirs = append(dirs, dir)
		manifests[dir] = t.Docs[0].Root
		for _, d := range t.Docs[0].Root.Get("dependencies").Items() {
			if rel, ok := strings.CutPrefix(d.Get("repository").Str(), "file://"); ok {
				parts[path.Join(dir, rel)] = true
			}
		}
	}
	for _, dir := range dirs {
		if up := path.Dir(dir); path.Base(up) == "charts" && manifests[path.Dir(up)] != nil {
			parts[dir] = true
		}
	}
	for _, dir := range dirs {
		if parts[dir] || manifests[dir].Get("type").Str() == "library" {
			continue
		}
		c := chartFiles{dir: dir, name: manifests[dir].Get("name").Str()}
		for _, f := range files.Paths {
			if inside(f, dir) && valuesFile(strings.TrimPrefix(f, prefixOf(dir))) {
				c.values = append(c.values, f)
			}
		}
		charts = append(charts, c)
	}
	return charts, dirs
}

func prefixOf(dir string) string {
	if dir == "." {
		return ""
	}
	return dir + "/"
}

// valuesFile reports whether a file of a chart, by its path in it, holds values for an environment.
func valuesFile(rel string) bool {
	ext := path.Ext(rel)
	if ext != ".yaml" && ext != ".yml" {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(rel, ext), "/")
	base := parts[len(parts)-1]
	named := strings.HasPrefix(base, "values-") || strings.HasPrefix(base, "values.") || strings.HasPrefix(base, "values_") ||
		strings.HasSuffix(base, "-values") || strings.HasSuffix(base, ".values")
	switch len(parts) {
	case 1:
		return named
	case 2:
		switch parts[0] {
		case "ci":
			return named
		case "values", "environments", "envs", "env":
			return true
		}
	case 3:
		switch parts[0] {
		case "environments", "envs", "env":
			return base == "values" || named
		}
	}
	return false
}

// environments are the releases of a chart: those that the repository declares, or else its own values, and each values file
// over them.
func (c chartFiles) environments(found []release) []release {
	var out []release
	declared := slices.ContainsFunc(found, func(r release) bool { return r.declared })
	if !declared {
		out = append(out, release{chart: c.dir})
	}
	uses := func(r release, file string) bool {
		return slices.ContainsFunc(r.parts, func(v valuesPart) bool { return v.file == file })
	}
	for _, v := range c.values {
		// Values that are only ever laid under others ship nowhere by themselves.
		if !slices.ContainsFunc(found, func(r release) bool { return uses(r, v) }) {
			out = append(out, release{chart: c.dir, label: v, parts: []valuesPart{{file: v}}})
		}
	}
	return append(out, found...)
}

// chart renders a chart with its own values, and with each values file over them.
func (r *renderer) chart(c chartFiles, found []release) (Set, bool) {
	s := Set{Name: c.dir}
	manifest := path.Join(c.dir, "Chart.yaml")
	all := c.environments(found)
	if more := len(all) - maxEnvironments; more > 0 {
		r.gaps = append(r.gaps, Gap{Path: manifest, Reason: fmt.Sprintf("%d more values files than are rendered for one chart", more), Expected: true})
		all = all[:maxEnvironments]
	}
	covered, raw := map[string]bool{}, map[string]bool{} // templates that some environment rendered; that some could not
	var faults []fault
	failed := 0
	for i, rel := range all {
		name := "values.yaml"
		if rel.label != "" {
			name = strings.TrimPrefix(rel.label, prefixOf(c.dir))
		}
		j := job{Kind: "helm", Dir: c.dir}
		for _, v := range rel.parts {
			j.Values = append(j.Values, v.send(r.files))
		}
		a, ok := r.ask(j)
		if !ok {
			return s, false
		}
		if i == 0 {
			r.missing(manifest, a.Missing)
		}
		for _, f := range a.Faults {
			raw[f.Path] = true
			if !slices.ContainsFunc(faults, func(g fault) bool { return g.Path == f.Path && g.Line == f.Line }) {
				faults = append(faults, f)
			}
		}
		if a.Err != "" {
			failed++
			if len(a.Faults) == 0 {
				r.gaps = append(r.gaps, Gap{Path: or(a.ErrPath, manifest), Line: max(a.ErrLine, 1), Reason: fmt.Sprintf("chart %s with %s: %s; it is read unrendered", c.dir, name, a.Err), Expected: len(a.Missing) > 0})
			}
			continue
		}
		env := Env{Name: c.dir + ":" + name}
		look := &valuesOf{files: r.files, chart: c, release: rel}
		for _, t := range a.Texts {
			covered[t.Path] = true
			env.Texts = append(env.Texts, look.text(t, a.Marks))
		}
		for p := range r.send {
			if inside(p, c.dir) && template(p) && !strings.HasPrefix(path.Base(p), "_") {
				covered[p] = true // also those that made nothing
			}
		}
		for _, v := range rel.parts {
			if v.file != "" && !inside(v.file, c.dir) {
				covered[v.file] = true // what it sets is in what was rendered
			}
		}
		s.Envs = append(s.Envs, env)
	}
	for _, f := range faults {
		// Values that an environment must give are not missing where one gives them.
		if len(s.Envs) > 0 && !f.Syntax && failed < len(all) && failed > 0 {
			continue
		}
		r.gaps = append(r.gaps, Gap{Path: or(f.Path, manifest), Line: max(f.Line, 1), Reason: "template does not render: " + f.Reason, Expected: !f.Syntax})
	}
	if len(s.Envs) == 0 {
		return s, false
	}
	for p := range covered {
		if !raw[p] && path.Ext(p) != ".tgz" {
			s.Covers = append(s.Covers, p)
		}
	}
	slices.Sort(s.Covers)
	return s, true
}

// template reports whether a file is a template of a chart, not one of its libraries'.
func template(p string) bool {
	return strings.HasPrefix(p, "templates/") || strings.Contains(p, "/templates/")
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// missing names what is not in the repository.
func (r *renderer) missing(at string, names []string) {
	for _, n := range names {
		g := Gap{Path: at, Line: 1, Expected: true, Reason: fmt.Sprintf("%s is not in the repository; what it adds is not known", n)}
		if path.Base(at) == "Chart.yaml" {
			g.Reason = fmt.Sprintf("dependency %s of the chart is not in the repository; what it adds is not known", n)
		}
		if t := r.files.Tree(at); t != nil && len(t.Docs) > 0 {
			t.Docs[0].Root.Walk(func(d *doc.Node) bool {
				if d.Str() == n && g.Col == 0 {
					g.Line, g.Col = d.Pos().Line, d.Pos().Col
				}
				return true
			})
		}
		r.gaps = append(r.gaps, g)
	}
}
