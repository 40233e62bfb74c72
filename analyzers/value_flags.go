package analyzers

import (
	"go/ast"
	"go/types"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// envHelper knows helpers such as getenv("RETRIES", 3): they read the variable that a parameter names and fall back to
// another parameter or to a constant.
func (u *unit) envHelper(g *fn, bind map[types.Object]libs.Value) (libs.Value, bool) {
	var ref model.Ref
	var deflt libs.Value
	haveDefault := false
	inspectOwn(g.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			k := u.callee(n)
			if !ref.Name.IsZero() {
				return true // the first one is asked first
			}
			if (k.name == "os.Getenv" || k.name == "os.LookupEnv") && len(n.Args) == 1 {
				if v := u.value(n.Args[0], g); v.IsStr {
					ref = model.Ref{Name: model.N(model.SpaceEnv, v.Str), At: v.At}
				}
			} else if t := u.target(n); t != nil && t != g && t.readsEnv(0) {
				if v := u.inline(n, 0, g); v.Ref.Name.Space == model.SpaceEnv {
					ref = v.Ref
					if _, ok := u.parent(n).(*ast.ReturnStmt); ok && known(v) {
						deflt, haveDefault = v, true // it hands its parameters on, the fallback among them
					}
				}
			}
		case *ast.ReturnStmt:
			if len(n.Results) > 0 {
				if id, ok := ast.Unparen(n.Results[0]).(*ast.Ident); ok {
					if v, ok := bind[u.object(id)]; ok && known(v) {
						deflt, haveDefault = v, true
						return true
					}
				}
				if tv, ok := u.info.Type(n.Results[0]); ok && tv.Value != nil && !haveDefault {
					c := constValue(tv.Value, tv.Type)
					if !(len(n.Results) > 1 && c.IsInt && c.Int == 0) && !(c.IsStr && c.Str == "") {
						deflt, haveDefault = c, true
					}
				}
			}
		}
		return true
	})
	if ref.Name.IsZero() {
		return libs.Value{}, false
	}
	if haveDefault {
		deflt.Ref = ref
		deflt.Set = true
		return deflt, true
	}
	return libs.Value{Set: true, Ref: ref}, true
}

// flagVar is the value of a variable whose address is taken: of a flag package's *Var function.
func (u *unit) flagVar(x *ast.UnaryExpr, f *fn) (libs.Value, bool) {
	switch p := u.parent(x).(type) {
	case *ast.CallExpr:
		return u.flagCall(p, f)
	case *ast.KeyValueExpr:
		if id, ok := p.Key.(*ast.Ident); ok && id.Name == "Destination" {
			if lit, ok := u.parent(p).(*ast.CompositeLit); ok {
				return u.literalFlag(lit, f)
			}
		}
	}
	return libs.Value{}, false
}

// flagCall knows the flag packages and configuration readers.
func (u *unit) flagCall(c *ast.CallExpr, f *fn) (libs.Value, bool) {
	k := u.callee(c)
	switch {
	case k.pkg == "flag" || k.pkg == "github.com/spf13/pflag" || k.pkg == "github.com/ogier/pflag":
		return u.plainFlag(k, c, f)
	case k.to == nil && k.recv != nil && u.isFlagSet(k.recv):
		return u.plainFlag(k, c, f)
	case strings.HasPrefix(k.pkg, "github.com/urfave/cli") && k.recv != nil:
		return u.namedFlag(k, c, f)
	case k.pkg == "github.com/spf13/viper" || strings.HasPrefix(k.pkg, "github.com/knadh/koanf"):
		return u.configKey(k, c, f)
	}
	return u.chainedFlag(k, c, f)
}

// plainFlag reads flag.Int("retries", 3, "...") and flag.IntVar(&n, "retries", 3, "..."), with pflag's shorthand forms.
func (u *unit) plainFlag(k callee, c *ast.CallExpr, f *fn) (libs.Value, bool) {
	sel := k.sel
	p := strings.HasSuffix(sel, "P")
	base := strings.TrimSuffix(sel, "P")
	i := 0
	if strings.HasSuffix(base, "Var") {
		i, base = 1, strings.TrimSuffix(base, "Var")
	}
	switch base {
	case "Int", "Int64", "Int32", "Int16", "Int8", "Uint", "Uint64", "Uint32", "Uint16", "Uint8", "Duration", "String", "Bool", "Float64":
	default:
		return libs.Value{}, false
	}
	d := i + 1
	if p {
		d++
	}
	if d >= len(c.Args) {
		return libs.Value{}, false
	}
	name := u.value(c.Args[i], f)
	v := u.value(c.Args[d], f)
	if base == "Duration" {
		v.Duration = true
	}
	if name.IsStr {
		v.Ref = model.Ref{Name: model.N(model.SpaceFlag, name.Str), At: u.at(c)}
	}
	v.At = u.at(c.Args[d])
	v.Set = true
	return v, true
}

// configKey reads viper.GetInt("payments.retries") with the default set by SetDefault.
func (u *unit) configKey(k callee, c *ast.CallExpr, f *fn) (libs.Value, bool) {
	if !strings.HasPrefix(k.sel, "Get") && !isWord(k.sel, "Int", "Int64", "Duration", "String", "Float64", "Bool", "MustInt", "MustDuration", "MustString") || len(c.Args) == 0 {
		return libs.Value{}, false
	}
	key := u.value(c.Args[0], f)
	if !key.IsStr {
		return libs.Value{}, false
	}
	v := u.shared.configDefaults()[strings.ToLower(key.Str)]
	v.Set = true
	v.Ref = model.Ref{Name: model.N(model.SpaceConfig, key.Str), At: u.at(c)}
	if strings.HasSuffix(k.sel, "Duration") {
		v.Duration = true
		if v.IsStr {
			if d, err := time.ParseDuration(v.Str); err == nil {
				r := v.Ref
				v = durationValue(d)
				v.Ref = r
			}
		}
	}
	return v, true
}
