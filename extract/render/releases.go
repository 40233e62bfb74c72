package render

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// A release is one installation of a chart that the repository shows: by Argo CD, Flux or Helmfile, or by a values file that
// lies beside the chart's folder. What it gives is laid over the chart's own values, the last part winning.
type release struct {
	chart string // folder
	label string // the file that tells it from others: its last values file, or what declares it
	by    string // what declares it
	// declared: something installs it so; otherwise it is a values file that looks as if it were for the chart.
	declared bool
	parts    []valuesPart
}

// valuesPart is one of the things that give values.
type valuesPart struct {
	file string // a values file of the repository
	// inline are values written in the file that declares the release.
	inline *doc.Node
	bind   binding
	// set are single values, "--set name=value".
	set []setValue
}

type setValue struct {
	name  string
	value *doc.Node
	text  string
}

// binding are the words that a generator or a tool puts into a template: "cluster" -> "prod".
type binding map[string]string

const (
	maxBindings    = maxEnvironments
	maxReleaseFile = 256 << 10
)

// releasesOf finds what installs the charts of a repository, by the chart's folder.
func (r *renderer) releasesOf(charts []chartFiles, dirs []string) map[string][]release {
	f := &finder{r: r, charts: charts, out: map[string][]release{}, used: map[string]bool{}}
	for _, p := range r.files.Paths {
		if ext := path.Ext(p); ext != ".yaml" && ext != ".yml" && ext != ".gotmpl" || slices.ContainsFunc(dirs, func(dir string) bool { return dir != "." && inside(p, dir+"/templates/tests") }) {
			continue
		}
		data, err := r.files.Read(p)
		if err != nil || len(data) > maxReleaseFile {
			continue
		}
		f.file(p, string(data))
	}
	f.beside(dirs)
	return f.out
}

// finder collects releases.
type finder struct {
	r      *renderer
	charts []chartFiles
	out    map[string][]release
	used   map[string]bool // values files that some release names
}

func (f *finder) file(p, text string) {
	argo := strings.Contains(text, "argoproj.io/") && strings.Contains(text, "kind: Application")
	flux := strings.Contains(text, "helm.toolkit.fluxcd.io/") && strings.Contains(text, "kind: HelmRelease")
	helmfile := strings.Contains(text, "releases:") && strings.Contains(text, "chart:") && (strings.Contains(path.Base(p), "helmfile") || strings.Contains(path.Dir(p)+"/", "helmfile.d/") || strings.HasPrefix(text, "releases:") || strings.Contains(text, "\nreleases:"))
	if !argo && !flux && !helmfile {
		return
	}
	t := f.r.files.Tree(p)
	if path.Ext(p) == ".gotmpl" {
		t = doc.ParseAs(doc.YAML, p, []byte(text), doc.Limits{MaxBytes: maxReleaseFile})
	}
	if t == nil {
		return
	}
	var environments []binding
	for _, d := range t.Docs {
		kind := d.Root.Get("kind").Str()
		switch {
		case argo && kind == "Application":
			f.argo(p, d.Root.Get("spec"), nil)
		case argo && kind == "ApplicationSet":
			all := f.generators(d.Root.Path("spec.generators").Items())
			if len(all) == 0 {
				all = []binding{nil}
			}
			for _, b := range all {
				f.argo(p, d.Root.Path("spec.template.spec"), b)
			}
		case flux && kind == "HelmRelease":
			f.flux(p, d.Root.Get("spec"))
		case helmfile:
			for _, e := range d.Root.Get("environments").Entries() {
				environments = append(environments, binding{"Environment.Name": e.Key})
			}
			f.helmfile(p, d.Root, environments)
		}
	}
}

// add keeps a release of a chart that is here.
func (f *finder) add(p, chart, name string, parts []valuesPart) {
	dir := f.chart(chart, name)
	if dir == "" {
		return
	}
	own := path.Join(dir, "values.yaml")
	parts = slices.DeleteFunc(parts, func(v valuesPart) bool { return v.file == own })
	if len(parts) == 0 {
		return // the chart as it is
	}
	rel := release{chart: dir, label: p, by: p, declared: parts[0].file != p, parts: parts}
	for _, v := range parts {
		if v.file != "" {
			f.used[v.file] = true
			rel.label = v.file
		}
	}
	for i, old := range f.out[dir] {
		if old.label == rel.label {
			if sameParts(old.parts, parts) {
				return
			}
			rel.label = strings.TrimSuffix(p, path.Ext(p)) + ":" + itoa(i+1) + path.Ext(p)
		}
	}
	f.out[dir] = append(f.out[dir], rel)
}

func sameParts(a, b []valuesPart) bool {
	return slices.EqualFunc(a, b, func(x, y valuesPart) bool {
		return x.file == y.file && x.inline == y.inline && len(x.set) == 0 && len(y.set) == 0 && len(x.bind) == 0 && len(y.bind) == 0
	})
}

// chart is the folder of a chart of the repository: by its path, or by a name that one chart alone has.
func (f *finder) chart(dir, name string) string {
	if i := slices.IndexFunc(f.charts, func(c chartFiles) bool { return c.dir == dir }); dir != "" && i >= 0 {
		return dir
	}
	hit := ""
	for _, c := range f.charts {
		if name != "" && c.name == name {
			if hit != "" {
				return ""
			}
			hit = c.dir
		}
	}
	return hit
}

// argo reads the sources of an Application.
func (f *finder) argo(p string, spec *doc.Node, b binding) {
	sources := spec.Get("sources").Items()
	if s := spec.Get("source"); s.Exists() {
		sources = append(slices.Clone(sources), s)
	}
	for _, s := range sources {
		h := s.Get("helm")
		if !h.Exists() {
			continue
		}
		dir, _ := b.fill(s.Get("path"))
		chart, _ := b.fill(s.Get("chart"))
		dir = cleanDir(dir)
		base := f.chart(dir, path.Base(chart))
		if base == "" {
			continue
		}
		for _, b := range f.spread(h.Get("valueFiles").Items(), base, p, b) {
			var parts []valuesPart
			for _, n := range h.Get("valueFiles").Items() {
				if file, ok := f.valuesAt(n, base, p, b); ok {
					parts = append(parts, valuesPart{file: file})
				}
			}
			parts = append(parts, inlineParts(b, h.Get("values"), h.Get("valuesObject"))...)
			var set []setValue
			for _, e := range h.Get("parameters").Items() {
				if text, ok := b.fill(e.Get("value")); ok {
					set = append(set, setValue{e.Get("name").Str(), e.Get("value"), text})
				}
			}
			if len(set) > 0 {
				parts = append(parts, valuesPart{set: set})
			}
			f.add(p, base, "", parts)
		}
	}
}

func inlineParts(b binding, nodes ...*doc.Node) []valuesPart {
	var parts []valuesPart
	for _, n := range nodes {
		if n.Kind() == doc.Scalar || n.Kind() == doc.Unknown {
			t := n.ParseAs(doc.YAML, doc.Limits{MaxBytes: maxReleaseFile})
			if t == nil || len(t.Docs) == 0 {
				continue
			}
			n = t.Docs[0].Root
		}
		if n.Kind() == doc.Map && n.Len() > 0 {
			parts = append(parts, valuesPart{inline: n, bind: b})
		}
	}
	return parts
}

// flux reads a HelmRelease.
func (f *finder) flux(p string, spec *doc.Node) {
	c := spec.Path("chart.spec")
	name := c.Get("chart").Str()
	dir := ""
	if k := c.Path("sourceRef.kind").Str(); k != "HelmRepository" {
		dir = cleanDir(name)
	}
	base := f.chart(dir, path.Base(name))
	if base == "" {
		return
	}
	var parts []valuesPart
	for _, n := range c.Get("valuesFiles").Items() {
		for _, file := range []string{path.Clean(n.Str()), path.Join(base, n.Str())} {
			if f.has(file) {
				parts = append(parts, valuesPart{file: file})
				break
			}
		}
	}
	for _, from := range spec.Get("valuesFrom").Items() {
		file := f.generated(path.Dir(p), from.Get("name").Str(), from.Get("valuesKey").Str("values.yaml"))
		if file == "" {
			f.r.gaps = append(f.r.gaps, Gap{Path: p, Line: from.Pos().Line, Col: from.Pos().Col, Expected: true,
				Reason: "values from " + from.Get("kind").Str() + " " + from.Get("name").Str() + " are not in the repository; what they set is not known"})
			continue
		}
		parts = append(parts, valuesPart{file: file})
	}
	f.add(p, base, "", append(parts, inlineParts(nil, spec.Get("values"))...))
}

// generated is the file that a kustomization beside a release puts into a ConfigMap.
func (f *finder) generated(dir, name, key string) string {
	for _, k := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		t := f.r.files.Tree(path.Join(dir, k))
		if t == nil || len(t.Docs) == 0 {
			continue
		}
		for _, gen := range []string{"configMapGenerator", "secretGenerator"} {
			for _, e := range t.Docs[0].Root.Get(gen).Items() {
				for _, n := range e.Get("files").Items() {
					k, file, ok := strings.Cut(n.Str(), "=")
					if !ok {
						k, file = path.Base(n.Str()), n.Str()
					}
					if e.Get("name").Str() == name && k == key && f.has(path.Join(dir, file)) {
						return path.Join(dir, file)
					}
				}
			}
		}
	}
	return ""
}

// helmfile reads the releases of a helmfile, in each of its environments.
func (f *finder) helmfile(p string, root *doc.Node, environments []binding) {
	dir := path.Dir(p)
	if len(environments) == 0 {
		environments = []binding{nil}
	}
	for _, rel := range root.Get("releases").Items() {
		chart, _ := binding(nil).fill(rel.Get("chart"))
		base := f.chart(path.Join(dir, chart), path.Base(chart))
		if base == "" {
			continue
		}
		for _, env := range environments {
			b := binding{"Release.Name": rel.Get("name").Str()}
			for k, v := range env {
				b[k] = v
			}
			values := append(slices.Clone(rel.Get("values").Items()), rel.Get("secrets").Items()...)
			for _, b := range f.spread(values, dir, p, b) {
				var parts []valuesPart
				for _, n := range values {
					if n.Kind() == doc.Map {
						parts = append(parts, inlineParts(b, n)...)
					} else if file, ok := f.valuesAt(n, dir, p, b); ok {
						parts = append(parts, valuesPart{file: file})
					}
				}
				var set []setValue
				for _, e := range rel.Get("set").Items() {
					if text, ok := b.fill(e.Get("value")); ok {
						set = append(set, setValue{e.Get("name").Str(), e.Get("value"), text})
					}
				}
				if len(set) > 0 {
					parts = append(parts, valuesPart{set: set})
				}
				f.add(p, base, "", parts)
			}
		}
	}
}

// place is where the values file that an item names would be: below the base, or from the root where "$ref/" says so.
func (b binding) place(n *doc.Node, base string) (file string, known bool) {
	text, known := b.fill(n)
	if rest, ok := strings.CutPrefix(text, "$"); ok {
		_, rest, _ = strings.Cut(rest, "/")
		return path.Clean(rest), known
	}
	if rest, ok := strings.CutPrefix(text, "/"); ok {
		return path.Clean(rest), known
	}
	return path.Join(base, text), known
}

// valuesAt is the values file that an item names; one that is not there is said.
func (f *finder) valuesAt(n *doc.Node, base, p string, b binding) (string, bool) {
	file, known := b.place(n, base)
	if f.has(file) {
		return file, true
	}
	if !known || strings.Contains(file, "://") || n.Kind() == doc.Map {
		return "", false
	}
	f.r.gaps = append(f.r.gaps, Gap{Path: p, Line: n.Pos().Line, Col: n.Pos().Col, Expected: true, Reason: file + " is not in the repository; what it sets is not known"})
	return "", false
}

// spread makes of words that are not known all that fit the files which are here: "envs/{{env}}.yaml" has as many
// environments as there are such files.
func (f *finder) spread(items []*doc.Node, base, p string, b binding) []binding {
	all := []binding{b}
	for _, n := range items {
		if n.Kind() == doc.Map {
			continue
		}
		var next []binding
		for _, b := range all {
			file, known := b.place(n, base)
			if known {
				next = append(next, b)
				continue
			}
			more := f.matches(file, b)
			if len(more) == 0 {
				more = []binding{b}
			}
			next = append(next, more...)
		}
		if all = next; len(all) > maxBindings {
			all = all[:maxBindings]
		}
	}
	return all
}

var templateWord = regexp.MustCompile(`\{\{-?\s*(.*?)\s*-?\}\}`)

// matches are the files that a templated name may mean, as the words that make it so.
func (f *finder) matches(pattern string, b binding) []binding {
	var words []string
	var expr strings.Builder
	expr.WriteString("^")
	at := 0
	for _, m := range templateWord.FindAllStringSubmatchIndex(pattern, -1) {
		expr.WriteString(regexp.QuoteMeta(pattern[at:m[0]]) + `([^/]+)`)
		words = append(words, wordOf(pattern[m[2]:m[3]]))
		at = m[1]
	}
	expr.WriteString(regexp.QuoteMeta(pattern[at:]) + "$")
	re, err := regexp.Compile(expr.String())
	if err != nil || len(words) == 0 {
		return nil
	}
	var out []binding
	for _, p := range f.r.files.Paths {
		m := re.FindStringSubmatch(p)
		if m == nil {
			continue
		}
		n := binding{}
		for k, v := range b {
			n[k] = v
		}
		for i, w := range words {
			n[w] = m[i+1]
		}
		out = append(out, n)
	}
	return out
}

// wordOf is a template's expression without what does not tell it from others.
func wordOf(expr string) string {
	expr, _, _ = strings.Cut(expr, "|")
	return strings.TrimPrefix(strings.TrimSpace(expr), ".")
}

// fill puts the words into a text; known says that nothing templated is left.
func (b binding) fill(n *doc.Node) (text string, known bool) {
	switch n.Kind() {
	case doc.Scalar:
		text = n.Str()
	case doc.Unknown:
		text = n.Str()
		if !strings.Contains(text, "{{") {
			text = strings.Trim(n.Raw(), `"'`)
		}
	default:
		return "", false
	}
	known = true
	return templateWord.ReplaceAllStringFunc(text, func(m string) string {
		if v, ok := b[wordOf(templateWord.FindStringSubmatch(m)[1])]; ok {
			return v
		}
		known = false
		return m
	}), known
}

// generators are the words that the generators of an ApplicationSet give, one binding for each application.
func (f *finder) generators(list []*doc.Node) []binding {
	var out []binding
	for _, g := range list {
		for _, e := range g.Path("list.elements").Items() {
			b := binding{}
			flatten(b, "", e)
			out = append(out, b)
		}
		for _, d := range g.Path("git.directories").Items() {
			if ex, _ := d.Get("exclude").Bool(); ex {
				continue
			}
			for _, dir := range f.folders(d.Get("path").Str()) {
				out = append(out, binding{"path": dir, "path.path": dir, "path.basename": path.Base(dir)})
			}
		}
		for _, d := range g.Path("git.files").Items() {
			for _, p := range f.r.files.Paths {
				if ok, _ := path.Match(strings.ReplaceAll(d.Get("path").Str(), "**", "*"), p); !ok {
					continue
				}
				b := binding{"path": path.Dir(p), "path.path": path.Dir(p), "path.basename": path.Base(path.Dir(p)), "path.filename": path.Base(p)}
				if t := f.r.files.Tree(p); t != nil && len(t.Docs) > 0 {
					flatten(b, "", t.Docs[0].Root)
				}
				out = append(out, b)
			}
		}
		for _, way := range []string{"matrix.generators", "merge.generators"} {
			product := []binding{nil}
			for _, inner := range g.Path(way).Items() {
				more := f.generators([]*doc.Node{inner})
				if len(more) == 0 {
					continue
				}
				var next []binding
				for _, a := range product {
					for _, m := range more {
						n := binding{}
						for k, v := range a {
							n[k] = v
						}
						for k, v := range m {
							n[k] = v
						}
						if next = append(next, n); len(next) >= maxBindings {
							break
						}
					}
				}
				product = next
			}
			if len(product) > 1 || product[0] != nil {
				out = append(out, product...)
			}
		}
		if len(out) > maxBindings {
			return out[:maxBindings]
		}
	}
	return out
}

// folders are the folders that fit a pattern.
func (f *finder) folders(pattern string) []string {
	var out []string
	for _, p := range f.r.files.Paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if ok, _ := path.Match(pattern, dir); ok && !slices.Contains(out, dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

func flatten(b binding, prefix string, n *doc.Node) {
	if n.Kind() == doc.Scalar && prefix != "" {
		b[strings.TrimSuffix(prefix, ".")] = n.Str()
	}
	for _, e := range n.Entries() {
		flatten(b, prefix+e.Key+".", e.Value)
	}
}

func (f *finder) has(file string) bool {
	_, ok := slices.BinarySearch(f.r.files.Paths, file)
	return ok
}

func cleanDir(p string) string {
	if p == "" {
		return ""
	}
	return path.Clean(strings.TrimPrefix(p, "/"))
}

// beside finds values files by their names: "deploy/prod/values-pay.yaml" and "envs/prod/pay/values.yaml" are for the chart pay,
// where most of what they set is among the chart's values.
func (f *finder) beside(dirs []string) {
	for _, p := range f.r.files.Paths {
		ext := path.Ext(p)
		if ext != ".yaml" && ext != ".yml" || f.used[p] || slices.ContainsFunc(dirs, func(dir string) bool { return inside(p, dir) }) {
			continue
		}
		base := strings.TrimSuffix(path.Base(p), ext)
		named := base == "values" || valuesFile(path.Base(p))
		words := append(strings.Split(path.Dir(p), "/"), trimValues(base))
		for _, c := range f.charts {
			if !named && base != c.name || len(f.charts) > 1 && !slices.Contains(words, c.name) && !slices.Contains(words, path.Base(c.dir)) {
				continue
			}
			if f.fits(p, c) {
				f.add(p, c.dir, "", []valuesPart{{file: p}})
			}
		}
	}
}

// trimValues is what a values file's name says beside that it holds values.
func trimValues(base string) string {
	for _, affix := range []string{"values-", "values.", "values_"} {
		base = strings.TrimPrefix(base, affix)
	}
	return strings.TrimSuffix(strings.TrimSuffix(base, "-values"), ".values")
}

// fits reports whether what a file sets is mostly what a chart knows.
func (f *finder) fits(file string, c chartFiles) bool {
	t, own := f.r.files.Tree(file), f.r.files.Tree(path.Join(c.dir, "values.yaml"))
	if t == nil || own == nil || len(t.Docs) != 1 || len(own.Docs) == 0 || t.Docs[0].Root.Get("kind").Exists() {
		return false
	}
	known, all := 0, 0
	for _, e := range t.Docs[0].Root.Entries() {
		if e.Key == "global" {
			continue
		}
		all++
		if own.Docs[0].Root.Get(e.Key).Exists() {
			known++
		}
	}
	return known > 0 && 2*known >= all
}

// send is a part as the worker gets it. A file with templates in it goes as what can be read of it.
func (v valuesPart) send(files Files) jobValues {
	switch {
	case len(v.set) > 0:
		var out jobValues
		for _, s := range v.set {
			out.Set = append(out.Set, s.name+"="+strings.NewReplacer(`\`, `\\`, ",", `\,`, "{", `\{`, "}", `\}`).Replace(s.text))
		}
		return out
	case v.inline != nil:
		data, err := json.Marshal(plainValue(v.inline, v.bind))
		if err != nil {
			return jobValues{}
		}
		return jobValues{Data: data}
	}
	if t := v.tree(files); t != nil && (t.Templated || path.Ext(v.file) == ".gotmpl") && len(t.Docs) > 0 {
		if data, err := json.Marshal(plainValue(t.Docs[0].Root, nil)); err == nil {
			return jobValues{Data: data}
		}
	}
	return jobValues{File: v.file}
}

func (v valuesPart) tree(files Files) *doc.File {
	if path.Ext(v.file) == ".gotmpl" {
		data, err := files.Read(v.file)
		if err != nil {
			return nil
		}
		return doc.ParseAs(doc.YAML, v.file, data, doc.Limits{MaxBytes: maxFile})
	}
	return files.Tree(v.file)
}

// plainValue is a tree as JSON has it.
func plainValue(n *doc.Node, b binding) any {
	switch n.Kind() {
	case doc.Map:
		out := map[string]any{}
		for _, e := range n.Entries() {
			out[e.Key] = plainValue(e.Value, b)
		}
		return out
	case doc.List:
		out := []any{}
		for _, k := range n.Items() {
			out = append(out, plainValue(k, b))
		}
		return out
	case doc.Scalar:
		if !n.IsString() {
			if v, ok := n.Int(); ok {
				return v
			}
			if v, ok := n.Float(); ok {
				return v
			}
			if v, ok := n.Bool(); ok {
				return v
			}
		}
		return n.Str()
	case doc.Unknown:
		text, _ := b.fill(n)
		return text
	}
	return nil
}

// at finds what a part says of a value: the file and the node.
func (v valuesPart) at(files Files, declared string, full []string) (string, *doc.Node) {
	switch {
	case len(v.set) > 0:
		name := strings.Join(full, ".")
		for _, s := range slices.Backward(v.set) {
			if s.name == name {
				return declared, s.value
			}
		}
		return "", nil
	case v.inline != nil:
		return declared, step(v.inline, full)
	}
	if t := v.tree(files); t != nil && len(t.Docs) > 0 {
		return v.file, step(t.Docs[0].Root, full)
	}
	return "", nil
}
