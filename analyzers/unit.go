package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/retrylint/retrylint/internal/typenotes"
	"github.com/retrylint/retrylint/model"
)

// unit is one package under extraction. The steps fill it in this order: functions (collect every function, method and
// closure), regions (loops and retried operations become layers), sites (calls become edges under their layers), keys,
// stores, traits, facts. Every use of type information must allow for types that are missing.
type unit struct {
	tracer   *tracer          // follows values back to where they come into being; made on first use
	hooked   map[*fn][]string // what a client runs for each attempt; nil until asked for
	fset     *token.FileSet
	files    []*ast.File
	pkg      *types.Package
	info     *typenotes.Notes
	path     string              // import path
	repo     string              // repository of the locations
	file     func(string) string // file name as the file set knows it -> path relative to the repository
	versions map[string]string   // module path -> version that rules this package; may be nil
	facts    *model.Facts

	fns        []*fn
	byObj      map[types.Object]*fn // declared functions and methods; variables that hold exactly one closure
	byNode     map[ast.Node]*fn     // *ast.FuncDecl and *ast.FuncLit
	regions    []*region
	sites      []*site
	plainEdges []plainEdge // edges that are in the facts only once the repository is joined
	joined     bool        // with other packages of its repository
	finished   bool        // its regions are layers of the facts

	module    string // path of the module
	moduleDir string // its folder in the repository
	dir       string // folder of the package in the repository
	shared    *Repo  // what the packages of one repository know of each other; never nil
	generated map[*ast.File]bool
	tests     bool           // what only tests use is read too
	twins     map[string]int // see again

	byCall      map[*ast.CallExpr]*site
	byRegion    map[ast.Node]*region // by region.node
	lastDecl    *declIndex
	decls       []*declIndex      // top-level declarations in source order, for parents and assignments
	paths       map[string]string // cache of file
	lits        []*ast.CompositeLit
	assigns     []*ast.AssignStmt
	writes      map[types.Object][]write // of fields and package variables; see fieldWrites
	ordinals    map[string]int           // for layer ids
	fieldAST    map[*types.Var]ast.Expr  // declared types of this package's struct fields
	remote      map[*fn]int8             // cache of mayFail
	litsOf      map[*declIndex][]*fn
	tagLits     map[*types.Var]*ast.BasicLit
	fieldSets   map[fieldKey][]ast.Expr
	calleeOf    map[*ast.CallExpr]*callee // of calls without a site
	conversions map[callee]*callee
	setters     map[fieldKey][]*ast.CallExpr
	defaulted   map[*types.Var]bool            // see leftZero
	fills       map[types.Object]*ast.CallExpr // see filledBy
	consumers   map[model.Name]bool
	sendRegions map[*ast.CallExpr]*region // of clients
	sleeps      map[*fn]int8              // cache of sleepsIn
	hoists      map[ast.Node][]model.Edit // cache of hoist
	idempotent  *bool                     // answer of makesIdempotent; nil: not asked
	implOf      map[*types.Func]*fn       // answers of implementation
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

	unit    *unit
	file    *ast.File
	owner   types.Object // the variable or field that holds a closure, where it is one
	calls   []*call
	loops   []*loop
	lits    int  // closures so far, for their names
	hasGoto bool // there is a goto
	env     int8 // reads the environment: 0 not asked, 1 yes, 2 no
	params  map[types.Object]int
	traits  []model.Trait // of its node
	parts   []fnPart      // that stand in the graph by themselves
}

// fnPart is a part of a function that is a node of its own: what is done with each message after a receive.
type fnPart struct {
	name     model.Name
	from, to token.Pos
	receive  *ast.CallExpr // not part of it, though it lies within
	at       model.Location
}

// node is the syntax of the function.
func (f *fn) node() ast.Node {
	if f.decl != nil {
		return f.decl
	}
	return f.lit
}

// call is one call as it stands in a function.
type call struct {
	expr  *ast.CallExpr
	loop  *loop // innermost loop around it in the same function
	spawn bool  // of a go statement
	defr  bool  // of a defer statement
}

// loop is one for or range statement, or a labelled block with a backward goto.
type loop struct {
	stmt  ast.Stmt
	body  *ast.BlockStmt
	outer *loop
	label string
	rgn   *region // where it is a layer
	again *selfCall
}

// selfCall makes a loop of a function that returns what a call of itself returns.
type selfCall struct {
	returns map[*ast.ReturnStmt]*ast.CallExpr
	params  []types.Object
	first   map[types.Object]ast.Expr // what the parameters are when others call it, where one place does
	caller  *fn                       // in which that place is
}

// region is code that a layer runs more than once: the body of a loop, or the operation handed to a library or helper.
type region struct {
	layer *model.Layer // in unit.facts once finished
	in    *fn
	node  ast.Node // *ast.ForStmt, *ast.RangeStmt, *ast.CallExpr of a library or helper, *ast.FuncDecl of a recursion
	body  ast.Node // what is repeated: *ast.BlockStmt of a loop, *ast.FuncLit, or an identifier that names a function
	op    *fn      // the function that is repeated, where it is one of this package
	// counter is the loop variable that counts attempts, for keys and payloads that take it in; nil where there is none.
	counter types.Object

	use    *libraryUse // the library's entry, where it is a library's call
	judged *judged     // what was thought of a loop
	loop   *loop
	helped int           // calls of the helper that it makes
	opCall *ast.CallExpr // the operation of a loop
	used   bool          // an edge is under it
}

// site is one call with the edge that it becomes. Calls that are no edges (append, fmt.Sprintf ...) have none.
type site struct {
	call   *ast.CallExpr
	in     *fn
	edge   *model.Edge // nil where the call is not an edge of the graph
	under  []*region   // outermost first, within in and the functions around it
	to     *fn         // callee within this package, where it is known
	callee callee      // what is known of it
	spawn  bool        // of a go statement
	edges  []*model.Edge
	sent   []sent // the HTTP requests that it sends

	lib        *libraryUse  // the library's entry for it
	callLayers []string     // layers that the call itself puts around what it sends
	queueLayer *model.Layer // redelivery of what it enqueues
	registers  bool         // it registers a handler
	helped     bool         // it is the call of a retry helper
	delivered  bool         // it is made for each message of a queue: the queue's edge stands for it
}

// write is one place where a field or package variable gets a value.
type write struct {
	value ast.Expr
	in    *fn // nil at package level
	at    ast.Node
}

// at is the location of a node.
func (u *unit) at(n ast.Node) model.Location {
	if n == nil || !n.Pos().IsValid() {
		return model.Location{}
	}
	p, e := u.fset.Position(n.Pos()), u.fset.Position(n.End())
	return model.Location{Repo: u.repo, Path: u.rel(p.Filename), Line: p.Line, Col: p.Column, EndLine: e.Line, EndCol: e.Column}
}

// rel is the path of a file relative to the repository.
func (u *unit) rel(name string) string {
	if p, ok := u.paths[name]; ok {
		return p
	}
	p := name
	if u.file != nil {
		p = u.file(name)
	}
	u.paths[name] = p
	return p
}

// object is what an identifier means, nil where that is not known.
func (u *unit) object(id *ast.Ident) types.Object {
	return u.info.Object(id)
}

// typeOf is the type of an expression; nil where it is not known.
func (u *unit) typeOf(e ast.Expr) types.Type {
	if e == nil {
		return nil
	}
	if tv, ok := u.info.Type(e); ok && tv.Type != nil {
		if b, ok := tv.Type.(*types.Basic); ok && b.Kind() == types.Invalid {
			return nil
		}
		return tv.Type
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := u.object(id); o != nil && o.Type() != nil {
			if b, ok := o.Type().(*types.Basic); ok && b.Kind() == types.Invalid {
				return nil
			}
			return o.Type()
		}
	}
	return nil
}
