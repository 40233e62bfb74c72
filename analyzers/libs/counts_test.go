package libs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/retrylint/retrylint/model"
)

// A countRow is one row of testdata/counts.yaml: what a number means in a library.
type countRow struct {
	ID      string            `yaml:"id"`
	Path    string            `yaml:"path"`
	Call    string            `yaml:"call"`   // function or method that is called, or
	Client  string            `yaml:"client"` // type of a client
	Version string            `yaml:"version"`
	Use     string            `yaml:"use"`   // a Go expression; N stands for the number
	N       map[string]string `yaml:"n"`     // number -> attempts
	Unset   string            `yaml:"unset"` // the expression where nothing is set
	Default string            `yaml:"default"`
	Total   string            `yaml:"total"` // attempts with the time limit, where nothing is set
}

func (r countRow) evaluate(t *testing.T, use string) Result {
	t.Helper()
	s, name := siteOf(t, use, r.Call != "")
	s.version = r.Version
	libs := Lookup(r.Path)
	if len(libs) == 0 {
		t.Fatalf("no library for %s", r.Path)
	}
	for _, l := range libs {
		if !l.Applies(r.Version) {
			continue
		}
		if r.Client != "" {
			if c := l.Client(r.Client); c != nil {
				return EvaluateClient(c, name, s)
			}
			t.Fatalf("no client %s in %s", r.Client, r.Path)
		}
		if c := l.Call(r.Call); c != nil {
			return EvaluateCall(c, s)
		}
	}
	t.Fatalf("no call %s in %s", r.Call, r.Path)
	return Result{}
}

var number = regexp.MustCompile(`\bN\b`)

func TestCounts(t *testing.T) {
	data, err := os.ReadFile("testdata/counts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []countRow
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		t.Run(r.ID, func(t *testing.T) {
			for n, want := range r.N {
				got := r.evaluate(t, number.ReplaceAllString(r.Use, n))
				if got.Policy.Attempts.String() != want {
					t.Errorf("%s: %s attempts, want %s", number.ReplaceAllString(r.Use, n), got.Policy.Attempts, want)
				}
				if want != "unknown" && got.Origin != model.OriginExplicit && !hasIneffective(got) {
					t.Errorf("%s: a number that is written has origin %s", number.ReplaceAllString(r.Use, n), got.Origin)
				}
			}
			if r.Use != "" && len(r.N) > 0 {
				got := r.evaluate(t, number.ReplaceAllString(r.Use, "UNKNOWN"))
				if !got.Policy.Attempts.IsUnknown() && !(got.Policy.Attempts.Known() && r.Total == "at most") {
					t.Errorf("%s: %s attempts where the number is not known", r.Use, got.Policy.Attempts)
				}
			}
			if r.Unset == "" {
				return
			}
			got := r.evaluate(t, r.Unset)
			if got.Policy.Attempts.String() != r.Default {
				t.Errorf("%s: %s attempts by default, want %s", r.Unset, got.Policy.Attempts, r.Default)
			}
			if got.Origin != model.OriginDefault || got.DefaultBy == "" {
				t.Errorf("%s: origin %q by %q where nothing is set", r.Unset, got.Origin, got.DefaultBy)
			}
			if r.Total != "" && r.Total != "at most" && got.Policy.Total().String() != r.Total {
				t.Errorf("%s: %s attempts within its time, want %s", r.Unset, got.Policy.Total(), r.Total)
			}
		})
	}
}

func hasIneffective(r Result) bool {
	for _, t := range r.Traits {
		if t.Kind == model.TraitIneffective && !t.At.IsZero() {
			return true
		}
	}
	return false
}

// siteOf makes a site of a Go expression: calls with their arguments and options, composite literals with their fields
// (also with dotted names), method chains as setters. with(X, F{A: 1}) is X with fields assigned later; UNKNOWN is a value
// that is not known; d("5s") is a duration.
func siteOf(t *testing.T, expr string, isCall bool) (*fakeSite, string) {
	t.Helper()
	e, err := parser.ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	if c, ok := e.(*ast.CallExpr); ok && isCall {
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
			s, _ := callSite(c)
			s.fields["<receiver>"] = valueOf(sel.X)
			return s, sel.Sel.Name
		}
	}
	v := valueOf(e)
	s, ok := v.Site.(*fakeSite)
	if !ok {
		s = &fakeSite{fields: map[string]Value{}}
	}
	return s, v.Name
}

func callSite(c *ast.CallExpr) (*fakeSite, string) {
	s := &fakeSite{options: map[string][]Value{}, fields: map[string]Value{}, setters: map[string][]Value{}}
	for _, a := range c.Args {
		s.args = append(s.args, valueOf(a))
		if oc, ok := a.(*ast.CallExpr); ok {
			if id, ok := oc.Fun.(*ast.Ident); ok {
				args := []Value{}
				for _, x := range oc.Args {
					args = append(args, valueOf(x))
				}
				s.options[id.Name] = args
			}
		}
	}
	name := ""
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	return s, name
}

func valueOf(e ast.Expr) Value {
	here := model.Location{Path: "a.go", Line: 1, Col: int(e.Pos())}
	switch e := e.(type) {
	case *ast.BasicLit:
		v := literal(e.Value)
		v.At = here
		return v
	case *ast.UnaryExpr:
		v := valueOf(e.X)
		if e.Op == token.SUB {
			v.Int = -v.Int
		}
		return v
	case *ast.ParenExpr:
		return valueOf(e.X)
	case *ast.Ident:
		if e.Name == "UNKNOWN" {
			return Value{Set: true, At: here}
		}
		v := literal(e.Name)
		v.At = here
		return v
	case *ast.SelectorExpr:
		return Value{Set: true, Name: e.Sel.Name, At: here}
	case *ast.CompositeLit:
		s := &fakeSite{fields: map[string]Value{}}
		v := Value{Set: true, At: here, Site: s}
		if id, ok := e.Type.(*ast.Ident); ok {
			v.Name = id.Name
		}
		if _, ok := e.Type.(*ast.ArrayType); ok {
			v.List, v.Site = []Value{}, nil
			for _, x := range e.Elts {
				v.List = append(v.List, valueOf(x))
			}
			return v
		}
		for _, x := range e.Elts {
			kv := x.(*ast.KeyValueExpr)
			s.fields[exprText(kv.Key)] = valueOf(kv.Value)
		}
		return v
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "d" {
			s, _ := strconv.Unquote(e.Args[0].(*ast.BasicLit).Value)
			d, err := time.ParseDuration(s)
			if err != nil {
				panic(err)
			}
			return Value{Set: true, IsInt: true, Duration: true, Int: int64(d), At: here}
		}
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "with" {
			v := valueOf(e.Args[0])
			for name, f := range valueOf(e.Args[1]).Site.(*fakeSite).fields {
				v.Site.(*fakeSite).fields[name] = f
			}
			return v
		}
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok {
			if _, isCall := sel.X.(*ast.CallExpr); isCall {
				v := valueOf(sel.X)
				s := v.Site.(*fakeSite)
				var args []Value
				for _, a := range e.Args {
					args = append(args, valueOf(a))
				}
				s.setters[sel.Sel.Name] = args
				return v
			}
		}
		s, name := callSite(e)
		return Value{Set: true, At: here, Site: s, Name: name}
	}
	panic(fmt.Sprintf("%T in an expression", e))
}

func exprText(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return exprText(s.X) + "." + s.Sel.Name
	}
	return e.(*ast.Ident).Name
}
