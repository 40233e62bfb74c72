package model_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// fill gives every field of v, and one element to every list, a value of its own.
func fill(v reflect.Value, n *int, depth int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*n % 4))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		if depth > 6 {
			return
		}
		s := reflect.MakeSlice(v.Type(), 1, 1)
		fill(s.Index(0), n, depth+1)
		v.Set(s)
	case reflect.Struct:
		switch x := v.Addr().Interface().(type) {
		case *model.Count:
			*x = model.Between(int64(*n), int64(*n)+2)
		case *model.Limit:
			*x = model.For(ms * 7)
		case *model.Window:
			*x = model.WindowFor(ms * 9)
		case *model.Ratio:
			*x = model.NewRatio(int64(*n), 7)
		default:
			for i := range v.NumField() {
				fill(v.Field(i), n, depth+1)
			}
		}
	}
}

func filled() *model.Facts {
	f, n := &model.Facts{}, 0
	fill(reflect.ValueOf(f).Elem(), &n, 0)
	return f
}

// A field that is forgotten in Merge would lose facts of one of two readers.
func TestMergeKeepsEverything(t *testing.T) {
	f, g := filled(), filled()
	before := *f
	f.Merge(nil)
	require.Equal(t, before, *f)
	f.Merge(g)
	v, one := reflect.ValueOf(f).Elem(), reflect.ValueOf(filled()).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch {
		case name == "Notices" || name == "Repo": // belong to the repository, not to a reader
		case v.Field(i).Kind() == reflect.Slice:
			require.Equal(t, 2, v.Field(i).Len(), name)
			require.Equal(t, v.Field(i).Index(0).Interface(), v.Field(i).Index(1).Interface(), name)
		case name == "Stats":
			doubled(t, one.Field(i), v.Field(i), name)
		}
	}
}

func doubled(t *testing.T, one, two reflect.Value, name string) {
	for i := range one.NumField() {
		if one.Field(i).Kind() == reflect.Struct {
			doubled(t, one.Field(i), two.Field(i), name+"."+one.Type().Field(i).Name)
			continue
		}
		require.Equal(t, 2*one.Field(i).Int(), two.Field(i).Int(), "%s.%s", name, one.Type().Field(i).Name)
	}
}

// What is written is read as it was, every field of it.
func TestFactsText(t *testing.T) {
	f := filled()
	b, err := json.Marshal(f)
	require.NoError(t, err)
	back := &model.Facts{}
	require.NoError(t, json.Unmarshal(b, back))
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.Equal(t, string(b), string(again))
}

// Facts in any order become the same bytes. Two facts differ in one thing alone, which each in turn has to decide.
func TestSortIsCanonical(t *testing.T) {
	f := filled()
	at := func(l model.Location) []model.Location {
		repo, path, line, col, endLine, endCol := l, l, l, l, l, l
		repo.Repo, path.Path, line.Line, col.Col, endLine.EndLine, endCol.EndCol = "a", "a", 0, 0, 0, 0
		return []model.Location{l, repo, path, line, col, endLine, endCol}
	}
	node, edge, layer, boundary := f.Nodes[0], f.Edges[0], f.Layers[0], f.Boundaries[0]
	f.Nodes, f.Edges, f.Layers, f.Boundaries, f.Suppressions = nil, nil, nil, nil, nil
	for _, l := range at(node.At) {
		n, e, y, b := node, edge, layer, boundary
		n.At, e.At, y.At, b.At = l, l, l, l
		f.Nodes, f.Edges, f.Layers, f.Boundaries = append(f.Nodes, n), append(f.Edges, e), append(f.Layers, y), append(f.Boundaries, b)
		f.Suppressions = append(f.Suppressions, model.Suppression{At: l})
	}
	for i := range 2 {
		n, y, b := node, layer, boundary
		n.Name.Key, y.ID, b.ID = fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i)
		f.Nodes, f.Layers, f.Boundaries = append(f.Nodes, n), append(f.Layers, y), append(f.Boundaries, b)
		for _, change := range []func(*model.Edge){
			func(e *model.Edge) { e.From.Key = fmt.Sprint(i) }, func(e *model.Edge) { e.From.Space = model.Space(fmt.Sprint(i)) },
			func(e *model.Edge) { e.To.Key = fmt.Sprint(i) },
			func(e *model.Edge) { e.Kind = model.EdgeKind(fmt.Sprint(i)) }, func(e *model.Edge) { e.Method = fmt.Sprint(i) },
			func(e *model.Edge) { e.Path = fmt.Sprint(i) }, func(e *model.Edge) { e.Under = []string{fmt.Sprint(i)} },
		} {
			e := edge
			change(&e)
			f.Edges = append(f.Edges, e)
		}
		h, r, d, s := f.Handlers[0], f.Routes[0], f.DeadLetters[0], f.Services[0]
		h.Name.Key, d.Of.Key, s.Name = fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i)
		f.Handlers, f.DeadLetters, f.Services = append(f.Handlers, h), append(f.DeadLetters, d), append(f.Services, s)
		s.Kind = "k" + fmt.Sprint(i)
		f.Services = append(f.Services, s)
		r.Order = i
		f.Routes = append(f.Routes, r)
		r.Owner = fmt.Sprint(i)
		f.Routes = append(f.Routes, r)
		p, c, u, g, l := f.Helpers[0], f.Settings[0], f.Undecided[0], f.Gaps[0], f.Lines[0]
		p.Arg, c.Value, u.What, g.Reason, l.Line = i, fmt.Sprint(i), fmt.Sprint(i), fmt.Sprint(i), i
		f.Helpers, f.Settings, f.Undecided, f.Gaps, f.Lines = append(f.Helpers, p), append(f.Settings, c), append(f.Undecided, u), append(f.Gaps, g), append(f.Lines, l)
		p.Func.Key, c.For.Key, u.Kind, g.Stage, l.Path = fmt.Sprint(i), fmt.Sprint(i), model.UndecidedKind(fmt.Sprint(i)), fmt.Sprint(i), fmt.Sprint(i)
		f.Helpers, f.Settings, f.Undecided, f.Gaps, f.Lines = append(f.Helpers, p), append(f.Settings, c), append(f.Undecided, u), append(f.Gaps, g), append(f.Lines, l)
		c.Name.Key, g.Line = fmt.Sprint(i), i
		f.Settings, f.Gaps = append(f.Settings, c), append(f.Gaps, g)
		g.Path = fmt.Sprint(i)
		f.Gaps = append(f.Gaps, g)
	}
	f.Sort()
	want, err := json.Marshal(f)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		v := reflect.ValueOf(f).Elem()
		for i := range v.NumField() {
			if l := v.Field(i); l.Kind() == reflect.Slice && l.Len() > 1 {
				r.Shuffle(l.Len(), reflect.Swapper(l.Interface()))
			}
		}
		f.Sort()
		got, err := json.Marshal(f)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
	n := len(f.Lines)
	f.Lines = append(f.Lines, f.Lines...)
	f.Sort()
	require.Len(t, f.Lines, n, "one text for each line")
}

func TestLocation(t *testing.T) {
	l := model.Location{Repo: "pay", Path: "main.go", Line: 7, Col: 3, EndLine: 7, EndCol: 9}
	require.Equal(t, "pay/main.go:7", l.String())
	require.Equal(t, "main.go:7", model.Location{Path: "main.go", Line: 7}.String())
	require.Empty(t, model.Location{Repo: "pay"}.String())
	require.True(t, model.Location{Repo: "pay"}.IsZero())
	require.False(t, model.Location{Path: "x"}.IsZero())
	require.False(t, model.Location{Line: 1}.IsZero())
	require.Equal(t, l, model.PlaceOf(l).Location())
	require.Equal(t, model.Place{Repository: "pay", Path: "main.go", Line: 7, Column: 3, EndLine: 7, EndColumn: 9}, model.PlaceOf(l))
}

func TestName(t *testing.T) {
	n := model.N(model.SpaceQueue, "sqs:orders")
	require.Equal(t, "queue:sqs:orders", n.String())
	require.Equal(t, n, model.ParseName("queue:sqs:orders"), "the key may hold colons")
	for _, bad := range []string{"", "x", "host:"} {
		require.True(t, model.ParseName(bad).IsZero(), bad)
	}
	require.Empty(t, model.Name{Space: model.SpaceHost}.String())
	require.Negative(t, model.N("a", "z").Compare(model.N("b", "a")))
	require.Negative(t, model.N("a", "y").Compare(model.N("a", "z")))
	require.Zero(t, n.Compare(n))
	b, err := n.MarshalText()
	require.NoError(t, err)
	var back model.Name
	require.NoError(t, back.UnmarshalText(b))
	require.Equal(t, n, back)
}

func TestSeverity(t *testing.T) {
	require.Less(t, model.Off, model.Note)
	require.Less(t, model.Note, model.Warning)
	require.Less(t, model.Warning, model.Error)
	for _, s := range []model.Severity{model.Off, model.Note, model.Warning, model.Error} {
		got, ok := model.ParseSeverity(s.String())
		require.True(t, ok)
		require.Equal(t, s, got)
		b, err := s.MarshalText()
		require.NoError(t, err)
		back := model.Error
		require.NoError(t, back.UnmarshalText(b))
		require.Equal(t, s, back)
	}
	s, ok := model.ParseSeverity("fatal")
	require.False(t, ok)
	require.Equal(t, model.Off, s)
}

func TestWhoCanBeRerun(t *testing.T) {
	for kind, want := range map[model.NodeKind]bool{
		model.NodeSchedule: true, model.NodeBatch: true, model.NodeWorkflow: true, model.NodeStep: true, model.NodeConsumer: true, model.NodeQueue: true,
		model.NodeHandler: false, model.NodeMain: false, model.NodeFunc: false, model.NodeOutside: false, model.NodeRoute: false,
	} {
		require.Equal(t, want, kind.Human(), kind)
	}
}

func TestOrganisation(t *testing.T) {
	l := &model.Layer{ID: "x"}
	o := &model.Org{ByLayer: map[string]*model.Layer{"x": l}}
	require.Same(t, l, o.Layer("x"))
	require.Nil(t, o.Layer("y"))
	made := 0
	for range 3 {
		require.Equal(t, 1, o.Memo("k", func() any { made++; return made }))
	}
	require.Equal(t, 2, o.Memo("other", func() any { made++; return made }))
	for kind, want := range map[model.EdgeKind]bool{model.EdgeCall: true, model.EdgeSame: true, model.EdgeRequest: false, model.EdgePublish: false, model.EdgeStore: false, model.EdgeDeliver: false} {
		require.Equal(t, want, (&model.Arc{Edge: &model.Edge{Kind: kind}}).InProcess(), kind)
	}
	require.True(t, (&model.Arc{}).InProcess())
}

func TestKeySources(t *testing.T) {
	for s, want := range map[model.KeySources]bool{
		model.FromRandom: true, model.FromClock: true, model.FromAttempt: true, model.FromDelivery: true, model.FromInput | model.FromClock: true,
		model.FromInput: false, model.FromConstant: false, model.FromStored: false, model.FromProcess: false, 0: false,
	} {
		require.Equal(t, want, s.Unstable(), s)
	}
	require.Equal(t, []string{"randomness", "a value made once per process"}, (model.FromRandom | model.FromProcess).Words())
	require.Empty(t, model.KeySources(0).Words())
}
