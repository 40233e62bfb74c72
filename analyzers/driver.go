package analyzers

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// PackageFact is what a package says to those that import it: the slice of its facts that a call of one of its exported
// functions leads to, with what its own imports said about those already inside. Under go vet a package sees facts of what
// its direct imports' API reaches only, so the slice has to be closed.
type PackageFact struct{ Facts *model.Facts }

// AFact marks the type for go/analysis.
func (*PackageFact) AFact() {}

// String counts what is inside.
func (f *PackageFact) String() string {
	if f.Facts == nil {
		return "no facts"
	}
	return fmt.Sprintf("%d layers, %d calls, %d windows", len(f.Facts.Layers), len(f.Facts.Edges), len(f.Facts.Boundaries))
}

// GobEncode writes the JSON of the facts: one serial form to keep deterministic.
func (f *PackageFact) GobEncode() ([]byte, error) { return json.Marshal(f.Facts) }

// GobDecode reads it.
func (f *PackageFact) GobDecode(b []byte) error {
	f.Facts = &model.Facts{}
	return json.Unmarshal(b, f.Facts)
}

var (
	_ gob.GobEncoder = (*PackageFact)(nil)
	_ gob.GobDecoder = (*PackageFact)(nil)
)

// Known is the facts of a package and of what it imports; the result of the Facts analyzer.
type Known struct {
	Own      *model.Facts
	Imported []*model.Facts
}

// Facts extracts what a package says. The same extractor runs in scans.
var Facts = &analysis.Analyzer{
	Name:             "retryfacts",
	Doc:              "extract layers that retry, idempotency keys and dedupe windows; reports nothing by itself",
	Run:              runFacts,
	RunDespiteErrors: true,
	ResultType:       reflect.TypeFor[*Known](),
	FactTypes:        []analysis.Fact{new(PackageFact)},
}

func runFacts(pass *analysis.Pass) (any, error) {
	known := &Known{}
	for _, imp := range pass.Pkg.Imports() {
		var f PackageFact
		if pass.ImportPackageFact(imp, &f) && f.Facts != nil {
			known.Imported = append(known.Imported, f.Facts)
		}
	}
	module := ""
	versions := map[string]string{}
	if pass.Module != nil {
		module = pass.Module.Path
	}
	standard := pass.Module == nil && !strings.Contains(strings.SplitN(pass.Pkg.Path(), "/", 2)[0], ".")
	shared := NewRepo()
	if !standard {
		own := Extract(Input{Fset: pass.Fset, Files: pass.Files, Generated: generatedFiles(pass), Pkg: pass.Pkg, Info: pass.TypesInfo, Path: pass.Pkg.Path(),
			Module: module, Dir: vetDir(pass.Pkg.Path(), module), Repo: module, Versions: versions, Shared: shared,
			File: func(name string) string { return vetPath(pass.Pkg.Path(), module, name) }})
		known.Own = shared.Join([]*model.Facts{own})
	} else {
		known.Own = &model.Facts{}
	}
	known.Own.Repo.Name = module
	if slice := exportedSlice(known); len(slice.Layers)+len(slice.Boundaries)+len(slice.Edges)+len(slice.Helpers) > 0 {
		pass.ExportPackageFact(&PackageFact{Facts: slice})
	}
	return known, nil
}

// A vet run is told the module's path but not its folder: the path in the repository is the package path less the module
// path.
func vetDir(pkg, module string) string {
	d := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
	if d == "" {
		return "."
	}
	return d
}

func vetPath(pkg, module, file string) string {
	return path.Join(vetDir(pkg, module), path.Base(strings.ReplaceAll(file, "\\", "/")))
}

func generatedFiles(pass *analysis.Pass) []bool {
	out := make([]bool, len(pass.Files))
	for i, f := range pass.Files {
		out[i] = ast.IsGenerated(f)
	}
	return out
}

// exportedSlice is what calls of the package's exported functions lead to.
func exportedSlice(k *Known) *model.Facts {
	all := append([]*model.Facts{k.Own}, k.Imported...)
	out := map[model.Name][]*model.Edge{}
	for _, f := range all {
		for i := range f.Edges {
			out[f.Edges[i].From] = append(out[f.Edges[i].From], &f.Edges[i])
		}
	}
	reached := map[model.Name]bool{}
	var stack []model.Name
	push := func(n model.Name) {
		if !reached[n] {
			reached[n] = true
			stack = append(stack, n)
		}
	}
	for i := range k.Own.Nodes {
		if k.Own.Nodes[i].Exported {
			push(k.Own.Nodes[i].Name)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range out[n] {
			push(e.To)
			for _, a := range e.Alternatives {
				push(a)
			}
		}
	}
	// Of what is reached only what leads to a layer, a mark or an effect matters.
	matters := map[model.Name]bool{}
	for _, f := range all {
		for i := range f.Boundaries {
			matters[f.Boundaries[i].In] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for from, es := range out {
			if matters[from] || !reached[from] {
				continue
			}
			for _, e := range es {
				if len(e.Under) > 0 || e.Kind != model.EdgeCall || e.Key.How != model.KeyUnknown || e.Effect || matters[e.To] {
					matters[from], changed = true, true
					break
				}
			}
		}
	}
	slice := &model.Facts{Schema: model.SchemaVersion, Repo: k.Own.Repo, Helpers: k.Own.Helpers}
	layers := map[string]bool{}
	seen := map[string]bool{}
	for _, f := range all {
		for _, e := range f.Edges {
			if !reached[e.From] || !matters[e.From] {
				continue
			}
			id := fmt.Sprint(e.From, e.To, e.At, e.Under)
			if seen[id] {
				continue
			}
			seen[id] = true
			slice.Edges = append(slice.Edges, e)
			for _, u := range append(slices.Clone(e.Under), e.Key.BornUnder...) {
				layers[u] = true
			}
		}
		for _, n := range f.Nodes {
			if reached[n.Name] && matters[n.Name] && !seen["node "+n.Name.String()] {
				seen["node "+n.Name.String()] = true
				slice.Nodes = append(slice.Nodes, n)
			}
		}
		for _, b := range f.Boundaries {
			if reached[b.In] && !seen["window "+b.ID] {
				seen["window "+b.ID] = true
				slice.Boundaries = append(slice.Boundaries, b)
			}
		}
	}
	for _, f := range all {
		for _, l := range f.Layers {
			if layers[l.ID] && !seen["layer "+l.ID] {
				seen["layer "+l.ID] = true
				slice.Layers = append(slice.Layers, l)
			}
		}
	}
	slice.Sort()
	return slice
}

// judge finds for all rules of all rules over one package; the rule analyzers report each its own.
var judge = &analysis.Analyzer{
	Name:             "retryjudge",
	Doc:              "run the rules that Go code alone can decide; reports nothing by itself",
	Requires:         []*analysis.Analyzer{Facts},
	Run:              runJudge,
	RunDespiteErrors: true,
	ResultType:       reflect.TypeFor[map[string][]*model.Finding](),
}

func runJudge(pass *analysis.Pass) (any, error) {
	known := pass.ResultOf[Facts].(*Known)
	out := map[string][]*model.Finding{}
	if len(known.Own.Nodes) == 0 {
		return out, nil
	}
	facts := append([]*model.Facts{known.Own}, known.Imported...)
	org := chain.Build(facts, chain.Options{Replay: model.ReplayDefaults{}})
	found, _ := rules.Run(org, rules.Defaults(), func(r rules.Rule) bool { return r.GoAlone })
	for _, f := range found {
		if !suppressed(known.Own, f) {
			out[f.Rule] = append(out[f.Rule], f)
		}
	}
	return out, nil
}

func suppressed(f *model.Facts, finding *model.Finding) bool {
	for _, s := range f.Suppressions {
		if s.At.Path != finding.At.Path || s.Line != finding.At.Line && s.At.Line != finding.At.Line {
			continue
		}
		if len(s.Rules) == 0 || slices.Contains(s.Rules, finding.Rule) {
			if s.Reason != "" || s.Form == "nolint" {
				return true
			}
		}
	}
	return false
}

// All is one analyzer for each rule that Go code alone can decide. They see no configuration and no other repository, so
// they speak about the layers in Go code only.
func All() []*analysis.Analyzer {
	var out []*analysis.Analyzer
	for _, r := range rules.All() {
		if r.GoAlone {
			out = append(out, analyzerOf(r))
		}
	}
	return out
}

func analyzerOf(r rules.Rule) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:             strings.ReplaceAll(r.ID, "-", ""),
		Doc:              r.Summary + "\n\n" + r.Why + "\n\n" + r.Fix,
		URL:              "https://github.com/retrylint/retrylint/blob/main/docs/rules/" + r.ID + ".md",
		Requires:         []*analysis.Analyzer{judge},
		RunDespiteErrors: true,
		Run: func(pass *analysis.Pass) (any, error) {
			files := filesByPath(pass)
			for _, f := range pass.ResultOf[judge].(map[string][]*model.Finding)[r.ID] {
				reportFinding(pass, files, f)
			}
			return nil, nil
		},
	}
}

func filesByPath(pass *analysis.Pass) map[string]*token.File {
	module := ""
	if pass.Module != nil {
		module = pass.Module.Path
	}
	out := map[string]*token.File{}
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.FileStart)
		if tf != nil {
			out[vetPath(pass.Pkg.Path(), module, tf.Name())] = tf
		}
	}
	return out
}

// reportFinding turns places into positions. A finding whose place is in another package moves to its related place in this
// one, or is left to that package's own run.
func reportFinding(pass *analysis.Pass, files map[string]*token.File, f *model.Finding) {
	pos, end, ok := posOf(files, f.At)
	if !ok {
		for _, r := range f.Related {
			if pos, end, ok = posOf(files, r.At); ok {
				break
			}
		}
	}
	if !ok {
		return
	}
	d := analysis.Diagnostic{Pos: pos, End: end, Category: f.Rule, Message: f.Message}
	for _, r := range f.Related {
		if p, e, ok := posOf(files, r.At); ok {
			d.Related = append(d.Related, analysis.RelatedInformation{Pos: p, End: e, Message: r.Message})
		}
	}
	var edits []analysis.TextEdit
	for _, e := range f.Fix {
		from, _, ok1 := posOf(files, e.From)
		to, _, ok2 := posOf(files, e.To)
		if ok1 && ok2 {
			edits = append(edits, analysis.TextEdit{Pos: from, End: to, NewText: []byte(e.New)})
		}
	}
	if len(edits) > 0 && len(edits) == len(f.Fix) {
		d.SuggestedFixes = []analysis.SuggestedFix{{Message: f.Help, TextEdits: edits}}
	}
	pass.Report(d)
}

func posOf(files map[string]*token.File, l model.Location) (pos, end token.Pos, ok bool) {
	tf := files[l.Path]
	if tf == nil || l.Line < 1 || l.Line > tf.LineCount() {
		return token.NoPos, token.NoPos, false
	}
	at := func(line, col int) token.Pos {
		p := tf.LineStart(line) + token.Pos(max(col-1, 0))
		return min(p, token.Pos(tf.Base()+tf.Size()))
	}
	pos = at(l.Line, l.Col)
	if l.EndLine >= l.Line && l.EndLine <= tf.LineCount() {
		if end = at(l.EndLine, l.EndCol); end < pos {
			end = token.NoPos
		}
	}
	return pos, end, true
}

// gobSize is the size of a fact as it travels, for the test that holds a ceiling over it.
func gobSize(f *PackageFact) (int, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(f)
	return b.Len(), err
}
