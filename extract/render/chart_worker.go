package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/strvals"
)

// maxChartDepth bounds charts inside charts.
const maxChartDepth = 8

// maxBroken is how many templates of a chart may fail one after the other until the chart is given up.
const maxBroken = 12

// loaded is a chart with where its templates come from.
type loaded struct {
	files map[string][]byte
	paths map[*chart.File]string // of the repository
	plain map[*chart.File][]byte
	marks *markers
	gone  []string // dependencies that are not there
}

// renderChart is Helm's "template" for one chart with one values file, in the worker.
func renderChart(files map[string][]byte, j job, marks *markers) answer {
	log.SetOutput(io.Discard)
	l := &loaded{files: files, paths: map[*chart.File]string{}, plain: map[*chart.File][]byte{}, marks: marks}
	c, err := l.load(j.Dir, 0)
	if err != nil {
		return answer{Err: err.Error(), ErrPath: path.Join(j.Dir, "Chart.yaml"), ErrLine: 1}
	}
	a := answer{}
	values := func() (chartutil.Values, string, error) { return valuesFor(files, j) }
	vals, file, err := values()
	if err != nil {
		return answer{Err: "values that cannot be read: " + err.Error(), ErrPath: file, ErrLine: 1}
	}
	if err := chartutil.ProcessDependenciesWithMerge(c, vals); err != nil {
		return answer{Err: err.Error(), ErrPath: path.Join(j.Dir, "Chart.yaml"), ErrLine: 1}
	}
	names := map[string]string{}
	var templates []*chart.File
	l.walk(c, func(name string, f *chart.File) {
		names[name] = l.paths[f]
		templates = append(templates, f)
		l.plain[f] = f.Data
	})
	render := func(data map[*chart.File][]byte) (map[string]string, error) {
		for _, f := range templates {
			f.Data = data[f]
		}
		v, _, err := values()
		if err != nil {
			return nil, err
		}
		// Without the values' JSON schema, which may name others to be fetched.
		full, err := chartutil.ToRenderValuesWithSchemaValidation(c, v, chartutil.ReleaseOptions{Name: c.Name(), Namespace: "default", Revision: 1, IsInstall: true}, chartutil.DefaultCapabilities, true)
		if err != nil {
			return nil, err
		}
		return engine.Engine{}.Render(c, full) // no client: lookup finds nothing; no DNS
	}
	var out map[string]string
	for {
		if out, err = render(l.plain); err == nil {
			break
		}
		f := faultOf(err, names)
		a.Faults = append(a.Faults, f)
		i := slices.IndexFunc(templates, func(t *chart.File) bool { return l.paths[t] == f.Path })
		if f.Path == "" || i < 0 || len(a.Faults) > maxBroken || len(l.plain[templates[i]]) == 0 || strings.HasPrefix(path.Base(f.Path), "_") {
			a.Err = "the chart does not render"
			a.Missing = l.gone
			return a
		}
		l.plain[templates[i]] = nil
	}
	size := 0
	for _, text := range out {
		if size += len(text); size > maxOutput {
			return answer{Err: fmt.Sprintf("the rendered chart is larger than %d MiB", maxOutput>>20)}
		}
	}
	spans := l.renderMarked(templates, out, render)
	order := make([]string, 0, len(out))
	for name := range out {
		order = append(order, name)
	}
	slices.Sort(order)
	for _, name := range order {
		if strings.HasSuffix(name, ".txt") || strings.TrimSpace(out[name]) == "" {
			continue
		}
		t := rendered{Path: names[name], Name: name, Text: out[name], Spans: spans[name]}
		a.Texts = append(a.Texts, t)
	}
	a.Marks, a.Missing = l.marks.list, l.gone
	return a
}

// valuesFor lays the values of a job over one another; file is the one that cannot be read.
func valuesFor(files map[string][]byte, j job) (vals chartutil.Values, file string, err error) {
	vals = chartutil.Values{}
	for _, v := range j.Values {
		if len(v.Set) > 0 {
			for _, s := range v.Set {
				if err := strvals.ParseInto(s, vals); err != nil {
					return nil, "", err
				}
			}
			continue
		}
		data := v.Data
		if v.File != "" {
			data = files[v.File]
		}
		over, err := chartutil.ReadValues(data)
		if err != nil {
			return nil, v.File, err
		}
		vals = chartutil.MergeTables(over, vals)
	}
	return vals, "", nil
}

// renderMarked finds the marks of the rendered texts. It renders once more with marks everywhere, and where that is not
// enough with marks outside of named templates only: what a chart does with the output of a named template may depend on
// what it is, so the texts are held against the true ones.
func (l *loaded) renderMarked(templates []*chart.File, out map[string]string, render func(map[*chart.File][]byte) (map[string]string, error)) map[string][]span {
	found := map[string][]span{}
	for _, defines := range []bool{true, false} {
		data := map[*chart.File][]byte{}
		for _, f := range templates {
			data[f] = []byte(l.marks.instrument(l.paths[f], string(l.plain[f]), defines))
		}
		marked, err := render(data)
		if err != nil {
			continue
		}
		all := true
		for name, text := range out {
			if found[name] == nil && strings.TrimSpace(text) != "" {
				spans, ok := spansOf(marked[name], text)
				if all = all && ok; ok {
					found[name] = spans
				}
			}
		}
		if all {
			break
		}
	}
	return found
}

// walk calls fn for each template of a chart and its dependencies, with the name that the engine gives it.
func (l *loaded) walk(c *chart.Chart, fn func(name string, f *chart.File)) {
	for _, t := range c.Templates {
		if t != nil {
			fn(path.Join(c.ChartFullPath(), t.Name), t)
		}
	}
	for _, d := range c.Dependencies() {
		l.walk(d, fn)
	}
}

// load makes a chart of a folder's files, with the charts that lie in it or, by a relative path, beside it.
func (l *loaded) load(dir string, depth int) (*chart.Chart, error) {
	if depth > maxChartDepth {
		return nil, errors.New("charts inside charts are nested too deep")
	}
	prefix := ""
	if dir != "." {
		prefix = dir + "/"
	}
	var own []*loader.BufferedFile
	folders, archives := map[string]bool{}, []string{}
	ignored := parseHelmIgnore(l.files[prefix+".helmignore"])
	for p, data := range l.files {
		rel, ok := strings.CutPrefix(p, prefix)
		if !ok || ignored.file(rel) {
			continue
		}
		if sub, ok := strings.CutPrefix(rel, "charts/"); ok {
			if folder, _, deeper := strings.Cut(sub, "/"); deeper {
				folders[folder] = true
			} else if strings.HasSuffix(sub, ".tgz") {
				archives = append(archives, p)
			}
			continue
		}
		own = append(own, &loader.BufferedFile{Name: rel, Data: data})
	}
	slices.SortFunc(own, func(a, b *loader.BufferedFile) int { return strings.Compare(a.Name, b.Name) })
	c, err := loader.LoadFiles(own)
	if err != nil {
		return nil, err
	}
	for _, t := range c.Templates {
		l.paths[t] = prefix + t.Name
	}
	have := map[string]bool{}
	for _, folder := range sortedKeys(folders) {
		sub := prefix + "charts/" + folder
		if _, ok := l.files[sub+"/Chart.yaml"]; !ok || strings.HasPrefix(folder, "_") || strings.HasPrefix(folder, ".") {
			continue
		}
		d, err := l.load(sub, depth+1)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", sub, err)
		}
		have[d.Name()] = true
		c.AddDependency(d)
	}
	slices.Sort(archives)
	for _, p := range archives {
		d, err := loader.LoadArchive(bytes.NewReader(l.files[p]))
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", p, err)
		}
		if have[d.Name()] {
			continue
		}
		l.walk(d, func(_ string, f *chart.File) { l.paths[f] = p })
		have[d.Name()] = true
		c.AddDependency(d)
	}
	for _, dep := range c.Metadata.Dependencies {
		if dep == nil || have[dep.Name] {
			continue
		}
		if rel, ok := strings.CutPrefix(dep.Repository, "file://"); ok {
			sub := path.Join(dir, rel)
			if _, ok := l.files[sub+"/Chart.yaml"]; ok {
				d, err := l.load(sub, depth+1)
				if err != nil {
					return nil, fmt.Errorf("chart %s: %w", sub, err)
				}
				have[d.Name()] = true
				c.AddDependency(d)
				continue
			}
		}
		l.gone = append(l.gone, dep.Name)
	}
	return c, nil
}

func sortedKeys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// fault is a template that does not render.
type fault struct {
	Path   string
	Line   int
	Reason string
	Syntax bool // it is no template at all
}

var faultPlace = regexp.MustCompile(`^(?:parse error at \(|execution error at \(|template: )([^():]+):(\d+)`)

// faultOf reads the place off an error of the engine.
func faultOf(err error, names map[string]string) fault {
	msg := err.Error()
	f := fault{Reason: msg, Syntax: strings.HasPrefix(msg, "parse error")}
	if m := faultPlace.FindStringSubmatch(msg); m != nil {
		f.Path = names[m[1]]
		f.Line, _ = strconv.Atoi(m[2])
		f.Reason = strings.TrimLeft(msg[len(m[0]):], ":0123456789) ")
	}
	if i := strings.IndexByte(f.Reason, '\n'); i >= 0 {
		f.Reason = f.Reason[:i]
	}
	const longest = 300
	if len(f.Reason) > longest {
		f.Reason = strings.ToValidUTF8(f.Reason[:longest], "") + "..."
	}
	return f
}
