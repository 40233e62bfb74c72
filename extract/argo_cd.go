package extract

import (
	"slices"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "argo-cd",
	Title: "Argo CD Application and ApplicationSet",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("argoproj.io", "Application", "ApplicationSet"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		spec := root.Get("spec")
		if root.Get("kind").Str() == "ApplicationSet" {
			spec = spec.Path("template.spec")
		}
		self := workload(root)
		for _, src := range append(slices.Clone(spec.Get("sources").Items()), spec.Get("source")) {
			if c := src.Get("chart"); c.Exists() {
				values := src.Path("helm.valuesObject")
				if text := src.Path("helm.values"); text.Kind() == doc.Scalar {
					if t := text.ParseAs(doc.YAML, doc.Limits{MaxBytes: 1 << 20}); t != nil && len(t.Docs) > 0 {
						values = t.Docs[0].Root
					}
				}
				chartElsewhere(c, "", values, self, namespace(root), out)
			}
		}
		for _, r := range []*doc.Node{spec.Path("syncPolicy.retry"), root.Path("operation.retry")} {
			if r.Exists() {
				argoCDRetry(r, self, out)
			}
		}
	},
	Keys: []Key{
		{"spec.syncPolicy.retry.limit", "retries", "no block: none; a block without limit: none, Argo CD", "none", "no end"},
		{"… backoff.duration, factor, maxDuration", "waits; maxDuration caps one wait, not the sum; a number is seconds", "5s, 2, 3m, Argo CD", "", ""},
	},
	Doc: `A sync that failed is tried again: limit counts retries. Automated self-heal syncs again by itself, which is no retry. Caller: Argo CD; callee: the
destination cluster. valueFiles, values, valuesObject and parameters of a source are an environment of its chart where that lies in the repository, and are
rendered with it; the generators of an ApplicationSet make one for each element, folder or file. Source: catalogue, C6.`,
	Example: `
-- app.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  source:
    chart: shop # want gap "not in the repository"
    repoURL: https://charts.example.com
    helm:
      values: |
        image: registry.test/web/shop # want service "shop"
  syncPolicy:
    retry:
      limit: 5 # want layer "attempts=6 initial=10s factor=2 max=3m kind=delivery"
      backoff: {duration: 10s}
`,
})

func argoCDRetry(r *doc.Node, in model.Name, out *Out) {
	l := model.Layer{Kind: model.KindDelivery, In: in, Whole: true, Label: "Argo CD sync retry"}
	out.count(&l, r.Get("limit"), r, counting{offset: 1, absent: model.Exactly(1), by: "Argo CD: no retries where limit is not set", negative: endless})
	b := r.Get("backoff")
	d, m := b.Get("duration"), b.Get("maxDuration")
	p := &l.Policy
	p.On = model.OnError
	p.Backoff = model.Backoff{Kind: model.BackoffExponential, Factor: model.NewRatio(2, 1), Jitter: model.Jitter{Kind: model.JitterNone},
		Initial: limitOr(out.span(&l, d, model.FieldInitial, time.Second), d, model.For(5*time.Second)),
		Max:     limitOr(out.span(&l, m, model.FieldMax, time.Second), m, model.For(3*time.Minute))}
	if f, ok := b.Get("factor").Float(); ok && f >= 1 {
		p.Backoff.Factor = model.RatioOf(f)
	}
	out.Layer(l)
}
