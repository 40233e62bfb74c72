package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
)

// declIndex is what is worked out of one top-level declaration when somebody asks.
//
// The nodes stand in the order of a walk, which is the order of their positions, so that a node is found by its position: a
// map from node to parent would need three times the memory.
type declIndex struct {
	names map[string]bool // handed out for mends
	node  ast.Node
	file  *ast.File
	start token.Pos
	end   token.Pos

	nodes  []ast.Node
	starts []int32            // where the nodes begin, counted from start
	up     []int32            // index of the node around each; -1 for the declaration itself
	typ    int32              // index of a function's type, which begins where the function does but is walked after its name
	places map[ast.Node]int32 // index of each node, where positions do not find it quickly

	passed map[types.Object]bool       // variables that are handed to a call, or whose methods are called
	sets   map[types.Object][]ast.Node // statements that give a local variable its value
}

// forget gives the memory of an index back; it is made again when somebody asks.
func (d *declIndex) forget() {
	d.nodes, d.starts, d.up, d.places, d.passed, d.sets = nil, nil, nil, nil, nil, nil
}

// declOf is the top-level declaration around a position.
func (u *unit) declOf(pos token.Pos) *declIndex {
	if d := u.lastDecl; d != nil && d.start <= pos && pos <= d.end {
		return d
	}
	i := sort.Search(len(u.decls), func(i int) bool { return u.decls[i].end >= pos })
	if i < len(u.decls) && u.decls[i].start <= pos {
		u.lastDecl = u.decls[i]
		return u.lastDecl
	}
	return nil
}

// parent is the node around n, nil for a top-level declaration.
func (u *unit) parent(n ast.Node) ast.Node {
	d := u.declOf(n.Pos())
	if d == nil {
		return nil
	}
	u.index(d)
	if i := d.find(n); i > 0 {
		return d.nodes[d.up[i]]
	}
	return nil
}

// enclosing is the innermost function around a node; nil at package level.
func (u *unit) enclosing(n ast.Node) *fn {
	if n == nil {
		return nil
	}
	d := u.declOf(n.Pos())
	if d == nil {
		return u.byNode[n]
	}
	u.index(d)
	i := d.find(n)
	if i < 0 {
		return u.byNode[n]
	}
	for ; i >= 0; i = d.up[i] {
		switch d.nodes[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			if g := u.byNode[d.nodes[i]]; g != nil {
				return g
			}
		}
	}
	return nil
}

// find is the index of a node, -1 where the declaration has no such node.
func (d *declIndex) find(n ast.Node) int32 {
	if d.places != nil {
		if i, ok := d.places[n]; ok {
			return i
		}
		return -1
	}
	if d.typ > 0 && n == d.nodes[d.typ] {
		return d.typ
	}
	start := int32(n.Pos() - d.start)
	for i, _ := slices.BinarySearch(d.starts, start); i < len(d.starts) && d.starts[i] == start; i++ {
		if d.nodes[i] == n {
			return int32(i)
		}
	}
	return -1
}

// maxSameStart is how many nodes may begin at one position (a + b + c + ...) before they are found by a map.
const maxSameStart = 200

// index fills an index.
func (u *unit) index(d *declIndex) {
	if d.nodes != nil {
		return
	}
	u.shared.indexed = append(u.shared.indexed, d)
	d.typ = -1
	w := &u.shared.walk // lists that grow would be copied over and over
	d.nodes, d.up, d.starts = w.nodes[:0], w.up[:0], w.starts[:0]
	defer func() {
		w.nodes, w.up, w.starts = d.nodes, d.up, d.starts
		d.nodes, d.up, d.starts = slices.Clone(d.nodes), slices.Clone(d.up), slices.Clone(d.starts)
		clear(w.nodes)
	}()
	at := int32(-1)
	ast.Inspect(d.node, func(n ast.Node) bool {
		if n == nil {
			switch d.nodes[at].(type) {
			case *ast.BinaryExpr, *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
				// They begin where their first part does. Pos would follow the first parts to the end for each of them.
				if int(at)+1 < len(d.starts) {
					d.starts[at] = d.starts[at+1]
				}
			default:
				d.starts[at] = int32(d.nodes[at].Pos() - d.start)
			}
			at = d.up[at]
			return true
		}
		if _, ok := n.(*ast.CommentGroup); ok {
			return false
		}
		d.nodes = append(d.nodes, n)
		d.up = append(d.up, at)
		d.starts = append(d.starts, 0)
		at = int32(len(d.nodes) - 1)
		u.indexNode(d, n)
		return true
	})
	same := 0
	for i := range d.nodes {
		switch {
		case i == 0:
		case d.typ < 0 && isTypeOf(d.node, d.nodes[i]):
			d.typ, d.starts[i] = int32(i), d.starts[i-1]
		case d.starts[i] < d.starts[i-1]:
			d.places = map[ast.Node]int32{} // code that could not be parsed in full
		case d.starts[i] > d.starts[i-1]:
			same = 0
		default:
			if same++; same > maxSameStart {
				d.places = map[ast.Node]int32{}
			}
		}
	}
	if d.places != nil {
		for i, n := range d.nodes {
			d.places[n] = int32(i)
		}
	}
}

func isTypeOf(decl, n ast.Node) bool {
	f, ok := decl.(*ast.FuncDecl)
	return ok && n == ast.Node(f.Type)
}

// indexNode notes what a node says of variables.
func (u *unit) indexNode(d *declIndex, n ast.Node) {
	switch s := n.(type) {
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if id, ok := ast.Unparen(l).(*ast.Ident); ok {
				u.noteSet(d, id, s)
			}
		}
	case *ast.IncDecStmt:
		if id, ok := ast.Unparen(s.X).(*ast.Ident); ok {
			u.noteSet(d, id, s)
		}
	case *ast.ValueSpec:
		for _, id := range s.Names {
			u.noteSet(d, id, s)
		}
	case *ast.RangeStmt:
		if id, ok := s.Key.(*ast.Ident); ok {
			u.noteSet(d, id, s)
		}
		if id, ok := s.Value.(*ast.Ident); ok {
			u.noteSet(d, id, s)
		}
	case *ast.CallExpr:
		for _, a := range s.Args {
			u.notePassed(d, a, false)
		}
		if f, ok := ast.Unparen(s.Fun).(*ast.SelectorExpr); ok {
			u.notePassed(d, f.X, true)
		}
	case *ast.UnaryExpr:
		if s.Op == token.AND {
			if id, ok := ast.Unparen(s.X).(*ast.Ident); ok {
				u.noteSet(d, id, s)
			}
		}
	}
}

func (u *unit) notePassed(d *declIndex, e ast.Expr, byRef bool) {
	e = ast.Unparen(e)
	if x, ok := e.(*ast.UnaryExpr); ok && x.Op == token.AND {
		e, byRef = ast.Unparen(x.X), true
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return
	}
	if o := u.object(id); o != nil && o.Type() != nil {
		if _, isStruct := o.Type().Underlying().(*types.Struct); byRef || !isStruct {
			if d.passed == nil {
				d.passed = map[types.Object]bool{}
			}
			d.passed[o] = true
		}
	}
}

func (u *unit) noteSet(d *declIndex, id *ast.Ident, s ast.Node) {
	if o := u.object(id); o != nil {
		if d.sets == nil {
			d.sets = map[types.Object][]ast.Node{}
		}
		d.sets[o] = append(d.sets[o], s)
	}
}

// setsOf lists the nodes that give a local variable its value: *ast.AssignStmt, *ast.IncDecStmt, *ast.ValueSpec,
// *ast.RangeStmt, and *ast.UnaryExpr where its address is taken.
func (u *unit) setsOf(o types.Object) []ast.Node {
	if o == nil || !o.Pos().IsValid() {
		return nil
	}
	d := u.declOf(o.Pos())
	if d == nil {
		return nil
	}
	u.index(d)
	return d.sets[o]
}

// handedOn reports whether a local variable goes to a call, which may change what it points to.
func (u *unit) handedOn(o types.Object) bool {
	d := u.declOf(o.Pos())
	if d == nil {
		return false
	}
	u.index(d)
	return d.passed[o]
}
