package analyzers

import (
	"go/ast"
	"strings"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// isFlagSet reports whether an expression is the flag set of a cobra command: cmd.Flags(), or a variable that holds it.
func (u *unit) isFlagSet(e ast.Expr) bool {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok {
		o := u.object(id)
		if o == nil {
			return false
		}
		sets := u.setsOf(o)
		if len(sets) != 1 {
			return false
		}
		e = ast.Unparen(setExpr(sets[0], o, u))
	}
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	k := u.callee(c)
	return k.to == nil && isWord(k.sel, "Flags", "PersistentFlags", "LocalFlags", "LocalNonPersistentFlags")
}

// chainedFlag reads kingpin's app.Flag("retries", "...").Default("3").Int(), also where the value goes to IntVar(&n), and the
// same calls on an interface of the repository.
func (u *unit) chainedFlag(k callee, c *ast.CallExpr, f *fn) (libs.Value, bool) {
	base := strings.TrimSuffix(k.sel, "Var")
	if k.to != nil || !isWord(base, "Int", "Int64", "Int32", "Uint", "Uint64", "Uint32", "Float64", "Duration", "String", "Bool") || k.recv == nil {
		return libs.Value{}, false
	}
	var v, name, env libs.Value
	found := false
	for e := ast.Unparen(k.recv); ; {
		link, ok := e.(*ast.CallExpr)
		if !ok {
			break
		}
		sel, ok := ast.Unparen(link.Fun).(*ast.SelectorExpr)
		if !ok {
			break
		}
		switch {
		case sel.Sel.Name == "Default" && len(link.Args) == 1:
			v = u.value(link.Args[0], f)
			v.At = u.at(link.Args[0])
		case isWord(sel.Sel.Name, "Envar", "OverrideDefaultFromEnvar") && len(link.Args) == 1:
			env = u.value(link.Args[0], f)
		case sel.Sel.Name == "Flag" && len(link.Args) == 2:
			name, found = u.value(link.Args[0], f), true
		}
		e = ast.Unparen(sel.X)
	}
	if !found {
		return libs.Value{}, false
	}
	if v = parsedAs(v, base); !v.Set {
		v = libs.Value{Set: true}
	}
	if v.At.IsZero() {
		v.At = u.at(c)
	}
	switch {
	case env.IsStr:
		v.Ref = model.Ref{Name: model.N(model.SpaceEnv, env.Str), At: u.at(c)}
	case name.IsStr:
		v.Ref = model.Ref{Name: model.N(model.SpaceFlag, name.Str), At: u.at(c)}
	}
	return v, true
}

// literalFlag reads &cli.IntFlag{Name: "retries", Value: 3, Destination: &n}, as in urfave/cli.
func (u *unit) literalFlag(lit *ast.CompositeLit, f *fn) (libs.Value, bool) {
	t := u.foreignType(lit.Type)
	if !strings.HasPrefix(t, "github.com/urfave/cli") || !strings.HasSuffix(t, "Flag") {
		return libs.Value{}, false
	}
	v := libs.Value{Set: true}
	if e := u.litFieldExpr(lit, "Value"); e != nil {
		v = u.value(e, f)
		v.At = u.at(e)
	}
	if strings.HasSuffix(t, ".DurationFlag") {
		v.Duration = true
	}
	if name, ok := u.litField(lit, "Name", f); ok && name.IsStr {
		v.Ref = model.Ref{Name: model.N(model.SpaceFlag, name.Str), At: u.at(lit)}
	}
	for _, field := range []string{"EnvVars", "EnvVar"} {
		e := u.litFieldExpr(lit, field)
		if e == nil {
			continue
		}
		if n := u.value(e, f); len(n.List) > 0 && n.List[0].IsStr {
			v.Ref = model.Ref{Name: model.N(model.SpaceEnv, n.List[0].Str), At: u.at(lit)}
		} else if n.IsStr && n.Str != "" {
			first, _, _ := strings.Cut(n.Str, ",")
			v.Ref = model.Ref{Name: model.N(model.SpaceEnv, strings.TrimSpace(first)), At: u.at(lit)}
		}
	}
	return v, true
}

// namedFlag reads c.Int("retries") of urfave/cli: the value of the flag that has this name.
func (u *unit) namedFlag(k callee, c *ast.CallExpr, f *fn) (libs.Value, bool) {
	if !isWord(k.sel, "Int", "Int64", "Uint", "Uint64", "Float64", "Duration", "String", "Bool") || len(c.Args) != 1 {
		return libs.Value{}, false
	}
	key := u.value(c.Args[0], f)
	if !key.IsStr {
		return libs.Value{}, false
	}
	v, ok := u.shared.cliFlags()[key.Str]
	if !ok {
		return libs.Value{Set: true, Ref: model.Ref{Name: model.N(model.SpaceFlag, key.Str), At: u.at(c)}}, true
	}
	return v, true
}

// cliFlags are the flags that literals of the repository declare, by name.
func (r *Repo) cliFlags() map[string]libs.Value {
	if r.flags != nil {
		return r.flags
	}
	r.flags = map[string]libs.Value{}
	defer r.aside()()
	for _, u := range r.order {
		for _, lit := range u.lits {
			if v, ok := u.literalFlag(lit, nil); ok && v.Ref.Name.Key != "" {
				if name, ok := u.litField(lit, "Name", nil); ok && name.IsStr {
					if have, ok := r.flags[name.Str]; ok {
						ref := have.Ref
						have = union([]libs.Value{have, v})
						have.Set, have.Ref, v = true, ref, have
					}
					r.flags[name.Str] = v
				}
			}
		}
	}
	return r.flags
}

// parsedAs is a default that is written as a string, read as the type of its flag.
func parsedAs(v libs.Value, kind string) libs.Value {
	if !v.IsStr || kind == "String" {
		return v
	}
	out := scalar(v.Str)
	out.At = v.At
	return out
}
