package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime/debug"
	"strings"

	"github.com/retrylint/retrylint/internal/typenotes"
	"github.com/retrylint/retrylint/model"
)

// Input is one package, parsed and type-checked as far as that goes.
type Input struct {
	Fset      *token.FileSet
	Files     []*ast.File
	Generated []bool // parallel to Files; nil: none is generated
	Tests     bool   // test files are read, and what else is there for tests only
	Pkg       *types.Package
	Info      *types.Info
	Notes     *typenotes.Notes    // in place of Info
	Path      string              // import path
	Module    string              // path of the module, "" where there is none
	ModuleDir string              // folder of its go.mod in the repository
	Dir       string              // folder of the package in the repository
	Repo      string              // name of the repository, for locations
	File      func(string) string // file name as Fset has it -> path relative to the repository; nil: the same
	Versions  map[string]string   // module path -> version that rules the package; may be nil
	// Shared joins the packages of one repository, which must come in import order; nil for a package alone.
	Shared *Repo
}

// Extract writes down what one package says: the layers that retry, calls, requests, handlers, marks. It never judges. A
// function that cannot be read costs that function and leaves a gap.
//
// With in.Shared the package is only taken in; [Repo.Join] fills the facts, when all callers of each function are known.
func Extract(in Input) *model.Facts {
	u := newUnit(in)
	if in.Shared == nil {
		u.run()
	} else {
		u.joined = true
		u.collectAll()
	}
	return u.facts
}

func newUnit(in Input) *unit {
	u := &unit{
		fset: in.Fset, files: in.Files, pkg: in.Pkg, info: in.Notes, path: in.Path, repo: in.Repo, file: in.File, versions: in.Versions,
		tests: in.Tests, module: in.Module, moduleDir: in.ModuleDir, dir: in.Dir, shared: in.Shared,
		facts:       &model.Facts{Schema: model.SchemaVersion},
		byObj:       map[types.Object]*fn{},
		byNode:      map[ast.Node]*fn{},
		byCall:      map[*ast.CallExpr]*site{},
		byRegion:    map[ast.Node]*region{},
		paths:       map[string]string{},
		ordinals:    map[string]int{},
		remote:      map[*fn]int8{},
		sleeps:      map[*fn]int8{},
		calleeOf:    map[*ast.CallExpr]*callee{},
		conversions: map[callee]*callee{},
		generated:   map[*ast.File]bool{},
		consumers:   map[model.Name]bool{},
		sendRegions: map[*ast.CallExpr]*region{},
	}
	if u.info == nil {
		u.info = typenotes.Of(in.Info)
	}
	if u.shared == nil {
		u.shared = NewRepo()
	}
	for i, g := range in.Generated {
		if g && i < len(u.files) {
			u.generated[u.files[i]] = true
		}
	}
	if u.pkg != nil {
		u.shared.units[u.pkg] = u
	}
	u.shared.order = append(u.shared.order, u)
	u.shared.config, u.shared.flags = nil, nil
	return u
}

// run does all steps of a package alone.
func (u *unit) run() {
	u.collectAll()
	u.extract()
}

// collectAll finds functions and calls.
func (u *unit) collectAll() {
	u.facts.Repo.Name = u.repo
	u.step("functions", nil, u.collect)
	u.step("calls", nil, u.collectSites)
}

// extract does the other steps; each recovers by itself.
func (u *unit) extract() {
	for _, f := range u.fns {
		if !u.generated[f.file] {
			u.step("loops", f, func() { u.findLoops(f) })
		}
	}
	u.step("libraries", nil, u.libraryRegions)
	u.step("helpers", nil, u.helperRegions)
	u.step("handlers", nil, u.handlers)
	for _, f := range u.fns {
		u.step("edges", f, func() { u.edges(f) })
	}
	u.step("clients", nil, u.unusedClients)
	for _, s := range moreSteps {
		u.step(s.name, nil, func() { s.run(u) })
	}
	u.step("helpers", nil, u.helperFacts)
	u.step("facts", nil, u.finish)
}

// extraStep is a step of its own file: keys, stores, traits.
type extraStep struct {
	name string
	run  func(*unit)
}

// moreSteps run after edges and handlers, before the facts are written.
var moreSteps []extraStep

// addStep registers a step; it is called from package-level variables, as in the other registries.
func addStep(name string, run func(*unit)) bool {
	moreSteps = append(moreSteps, extraStep{name, run})
	return true
}

// step runs one step and turns a panic into a gap.
func (u *unit) step(name string, f *fn, do func()) {
	defer func() {
		u.shared.origins = nil
		r := recover()
		if r == nil {
			return
		}
		g := model.Gap{Repo: u.repo, Path: u.dir, Stage: "extract", Reason: fmt.Sprintf("%s of package %s: %v", name, u.path, r)}
		if f != nil && f.body != nil {
			at := u.at(f.body)
			g.Path, g.Line, g.Col = at.Path, at.Line, at.Col
			g.Reason = fmt.Sprintf("%s of %s: %v", name, f.name.Key, r)
		}
		if panicHook != nil {
			panicHook(g, debug.Stack())
		}
		u.shared.depth = 0
		u.shared.bindings = nil
		u.shared.busy = map[types.Object]bool{}
		u.facts.Gaps = append(u.facts.Gaps, g)
	}()
	do()
}

// panicHook lets tests see what would become a gap.
var panicHook func(model.Gap, []byte)

// finish writes nodes, layers and edges into the facts.
func (u *unit) finish() {
	for _, r := range u.regions {
		if r.layer != nil {
			u.facts.Layers = append(u.facts.Layers, *r.layer)
			r.layer = &u.facts.Layers[len(u.facts.Layers)-1]
		}
	}
	// The slice may have moved while it grew.
	i := 0
	for _, r := range u.regions {
		if r.layer != nil {
			r.layer = &u.facts.Layers[i]
			i++
		}
	}
	u.finished = true
	u.takeEdges()
	for _, f := range u.fns {
		n := model.Node{Name: f.name, Kind: model.NodeFunc, Dir: u.dir, Exported: f.exported()}
		if f.decl != nil || f.lit != nil {
			n.At = u.at(f.node())
			if f.decl != nil {
				n.At = u.at(f.decl.Name)
			}
		}
		n.Label, n.Traits = f.short(), f.traits
		if u.isMain(f) {
			n.Kind, n.Entry = model.NodeMain, true
			u.facts.Services = append(u.facts.Services, u.mainService(f))
		}
		u.facts.Nodes = append(u.facts.Nodes, n)
	}
	u.splitFuncs()
	u.suppressions()
	u.facts.Stats.GoPackages++
	for _, f := range u.files {
		u.facts.Stats.GoFiles++
		u.facts.Stats.GoLines += u.fset.Position(f.FileEnd).Line
	}
}

// mainService is the program that a main package makes.
func (u *unit) mainService(f *fn) model.Service {
	name := u.dir
	if i := strings.LastIndex(name, "/"); i >= 0 {
		name = name[i+1:]
	}
	if name == "" || name == "." {
		name = u.module
		if name == "" {
			name = u.repo
		}
		parts := strings.Split(name, "/")
		name = parts[len(parts)-1]
		if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
			name = parts[len(parts)-2]
		}
	}
	return model.Service{Name: name, Kind: "main", At: u.at(f.decl.Name), Dir: u.dir, Node: f.name, Binary: name}
}
