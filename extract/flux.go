package extract

import (
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "flux",
	Title: "Flux HelmRelease and Kustomization",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: func(p string, d *doc.Document) bool {
		return kind("helm.toolkit.fluxcd.io", "HelmRelease")(p, d) || kind("kustomize.toolkit.fluxcd.io", "Kustomization")(p, d)
	},
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		self := workload(root)
		spec := root.Get("spec")
		if root.Get("kind").Str() == "Kustomization" {
			fluxKustomization(spec, self, out)
			return
		}
		c := spec.Path("chart.spec")
		dir := c.Get("chart").Str()
		if c.Path("sourceRef.kind").Str() == "HelmRepository" {
			dir = ""
		}
		chartElsewhere(c.Get("chart"), dir, spec.Get("values"), self, namespace(root), out)
		for _, action := range []string{"install", "upgrade"} {
			fluxAction(spec.Get(action), spec, self, action, out)
		}
	},
	Keys: []Key{
		{"spec.install.remediation.retries, spec.upgrade.remediation.retries", "retries", "0, Flux", "none", "no end"},
		{"spec.install.strategy.name: RetryOnFailure", "no end", "RemediateOnFailure", "", ""},
		{"spec.retryInterval (Kustomization)", "wait of an endless loop", "spec.interval", "", ""},
		{"spec.timeout", "limit of one attempt", "5m, Flux (HelmRelease)", "", ""},
	},
	Doc: `A HelmRelease whose install or upgrade failed is tried again, with an uninstall or rollback between: retries counts retries. A
Kustomization is tried again for ever, each retryInterval; that loop brings the cluster to the wanted state and is shown, but is no factor.
The values of a HelmRelease are an environment of its chart where that lies in the repository, and are rendered with it; else the images in
them, with their env and replicaCount, are services.
Source: catalogue, C10.`,
	Example: `
-- hr.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: web}
spec:
  chart:
    spec:
      chart: shop # want gap "not in the repository"
      sourceRef: {kind: HelmRepository, name: others}
  values:
    replicaCount: 2
    image: {repository: registry.test/web/shop, tag: "1"} # want service "shop replicas=2"
    env:
      MAX_RETRIES: 4 # want setting "env:MAX_RETRIES=4"
  interval: 10m
  timeout: 3m
  install:
    remediation: {retries: 3} # want layer "attempts=4 perAttempt=3m kind=delivery"
  upgrade:
    remediation: {retries: -1} # want layer "count=unbounded"
-- ks.yaml --
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps}
spec:
  interval: 10m
  retryInterval: 1m # want layer "count=unbounded initial=1m factorOf=false"
`,
})

func fluxAction(a, spec *doc.Node, self model.Name, action string, out *Out) {
	l := model.Layer{Kind: model.KindDelivery, In: self, Label: "Flux " + action + " retries"}
	p := &l.Policy
	p.On = model.OnError
	timeout := a.Get("timeout").Or(spec.Get("timeout"))
	switch r, s := a.Path("remediation.retries"), a.Get("strategy"); {
	case s.Get("name").Str() == "RetryOnFailure":
		l.At, p.Attempts = out.Loc(s.Get("name")), model.Unbounded()
		p.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, s.Get("retryInterval"), model.FieldInitial, 0), Jitter: model.Jitter{Kind: model.JitterNone}}
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitOuterLoop, At: l.At, Detail: "brings the cluster to the wanted state"})
	case r.Exists():
		out.count(&l, r, a, counting{offset: 1, negative: endless})
	default:
		return
	}
	p.PerAttempt = limitOr(out.span(&l, timeout, model.FieldPerAttempt, 0), timeout, model.For(5*time.Minute))
	out.Layer(l)
}

func fluxKustomization(spec *doc.Node, self model.Name, out *Out) {
	n := spec.Get("retryInterval")
	if !n.Exists() {
		return // the next reconciliation comes anyway
	}
	l := model.Layer{Kind: model.KindDelivery, In: self, At: out.Loc(n), Label: "Flux retryInterval"}
	l.Traits = []model.Trait{{Kind: model.TraitOuterLoop, At: l.At, Detail: "brings the cluster to the wanted state"}}
	l.Policy = model.Policy{Attempts: model.Unbounded(), On: model.OnError,
		Backoff: model.Backoff{Kind: model.BackoffConstant, Initial: out.span(&l, n, model.FieldInitial, 0), Jitter: model.Jitter{Kind: model.JitterNone}}}
	l.Policy.PerAttempt = out.span(&l, spec.Get("timeout"), model.FieldPerAttempt, 0)
	out.Layer(l)
}
