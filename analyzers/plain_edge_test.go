package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestPlainEdge(t *testing.T) {
	at := model.Location{Repo: "pay", Path: "a/b.go", Line: 3, Col: 4, EndLine: 5, EndCol: 6}
	e := model.Edge{From: model.N(model.SpaceFunc, "pay.A"), To: model.N(model.SpaceFunc, "pay.B"), Kind: model.EdgeCall, At: at, Under: []string{"loop"}, Blind: true, Quiet: true}
	p, ok := plain(&e, "pay")
	require.True(t, ok)
	require.Equal(t, e, p.edge("pay"))
	_, ok = plain(&e, "other")
	require.False(t, ok)

	kept := map[string]bool{"From": true, "To": true, "At": true, "Under": true, "Blind": true, "Quiet": true}
	for i := range reflect.TypeOf(e).NumField() {
		name := reflect.TypeOf(e).Field(i).Name
		if kept[name] {
			continue
		}
		more := e
		switch f := reflect.ValueOf(&more).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		default:
			switch name {
			case "Timeout":
				more.Timeout = model.NoLimit()
			case "Deadline":
				more.Deadline = model.NoLimit()
			case "Host":
				more.Host = model.N(model.SpaceHost, "ledger")
			case "Key":
				more.Key.How = model.KeyMade
			case "Handed":
				more.Handed.Arg = 1
			default:
				t.Fatalf("edges have a field %s that plain edges do not know", name)
			}
		}
		_, ok := plain(&more, "pay")
		require.False(t, ok, "with %s it is no plain edge", name)
	}
}

// TestPruneKeepsPlainEdges has a chain of plain calls to a function with a layer, one through an interface, and one that leads
// nowhere.
func TestPruneKeepsPlainEdges(t *testing.T) {
	n := func(s string) model.Name { return model.N(model.SpaceFunc, s) }
	f := &model.Facts{Layers: []model.Layer{{ID: "l", In: n("retries")}}}
	for _, name := range []string{"entry", "middle", "retries", "idle", "dull", "byInterface", "foreign"} {
		f.Nodes = append(f.Nodes, model.Node{Name: n(name)})
	}
	u := &unit{repo: "r"}
	for _, e := range [][2]string{{"entry", "middle"}, {"middle", "retries"}, {"idle", "dull"}, {"byInterface", "iface.Do"}, {"middle", "dull"}, {"foreign", "elsewhere"}} {
		u.plainEdges = append(u.plainEdges, plainEdge{from: e[0], to: e[1]})
	}
	r := NewRepo()
	r.order = []*unit{u}
	r.prune(f, map[model.Name][]model.Name{n("iface.Do"): {n("middle"), n("middle"), n("dull")}})
	var nodes, edges []string
	for _, x := range f.Nodes {
		nodes = append(nodes, x.Name.Key)
	}
	for _, e := range f.Edges {
		edges = append(edges, e.From.Key+">"+e.To.Key)
		require.Equal(t, e.To.Key == "iface.Do", len(e.Alternatives) == 2)
	}
	require.Equal(t, []string{"entry", "middle", "retries", "byInterface", "foreign"}, nodes)
	require.Equal(t, []string{"entry>middle", "middle>retries", "byInterface>iface.Do", "foreign>elsewhere"}, edges)
	require.Nil(t, u.plainEdges)
}

func TestUseTable(t *testing.T) {
	a, b := types.NewVar(token.NoPos, nil, "a", types.Typ[types.Int]), types.NewVar(token.NoPos, nil, "b", types.Typ[types.Int])
	ids := []*ast.Ident{{Name: "a"}, {Name: "b"}, {Name: "a"}, {Name: "a"}}
	var l useList
	for i, v := range []*types.Var{a, b, a, a} {
		l.add(v, ids[i])
	}
	tr := &tracer{uses: l.table()}
	require.Equal(t, []*ast.Ident{ids[0], ids[2], ids[3]}, tr.usesOf(a))
	require.Equal(t, []*ast.Ident{ids[1]}, tr.usesOf(b))
	require.Empty(t, tr.usesOf(nil))
	require.Empty(t, (&tracer{}).usesOf(a))
}
