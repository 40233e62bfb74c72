package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/model"
)

// tagValue reads the struct tags of envconfig, caarlos0/env, viper and the like: which setting fills the field, and with
// what default.
func (u *unit) tagValue(o *types.Var) (libs.Value, bool) {
	owner := u
	if o.Pkg() != u.pkg {
		if owner = u.shared.units[o.Pkg()]; owner == nil {
			return libs.Value{}, false
		}
	}
	tag := reflect.StructTag(owner.tagOf(o))
	if tag == "" {
		return libs.Value{}, false
	}
	var ref model.Ref
	for _, k := range []string{"env", "envconfig"} {
		if v, ok := tag.Lookup(k); ok {
			name, _, _ := strings.Cut(v, ",")
			if name != "" && name != "-" {
				ref = model.Ref{Name: model.N(model.SpaceEnv, name)}
				break
			}
		}
	}
	if ref.Name.IsZero() {
		for _, k := range []string{"long", "flag", "arg"} {
			if v, ok := tag.Lookup(k); ok && v != "" {
				ref = model.Ref{Name: model.N(model.SpaceFlag, strings.TrimLeft(strings.Split(v, ",")[0], "-"))}
				break
			}
		}
	}
	if ref.Name.IsZero() {
		for _, k := range []string{"mapstructure", "koanf", "yaml", "toml", "json"} {
			if v, ok := tag.Lookup(k); ok {
				name, _, _ := strings.Cut(v, ",")
				if name != "" && name != "-" {
					ref = model.Ref{Name: model.N(model.SpaceConfig, name)}
					break
				}
			}
		}
	}
	var v libs.Value
	for _, k := range []string{"default", "envDefault", "env-default"} {
		if s, ok := tag.Lookup(k); ok {
			v = scalar(s)
			break
		}
	}
	if _, d, ok := strings.Cut(tag.Get("env"), "default="); ok && !known(v) {
		v = scalar(strings.Split(d, ",")[0])
	}
	if ref.Name.IsZero() && !known(v) {
		return libs.Value{}, false
	}
	v.Set = true
	v.At = owner.at(owner.tagNode(o))
	ref.At = v.At
	v.Ref = ref
	return v, true
}

// scalar reads a default as it stands in a struct tag.
func scalar(s string) libs.Value {
	if n, ok := parseInt(s); ok {
		return intValue(n)
	}
	if d, err := time.ParseDuration(s); err == nil {
		return durationValue(d)
	}
	if b, err := strconv.ParseBool(s); err == nil {
		return libs.Value{Set: true, Bool: b, IsBool: true}
	}
	return libs.Value{Set: true, Str: s, IsStr: true}
}

// tags fills the tags of this package's struct fields.
func (u *unit) tags() {
	u.tagLits = map[*types.Var]*ast.BasicLit{}
	for _, d := range u.decls {
		g, ok := d.node.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		ast.Inspect(g, func(n ast.Node) bool {
			st, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range st.Fields.List {
				if f.Tag == nil {
					continue
				}
				for _, id := range f.Names {
					if v, ok := u.info.Def(id).(*types.Var); ok {
						u.tagLits[v] = f.Tag
					}
				}
			}
			return true
		})
	}
}

func (u *unit) tagOf(o *types.Var) string {
	if u.tagLits == nil {
		u.tags()
	}
	if l := u.tagLits[o]; l != nil {
		s, _ := strconv.Unquote(l.Value)
		return s
	}
	return ""
}

func (u *unit) tagNode(o *types.Var) ast.Node {
	if l := u.tagLits[o]; l != nil {
		return l
	}
	return nil
}
