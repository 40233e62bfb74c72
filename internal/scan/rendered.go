package scan

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/extract/render"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// readRendered renders charts and overlays and runs the formats over what they make. It returns the files that need not
// be read as they stand.
func readRendered(ctx context.Context, rev *source.Revision, paths []string, formats *configFormats, f *model.Facts, files *extract.Files) map[string]bool {
	// Most repositories have neither, and pay nothing.
	if !slices.ContainsFunc(paths, func(p string) bool {
		b := path.Base(p)
		return b == "Chart.yaml" || strings.HasPrefix(strings.ToLower(b), "kustomization")
	}) {
		return nil
	}
	repo := rev.Repo.Name
	type reading struct {
		set   render.Set
		facts *model.Facts
	}
	var all []*reading
	group := new(errgroup.Group)
	group.SetLimit(runtime.GOMAXPROCS(0))
	gaps := render.Each(ctx, render.Files{Paths: paths, Read: files.Read, Tree: files.Tree}, func(s render.Set) {
		r := &reading{set: s}
		all = append(all, r)
		group.Go(func() error {
			var envs []envFacts
			for _, e := range s.Envs {
				name := e.Name
				if len(s.Envs) == 1 && strings.HasSuffix(name, ":values.yaml") {
					name = "" // the chart has no others: what it makes holds everywhere
				}
				envs = append(envs, envFacts{name, readEnv(repo, name, e, formats, files)})
			}
			r.facts = mergeEnvs(envs)
			return nil
		})
	})
	_ = group.Wait() // the functions never fail
	slices.SortStableFunc(all, func(a, b *reading) int { return cmp.Compare(a.set.Name, b.set.Name) })
	for _, g := range gaps {
		f.Gaps = append(f.Gaps, model.Gap{Repo: repo, Path: g.Path, Line: g.Line, Col: g.Col, Stage: "render", Reason: g.Reason,
			Expected: g.Expected || nobodyExpects(strings.TrimSuffix(path.Dir(g.Path), "/templates")+"/x")})
	}
	covered := map[string]bool{}
	for _, r := range all {
		f.Merge(r.facts)
		for _, p := range r.set.Covers {
			covered[p] = true
		}
	}
	return covered
}

// envFacts are the facts of one environment.
type envFacts struct {
	env   string
	facts *model.Facts
}

// readEnv runs the formats over the texts of one environment.
func readEnv(repo, name string, e render.Env, formats *configFormats, files *extract.Files) *model.Facts {
	out := &model.Facts{}
	for _, t := range e.Texts {
		one := readText(repo, name, t, formats, files)
		out.Merge(one)
	}
	return out
}

// readText reads one rendered text under recover, as readConfig reads a file. Places in the text become places in the
// files that the text comes from.
func readText(repo, env string, t *render.Text, formats *configFormats, files *extract.Files) (facts *model.Facts) {
	facts = &model.Facts{}
	defer func() {
		if r := recover(); r != nil {
			facts = &model.Facts{Gaps: []model.Gap{{Repo: repo, Path: t.Path, Stage: "extract", Reason: panicText(r)}}}
		}
	}()
	file := doc.ParseAs(doc.YAML, t.Path, t.Data, doc.Limits{MaxBytes: 2 * maxConfigBytes})
	for _, e := range file.Errs {
		p := t.Place(e.Pos)
		facts.Gaps = append(facts.Gaps, model.Gap{Repo: repo, Path: p.Path, Line: p.Pos.Line, Col: p.Pos.Col, Stage: "parse",
			Reason: "what is rendered from here: " + e.Msg, Expected: true})
	}
	outs := map[string]*extract.Out{}
	for _, d := range file.Docs {
		p := t.Path
		if t.Origin != nil {
			p = t.Origin(d)
		}
		out := outs[p]
		if out == nil {
			out = &extract.Out{Repo: repo, Path: p, Env: env, Facts: &model.Facts{}, Tree: files.Tree, Files: files}
			outs[p] = out
		}
		found := false
		for _, format := range formats.want(yamlName(p)) {
			if format.Rank < 0 && found {
				break
			}
			if format.Match(p, d) {
				found = true
				format.Read(d, out)
			}
		}
	}
	for p, out := range outs {
		walkLocations(reflect.ValueOf(out.Facts).Elem(), func(l *model.Location) {
			if l.Path == p && l.Line > 0 {
				at := t.Place(doc.Pos{Line: l.Line, Col: l.Col, EndLine: l.EndLine, EndCol: l.EndCol})
				*l = model.Location{Repo: l.Repo, Path: at.Path, Line: at.Pos.Line, Col: at.Pos.Col, EndLine: at.Pos.EndLine, EndCol: at.Pos.EndCol}
			}
		})
		for i, g := range out.Facts.Gaps {
			if g.Path == p && g.Line > 0 {
				at := t.Place(doc.Pos{Line: g.Line, Col: g.Col})
				out.Facts.Gaps[i].Path, out.Facts.Gaps[i].Line, out.Facts.Gaps[i].Col = at.Path, at.Pos.Line, at.Pos.Col
			}
		}
	}
	for _, p := range slices.Sorted(mapKeys(outs)) {
		facts.Merge(outs[p].Facts)
	}
	return facts
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// yamlName is the name by which formats are chosen: what is rendered is YAML whatever its template is called.
func yamlName(p string) string {
	switch path.Ext(p) {
	case ".yaml", ".yml":
		return p
	}
	return p + ".yaml"
}

var locationType = reflect.TypeFor[model.Location]()

// walkLocations calls fn for every location among facts.
func walkLocations(v reflect.Value, fn func(*model.Location)) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == locationType {
			fn(v.Addr().Interface().(*model.Location))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkLocations(v.Field(i), fn)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkLocations(v.Index(i), fn)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			walkLocations(v.Elem(), fn)
		}
	}
}

// sameBut is a fact as text without its places and environments: what two environments have in common.
func sameBut[T any](v T) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	var c T
	if json.Unmarshal(data, &c) != nil {
		return string(data)
	}
	r := reflect.ValueOf(&c).Elem()
	walkLocations(r, func(l *model.Location) { *l = model.Location{} })
	for _, name := range []string{"Envs", "Env"} {
		if f := r.FieldByName(name); f.IsValid() {
			f.SetZero()
		}
	}
	data, _ = json.Marshal(c)
	return string(data)
}

// mergeEnvs makes one set of facts of those of several environments: what is the same in several is one fact that lists
// them, what differs stands side by side, each with its environments.
func mergeEnvs(all []envFacts) *model.Facts {
	out := &model.Facts{}
	ids := make([]map[string]string, len(all)) // by environment: new ids of layers
	variants := map[string][]string{}          // by id: the texts of its variants
	index := map[string]int{}                  // by new id: the layer in out
	for i, e := range all {
		ids[i] = map[string]string{}
		for _, l := range e.facts.Layers {
			plain := l
			plain.ID = ""
			text := sameBut(plain)
			id := l.ID
			n := slices.Index(variants[l.ID], text)
			if n < 0 {
				n = len(variants[l.ID])
				variants[l.ID] = append(variants[l.ID], text)
			}
			if n > 0 {
				// The name of the first environment that has the variant: ids are stable when others come and go.
				id = ""
				for _, k := range out.Layers {
					if strings.HasPrefix(k.ID, l.ID+"@") && sameBut(withoutID(k)) == text {
						id = k.ID
					}
				}
				id = cmp.Or(id, l.ID+"@"+e.env)
			}
			ids[i][l.ID] = id
			if k, ok := index[id]; ok {
				out.Layers[k].Envs = appendNew(out.Layers[k].Envs, l.Envs)
				continue
			}
			l.ID = id
			index[id] = len(out.Layers)
			out.Layers = append(out.Layers, l)
		}
	}
	rename := func(i int, id string) string { return cmp.Or(ids[i][id], id) }
	for i, e := range all {
		f := e.facts
		for k := range f.Edges {
			for n := range f.Edges[k].Under {
				f.Edges[k].Under[n] = rename(i, f.Edges[k].Under[n])
			}
		}
		for k := range f.Routes {
			f.Routes[k].Layer = rename(i, f.Routes[k].Layer)
		}
	}
	out.Edges = mergeFacts(all, func(f *model.Facts) []model.Edge { return f.Edges }, func(e *model.Edge) *[]string { return &e.Envs })
	out.Routes = mergeFacts(all, func(f *model.Facts) []model.Route { return f.Routes }, func(e *model.Route) *[]string { return &e.Envs })
	out.Services = mergeFacts(all, func(f *model.Facts) []model.Service { return f.Services }, func(e *model.Service) *[]string { return &e.Envs })
	out.Boundaries = mergeFacts(all, func(f *model.Facts) []model.Boundary { return f.Boundaries }, func(e *model.Boundary) *[]string { return &e.Envs })
	out.DeadLetters = mergeFacts(all, func(f *model.Facts) []model.DeadLetter { return f.DeadLetters }, func(e *model.DeadLetter) *[]string { return &e.Envs })
	none := func(*model.Node) *[]string { return nil }
	out.Nodes = mergeFacts(all, func(f *model.Facts) []model.Node { return f.Nodes }, none)
	out.Handlers = mergeFacts(all, func(f *model.Facts) []model.Handler { return f.Handlers }, func(*model.Handler) *[]string { return nil })
	out.Undecided = mergeFacts(all, func(f *model.Facts) []model.Undecided { return f.Undecided }, func(*model.Undecided) *[]string { return nil })
	out.Gaps = mergeFacts(all, func(f *model.Facts) []model.Gap { return f.Gaps }, func(*model.Gap) *[]string { return nil })
	out.Settings = mergeSettings(all)
	return out
}

func withoutID(l model.Layer) model.Layer {
	l.ID = ""
	return l
}

func appendNew(to, more []string) []string {
	to = slices.Clone(to)
	for _, m := range more {
		if !slices.Contains(to, m) {
			to = append(to, m)
		}
	}
	return to
}

// mergeFacts merges one kind of fact. envs is where a fact lists its environments, nil for a kind that does not.
func mergeFacts[T any](all []envFacts, list func(*model.Facts) []T, envs func(*T) *[]string) []T {
	var out []T
	index := map[string]int{}
	for _, e := range all {
		times := map[string]int{} // what stands twice in one environment stays two
		for _, v := range list(e.facts) {
			key := sameBut(v)
			times[key]++
			key += "#" + strconv.Itoa(times[key])
			if k, ok := index[key]; ok {
				if p := envs(&out[k]); p != nil {
					*p = appendNew(*p, *envs(&v))
				}
				continue
			}
			index[key] = len(out)
			out = append(out, v)
		}
	}
	return out
}

// mergeSettings keeps a value that all environments give once, for all of them, and others by environment.
func mergeSettings(all []envFacts) []model.Setting {
	var out []model.Setting
	in := map[string]map[string]bool{} // by setting: the environments that give it
	for _, e := range all {
		for _, s := range e.facts.Settings {
			key := sameBut(s)
			if in[key] == nil {
				in[key] = map[string]bool{}
			}
			in[key][e.env] = true
		}
	}
	for i, e := range all {
		done := map[string]bool{}
		for _, s := range e.facts.Settings {
			key := sameBut(s)
			everywhere := len(in[key]) == len(all)
			if done[key] || everywhere && i > 0 {
				continue
			}
			done[key] = true
			if everywhere {
				s.Env = ""
			}
			out = append(out, s)
		}
	}
	return out
}
