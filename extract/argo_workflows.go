package extract

import (
	"cmp"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "argo-workflows",
	Title: "Argo Workflows",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("argoproj.io", "Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"),
	Read:  readArgo,
	Keys: []Key{
		{"spec.templates[].retryStrategy.limit", "retries", "no block: no retry; a block without limit: no end", "1 attempt", "1 attempt"},
		{"retryStrategy.backoff.duration", "first wait", "no wait, Argo", "", ""},
		{"retryStrategy.backoff.factor", "growth", "constant, Argo", "", ""},
		{"retryStrategy.backoff.maxDuration", "limit from the start of the first attempt", "none", "", ""},
		{"spec.activeDeadlineSeconds", "limit of the whole workflow; on a template: of one attempt", "none", "", ""},
	},
	Doc: `A retryStrategy repeats its template: limit counts retries, an empty strategy has no end. On a steps or dag template the whole
group runs again, so it multiplies with the strategies of its leaves. templateDefaults holds for every template that has no strategy of its own.
A CronWorkflow's schedule is the entry. Callees: the url of http templates, commands and images of containers. Source: catalogue, C5.`,
	Example: `
-- wf.yaml --
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: settle, namespace: pay}
spec:
  schedules: ["0 2 * * *"]
  workflowSpec:
    entrypoint: main
    templates:
      - name: main
        retryStrategy: {limit: 1} # want layer "attempts=2"
        steps:
          - - {name: a, template: call}
      - name: call
        retryStrategy:
          limit: "2" # want layer "attempts=3 backoff=exponential initial=1h factor=2 max=4h"
          backoff: {duration: "1h", factor: "2", cap: "4h"}
        http: {url: "http://settle-worker.pay.svc:8080/batches", method: POST}
      - name: forever
        retryStrategy: {} # want layer "attempts=unbounded"
        container: {image: "x:1"}
`,
})

func readArgo(d *doc.Document, out *Out) {
	root := d.Root
	spec := root.Get("spec")
	k := root.Get("kind").Str()
	wf := spec
	if k == "CronWorkflow" {
		wf = spec.Get("workflowSpec")
	}
	ns, name := namespace(root), objectName(root)
	self := workload(root)
	node := model.Node{Name: self, Kind: model.NodeWorkflow, At: out.Loc(root.Path("metadata.name").Or(root.Get("kind"))), Label: k + " " + name, Entry: true}
	s := model.Service{Name: cmp.Or(name, out.Path), Kind: "workflow", At: node.At, Namespace: ns, Node: self}
	if k == "CronWorkflow" {
		node.Kind = model.NodeSchedule
		s.Schedule = cmp.Or(plain(spec.Get("schedule")), plain(spec.Get("schedules").At(0)))
	}
	out.Node(node)
	out.Service(s)
	step := func(t string) model.Name { return model.N(model.SpaceStep, self.Key+"#"+t) }
	if e := plain(wf.Get("entrypoint")); e != "" {
		out.Edge(model.Edge{From: self, To: step(e), Kind: model.EdgeSchedule, At: out.Loc(wf.Get("entrypoint"))})
	}
	if ref := wf.Get("workflowTemplateRef"); ref.Exists() {
		kind := "workflowtemplate"
		if b, _ := ref.Get("clusterScope").Bool(); b {
			kind = "clusterworkflowtemplate"
		}
		out.Edge(model.Edge{From: self, To: model.N(model.SpaceWorkload, kind+"/"+ns+"/"+plain(ref.Get("name"))), Kind: model.EdgeSchedule, At: out.Loc(ref)})
	}
	a := argo{self: self, ns: ns, step: step, out: out, inherited: wf.Path("templateDefaults.retryStrategy").Or(wf.Get("retryStrategy"))}
	if a.inherited.Exists() && wf.Get("templates").Len() == 0 {
		a.strategy(a.inherited, nil, self)
	}
	if dl, ok := wf.Get("activeDeadlineSeconds").Int(); ok && dl > 0 {
		a.deadline = time.Duration(dl) * time.Second
	}
	for _, t := range wf.Get("templates").Items() {
		a.template(t)
	}
}

type argo struct {
	self      model.Name
	ns        string
	step      func(string) model.Name
	out       *Out
	inherited *doc.Node // strategy for templates without their own
	used      bool
	deadline  time.Duration
}

func (a *argo) template(t *doc.Node) {
	name := plain(t.Get("name"))
	self := a.step(name)
	a.out.Node(model.Node{Name: self, Kind: model.NodeStep, At: a.out.Loc(t.Get("name")), Label: "step " + name})
	strategy := t.Get("retryStrategy")
	switch {
	case strategy.Exists():
		a.strategy(strategy, t, self)
	case a.inherited.Exists():
		// One layer in the report, on every template that it holds for.
		a.strategy(a.inherited, t, self)
	}
	for _, group := range t.Get("steps").Items() {
		items := group.Items()
		if group.Kind() == doc.Map {
			items = []*doc.Node{group}
		}
		for _, s := range items {
			a.uses(self, s)
		}
	}
	for _, s := range t.Path("dag.tasks").Items() {
		a.uses(self, s)
		if r := s.Get("retryStrategy"); r.Exists() {
			a.strategy(r, s, self)
		}
	}
	if h := t.Get("http"); h.Exists() {
		a.http(h, self)
	}
	svc := model.Service{Name: name, Kind: "step", At: a.out.Loc(t.Get("name")), Namespace: a.ns, Node: self}
	for _, key := range []string{"container", "script"} {
		if c := t.Get(key); c.Exists() {
			readContainer(c, self, a.ns, &svc, a.out, true)
			if src := c.Get("source"); src.Exists() {
				for _, call := range shellCalls(src.Str()) {
					call.edge(self, a.ns, src, a.out)
				}
			}
		}
	}
	for _, c := range t.Path("containerSet.containers").Items() {
		readContainer(c, self, a.ns, &svc, a.out, true)
	}
	if r := t.Path("containerSet.retryStrategy"); r.Exists() {
		a.containerSet(r, self)
	}
	if len(svc.Names) > 0 {
		a.out.Service(svc)
	}
	if m := t.Path("resource.manifest"); m.Exists() {
		a.manifest(m, self)
	}
}

// uses makes a step's or task's template a callee.
func (a *argo) uses(from model.Name, s *doc.Node) {
	to := plain(s.Get("template"))
	if inline := s.Get("inline"); inline.Exists() {
		name := from.Key[strings.LastIndexByte(from.Key, '#')+1:] + "." + plain(s.Get("name"))
		a.inlineTemplate(inline, name)
		to = name
	}
	if ref := s.Get("templateRef"); ref.Exists() {
		kind := "workflowtemplate"
		if b, _ := ref.Get("clusterScope").Bool(); b {
			kind = "clusterworkflowtemplate"
		}
		n := model.N(model.SpaceStep, kind+"/"+a.ns+"/"+plain(ref.Get("name"))+"#"+plain(ref.Get("template")))
		a.out.Edge(model.Edge{From: from, To: n, Kind: model.EdgeCall, At: a.out.Loc(ref)})
		return
	}
	if to != "" {
		a.out.Edge(model.Edge{From: from, To: a.step(to), Kind: model.EdgeCall, At: a.out.Loc(s.Get("template").Or(s))})
	}
}

func (a *argo) inlineTemplate(t *doc.Node, name string) {
	self := a.step(name)
	if r := t.Get("retryStrategy"); r.Exists() {
		a.strategy(r, t, self)
	}
	if h := t.Get("http"); h.Exists() {
		a.http(h, self)
	}
	if c := t.Get("container"); c.Exists() {
		svc := model.Service{}
		readContainer(c, self, a.ns, &svc, a.out, true)
	}
}

func (a *argo) strategy(r, t *doc.Node, in model.Name) {
	limit := r.Get("limit")
	l := model.Layer{Kind: model.KindWorkflow, At: a.out.KeyLoc(r), In: in, Whole: true, Label: "Argo retryStrategy"}
	if r == a.inherited && a.used {
		// The same block again, for another template: the layer keeps its place.
		l.Label = "Argo retryStrategy (template default)"
	}
	a.used = a.used || r == a.inherited
	p := model.Policy{On: model.OnExit, Backoff: model.NoBackoff()}
	switch n, ok := limit.Int(); {
	case !limit.Exists():
		p.Attempts = model.Unbounded()
	case ok:
		l.At = a.out.Loc(limit)
		p.Attempts = model.Retries(max(n, 0))
	case limit.Kind() == doc.Scalar && !strings.Contains(limit.Str(), "{{"):
		l.At = a.out.Loc(limit)
		a.out.Gap(limit, "limit is %q, not a number", limit.Str())
	default:
		l.At = a.out.Loc(limit)
		l.Refs = templateRef(limit, 1)
	}
	if b := r.Get("backoff"); b.Exists() {
		w := a.out.span(&l, b.Get("duration"), model.FieldInitial, time.Second)
		p.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: w, Jitter: model.Jitter{Kind: model.JitterNone}}
		if f := b.Get("factor"); f.Kind() == doc.Unknown {
			p.Backoff.Kind = model.BackoffExponential
		} else if v, ok := f.Float(); ok && v > 1 {
			p.Backoff.Kind, p.Backoff.Factor, p.Backoff.Max = model.BackoffExponential, model.RatioOf(v), model.NoLimit()
		} else if f.Kind() == doc.Scalar && !ok && !strings.Contains(f.Str(), "{{") {
			a.out.Gap(f, "factor: %q is not a number", f.Str())
		}
		if !b.Get("duration").Exists() {
			p.Backoff = model.Backoff{} // refused by the controller
		}
		if m := a.out.span(&l, b.Get("cap"), model.FieldMax, time.Second); m.Known() {
			p.Backoff.Max = m
		}
		p.Overall = positive(a.out.span(&l, b.Get("maxDuration"), model.FieldOverall, time.Second))
	}
	if a.deadline > 0 {
		p.Overall = p.Overall.Min(model.For(a.deadline))
	}
	if d, ok := t.Get("activeDeadlineSeconds").Int(); ok && d > 0 {
		p.PerAttempt = model.For(time.Duration(d) * time.Second)
	}
	if r.Get("expression").Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitFiltersPermanent, At: a.out.Loc(r.Get("expression")), Detail: "expression"})
	}
	l.Policy = p
	a.out.Layer(l)
}

// containerSet: the type's comment promises retries + 1, the code runs retries times. Source: labels of the corpus.
func (a *argo) containerSet(r *doc.Node, in model.Name) {
	n := r.Get("retries")
	l := model.Layer{Kind: model.KindWorkflow, At: a.out.Loc(n.Or(r)), In: in, Whole: true, Label: "Argo containerSet retryStrategy"}
	p := model.Policy{On: model.OnExit, Backoff: model.NoBackoff()}
	if v, ok := n.Int(); ok {
		p.Attempts = model.Exactly(max(v, 1))
	}
	if d, ok := r.Get("duration").Duration(time.Second); ok {
		p.Backoff = model.Constant(d)
	}
	l.Policy = p
	a.out.Layer(l)
}

func (a *argo) http(h *doc.Node, self model.Name) {
	url := h.Get("url")
	text := url.Str()
	if url.Kind() == doc.Unknown {
		text = url.Raw()
	}
	to := model.Host(text, a.ns)
	if to.IsZero() {
		to = model.N(model.SpaceOp, self.Key+"#http")
	}
	e := model.Edge{From: self, To: to, Kind: model.EdgeRequest, At: a.out.Loc(url), Method: strings.ToUpper(h.Get("method").Str("GET")), Path: pathOf(text)}
	if d, ok := h.Get("timeoutSeconds").Int(); ok && d > 0 {
		e.Timeout = model.For(time.Duration(d) * time.Second)
	}
	e.Key = model.Key{How: model.KeyNone, At: a.out.Loc(url)}
	for _, head := range h.Get("headers").Items() {
		if IdempotencyHeader(plain(head.Get("name"))) {
			v := head.Get("value")
			e.Key = templateKey(v, plain(head.Get("name")), self, a.out)
		}
	}
	a.out.Edge(e)
}

// templateKey says where the value of a key header in a manifest comes from.
func templateKey(v *doc.Node, sink string, self model.Name, out *Out) model.Key {
	text := v.Str()
	if v.Kind() == doc.Unknown {
		text = v.Raw()
	}
	k := model.Key{Sink: sink, At: out.Loc(v), Text: text}
	low := strings.ToLower(text)
	switch {
	case strings.Contains(low, "retries") || strings.Contains(low, "uuid") || strings.Contains(low, "random") || strings.Contains(low, "now") || strings.Contains(low, "pod.name") || strings.Contains(low, "attempt"):
		k.How, k.Sources, k.Born, k.BornIn = model.KeyMade, model.FromRandom, k.At, self
	case strings.ContainsAny(text, "{$"):
		k.How, k.Sources = model.KeyDerived, model.FromInput
	case text != "":
		k.How, k.Sources = model.KeyConstant, model.FromConstant
	}
	return k
}

// manifest reads the Kubernetes object that a resource template creates: a Job in it has retries of its own.
func (a *argo) manifest(m *doc.Node, self model.Name) {
	f := m.ParseAs(doc.YAML, doc.Limits{MaxBytes: 1 << 20})
	for _, d := range f.Docs {
		if isJob(d.Root) {
			readJobSpec(d.Root.Get("spec"), self, &model.Service{Namespace: a.ns}, a.out)
		}
	}
}
