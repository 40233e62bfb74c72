package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// sidekiqWaits are the waits of Sidekiq: i^4 + 15 seconds and up to 10 seconds for each attempt so far; Faktory's have 30.
func sidekiqWaits(extra time.Duration) model.Backoff {
	return model.Backoff{Kind: model.BackoffPolynomial, Degree: 4, Initial: model.For(15 * time.Second), Jitter: model.Jitter{Kind: model.JitterAdditiveScaled, Extra: extra}}
}

var _ = add(Format{
	Name:  "sidekiq",
	Title: "Sidekiq",
	Files: []string{"sidekiq*.yml", "sidekiq*.yaml"},
	Match: func(_ string, d *doc.Document) bool { return d.Root.Kind() == doc.Map },
	Read: func(d *doc.Document, out *Out) {
		r := d.Root
		get := func(key string) *doc.Node { return exists(r.Get(":"+key), r.Get(key)) }
		dead := get("dead_timeout_in_seconds")
		self := queue("sidekiq", "*")
		l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Sidekiq max_retries", Policy: model.Policy{On: model.OnError, Backoff: sidekiqWaits(10 * time.Second)}}
		if n := get("max_retries"); n.Exists() {
			out.count(&l, n, r, counting{offset: 1, zero: once, negative: refused})
			out.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "Sidekiq jobs"})
			out.Layer(l)
		}
		if d, ok := out.duration(dead, time.Second); ok {
			out.DeadLetter(model.DeadLetter{Of: self, Name: "dead set", At: out.Loc(dead), Retention: model.For(d), Origin: model.OriginExplicit})
		}
		for _, q := range get("queues").Items() {
			name := q.Str()
			if q.Kind() == doc.List {
				name = q.At(0).Str()
			}
			if n := queue("sidekiq", name); !n.IsZero() {
				out.Node(model.Node{Name: n, Kind: model.NodeQueue, At: out.Loc(q), Label: "queue " + name})
			}
		}
	},
	Keys: []Key{
		{":max_retries:", "retries", "25, Sidekiq", "the dead set at once", "refused"},
		{":dead_timeout_in_seconds:", "how long dead jobs are kept", "180 days", "", ""},
	},
	Doc: `A job that fails runs again 25 times over about three weeks unless the worker class or max_retries say otherwise; then it lies in the dead set for 180 days.
Source: catalogue, F11.`,
	Example: `
-- config/sidekiq.yml --
:max_retries: 5 # want layer "attempts=6 backoff=polynomial"
:queues: [default, mail]
`,
})

var _ = add(Format{
	Name:  "faktory",
	Title: "Faktory cron jobs",
	Files: []string{"*.toml"},
	Match: func(_ string, d *doc.Document) bool {
		for _, c := range d.Root.Get("cron").Items() {
			if c.Get("schedule").Exists() && oneOf(c.Get("job")).Get("type").Exists() {
				return true
			}
		}
		return false
	},
	Read: func(d *doc.Document, out *Out) {
		for _, c := range d.Root.Get("cron").Items() {
			j := oneOf(c.Get("job"))
			typ := plain(j.Get("type"))
			self := queue("faktory", typ)
			if self.IsZero() {
				continue
			}
			l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Faktory retry", Policy: model.Policy{On: model.OnError, Backoff: sidekiqWaits(30 * time.Second)}}
			n := j.Get("retry")
			out.count(&l, n, j, counting{offset: 1, absent: model.Exactly(26), by: "Faktory: retry is 25 where it is not set", off: "retry = 0", zero: once, negative: once})
			sched := model.N(model.SpaceWorkload, "faktorycron/"+out.Repo+"/"+typ)
			out.Node(model.Node{Name: sched, Kind: model.NodeSchedule, At: out.Loc(c.Get("schedule")), Label: "cron of " + typ, Entry: true})
			out.Node(model.Node{Name: self, Kind: model.NodeQueue, At: l.At, Label: "job type " + typ})
			out.Edge(model.Edge{From: sched, To: self, Kind: model.EdgePublish, At: out.Loc(c.Get("schedule"))})
			out.Layer(l)
			if v, ok := n.Int(); !ok || v != 0 {
				out.DeadLetter(model.DeadLetter{Of: self, Name: "dead set", At: l.At, Retention: model.For(180 * 24 * time.Hour), Origin: model.OriginDefault})
			}
		}
	},
	Keys: []Key{
		{"cron.job.retry", "retries", "25, Faktory", "discarded on failure", "the dead set at once (-1)"},
		{"cron.job.reserve_for", "time after which a silent worker's job is given out again, seconds", "1800", "", ""},
	},
	Doc: `A job that fails runs again 25 times with growing waits, then it lies in the dead set for 180 days. 0 discards it on failure, -1 puts it into the dead set at
once: both are one attempt. Source: catalogue, F12.`,
	Example: `
-- cron.toml --
[[cron]]
schedule = "0 2 * * *"
[cron.job]
type = "settle"
retry = 3 # want layer "attempts=4" deadletter "retention=4320h"
[[cron]]
schedule = "0 3 * * *"
[cron.job]
type = "clean"
retry = -1 # want layer "attempts=1" deadletter "retention=4320h"
`,
})

var _ = add(Format{
	Name:  "cargo",
	Title: "Cargo network retries",
	Files: []string{"**/.cargo/config.toml", ".cargo/config.toml"},
	Match: func(p string, d *doc.Document) bool {
		return strings.Contains(p, ".cargo") && d.Root.Path("net.retry").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		n := d.Root.Path("net.retry")
		l := model.Layer{Kind: model.KindDelivery, In: model.N(model.SpaceWorkload, "cargo/"+out.Repo+"/"+out.Path), Whole: true, Label: "Cargo net.retry", Traits: []model.Trait{{Kind: model.TraitIdempotent, Detail: "downloads"}},
			Policy: model.Policy{On: model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx, Backoff: model.Backoff{Kind: model.BackoffLinear, Initial: model.For(time.Second), Step: model.For(3 * time.Second), Max: model.For(10 * time.Second), Jitter: model.Jitter{Kind: model.JitterSome}}}}
		out.count(&l, n, d.Root.Get("net"), counting{offset: 1, negative: refused})
		out.Layer(l)
	},
	Keys: []Key{{"net.retry", "retries", "3, Cargo", "1 attempt", "refused"}},
	Doc:  `Downloads are repeated net.retry times. Source: catalogue, H6.`,
	Example: `
-- .cargo/config.toml --
[net]
retry = 5 # want layer "attempts=6 max=10s"
`,
})
