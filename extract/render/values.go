package render

import (
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// valuesOf finds the line of a values file that decides a value of one environment.
type valuesOf struct {
	files   Files
	chart   chartFiles
	release release // what is laid over the chart's own values
}

// text joins a rendered text with its places.
func (v *valuesOf) text(t rendered, marks []mark) *Text {
	data := t.Text
	chain := chartChain(t.Name)
	lines := lineStarts(data)
	at := func(line, col int) int {
		if line < 1 || line > len(lines) {
			return len(data)
		}
		return min(lines[line-1]+max(col, 1)-1, len(data))
	}
	return &Text{Path: t.Path, Data: []byte(data), Place: func(p doc.Pos) Place {
		start := at(p.Line, p.Col)
		end := start
		if p.EndLine == p.Line && p.EndCol > p.Col {
			end = at(p.EndLine, p.EndCol)
		}
		if !strings.HasPrefix(t.Path, prefixOf(v.chart.dir)) && len(t.Spans) == 0 || path.Ext(t.Path) == ".tgz" && len(t.Spans) == 0 {
			return Place{path.Join(v.chart.dir, "Chart.yaml"), doc.Pos{Line: 1, Col: 1}}
		}
		return v.place(t, marks, chain, start, end)
	}}
}

// place finds the place of a part of a text: the values file's where an action wrote it, otherwise the template's.
func (v *valuesOf) place(t rendered, marks []mark, chain []string, start, end int) Place {
	i := sort.Search(len(t.Spans), func(i int) bool { return t.Spans[i].At > start }) - 1
	here := Place{t.Path, doc.Pos{Line: 1, Col: 1}}
	if i < 0 {
		if len(t.Spans) == 0 {
			return v.packed(here)
		}
		i = 0
	}
	for k := i; k < len(t.Spans) && (k == i || t.Spans[k].At < end); k++ {
		m := marks[t.Spans[k].Mark]
		if !m.Action || len(m.Values) == 0 {
			continue
		}
		stop := len(t.Text)
		if k+1 < len(t.Spans) {
			stop = t.Spans[k+1].At
		}
		if p, ok := v.decided(m, chain, t.Text[t.Spans[k].At:stop], start-t.Spans[k].At); ok {
			return p
		}
	}
	m := marks[t.Spans[i].Mark]
	here = Place{m.Path, doc.Pos{Line: m.Line, Col: m.Col}}
	if !m.Action && !strings.Contains(t.Text[t.Spans[i].At:max(start, t.Spans[i].At)], "\n") {
		here.Pos.Col += max(start-t.Spans[i].At, 0)
		if i+1 == len(t.Spans) || end <= t.Spans[i+1].At {
			here.Pos.EndLine, here.Pos.EndCol = here.Pos.Line, here.Pos.Col+max(end-start, 0)
		}
	}
	return v.packed(here)
}

// packed moves a place in an archive to the chart that names it.
func (v *valuesOf) packed(p Place) Place {
	if path.Ext(p.Path) == ".tgz" || p.Path == "" {
		return Place{path.Join(v.chart.dir, "Chart.yaml"), doc.Pos{Line: 1, Col: 1}}
	}
	return p
}

// decided is the place in the values files of what an action wrote; off is where in its output the part begins.
func (v *valuesOf) decided(m mark, chain []string, out string, off int) (Place, bool) {
	text := strings.Trim(strings.TrimSpace(out), `"'`)
	var fallback *doc.Node
	var inFile string
	for _, want := range m.Values {
		file, n := v.find(chain, want)
		if !n.Exists() {
			continue
		}
		if n.Kind() == doc.Map || n.Kind() == doc.List {
			if sub := within(n, out, off); sub != nil {
				return Place{file, sub.Pos()}, true
			}
			if sub := sameText(n, text); sub != nil {
				return Place{file, sub.Pos()}, true
			}
		} else if n.Str() == text || len(m.Values) == 1 {
			return Place{file, n.Pos()}, true
		}
		if fallback == nil {
			fallback, inFile = n, file
		}
	}
	if fallback == nil {
		return Place{}, false
	}
	return Place{inFile, fallback.Pos()}, true
}

// within finds in a value that was written as YAML what stands at an offset of the writing.
func within(n *doc.Node, out string, off int) *doc.Node {
	if !strings.Contains(out, ":") && !strings.Contains(out, "- ") {
		return nil
	}
	if off < 0 {
		return nil
	}
	f := doc.ParseAs(doc.YAML, "values.yaml", []byte(out), doc.Limits{MaxBytes: 256 << 10, MaxNodes: 20_000})
	line := 1 + strings.Count(out[:min(off, len(out))], "\n")
	var hit *doc.Node
	for _, d := range f.Docs {
		d.Root.Walk(func(k *doc.Node) bool {
			if k.Kind() != doc.Map && k.Kind() != doc.List && k.Pos().Line == line {
				hit = k
			}
			return true
		})
	}
	if hit == nil {
		return nil
	}
	for _, s := range wayTo(hit) {
		if s.item {
			n = n.At(s.index)
		} else {
			n = n.Get(s.key)
		}
		if !n.Exists() {
			return nil
		}
	}
	return n
}

// sameText is the only scalar below a value with a text; nil where there is none or several.
func sameText(n *doc.Node, text string) *doc.Node {
	var hit *doc.Node
	many := false
	n.Walk(func(k *doc.Node) bool {
		if k.Kind() == doc.Scalar && k.Str() == text {
			many = many || hit != nil
			hit = k
		}
		return true
	})
	if many {
		return nil
	}
	return hit
}

// find looks a value up as Helm lays values over one another: the environment's file, the chart's own values, and for a
// chart inside the chart its own at last.
func (v *valuesOf) find(chain, want []string) (string, *doc.Node) {
	type source struct {
		file string
		path []string
	}
	full := append(slices.Clone(chain), want...)
	if want[0] == "global" {
		full = want
	}
	for _, part := range slices.Backward(v.release.parts) {
		if file, n := part.at(v.files, v.release.by, full); n.Exists() {
			return file, n
		}
	}
	var all []source
	dir := v.chart.dir
	all = append(all, source{path.Join(dir, "values.yaml"), full})
	for i, name := range chain {
		dir = path.Join(dir, "charts", name)
		p := want
		if want[0] != "global" {
			p = append(slices.Clone(chain[i+1:]), want...)
		}
		all = append(all, source{path.Join(dir, "values.yaml"), p})
	}
	for _, s := range all {
		t := v.files.Tree(s.file)
		if t == nil || len(t.Docs) == 0 {
			continue
		}
		if n := step(t.Docs[0].Root, s.path); n.Exists() {
			return s.file, n
		}
	}
	return "", nil
}

// step goes down a path; from "*" on any key may be meant, so the map itself is the answer.
func step(n *doc.Node, p []string) *doc.Node {
	for _, key := range p {
		if key == "*" {
			return n
		}
		if n = n.Get(key); !n.Exists() {
			return nil
		}
	}
	return n
}

// chartChain is the charts inside the chart to which a template belongs: {"redis"} for "pay/charts/redis/templates/x.yaml".
func chartChain(name string) []string {
	head, _, _ := strings.Cut(name, "/templates/")
	parts := strings.Split(head, "/charts/")
	return parts[1:]
}

func lineStarts(s string) []int {
	out := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}
