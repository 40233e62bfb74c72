package rules

import (
	"fmt"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Rule{
	ID:       "lease-too-short",
	Severity: model.Warning,
	Group:    "chains",
	Summary:  "a message is delivered again, or a lock ends, while its handler may still be at work",
	Why: "The visibility timeout, ack wait or lease ends before the handler does, its own retries included, so a second worker " +
		"starts the same work beside the first one.",
	Fix: "Make the lease longer than the handler's worst case, extend it while the handler works, or let the handler try less.",
	Bad: `
-- streams/consumer.yaml --
apiVersion: jetstream.nats.io/v1beta2
kind: Consumer
metadata:
  name: mailer
spec:
  streamName: REPORTS
  durableName: mailer
  ackPolicy: explicit
  ackWait: 30s # want "30s"
  maxDeliver: 5
-- mailer/go.mod --
module example.test/mailer

require github.com/nats-io/nats.go v1.55.0
-- mailer/mail.go --
package mailer

import (
	"context"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

var hc = &http.Client{Timeout: 10 * time.Second}

// Run serves the durable consumer.
func Run(ctx context.Context, js jetstream.JetStream) error {
	cons, err := js.Consumer(ctx, "REPORTS", "mailer")
	if err != nil {
		return err
	}
	_, err = cons.Consume(func(msg jetstream.Msg) {
		if mail() == nil {
			msg.Ack()
		}
	})
	return err
}

func mail() (err error) {
	for n := 0; n < 4; n++ {
		resp, e := hc.Get("http://mail.example.test/send")
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(15 * time.Second)
	}
	return err
}
`,
	Good: `
-- streams/consumer.yaml --
apiVersion: jetstream.nats.io/v1beta2
kind: Consumer
metadata:
  name: mailer
spec:
  streamName: REPORTS
  durableName: mailer
  ackPolicy: explicit
  ackWait: 5m
  maxDeliver: 5
-- mailer/go.mod --
module example.test/mailer

require github.com/nats-io/nats.go v1.55.0
-- mailer/mail.go --
package mailer

import (
	"context"
	"net/http"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

var hc = &http.Client{Timeout: 10 * time.Second}

// Run serves the durable consumer.
func Run(ctx context.Context, js jetstream.JetStream) error {
	cons, err := js.Consumer(ctx, "REPORTS", "mailer")
	if err != nil {
		return err
	}
	_, err = cons.Consume(func(msg jetstream.Msg) {
		if mail() == nil {
			msg.Ack()
		}
	})
	return err
}

func mail() (err error) {
	for n := 0; n < 4; n++ {
		resp, e := hc.Get("http://mail.example.test/send")
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(15 * time.Second)
	}
	return err
}
`,
	GoAlone: true,
	Check:   checkLease,
})

// work is the longest that one delivery may take, and the chain that shows it.
type work struct {
	chain  *model.Chain
	below  []model.Hop
	length model.Limit
	waits  bool // only the waits are counted: nothing bounds an attempt
}

func checkLease(p *Pass) {
	longest := map[*model.Layer]work{}
	var order []*model.Layer
	extended := map[*model.Layer]bool{}
	for _, c := range p.Org.Chains {
		for i, h := range c.Hops {
			for j, l := range h.Layers {
				if l.Policy.Gap != model.StartToStart || l.Kind == model.KindScheduler || l.Has(model.TraitOuterLoop) {
					continue
				}
				if _, ok := longest[l]; !ok {
					order = append(order, l)
				}
				below := append([]model.Hop{{Arc: h.Arc, Layers: h.Layers[j+1:]}}, c.Hops[i+1:]...)
				if extends(l, below) {
					extended[l] = true
				}
				w := workOf(c, below)
				if old, ok := longest[l]; !ok || w.length.Compare(old.length) > 0 {
					longest[l] = w
				}
			}
		}
	}
	for _, l := range order {
		if !extended[l] {
			reportLease(p, l, longest[l])
		}
	}
}

func reportLease(p *Pass, l *model.Layer, w work) {
	lease := leaseOf(l)
	d, ok := lease.Duration()
	if !ok {
		return
	}
	if l.Policy.PerAttempt.Known() && l.Policy.PerAttempt != lease {
		w.length = w.length.Min(l.Policy.PerAttempt) // whoever delivers also ends the handler
	}
	length, known := w.length.Duration()
	if !known {
		if w.length.IsUnknown() {
			p.Undecided(mend(l), "how long the work under this lease may take is not known")
		}
		return
	}
	if length <= d {
		return
	}
	what := fmt.Sprintf("may take %s with its own retries", w.length)
	if w.waits {
		what = fmt.Sprintf("may wait %s between its own attempts alone", w.length)
	}
	to := "the handler"
	if w.below[0].Arc.To != nil && w.below[0].Arc.To.Kind == model.NodeConsumer {
		to = named(w.below[0].Arc.To, w.below[0].Arc.To.Name)
	}
	f := p.Report(mend(l), w.chain, "a message is given to the next worker after %s, but %s %s: both do the work", lease, to, what)
	f.Layer = l.ID
	for _, h := range w.below {
		for _, x := range h.Layers {
			if x.Factor() {
				f.Related = append(f.Related, model.Related{At: mend(x), Message: title(x) + ": " + tries(x)})
			}
		}
	}
}

// leaseOf is the time after which the message comes again although its handler has not answered.
func leaseOf(l *model.Layer) model.Limit {
	if l.Policy.Backoff.Kind == model.BackoffUnknown || l.Policy.Backoff.Initial.IsUnknown() && len(l.Policy.Backoff.List) == 0 {
		return model.Limit{}
	}
	lo, _ := l.Policy.Backoff.Gap(1)
	return lo
}

// workOf is how long the way beneath a lease may take: with the time limits of the attempts, or else the waits alone,
// which are then a lower bound. Without any layer beneath it is unknown, because what a handler does besides is not seen.
func workOf(c *model.Chain, below []model.Hop) work {
	w := work{chain: c, below: below}
	layers := false
	for _, h := range below {
		for _, l := range h.Layers {
			layers = layers || l.Factor()
		}
	}
	sub := &model.Chain{Hops: below}
	w.length = sub.WorstCase()
	if !w.length.Known() {
		if waits := sub.AutomaticDelay(); waits.Known() && waits != model.For(0) {
			w.length, w.waits = waits, true
		}
	}
	if !layers && !w.length.Known() {
		w.length = model.Limit{}
	}
	return w
}

// extends reports whether the handler asks for more time while it works.
func extends(l *model.Layer, below []model.Hop) bool {
	if l.Has(model.TraitExtendsLease) {
		return true
	}
	for _, h := range below {
		for _, x := range h.Layers {
			if x.Has(model.TraitExtendsLease) {
				return true
			}
		}
		for _, v := range []*model.Vertex{h.Arc.From, h.Arc.To} {
			if v == nil {
				continue
			}
			if v.Node != nil && hasTrait(v.Node.Traits, model.TraitExtendsLease) || v.Handler != nil && hasTrait(v.Handler.Traits, model.TraitExtendsLease) {
				return true
			}
		}
	}
	return false
}

func hasTrait(ts []model.Trait, k model.TraitKind) bool {
	for _, t := range ts {
		if t.Kind == k {
			return true
		}
	}
	return false
}
