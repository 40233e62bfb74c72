package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// maxValueDepth bounds how far a value is followed through variables, fields, parameters and calls.
const maxValueDepth = 12

// maxValueSteps bounds the work for one question; what is not found by then stays unknown.
const maxValueSteps = 600

// value is what is known of an expression that stands in f (nil at package level): a constant, a range of several
// possible values, a setting that lies elsewhere, or nothing.
func (u *unit) value(e ast.Expr, f *fn) libs.Value {
	if e == nil {
		return libs.Value{}
	}
	r := u.shared
	if r.depth == 0 {
		r.fuel = maxValueSteps
	}
	r.fuel--
	if r.depth > maxValueDepth || r.fuel < 0 {
		return libs.Value{Set: true}
	}
	r.depth++
	defer func() { r.depth-- }()
	v := u.valueOf(e, f)
	v.Set = true
	if v.At.IsZero() {
		v.At = u.at(e)
	}
	return v
}

func (u *unit) valueOf(e ast.Expr, f *fn) libs.Value {
	if tv, ok := u.info.Type(e); ok && tv.Value != nil {
		return constValue(tv.Value, tv.Type)
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return u.value(x.X, f)
	case *ast.BasicLit:
		return literal(x)
	case *ast.Ident:
		return u.identValue(x, f)
	case *ast.SelectorExpr:
		return u.selectorValue(x, f)
	case *ast.StarExpr:
		return u.value(x.X, f)
	case *ast.UnaryExpr:
		v := u.value(x.X, f)
		switch x.Op {
		case token.AND:
			return v
		case token.SUB:
			v.Int, v.Float = -v.Int, -v.Float
			v.Lo, v.Hi = -v.Hi, -v.Lo
			v.Ref = model.Ref{}
			return v
		case token.NOT:
			if v.IsBool {
				v.Bool = !v.Bool
				return v
			}
		}
		return libs.Value{}
	case *ast.BinaryExpr:
		return binary(x.Op, u.value(x.X, f), u.value(x.Y, f))
	case *ast.CompositeLit:
		return u.listValue(x, f)
	case *ast.CallExpr:
		return u.callValue(x, f)
	case *ast.IndexExpr:
		l := u.value(x.X, f)
		i := u.value(x.Index, f)
		if i.IsInt && i.Lo == i.Hi && i.Int >= 0 && i.Int < int64(len(l.List)) {
			return l.List[i.Int]
		}
		return union(l.List)
	}
	return libs.Value{}
}

func isDuration(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Duration" && n.Obj().Pkg() != nil && strings.HasSuffix(n.Obj().Pkg().Path(), "time")
}

func constValue(c constant.Value, t types.Type) libs.Value {
	v := libs.Value{Set: true}
	if t != nil && isDuration(t) {
		v.Duration = true
	}
	switch c.Kind() {
	case constant.Bool:
		v.Bool, v.IsBool = constant.BoolVal(c), true
	case constant.String:
		v.Str, v.IsStr = constant.StringVal(c), true
	case constant.Int:
		n, exact := constant.Int64Val(c)
		if !exact {
			n = math.MaxInt64
		}
		v.Int, v.IsInt, v.Lo, v.Hi = n, true, n, n
	case constant.Float:
		fl, _ := constant.Float64Val(c)
		v.Float, v.IsFloat = fl, true
		if t != nil {
			if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
				if n, ok := constant.Int64Val(constant.ToInt(c)); ok {
					v.Int, v.IsInt, v.Lo, v.Hi = n, true, n, n
				}
			}
		}
	}
	return v
}

func literal(x *ast.BasicLit) libs.Value {
	c := constant.MakeFromLiteral(x.Value, x.Kind, 0)
	if c.Kind() == constant.Unknown {
		return libs.Value{}
	}
	return constValue(c, nil)
}

func intValue(n int64) libs.Value {
	return libs.Value{Set: true, Int: n, IsInt: true, Lo: n, Hi: n}
}

func durationValue(d time.Duration) libs.Value {
	v := intValue(int64(d))
	v.Duration = true
	return v
}

// known reports whether a value says anything by itself.
func known(v libs.Value) bool {
	return v.IsInt || v.IsFloat || v.IsStr || v.IsBool || v.Nil || v.List != nil
}

// identValue follows a variable to what gives it its value.
func (u *unit) identValue(x *ast.Ident, f *fn) libs.Value {
	o := u.object(x)
	switch o := o.(type) {
	case *types.Nil:
		return libs.Value{Nil: true}
	case *types.Const:
		return constValue(o.Val(), o.Type())
	case *types.Var:
		return u.varValue(o, f)
	}
	if o == nil && x.Name == "nil" {
		return libs.Value{Nil: true}
	}
	return libs.Value{}
}

// bound looks a parameter up among the arguments of calls that are being followed.
func (u *unit) bound(o types.Object) (libs.Value, bool) {
	for i := len(u.shared.bindings) - 1; i >= 0; i-- {
		if v, ok := u.shared.bindings[i][o]; ok {
			return v, true
		}
	}
	return libs.Value{}, false
}

// listValue is a literal of numbers or durations.
func (u *unit) listValue(x *ast.CompositeLit, f *fn) libs.Value {
	switch u.litType(x).(type) {
	case *types.Slice, *types.Array:
	default:
		return libs.Value{}
	}
	v := libs.Value{Set: true, List: []libs.Value{}}
	for _, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		v.List = append(v.List, u.value(e, f))
	}
	return v
}

// onlyReturn is the last return statement of a function, where all others return an error or nothing known.
func onlyReturn(g *fn) *ast.ReturnStmt {
	if g.body == nil || len(g.body.List) == 0 {
		return nil
	}
	r, _ := g.body.List[len(g.body.List)-1].(*ast.ReturnStmt)
	return r
}

func parseInt(s string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	return n, err == nil
}
