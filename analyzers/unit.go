package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/model"
)

// unit is one package under extraction. The steps fill it in this order: functions (collect every function, method and
// closure), regions (loops and retried operations become layers), sites (calls become edges under their layers), keys,
// stores, traits, facts. Every use of type information must allow for types that are missing.
type unit struct {
	fset     *token.FileSet
	files    []*ast.File
	pkg      *types.Package
	info     *types.Info
	path     string              // import path
	repo     string              // repository of the locations
	file     func(string) string // file name as the file set knows it -> path relative to the repository
	versions map[string]string   // module path -> version that rules this package; may be nil
	facts    *model.Facts

	fns     []*fn
	byObj   map[types.Object]*fn // declared functions and methods; variables that hold exactly one closure
	byNode  map[ast.Node]*fn     // *ast.FuncDecl and *ast.FuncLit
	regions []*region
	sites   []*site
	parents map[ast.Node]ast.Node // every node's parent, for walks upwards
}

// fn is one function, method or closure: a node of the graph.
type fn struct {
	name    model.Name // SpaceFunc
	decl    *ast.FuncDecl
	lit     *ast.FuncLit
	body    *ast.BlockStmt
	typ     *ast.FuncType
	obj     *types.Func // nil for closures and where types are missing
	parent  *fn         // the function around a closure
	callers []*site     // calls of it within the package
}

// region is code that a layer runs more than once: the body of a loop, or the operation handed to a library or helper.
type region struct {
	layer *model.Layer // in unit.facts once finished
	in    *fn
	node  ast.Node // *ast.ForStmt, *ast.RangeStmt, *ast.CallExpr of a library or helper, *ast.FuncDecl of a recursion
	body  ast.Node // what is repeated: *ast.BlockStmt of a loop, *ast.FuncLit, or an identifier that names a function
	op    *fn      // the function that is repeated, where it is one of this package
	outer *region  // the region around it in the same function or, for closures, around the closure
	// counter is the loop variable that counts attempts, for keys and payloads that take it in; nil where there is none.
	counter types.Object
}

// site is one call with the edge that it becomes. Calls that are no edges (append, fmt.Sprintf ...) have none.
type site struct {
	call  *ast.CallExpr
	in    *fn
	edge  *model.Edge // nil where the call is not an edge of the graph
	under []*region   // outermost first, within in and the functions around it
	to    *fn         // callee within this package, where it is known
	fun   *types.Func // callee's object, where it has one
	// name is the callee as far as it is known: "net/http.(*Client).Do", "github.com/google/uuid.NewString"; for values of
	// foreign types without a stub "example.org/widget.New().Spin"; "" where nothing is known.
	name string
}

// at is the location of a node.
func (u *unit) at(n ast.Node) model.Location {
	p, e := u.fset.Position(n.Pos()), u.fset.Position(n.End())
	return model.Location{Repo: u.repo, Path: u.file(p.Filename), Line: p.Line, Col: p.Column, EndLine: e.Line, EndCol: e.Column}
}
