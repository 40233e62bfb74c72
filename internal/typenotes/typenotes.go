// Package typenotes keeps what the type checker noted of a package's syntax: what each identifier means, and the type and
// value of each expression. [Pack] does it in a tenth of the memory of [types.Info], most of which is the room that maps keep
// for what never comes.
package typenotes

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Notes are what was noted of one package. The nil value holds nothing.
type Notes struct {
	info *types.Info // everything, where it is not packed

	objects []types.Object // the first is nil
	idents  table          // by the position of an identifier: an index of objects, with marks
	notes   []Note
	exprs   table // by the position of an expression's own token: an index of notes
}

// Note is the type and the constant value of one expression.
type Note struct {
	Type  types.Type
	Value constant.Value // nil where it is no constant
	kind  kind
}

type kind uint8

const (
	value kind = iota // or nothing, of a call without a result
	aType
	builtin
	untypedNil
)

func (n Note) IsType() bool    { return n.kind == aType }
func (n Note) IsBuiltin() bool { return n.kind == builtin }
func (n Note) IsNil() bool     { return n.kind == untypedNil }

// Of wraps what the type checker noted, as it is. It may be nil.
func Of(info *types.Info) *Notes {
	if info == nil {
		return nil
	}
	return &Notes{info: info}
}

// Wraps tells whether the notes are the ones given, as they are.
func (n *Notes) Wraps(info *types.Info) bool { return n != nil && n.info == info }

// Def is the object that an identifier declares; nil where it declares none.
func (n *Notes) Def(id *ast.Ident) types.Object {
	switch {
	case n == nil || id == nil:
		return nil
	case n.info != nil:
		return n.info.Defs[id]
	}
	if i, ok := n.idents.get(id.NamePos); ok && i&isDef != 0 {
		return n.objects[i&index]
	}
	return nil
}

// Use is the object that an identifier refers to; nil where it is not known or declares one.
func (n *Notes) Use(id *ast.Ident) types.Object {
	switch {
	case n == nil || id == nil:
		return nil
	case n.info != nil:
		return n.info.Uses[id]
	}
	i, ok := n.idents.get(id.NamePos)
	switch {
	case !ok:
		return nil
	case i&isDef == 0:
		return n.objects[i&index]
	case i&isUse != 0:
		return n.objects[i&index+1] // an embedded field: it declares the field and refers to the type
	}
	return nil
}

// Object is what an identifier refers to or declares; nil where that is not known.
func (n *Notes) Object(id *ast.Ident) types.Object {
	if o := n.Use(id); o != nil {
		return o
	}
	return n.Def(id)
}

// Type is what was noted of an expression; ok is false where nothing was.
func (n *Notes) Type(e ast.Expr) (note Note, ok bool) {
	switch {
	case n == nil || e == nil:
		return Note{}, false
	case n.info != nil:
		tv, ok := n.info.Types[e]
		return noteOf(tv), ok
	}
	// What is not noted by itself is what the object says.
	switch e := e.(type) {
	case *ast.Ident:
		i, ok := n.idents.get(e.NamePos)
		switch {
		case ok && i&typed != 0:
			return objectNote(n.Use(e)), true
		case ok && i&behind != 0:
			return Note{}, false // the note is the selector's
		}
	case *ast.SelectorExpr:
		if i, ok := n.idents.get(e.Sel.NamePos); ok && i&selected != 0 {
			return objectNote(n.Use(e.Sel)), true
		}
	}
	if i, ok := n.exprs.get(ownToken(e)); ok {
		return n.notes[i], true
	}
	return Note{}, false
}

// TypeOf is the type of an expression, which may be an invalid one; nil where it is not known.
func (n *Notes) TypeOf(e ast.Expr) types.Type {
	if t, ok := n.Type(e); ok {
		return t.Type
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := n.Object(id); o != nil {
			return o.Type()
		}
	}
	return nil
}

func noteOf(tv types.TypeAndValue) Note {
	n := Note{Type: tv.Type, Value: tv.Value}
	switch {
	case tv.IsType():
		n.kind = aType
	case tv.IsBuiltin():
		n.kind = builtin
	case tv.IsNil():
		n.kind = untypedNil
	}
	return n
}

// objectNote is what is noted of most expressions that name an object.
func objectNote(o types.Object) Note {
	switch o := o.(type) {
	case *types.Var, *types.Func:
		return Note{Type: o.Type()}
	case *types.Const:
		return Note{Type: o.Type(), Value: o.Val()}
	case *types.TypeName:
		return Note{Type: o.Type(), kind: aType}
	}
	return Note{}
}

// ownToken is the position of the one token that is an expression's own, which no other expression of the package has. It is
// not valid where there is none.
func ownToken(e ast.Expr) token.Pos {
	switch e := e.(type) {
	case *ast.Ident:
		return e.NamePos
	case *ast.BasicLit:
		return e.ValuePos
	case *ast.SelectorExpr:
		return e.Sel.NamePos // an identifier behind a dot has no type by itself
	case *ast.CallExpr:
		return e.Lparen
	case *ast.BinaryExpr:
		return e.OpPos
	case *ast.UnaryExpr:
		return e.OpPos
	case *ast.StarExpr:
		return e.Star
	case *ast.CompositeLit:
		return e.Lbrace
	case *ast.FuncLit:
		return e.Body.Lbrace
	case *ast.FuncType:
		if e.Func.IsValid() {
			return e.Func
		}
		return e.Params.Opening
	case *ast.ParenExpr:
		return e.Lparen
	case *ast.IndexExpr:
		return e.Lbrack
	case *ast.IndexListExpr:
		return e.Lbrack
	case *ast.SliceExpr:
		return e.Lbrack
	case *ast.TypeAssertExpr:
		return e.Lparen
	case *ast.ArrayType:
		return e.Lbrack
	case *ast.MapType:
		return e.Map
	case *ast.ChanType:
		return e.Begin
	case *ast.StructType:
		return e.Struct
	case *ast.InterfaceType:
		return e.Interface
	case *ast.Ellipsis:
		return e.Ellipsis
	case *ast.KeyValueExpr:
		return e.Colon
	}
	return token.NoPos
}
