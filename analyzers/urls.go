package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// part is a piece of a string: text, a setting that lies elsewhere, or something unknown.
type part struct {
	text    string
	ref     model.Ref
	deflt   string // of the setting
	unknown bool
}

const maxStringDepth = 10

// parts follows a string expression into its pieces.
func (u *unit) parts(e ast.Expr, f *fn, depth int) []part {
	unknown := []part{{unknown: true}}
	if e == nil || depth > maxStringDepth {
		return unknown
	}
	if tv, ok := u.info.Type(e); ok && tv.Value != nil {
		if v := constValue(tv.Value, tv.Type); v.IsStr {
			return []part{{text: v.Str}}
		}
	}
	switch x := ast.Unparen(e).(type) {
	case *ast.BasicLit:
		if v := literal(x); v.IsStr {
			return []part{{text: v.Str}}
		}
	case *ast.BinaryExpr:
		if x.Op == token.ADD {
			return append(u.parts(x.X, f, depth+1), u.parts(x.Y, f, depth+1)...)
		}
	case *ast.Ident:
		return u.partsOfVar(x, f, depth)
	case *ast.SelectorExpr:
		return u.partsOfSelector(x, f, depth)
	case *ast.StarExpr:
		return u.parts(x.X, f, depth+1)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return u.parts(x.X, f, depth+1)
		}
	case *ast.CallExpr:
		return u.partsOfCall(x, f, depth)
	case *ast.CompositeLit:
		return u.partsOfURL(x, f, depth)
	}
	return unknown
}

// partsOfVar follows a variable that is set once, a parameter whose callers agree, or a package variable.
func (u *unit) partsOfVar(x *ast.Ident, f *fn, depth int) []part {
	unknown := []part{{unknown: true}}
	o, ok := u.object(x).(*types.Var)
	if !ok {
		return unknown
	}
	if v, ok := u.shared.exprOf(o); ok {
		return v.unit.parts(v.expr, v.f, depth+1)
	}
	if o.IsField() {
		return u.partsOfField(o, depth)
	}
	if u.pkg != nil && o.Parent() == u.pkg.Scope() {
		return u.partsOfWrites(o, depth)
	}
	var rhs []ast.Expr
	for _, s := range u.setsOf(o) {
		if vs, ok := s.(*ast.ValueSpec); ok && len(vs.Values) == 0 {
			continue
		}
		e := setExpr(s, o, u)
		if e == nil {
			if a, ok := s.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && len(a.Lhs) > 0 && u.lvalue(a.Lhs[0]) == types.Object(o) {
				e = a.Rhs[0] // the first result of url.Parse and the like
			}
		}
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.ADD_ASSIGN {
			// s += "..." under a condition: the beginning stays, the rest is unknown.
			continue
		}
		if e == nil || mentionsObj(u, e, o) {
			continue
		}
		rhs = append(rhs, e)
	}
	owner, i := u.paramOwner(o, f)
	if owner != nil && len(rhs) == 0 {
		return u.partsOfParam(owner, i, depth)
	}
	if len(rhs) == 1 {
		return u.parts(rhs[0], f, depth+1)
	}
	var out []part
	for j, e := range rhs {
		p := u.parts(e, f, depth+1)
		if j == 0 {
			out = p
		} else {
			out = agree(out, p)
		}
	}
	if out == nil {
		return unknown
	}
	return out
}

func mentionsObj(u *unit, e ast.Expr, o types.Object) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && u.object(id) == o {
			found = true
		}
		return !found
	})
	return found
}

// agree keeps what two possible strings share: a setting with a fallback is the setting with a default.
func agree(a, b []part) []part {
	if len(a) == 1 && len(b) == 1 {
		x, y := a[0], b[0]
		switch {
		case !x.ref.Name.IsZero() && y.ref.Name.IsZero() && !y.unknown:
			x.deflt = y.text
			return []part{x}
		case !y.ref.Name.IsZero() && x.ref.Name.IsZero() && !x.unknown:
			y.deflt = x.text
			return []part{y}
		case x == y:
			return a
		case x.unknown && !y.unknown && y.text == "":
			return a
		}
	}
	if len(a) == len(b) {
		same := true
		for i := range a {
			same = same && a[i] == b[i]
		}
		if same {
			return a
		}
	}
	var out []part
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		out = append(out, a[i])
	}
	return append(out, part{unknown: true})
}

func (u *unit) partsOfParam(owner *fn, i, depth int) []part {
	var out []part
	n := 0
	for _, s := range u.callersOf(owner) {
		if i >= len(s.call.Args) {
			continue
		}
		p := s.in.unit.parts(s.call.Args[i], s.in, depth+2)
		if len(p) == 1 && p[0].unknown {
			if s.in.unit.openParam(s.call.Args[i], s.in) {
				continue
			}
		}
		if n == 0 {
			out = p
		} else {
			out = agree(out, p)
		}
		if n++; n > 16 {
			break
		}
	}
	if n == 0 {
		return []part{{unknown: true}}
	}
	return out
}

func (u *unit) partsOfSelector(x *ast.SelectorExpr, f *fn, depth int) []part {
	unknown := []part{{unknown: true}}
	switch o := u.object(x.Sel).(type) {
	case *types.Var:
		if !o.IsField() {
			if other := u.shared.units[o.Pkg()]; other != nil && other != u {
				return other.partsOfWrites(o, depth)
			}
			return u.partsOfWrites(o, depth)
		}
		if namedText(o.Type()) == "net/url.(*URL)" && x.Sel.Name == "URL" {
			return unknown
		}
		if lit, _ := u.literalOf(x.X, f, 0); lit != nil {
			if e := u.litFieldExpr(lit, x.Sel.Name); e != nil {
				return u.parts(e, f, depth+1)
			}
		}
		if id := rootIdent(x.X); id != nil {
			if sets := u.localFieldSets(u.object(id), selPath(x)); len(sets) == 1 {
				return u.parts(sets[0], u.fnAt(sets[0].Pos()), depth+1)
			}
		}
		return u.partsOfField(o, depth)
	}
	return unknown
}

func (u *unit) partsOfField(o *types.Var, depth int) []part {
	owner := u
	if o.Pkg() != nil && o.Pkg() != u.pkg {
		if owner = u.shared.units[o.Pkg()]; owner == nil {
			return []part{{unknown: true}}
		}
	}
	p := owner.partsOfWrites(o, depth)
	if len(p) == 1 && p[0].unknown {
		if t, ok := owner.tagValue(o); ok {
			q := part{ref: t.Ref}
			if t.IsStr {
				q.deflt = t.Str
			}
			if t.Ref.Name.Space == model.SpaceConfig {
				return p // a key without its section names nothing
			}
			return []part{q}
		}
	}
	return p
}

func (u *unit) partsOfWrites(o types.Object, depth int) []part {
	if u.shared.busy[o] {
		return []part{{unknown: true}}
	}
	u.shared.busy[o] = true
	defer delete(u.shared.busy, o)
	var out []part
	n := 0
	for _, w := range u.writesOf(o) {
		var p []part
		if w.value != nil {
			p = u.parts(w.value, w.in, depth+1)
			if len(p) == 1 && p[0].unknown && u.openParam(w.value, w.in) {
				continue
			}
		} else if x, ok := w.at.(*ast.UnaryExpr); ok {
			v, _ := u.flagVar(x, w.in)
			p = []part{{ref: v.Ref, deflt: v.Str, unknown: v.Ref.Name.IsZero()}}
		} else {
			p = []part{{unknown: true}}
		}
		if n == 0 {
			out = p
		} else {
			out = agree(out, p)
		}
		n++
	}
	if n == 0 {
		return []part{{unknown: true}}
	}
	return out
}

// partsOfURL is a url.URL literal.
func (u *unit) partsOfURL(x *ast.CompositeLit, f *fn, depth int) []part {
	t := namedText(u.typeOf(x))
	if t != "net/url.URL" && u.foreignType(x.Type) != "net/url.URL" {
		return []part{{unknown: true}}
	}
	var out []part
	if e := u.litFieldExpr(x, "Scheme"); e != nil {
		out = append(out, u.parts(e, f, depth+1)...)
		out = append(out, part{text: "://"})
	}
	if e := u.litFieldExpr(x, "Host"); e != nil {
		out = append(out, u.parts(e, f, depth+1)...)
	}
	if e := u.litFieldExpr(x, "Path"); e != nil {
		p := u.parts(e, f, depth+1)
		if len(p) > 0 && !strings.HasPrefix(p[0].text, "/") {
			out = append(out, part{text: "/"})
		}
		out = append(out, p...)
	}
	return out
}

func (u *unit) partsOfCall(c *ast.CallExpr, f *fn, depth int) []part {
	unknown := []part{{unknown: true}}
	k := u.callee(c)
	if k.conv {
		if len(c.Args) == 1 && k.sel != "len" && k.sel != "make" && k.sel != "new" {
			return u.parts(c.Args[0], f, depth+1)
		}
		return unknown
	}
	switch k.name {
	case "os.Getenv", "os.LookupEnv":
		if len(c.Args) == 1 {
			if v := u.value(c.Args[0], f); v.IsStr {
				return []part{{ref: model.Ref{Name: model.N(model.SpaceEnv, v.Str), At: u.at(c)}}}
			}
		}
		return unknown
	case "fmt.Sprintf":
		return u.sprintf(c, f, depth)
	case "fmt.Sprint":
		var out []part
		for _, a := range c.Args {
			out = append(out, u.parts(a, f, depth+1)...)
		}
		return out
	case "net/url.JoinPath", "path.Join":
		var out []part
		for i, a := range c.Args {
			p := u.parts(a, f, depth+1)
			if i > 0 {
				out = trimEnd(out)
				if len(p) == 0 || !strings.HasPrefix(p[0].text, "/") {
					p = append([]part{{text: "/"}}, p...)
				}
			}
			out = append(out, p...)
		}
		return out
	case "net/url.(*URL).JoinPath":
		out := u.parts(k.recv, f, depth+1)
		for _, a := range c.Args {
			p := u.parts(a, f, depth+1)
			out = trimEnd(out)
			if len(p) == 0 || !strings.HasPrefix(p[0].text, "/") {
				p = append([]part{{text: "/"}}, p...)
			}
			out = append(out, p...)
		}
		return out
	case "net/url.(*URL).String", "net/url.(*URL).ResolveReference", "strings.(*Builder).String":
		if k.sel == "ResolveReference" && len(c.Args) == 1 {
			return append(trimEnd(u.parts(k.recv, f, depth+1)), u.parts(c.Args[0], f, depth+1)...)
		}
		return u.parts(k.recv, f, depth+1)
	case "net/url.Parse", "net/url.ParseRequestURI", "strings.TrimSpace", "strings.Clone":
		if len(c.Args) > 0 {
			return u.parts(c.Args[0], f, depth+1)
		}
	case "strings.TrimRight", "strings.TrimSuffix", "strings.TrimLeft", "strings.TrimPrefix":
		if len(c.Args) == 2 {
			p := u.parts(c.Args[0], f, depth+1)
			if v := u.value(c.Args[1], f); v.IsStr && v.Str == "/" && strings.HasSuffix(k.sel, "Right") || k.sel == "TrimSuffix" {
				return trimEnd(p)
			}
			return p
		}
	case "strings.Join", "strings.Replace", "strings.ReplaceAll", "net/url.PathEscape", "net/url.QueryEscape", "strconv.Itoa":
		return unknown
	case "cmp.Or":
		var out []part
		for i, a := range c.Args {
			p := u.parts(a, f, depth+1)
			if i == 0 {
				out = p
			} else {
				out = agree(out, p)
			}
		}
		return out
	}
	if v, ok := u.flagCall(c, f); ok {
		if v.Ref.Name.IsZero() {
			return unknown
		}
		return []part{{ref: v.Ref, deflt: v.Str}}
	}
	if isPointerHelper(k) && len(c.Args) == 1 {
		return u.parts(c.Args[0], f, depth+1)
	}
	return u.partsOfResult(c, f, depth)
}

// partsOfResult follows a function of the repository: an environment helper, or one that returns a string it puts together.
func (u *unit) partsOfResult(c *ast.CallExpr, f *fn, depth int) []part {
	unknown := []part{{unknown: true}}
	g := u.target(c)
	if g == nil || g.body == nil || len(u.shared.exprs) > 4 || len(g.body.List) > 30 {
		return unknown
	}
	if g.readsEnv(0) {
		if v := u.inline(c, 0, f); !v.Ref.Name.IsZero() {
			return []part{{ref: v.Ref, deflt: v.Str}}
		}
	}
	bind := map[types.Object]boundExpr{}
	for o, i := range g.params {
		if i < len(c.Args) {
			bind[o] = boundExpr{expr: c.Args[i], f: f, unit: u}
		}
	}
	u.shared.exprs = append(u.shared.exprs, bind)
	defer func() { u.shared.exprs = u.shared.exprs[:len(u.shared.exprs)-1] }()
	var out []part
	n := 0
	inspectOwn(g.body, func(x ast.Node) bool {
		if r, ok := x.(*ast.ReturnStmt); ok && len(r.Results) > 0 {
			p := g.unit.parts(r.Results[0], g, depth+1)
			if len(r.Results) > 1 && len(p) == 1 && p[0].text == "" && !p[0].unknown && p[0].ref.Name.IsZero() {
				return true // "", err
			}
			if len(r.Results) > 1 && isNilExpr(r.Results[0]) {
				return true
			}
			if n == 0 {
				out = p
			} else {
				out = agree(out, p)
			}
			n++
		}
		return true
	})
	if n == 0 {
		return unknown
	}
	return out
}

// trimEnd takes slashes off the end.
func trimEnd(p []part) []part {
	if n := len(p); n > 0 && !p[n-1].unknown && p[n-1].ref.Name.IsZero() {
		p = append([]part(nil), p...)
		p[n-1].text = strings.TrimRight(p[n-1].text, "/")
	}
	return p
}

// sprintf puts the arguments into the format's places.
func (u *unit) sprintf(c *ast.CallExpr, f *fn, depth int) []part {
	if len(c.Args) == 0 {
		return []part{{unknown: true}}
	}
	format := u.value(c.Args[0], f)
	if !format.IsStr {
		return []part{{unknown: true}}
	}
	var out []part
	s, i := format.Str, 1
	for {
		j := strings.IndexByte(s, '%')
		if j < 0 || j+1 >= len(s) {
			out = append(out, part{text: s})
			return out
		}
		if j > 0 {
			out = append(out, part{text: s[:j]})
		}
		s = s[j+1:]
		if s[0] == '%' {
			out = append(out, part{text: "%"})
			s = s[1:]
			continue
		}
		k := strings.IndexAny(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if k < 0 {
			return append(out, part{unknown: true})
		}
		verb := s[k]
		s = s[k+1:]
		p := []part{{unknown: true}}
		if i < len(c.Args) && (verb == 's' || verb == 'v' || verb == 'd') {
			p = u.parts(c.Args[i], f, depth+1)
			if verb == 'd' {
				p = []part{{unknown: true}}
				if v := u.value(c.Args[i], f); v.IsInt && v.Lo == v.Hi {
					p = []part{{text: model.Exactly(v.Int).String()}}
				}
			}
		}
		i++
		out = append(out, p...)
	}
}
