package gosrc

import "golang.org/x/tools/go/packages"

// ToAnalysis makes the packages fit for golang.org/x/tools/go/analysis/checker.Analyze.
//
// The results are parallel to pkgs, share their syntax and types, and import one another as pkgs do; an import that is
// not among pkgs is left out. A package whose type check had errors is marked as ill-typed, so analyzers need
// RunDespiteErrors. File names are relative to the repository, so analyzers cannot open them.
func ToAnalysis(pkgs []*Package) []*packages.Package {
	out := make([]*packages.Package, len(pkgs))
	made := make(map[*Package]*packages.Package, len(pkgs))
	ids := make(map[string]bool, len(pkgs))
	for i, p := range pkgs {
		id := p.Path
		if ids[id] {
			id += " [" + p.Dir + "]" // another module with the same path
		}
		ids[id] = true
		out[i] = &packages.Package{
			ID: id, Name: p.Name, PkgPath: p.Path, Dir: p.Dir,
			GoFiles: p.FileNames, CompiledGoFiles: p.FileNames,
			Imports: make(map[string]*packages.Package),
			Fset:    p.Fset, Syntax: p.Files,
			Types: p.Types, TypesInfo: p.Info, TypesSizes: sizes,
			TypeErrors: p.Errors, IllTyped: p.TypeErrors > 0,
		}
		if p.Module != "" {
			out[i].Module = &packages.Module{Path: p.Module, Dir: p.ModuleDir, GoVersion: p.GoVersion}
		}
		made[p] = out[i]
	}
	for i, p := range pkgs {
		for path, imp := range p.Imports {
			if m := made[imp]; m != nil {
				out[i].Imports[path] = m
			}
		}
	}
	return out
}
