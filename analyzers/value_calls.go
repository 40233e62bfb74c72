package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// callValue is the value of a call: a conversion, arithmetic, an environment variable, a flag, or a function of the
// repository whose result can be followed.
func (u *unit) callValue(c *ast.CallExpr, f *fn) libs.Value {
	k := u.callee(c)
	if k.conv {
		return u.conversion(c, k, f)
	}
	switch k.name {
	case "time.ParseDuration":
		return u.parsed(c, f, func(s string) (libs.Value, bool) {
			d, err := time.ParseDuration(s)
			return durationValue(d), err == nil
		}, "duration")
	case "strconv.Atoi", "strconv.ParseInt", "strconv.ParseUint":
		return u.parsed(c, f, func(s string) (libs.Value, bool) {
			n, ok := parseInt(s)
			return intValue(n), ok
		}, "")
	case "strconv.ParseFloat":
		return u.parsed(c, f, func(s string) (libs.Value, bool) {
			x, err := strconv.ParseFloat(s, 64)
			return libs.Value{Set: true, Float: x, IsFloat: true}, err == nil
		}, "")
	case "os.Getenv", "os.LookupEnv", "syscall.Getenv":
		if len(c.Args) == 1 {
			if v := u.value(c.Args[0], f); v.IsStr {
				return libs.Value{Set: true, Ref: model.Ref{Name: model.N(model.SpaceEnv, v.Str), At: u.at(c)}}
			}
		}
		return libs.Value{}
	case "math.Max", "math.Min", "math.Pow", "math.Round", "math.Floor", "math.Ceil", "math.Abs":
		return u.mathValue(k.sel, c, f)
	case "cmp.Or":
		for i, a := range c.Args {
			v := u.value(a, f)
			if !known(v) && i < len(c.Args)-1 && v.Ref.Name.IsZero() {
				if u.openParam(a, f) {
					continue
				}
				return libs.Value{}
			}
			if !known(v) {
				rest := u.value(c.Args[len(c.Args)-1], f)
				return join(v, rest)
			}
			if v.IsInt && v.Int == 0 || v.IsStr && v.Str == "" {
				continue
			}
			return v
		}
		return libs.Value{}
	case "fmt.Sprintf", "net/url.JoinPath", "strings.TrimRight", "strings.TrimSuffix", "strings.TrimSpace", "path.Join":
		return u.stringCall(k.name, c, f)
	}
	if v, ok := u.flagCall(c, f); ok {
		return v
	}
	if isPointerHelper(k) && len(c.Args) == 1 {
		return u.value(c.Args[0], f)
	}
	if k.fun == nil && k.recv == nil && k.sel == "Duration" && len(c.Args) == 1 {
		// A foreign Duration type of which nothing is known: a conversion.
		v := u.value(c.Args[0], f)
		v.Duration = v.IsInt
		return v
	}
	return u.inline(c, 0, f)
}

func (u *unit) conversion(c *ast.CallExpr, k callee, f *fn) libs.Value {
	switch k.sel {
	case "min", "max":
		if _, ok := u.info.Type(c.Fun); ok && len(c.Args) > 0 {
			return u.minMax(k.sel, c, f)
		}
	case "len":
		if len(c.Args) == 1 {
			v := u.value(c.Args[0], f)
			if v.List != nil {
				return intValue(int64(len(v.List)))
			}
			if v.IsStr {
				return intValue(int64(len(v.Str)))
			}
		}
		return libs.Value{}
	case "append", "make", "new", "cap", "copy":
		return libs.Value{}
	}
	if len(c.Args) != 1 {
		return libs.Value{}
	}
	v := u.value(c.Args[0], f)
	t := u.typeOf(c.Fun)
	if t == nil {
		return v
	}
	if isDuration(t) {
		v.Duration = true
	} else if b, ok := t.Underlying().(*types.Basic); ok && v.IsInt && !isDuration(u.typeOf(c.Args[0])) {
		v.Duration = false
		_ = b
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch {
		case b.Info()&types.IsInteger != 0 && v.IsFloat && !v.IsInt:
			n := int64(v.Float)
			if v.Float > math.MaxInt64 {
				n = math.MaxInt64
			}
			v.IsFloat, v.IsInt, v.Int, v.Lo, v.Hi = false, true, n, n, n
		case b.Info()&types.IsFloat != 0 && v.IsInt && v.Lo == v.Hi:
			v.IsInt, v.IsFloat, v.Float = false, true, float64(v.Int)
		}
	}
	return v
}

// minMax knows a bound even where one side is unknown only for ranges; an unknown side leaves the result unknown, with
// the known side as the end that holds anyway.
func (u *unit) minMax(which string, c *ast.CallExpr, f *fn) libs.Value {
	var out libs.Value
	unknown := false
	for i, a := range c.Args {
		v := u.value(a, f)
		if !v.IsInt {
			unknown = true
			continue
		}
		if i == 0 || !out.IsInt {
			out = v
			continue
		}
		if which == "min" {
			out.Lo, out.Hi = min(out.Lo, v.Lo), min(out.Hi, v.Hi)
		} else {
			out.Lo, out.Hi = max(out.Lo, v.Lo), max(out.Hi, v.Hi)
		}
		if out.Int = out.Hi; out.Int == v.Int {
			out.At, out.Ref = v.At, v.Ref
		}
	}
	if unknown {
		if which == "min" && out.IsInt {
			out.Lo = min(out.Lo, 1) // at most the known side
			return out
		}
		return libs.Value{}
	}
	return out
}

func (u *unit) mathValue(name string, c *ast.CallExpr, f *fn) libs.Value {
	var xs []float64
	for _, a := range c.Args {
		x, ok := asFloat(u.value(a, f))
		if !ok {
			return libs.Value{}
		}
		xs = append(xs, x)
	}
	var r float64
	switch {
	case len(xs) == 2 && name == "Max":
		r = math.Max(xs[0], xs[1])
	case len(xs) == 2 && name == "Min":
		r = math.Min(xs[0], xs[1])
	case len(xs) == 2 && name == "Pow":
		r = math.Pow(xs[0], xs[1])
	case len(xs) == 1 && name == "Round":
		r = math.Round(xs[0])
	case len(xs) == 1 && name == "Floor":
		r = math.Floor(xs[0])
	case len(xs) == 1 && name == "Ceil":
		r = math.Ceil(xs[0])
	case len(xs) == 1 && name == "Abs":
		r = math.Abs(xs[0])
	default:
		return libs.Value{}
	}
	return libs.Value{Set: true, Float: r, IsFloat: true}
}

// parsed is a number that is read out of a string: of a constant, or of a setting that keeps its name.
func (u *unit) parsed(c *ast.CallExpr, f *fn, read func(string) (libs.Value, bool), unit string) libs.Value {
	if len(c.Args) == 0 {
		return libs.Value{}
	}
	v := u.value(c.Args[0], f)
	out := libs.Value{Set: true, Ref: v.Ref, Duration: unit == "duration"}
	if v.IsStr {
		if n, ok := read(v.Str); ok {
			n.Ref = v.Ref
			return n
		}
	}
	return out
}

// isPointerHelper knows functions that only make a pointer: aws.Int, ptr.To, proto.Int32, lo.ToPtr.
func isPointerHelper(k callee) bool {
	if k.name == "" || k.recv != nil || k.to != nil {
		return false
	}
	switch k.sel {
	case "To", "ToPtr", "Ptr", "Pointer", "Int", "Int32", "Int64", "Uint", "Uint32", "Uint64", "String", "Bool", "Float64", "Duration", "Of", "New", "From":
		p := k.pkg
		return strings.HasSuffix(p, "/aws") || strings.HasSuffix(p, "/ptr") || strings.HasSuffix(p, "/pointer") || strings.HasSuffix(p, "/to") ||
			strings.HasSuffix(p, "/proto") || strings.HasSuffix(p, "/lo") || strings.Contains(p, "stripe") || strings.HasSuffix(p, "/utils")
	}
	return false
}

// target is the function that a call runs, in any package of the repository.
func (u *unit) target(c *ast.CallExpr) *fn {
	k := u.callee(c)
	if k.to != nil {
		return k.to
	}
	if k.fun != nil {
		return u.shared.fnOf(k.fun)
	}
	return nil
}

// inline follows result i of a call of a function of the repository, with its parameters bound to the arguments.
func (u *unit) inline(c *ast.CallExpr, i int, f *fn) libs.Value {
	g := u.target(c)
	if g == nil || g.body == nil || len(u.shared.bindings) > 3 || c.Ellipsis.IsValid() || !g.gives(i) {
		return libs.Value{}
	}
	bind := map[types.Object]libs.Value{}
	for o, n := range g.params {
		if n < len(c.Args) {
			bind[o] = u.value(c.Args[n], f)
		}
	}
	u.shared.bindings = append(u.shared.bindings, bind)
	defer func() { u.shared.bindings = u.shared.bindings[:len(u.shared.bindings)-1] }()
	v := g.unit
	if g.readsEnv(0) {
		if e, ok := v.envHelper(g, bind); ok {
			return e
		}
	}
	var vs []libs.Value
	var ref model.Ref // of a setting of which only the fallback is known
	returns := 0
	open, done := false, false
	inspectOwn(g.body, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		if !ok || done {
			return !done
		}
		returns++
		if i >= len(r.Results) {
			open = true
			return true
		}
		x := v.value(r.Results[i], g)
		switch {
		case known(x) || !x.Ref.Name.IsZero():
			// "return 0, err" beside a good return is the failure's placeholder.
			if len(r.Results) > 1 && i == 0 && !isNilExpr(r.Results[len(r.Results)-1]) && x.IsInt && x.Int == 0 {
				return true
			}
			if guard := v.fallbackGuard(r, i); guard != nil && known(x) {
				switch holds, decided, setting := v.decides(guard); {
				case decided && holds && !setting:
					vs, done = append(vs, x), true // what comes after it is never reached
					return false
				case decided && !holds && !setting:
					return true
				}
			}
			vs = append(vs, x)
		case v.fallbackGuard(r, i) != nil:
			ref = x.Ref // "if c.max > 0 { return c.max }" and then the default
		default:
			open = true
		}
		return true
	})
	if open || returns == 0 || returns > 8 {
		return libs.Value{}
	}
	out := union(vs)
	if out.Ref.Name.IsZero() {
		out.Ref = ref
	}
	return out
}

// fallbackGuard is the condition around a return that gives a value only where it is set: if c.max > 0 { return c.max }. Nil
// where there is none.
func (u *unit) fallbackGuard(r *ast.ReturnStmt, i int) ast.Expr {
	b, ok := u.parent(r).(*ast.BlockStmt)
	if !ok || len(b.List) != 1 {
		return nil
	}
	s, ok := u.parent(b).(*ast.IfStmt)
	if !ok || s.Body != b || s.Else != nil {
		return nil
	}
	c, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || c.Op != token.GTR && c.Op != token.NEQ && c.Op != token.GEQ || i >= len(r.Results) {
		return nil
	}
	want := types.ExprString(ast.Unparen(r.Results[i]))
	if star, ok := ast.Unparen(r.Results[i]).(*ast.StarExpr); ok {
		want = types.ExprString(star.X) // if c.max != nil { return *c.max }
	}
	if types.ExprString(ast.Unparen(c.X)) != want {
		return nil
	}
	return s.Cond
}

// gives reports whether result i of a function is worth following: a number, a string, a flag, or a pointer to one.
func (g *fn) gives(i int) bool {
	if g.typ.Results == nil || len(g.body.List) > 40 {
		return false
	}
	n := 0
	for _, r := range g.typ.Results.List {
		k := max(len(r.Names), 1)
		if i < n+k {
			t := g.unit.typeOf(r.Type)
			if t == nil {
				return true
			}
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			if _, ok := types.Unalias(t).(*types.TypeParam); ok {
				return true
			}
			switch t := t.Underlying().(type) {
			case *types.Basic:
				return true
			case *types.Slice:
				return isDuration(t.Elem())
			}
			return false
		}
		n += k
	}
	return false
}

// readsEnv reports whether a function asks for an environment variable, itself or one call further.
func (g *fn) readsEnv(depth int) bool {
	if g.env != 0 {
		return g.env == 1
	}
	g.env = 2
	for _, c := range g.calls {
		k := g.unit.callee(c.expr)
		if k.name == "os.Getenv" || k.name == "os.LookupEnv" {
			g.env = 1
			break
		}
		if depth < 2 {
			if t := g.unit.target(c.expr); t != nil && t != g && len(t.calls) < 12 && t.readsEnv(depth+1) {
				g.env = 1
				break
			}
		}
	}
	if g.env == 2 && depth > 0 {
		g.env = 0 // from here it was not looked into in full
		return false
	}
	return g.env == 1
}

func isNilExpr(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}

// inspectOwn walks a body without the closures in it.
func inspectOwn(n ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		if x == nil {
			return true
		}
		if _, ok := x.(*ast.FuncLit); ok && x != n {
			return false
		}
		return visit(x)
	})
}

func isWord(s string, words ...string) bool {
	for _, w := range words {
		if s == w {
			return true
		}
	}
	return false
}

// stringCall follows the functions that put strings together, as far as all parts are known.
func (u *unit) stringCall(name string, c *ast.CallExpr, f *fn) libs.Value {
	if name == "fmt.Sprintf" || len(c.Args) == 0 {
		return libs.Value{}
	}
	v := u.value(c.Args[0], f)
	switch name {
	case "strings.TrimRight", "strings.TrimSuffix", "strings.TrimSpace":
		if v.IsStr && len(c.Args) > 1 {
			if w := u.value(c.Args[1], f); w.IsStr {
				if name == "strings.TrimRight" {
					v.Str = strings.TrimRight(v.Str, w.Str)
				} else {
					v.Str = strings.TrimSuffix(v.Str, w.Str)
				}
			}
		}
		return v
	}
	return libs.Value{}
}
