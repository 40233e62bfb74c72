package chain_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// with is one loop in a repository whose quantity comes from a setting of that value.
func with(field model.Field, unit, zeroIs string, offset int64, values ...string) *model.Layer {
	r := repo("pay")
	f := fn(r, "post", true)
	id := layer(r, f, model.Exactly(7), time.Second)
	env := model.N(model.SpaceEnv, "SETTING")
	r.Layers[0].Refs = []model.Ref{{Field: field, Name: env, Unit: unit, ZeroIs: zeroIs, Offset: offset}}
	for i, v := range values {
		r.Settings = append(r.Settings, model.Setting{Name: env, Value: v, At: model.Location{Repo: "pay", Path: "env", Line: i + 1}})
	}
	return chain.Build([]*model.Facts{r}, options()).Layer(id)
}

func TestAttemptsFromSettings(t *testing.T) {
	for _, c := range []struct {
		values []string
		zeroIs string
		offset int64
		want   string
		set    int // places that set it
	}{
		{[]string{"3"}, "", 0, "3", 1},
		{[]string{" 3 "}, "", 1, "4", 1},
		{[]string{"3", "5"}, "", 1, "4..6", 2},
		{[]string{"many"}, "", 0, "7", 0}, // what cannot be read changes nothing
		{[]string{"0"}, "", 1, "1", 1},
		{[]string{"0"}, "", 0, "0", 1},
		{[]string{"0"}, "unbounded", 1, "unbounded", 1},
		{[]string{"-1"}, "unbounded", 1, "unbounded", 1},
		{[]string{"0"}, "one", 1, "1", 1},
		{[]string{"0"}, "default", 1, "7", 0},
		{[]string{"0"}, "error", 1, "7", 0},
		{[]string{"-1"}, "", 1, "7", 0},
		{[]string{"2"}, "", -5, "0", 1},
		{[]string{"3", "0"}, "unbounded", 0, "unbounded", 2},
	} {
		l := with(model.FieldAttempts, "", c.zeroIs, c.offset, c.values...)
		require.Equal(t, c.want, l.Policy.Attempts.String(), "%+v", c)
		require.Len(t, l.SetBy, c.set, "%+v", c)
	}
}

func TestDurationsFromSettings(t *testing.T) {
	for _, c := range []struct{ value, unit, want string }{
		{"250ms", "", "250ms"}, {"3", "s", "3s"}, {"0.5", "s", "500ms"}, {"3", "m", "3m"}, {"2", "h", "2h"}, {"1", "d", "24h"},
		{"40", "ms", "40ms"}, {"1500", "us", "1.5ms"}, {"7000000", "ns", "7ms"}, {"0", "s", "0s"},
		{"3", "", "1s"}, {"-3", "s", "1s"}, {"-3s", "", "1s"}, {"soon", "s", "1s"}, {"1e300", "h", "1s"}, // what cannot be read changes nothing
	} {
		l := with(model.FieldInitial, c.unit, "", 0, c.value)
		require.Equal(t, c.want, l.Policy.Backoff.Initial.String(), "%+v", c)
	}
	for field, of := range map[model.Field]func(*model.Layer) model.Limit{
		model.FieldMax:        func(l *model.Layer) model.Limit { return l.Policy.Backoff.Max },
		model.FieldPerAttempt: func(l *model.Layer) model.Limit { return l.Policy.PerAttempt },
		model.FieldOverall:    func(l *model.Layer) model.Limit { return l.Policy.Overall },
	} {
		require.Equal(t, "9s", of(with(field, "s", "", 0, "9")).String(), field)
	}
	require.Equal(t, "2.5", with(model.FieldFactor, "", "", 0, "2.5").Policy.Backoff.Factor.String())
	require.Equal(t, "unknown", with(model.FieldFactor, "", "", 0, "x").Policy.Backoff.Factor.String())
}

// A wait whose length a setting says is a wait also where code says nothing of its shape.
func TestWaitOfUnknownShape(t *testing.T) {
	r := repo("pay")
	id := layer(r, fn(r, "post", true), model.Exactly(3), 0)
	r.Layers[0].Policy.Backoff = model.Backoff{}
	env := model.N(model.SpaceEnv, "WAIT")
	r.Layers[0].Refs = []model.Ref{{Field: model.FieldInitial, Name: env}}
	r.Settings = []model.Setting{{Name: env, Value: "2s", At: at(r, 1)}}
	b := chain.Build([]*model.Facts{r}, options()).Layer(id).Policy.Backoff
	require.Equal(t, model.BackoffConstant, b.Kind)
	require.Equal(t, "2s", b.Initial.String())
}

// A value that lies in a secret makes the quantity unknown: the default of the code is not what runs.
func TestSecretsMakeUnknown(t *testing.T) {
	for field, of := range map[model.Field]func(*model.Layer) string{
		model.FieldAttempts:   func(l *model.Layer) string { return l.Policy.Attempts.String() },
		model.FieldInitial:    func(l *model.Layer) string { return l.Policy.Backoff.Initial.String() },
		model.FieldMax:        func(l *model.Layer) string { return l.Policy.Backoff.Max.String() },
		model.FieldFactor:     func(l *model.Layer) string { return l.Policy.Backoff.Factor.String() },
		model.FieldPerAttempt: func(l *model.Layer) string { return l.Policy.PerAttempt.String() },
		model.FieldOverall:    func(l *model.Layer) string { return l.Policy.Overall.String() },
	} {
		r := repo("pay")
		id := layer(r, fn(r, "post", true), model.Exactly(3), time.Second)
		p := &r.Layers[0].Policy
		p.Backoff.Max, p.Backoff.Factor, p.PerAttempt, p.Overall = model.For(time.Hour), model.NewRatio(2, 1), model.For(time.Hour), model.For(time.Hour)
		env := model.N(model.SpaceEnv, "SETTING")
		r.Layers[0].Refs = []model.Ref{{Field: field, Name: env}}
		require.NotEqual(t, "unknown", of(chain.Build([]*model.Facts{r}, options()).Layer(id)), field)
		r.Settings = []model.Setting{{Name: env, Unknown: true, At: at(r, 1)}}
		l := chain.Build([]*model.Facts{r}, options()).Layer(id)
		require.Equal(t, "unknown", of(l), field)
		require.Equal(t, []model.Location{at(r, 1)}, l.SetBy, field)
	}
}

func windowOf(t *testing.T, r *model.Facts) string {
	t.Helper()
	w := chain.Build([]*model.Facts{r}, options()).ByBoundary["w"]
	require.NotNil(t, w)
	return w.TTL.String()
}

func TestWindowsFromSettings(t *testing.T) {
	env, table := model.N(model.SpaceEnv, "TTL"), model.N(model.SpaceTable, "keys")
	base := func(ref model.Ref, settings ...model.Setting) *model.Facts {
		r := repo("pay")
		r.Boundaries = []model.Boundary{{ID: "w", In: fn(r, "post", true), TTL: model.WindowFor(24 * time.Hour), At: at(r, 1), Refs: []model.Ref{ref}}}
		for i, s := range settings {
			s.At = model.Location{Repo: "pay", Path: "env", Line: i + 1}
			r.Settings = append(r.Settings, s)
		}
		return r
	}
	ttl := model.Ref{Field: model.FieldTTL, Name: env, Unit: "h"}
	require.Equal(t, "24h", windowOf(t, base(ttl)))
	require.Equal(t, "2h", windowOf(t, base(ttl, model.Setting{Name: env, Value: "2"})))
	require.Equal(t, "48h", windowOf(t, base(ttl, model.Setting{Name: env, Value: "48"})), "what is set wins over the default of the code")
	require.Equal(t, "2h", windowOf(t, base(ttl, model.Setting{Name: env, Value: "5"}, model.Setting{Name: env, Value: "2"}, model.Setting{Name: env, Value: "9"})), "the shortest")
	require.Equal(t, "unknown", windowOf(t, base(ttl, model.Setting{Name: env, Unknown: true})))
	require.Equal(t, "24h", windowOf(t, base(ttl, model.Setting{Name: env, Value: "x"})))
	require.Equal(t, "24h", windowOf(t, base(model.Ref{Field: model.FieldMax, Name: env}, model.Setting{Name: env, Value: "2h"})), "another field")

	// A purge of a table of the same name in another repository is another table's.
	purge := model.Ref{Field: model.FieldTTL, Name: table}
	own := base(purge, model.Setting{Name: table, Value: "3h"})
	require.Equal(t, "3h", windowOf(t, own))
	other := repo("other")
	other.Settings = []model.Setting{{Name: table, Value: "1h", At: at(other, 1)}}
	org := chain.Build([]*model.Facts{base(purge), other}, options())
	require.Equal(t, "24h", org.ByBoundary["w"].TTL.String())
}

// calls lists where requests of a function lead, by name.
func calls(t *testing.T, org *model.Org, from model.Name) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, v := range org.Vertices {
		if v.Name == from {
			for _, a := range v.Out {
				out[a.To.Name.Key] = a.Edge.Path
			}
		}
	}
	return out
}

func TestTargetsFromSettings(t *testing.T) {
	url := model.N(model.SpaceEnv, "LEDGER_URL")
	build := func(e model.Edge, ref model.Ref, values ...string) map[string]string {
		r := repo("pay")
		e.From = fn(r, "post", true)
		ref.Field, ref.Name = model.FieldTarget, url
		e.At, e.Refs = at(r, 5), []model.Ref{ref}
		r.Edges = []model.Edge{e}
		for i, v := range values {
			r.Settings = append(r.Settings, model.Setting{Name: url, Value: v, At: model.Location{Repo: "pay", Path: "env", Line: i + 1}})
		}
		return calls(t, chain.Build([]*model.Facts{r}, options()), e.From)
	}
	op := model.Edge{Kind: model.EdgeRequest, Method: "POST", To: model.N(model.SpaceOp, "somewhere")}
	with := func(path string) model.Edge { e := op; e.Path = path; return e }
	for _, c := range []struct {
		name string
		e    model.Edge
		ref  model.Ref
		val  []string
		want map[string]string
	}{
		{"a host", with("/entries"), model.Ref{}, []string{"http://ledger.pay:8080"}, map[string]string{"ledger.pay": "/entries"}},
		{"a base with a path", with("/entries"), model.Ref{}, []string{"http://ledger.pay/api/v1/"}, map[string]string{"ledger.pay": "/api/v1/entries"}},
		{"the whole address", with(""), model.Ref{}, []string{"http://ledger.pay/api?x=1"}, map[string]string{"ledger.pay": "/api"}},
		{"the root is no path", with(""), model.Ref{}, []string{"http://ledger.pay/"}, map[string]string{"ledger.pay": ""}},
		{"a bare host", with("/entries"), model.Ref{Prefix: "http://", Suffix: "/entries"}, []string{"ledger.pay"}, map[string]string{"ledger.pay": "/entries"}},
		{"a base before more of the path", with("entries"), model.Ref{Suffix: "/x"}, []string{"http://ledger.pay/api"}, map[string]string{"ledger.pay": "/api/entries"}},
		{"a path that is there already", with("/api/entries"), model.Ref{Suffix: "/x"}, []string{"http://ledger.pay/api"}, map[string]string{"ledger.pay": "/api/entries"}},
		{"two places", with("/entries"), model.Ref{}, []string{"http://a.pay", "http://b.pay", "http://a.pay"}, map[string]string{"a.pay": "/entries", "b.pay": "/entries"}},
		{"a template", with("/entries"), model.Ref{}, []string{"http://${HOST}", ""}, map[string]string{"somewhere": "/entries"}},
	} {
		require.Equal(t, c.want, build(c.e, c.ref, c.val...), c.name)
	}
	queue := model.Edge{Kind: model.EdgePublish, To: model.N(model.SpaceQueue, "sqs:?")}
	for value, want := range map[string]string{
		"orders": "sqs:orders", "https://sqs.eu-west-1.amazonaws.com/1/orders": "sqs:orders", "arn:aws:sqs:eu-west-1:1:orders": "sqs:orders",
	} {
		require.Equal(t, map[string]string{want: ""}, build(queue, model.Ref{}, value), value)
	}
}

func TestTimeoutsFromSettings(t *testing.T) {
	r := repo("pay")
	f := fn(r, "post", true)
	env := model.N(model.SpaceEnv, "TIMEOUT")
	request(r, f, "http://ledger.pay", "POST", "/", layer(r, f, model.Exactly(3), time.Second))
	r.Edges[0].Refs = []model.Ref{{Field: model.FieldTimeout, Name: env, Unit: "s"}}
	r.Settings = []model.Setting{{Name: env, Value: "10", At: at(r, 1)}}
	require.Equal(t, "32s", worst(t, chain.Build([]*model.Facts{r}, options())).WorstCase().String())
	r.Settings[0].Value = "x"
	require.Equal(t, "unknown", worst(t, chain.Build([]*model.Facts{r}, options())).WorstCase().String())
}

func TestQueuesFromSettings(t *testing.T) {
	env := model.N(model.SpaceEnv, "QUEUE")
	consumers := func(values ...string) []string {
		r := repo("pay")
		f := fn(r, "work", false)
		r.Handlers = []model.Handler{{Func: f, Queue: model.N(model.SpaceQueue, "sqs:?"), At: at(r, 3), Refs: []model.Ref{{Field: model.FieldTarget, Name: env}}}}
		for i, v := range values {
			r.Settings = append(r.Settings, model.Setting{Name: env, Value: v, Unknown: v == "secret", At: model.Location{Repo: "pay", Path: "env", Line: i + 1}})
		}
		var out []string
		for _, v := range chain.Build([]*model.Facts{r}, options()).Vertices {
			if v.Kind == model.NodeQueue && v.Handler != nil {
				out = append(out, v.Name.Key)
			}
		}
		return out
	}
	require.Equal(t, []string{"sqs:orders"}, consumers("https://sqs.eu-west-1.amazonaws.com/1/orders"))
	require.ElementsMatch(t, []string{"sqs:orders", "sqs:refunds"}, consumers("orders", "refunds", "orders"))
	require.Equal(t, []string{"sqs:?"}, consumers("${QUEUE}", "", "secret"))
}

// A setting that is given to one service reaches that service's code and no other.
func TestSettingsOfAService(t *testing.T) {
	env := model.N(model.SpaceEnv, "RETRIES")
	build := func(settings ...model.Setting) string {
		r := repo("pay")
		for _, name := range []string{"api", "worker"} {
			r.Services = append(r.Services, model.Service{Name: name, Kind: "main", Dir: "cmd/" + name, At: model.Location{Repo: "pay", Path: "cmd/" + name + "/main.go", Line: 1}},
				model.Service{Name: name, Kind: "deployment", Names: []model.Name{model.N(model.SpaceWorkload, "deployment/pay/"+name), model.N(model.SpaceImage, "pay/"+name)}, At: at(r, 1)})
		}
		id := layer(r, fn(r, "post", true), model.Exactly(7), time.Second)
		r.Layers[0].At = model.Location{Repo: "pay", Path: "cmd/api/main.go", Line: 5}
		r.Layers[0].Refs = []model.Ref{{Field: model.FieldAttempts, Name: env}}
		r.Settings = settings
		return chain.Build([]*model.Facts{r}, options()).Layer(id).Policy.Attempts.String()
	}
	api, worker := model.N(model.SpaceWorkload, "deployment/pay/api"), model.N(model.SpaceWorkload, "deployment/pay/worker")
	place := func(n int) model.Location { return model.Location{Repo: "pay", Path: "k8s.yaml", Line: n} }
	require.Equal(t, "3", build(model.Setting{Name: env, Value: "3", For: api, At: place(1)}, model.Setting{Name: env, Value: "9", For: worker, At: place(2)}))
	require.Equal(t, "7", build(model.Setting{Name: env, Value: "9", For: worker, At: place(2)}), "another program's")
	require.Equal(t, "9", build(model.Setting{Name: env, Value: "9", At: place(2)}), "everybody's")
	require.Equal(t, "3", build(model.Setting{Name: env, Value: "3", For: api, At: place(1)}, model.Setting{Name: env, Value: "9", At: place(2)}), "its own before everybody's")
	require.Equal(t, "4", build(model.Setting{Name: env, Value: "4", For: model.N(model.SpaceWorkload, "job/pay/unheard-of"), At: place(1)}), "of something unknown in the same repository")
}
