package chain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// queued is a consumer that repeats, from a queue that may have a dead letter.
func queued(kind model.NodeKind, dead ...model.DeadLetter) *model.Facts {
	r := repo("pay")
	q, work := model.N(model.SpaceQueue, "sqs:orders"), fn(r, "work", false)
	r.Nodes = append(r.Nodes, model.Node{Name: q, Kind: kind, Entry: true, At: at(r, 1)})
	r.Edges = append(r.Edges, model.Edge{From: q, To: work, Kind: model.EdgeDeliver, At: at(r, 2)})
	request(r, work, "http://bank.example", "POST", "/", layer(r, work, model.Exactly(3), time.Hour))
	for _, d := range dead {
		d.Of, d.At = q, at(r, 3)
		r.DeadLetters = append(r.DeadLetters, d)
	}
	return r
}

func pathsOf(t *testing.T, o model.ReplayDefaults, facts ...*model.Facts) []model.ReplayPath {
	t.Helper()
	c := worst(t, chain.Build(facts, chain.Options{Replay: o}))
	require.Equal(t, "sqs:orders", c.Entry.Name.Key)
	return c.Paths
}

func TestReplayOfDeadLetters(t *testing.T) {
	day := model.ReplayDefaults{DeadLetter: model.For(24 * time.Hour)}
	require.Empty(t, pathsOf(t, day, queued(model.NodeQueue)), "nothing is parked")
	for _, c := range []struct {
		name   string
		d      model.DeadLetter
		delay  string
		clock  model.ClockKind
		origin string
	}{
		{"default", model.DeadLetter{}, "24h", model.AfterAutomatic, "default: replayed within 24h after the automatic path gives up"},
		{"named", model.DeadLetter{Name: "orders-dlq"}, "24h", model.AfterAutomatic, "default: replayed within 24h after the automatic path gives up (orders-dlq)"},
		{"kept for less", model.DeadLetter{Retention: model.For(6 * time.Hour)}, "6h", model.AfterAutomatic, "retention of the dead-letter queue"},
		{"kept for less, from the first enqueue", model.DeadLetter{Retention: model.For(6 * time.Hour), FromFirst: true}, "6h", model.FirstAttempt, "retention of the dead-letter queue"},
		{"kept for longer", model.DeadLetter{Retention: model.For(96 * time.Hour), FromFirst: true}, "24h", model.AfterAutomatic, "default: replayed within 24h after the automatic path gives up"},
		{"kept as long", model.DeadLetter{Retention: model.For(24 * time.Hour), FromFirst: true}, "24h", model.AfterAutomatic, "default: replayed within 24h after the automatic path gives up"},
	} {
		ps := pathsOf(t, day, queued(model.NodeQueue, c.d))
		require.Len(t, ps, 1, c.name)
		require.Equal(t, model.PathDeadLetter, ps[0].Kind, c.name)
		require.Equal(t, c.delay, ps[0].Delay.String(), c.name)
		require.Equal(t, c.clock, ps[0].Clock, c.name)
		require.Equal(t, c.origin, ps[0].Origin, c.name)
		require.False(t, ps[0].ThenAutomatic, c.name)
	}
	require.Len(t, pathsOf(t, day, queued(model.NodeQueue, model.DeadLetter{Name: "a"}, model.DeadLetter{Name: "b"})), 1, "one replay of what is parked")
	day.DeadLetterAt, day.ReplaysAutomatic = model.Location{Path: ".retrylint.yaml", Line: 3}, true
	ps := pathsOf(t, day, queued(model.NodeQueue, model.DeadLetter{}))
	require.Equal(t, "config: replay.deadLetter", ps[0].Origin)
	require.True(t, ps[0].ThenAutomatic)
}

func TestWhoIsRunAgain(t *testing.T) {
	rerun := model.ReplayDefaults{OperatorRerun: model.For(72 * time.Hour)}
	for _, c := range []struct {
		name string
		kind model.NodeKind
		o    func(*model.ReplayDefaults)
		want bool
	}{
		{"a schedule", model.NodeSchedule, nil, true},
		{"a queue", model.NodeQueue, nil, true},
		{"a request", model.NodeHandler, nil, false},
		{"a request, where all are", model.NodeHandler, func(o *model.ReplayDefaults) { o.RerunAll = true }, true},
		{"of some kinds, this one", model.NodeSchedule, func(o *model.ReplayDefaults) { o.RerunKinds = []model.NodeKind{model.NodeSchedule} }, true},
		{"of some kinds, another one", model.NodeBatch, func(o *model.ReplayDefaults) { o.RerunKinds = []model.NodeKind{model.NodeSchedule} }, false},
		{"of some kinds, requests too", model.NodeHandler, func(o *model.ReplayDefaults) { o.RerunKinds = []model.NodeKind{model.NodeHandler} }, true},
		{"nobody", model.NodeSchedule, func(o *model.ReplayDefaults) { o.OperatorRerun = model.Limit{} }, false},
	} {
		o := rerun
		if c.o != nil {
			c.o(&o)
		}
		ps := pathsOf(t, o, queued(c.kind))
		require.Equal(t, c.want, len(ps) == 1, c.name)
		if c.want {
			require.Equal(t, model.PathOperatorRerun, ps[0].Kind)
			require.Equal(t, "72h", ps[0].Delay.String())
			require.Equal(t, "default: found after a weekend", ps[0].Origin)
		}
	}
	rerun.OperatorRerunAt = model.Location{Path: ".retrylint.yaml", Line: 4}
	require.Equal(t, "config: replay.operatorRerun", pathsOf(t, rerun, queued(model.NodeQueue))[0].Origin)
}

func TestDeclaredPaths(t *testing.T) {
	o := model.ReplayDefaults{Restore: model.For(168 * time.Hour), RestoreDeclared: true, Declared: []model.DeclaredPath{
		{Name: "backfill", Delay: model.For(30 * time.Hour), AfterAutomatic: true},
		{Name: "of this service", Service: "PAY", Delay: model.For(time.Hour)},
		{Name: "of this entry", Service: "queue:sqs:orders", Delay: model.For(time.Hour)},
		{Name: "of another service", Service: "shop", Delay: model.For(time.Hour)},
	}}
	var kinds []model.PathKind
	ps := pathsOf(t, o, queued(model.NodeQueue))
	for _, p := range ps {
		kinds = append(kinds, p.Kind)
	}
	require.Equal(t, []model.PathKind{model.PathRestore, "backfill", "of this service", "of this entry"}, kinds)
	require.Equal(t, "168h", ps[0].Delay.String())
	require.Equal(t, model.AfterAutomatic, ps[1].Clock)
	require.Equal(t, model.FirstAttempt, ps[2].Clock)
	o.RestoreDeclared = false
	require.NotEqual(t, model.PathRestore, pathsOf(t, o, queued(model.NodeQueue))[0].Kind, "a restore is not assumed")
}

// A mark on a service, workload or repository stands on what serves there.
func TestMarksOfServices(t *testing.T) {
	build := func(of model.Name, w model.Boundary) *model.Org {
		deploy, shop := repo("deploy"), repo("shop")
		main := fn(shop, "main", false)
		handler(shop, "POST", "/orders", fn(shop, "create", false))
		shop.Services = []model.Service{{Name: "shop", Kind: "main", Node: main, Dir: ".", At: at(shop, 1)}}
		deploy.Services = []model.Service{{Name: "shop", Kind: "deployment", Names: []model.Name{model.N(model.SpaceWorkload, "deployment/eu/shop"), model.Image("shop:1")}, At: at(deploy, 1)}}
		w.ID, w.In, w.At = "w", of, at(deploy, 2)
		deploy.Boundaries = []model.Boundary{w}
		return chain.Build([]*model.Facts{deploy, shop}, options())
	}
	guarded := func(org *model.Org) (out []string) {
		for _, v := range org.Vertices {
			if len(v.Boundaries) > 0 {
				out = append(out, v.Label)
			}
		}
		return out
	}
	for _, of := range []model.Name{model.N(model.SpaceWorkload, "deployment/eu/shop"), model.N(model.SpaceRepo, "shop"), model.Host("shop", ""), model.Image("shop:2")} {
		require.Contains(t, guarded(build(of, model.Boundary{})), "POST /orders", of)
	}
	require.NotContains(t, guarded(build(model.N(model.SpaceWorkload, "deployment/eu/other"), model.Boundary{})), "POST /orders")
	require.Empty(t, guarded(build(model.N(model.SpaceRepo, "other"), model.Boundary{})))
}

// The calls by which a dedupe memory is asked and written are no effects; a database's are.
func TestRecordsAreNoEffects(t *testing.T) {
	build := func(kind string, ops ...string) []string {
		r := repo("pay")
		f := fn(r, "post", true)
		l := layer(r, f, model.Exactly(3), time.Second)
		r.Boundaries = []model.Boundary{{ID: "w", Kind: kind, In: f, TTL: model.WindowFor(time.Hour), At: at(r, 1)}}
		for i, op := range ops {
			r.Edges = append(r.Edges, model.Edge{From: f, To: model.N(model.SpaceOp, "post#"+op), Kind: model.EdgeStore, At: at(r, 10+i), Under: []string{l}})
		}
		var out []string
		for _, c := range chain.Build([]*model.Facts{r}, options()).Chains {
			out = append(out, c.Effect.Name.Key)
		}
		return out
	}
	require.Equal(t, []string{"post#sql.Exec"}, build("redis", "Redis.SetNX", "sql.Exec"))
	require.ElementsMatch(t, []string{"post#Redis.SetNX", "post#sql.Exec"}, build("memcache", "Redis.SetNX", "sql.Exec"))
	require.ElementsMatch(t, []string{"post#sql.Query", "post#sql.Exec"}, build("sql-unique", "sql.Query", "sql.Exec"))
}

// How many of a service run, and where that is said.
func TestReplicas(t *testing.T) {
	build := func(services ...model.Service) *model.Boundary {
		shop, deploy := repo("shop"), repo("deploy")
		f := fn(shop, "create", true)
		shop.Services = []model.Service{{Name: "shop", Kind: "main", Node: f, Dir: ".", At: at(shop, 1)}}
		shop.Boundaries = []model.Boundary{{ID: "w", In: f, Kind: "memory", Store: model.StoreMemory, At: at(shop, 5)}}
		for i, s := range services {
			s.Kind, s.Names, s.At, s.ReplicasAt = "deployment", []model.Name{model.Image("shop")}, at(deploy, i+1), at(deploy, i+1)
			deploy.Services = append(deploy.Services, s)
		}
		return chain.Build([]*model.Facts{shop, deploy}, options()).ByBoundary["w"]
	}
	w := build()
	require.Equal(t, "shop", w.Service)
	require.True(t, w.Replicas.IsUnknown())
	w = build(model.Service{Name: "shop", Replicas: model.Exactly(3)})
	require.Equal(t, "3", w.Replicas.String())
	require.Equal(t, 1, w.ReplicasAt.Line)
	w = build(model.Service{Name: "shop", Replicas: model.Exactly(2)}, model.Service{Name: "shop-b", Replicas: model.Exactly(5)})
	require.Equal(t, "5", w.Replicas.String(), "the most")
	require.Equal(t, 2, w.ReplicasAt.Line)
	w = build(model.Service{Name: "shop", Replicas: model.Unbounded()}, model.Service{Name: "shop-b", Replicas: model.Exactly(1)})
	require.Equal(t, "unbounded", w.Replicas.String())
	w = build(model.Service{Name: "shop", Replicas: model.Exactly(3), Envs: []string{"o:prod"}}, model.Service{Name: "shop-b", Replicas: model.Exactly(1), Envs: []string{"o:staging"}})
	require.Equal(t, "3", w.Replicas.String())
}
