package rules

import (
	"fmt"
	"time"

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
-- mailer/go.mod --
module example.test/mailer

require github.com/aws/aws-sdk-go-v2/service/sqs v1.53.0
-- mailer/worker.go --
package mailer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Run takes messages until ctx ends.
func Run(ctx context.Context, q *sqs.Client, url string) error {
	for ctx.Err() == nil {
		out, err := q.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl:          &url,
			VisibilityTimeout: 30, // want "30s"
		})
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if send(*m.Body) != nil {
				continue
			}
			if _, err := q.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// send asks the mail service, with its own retries.
func send(id string) error {
	for n := 0; n < 6; n++ {
		resp, err := hc.Get("http://mail.example.test/send?id=" + id)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(20 * time.Second)
	}
	return fmt.Errorf("mail not sent")
}
`,
	Good: `
-- mailer/go.mod --
module example.test/mailer

require github.com/aws/aws-sdk-go-v2/service/sqs v1.53.0
-- mailer/worker.go --
package mailer

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

var hc = &http.Client{Timeout: 5 * time.Second}

// Run takes messages until ctx ends.
func Run(ctx context.Context, q *sqs.Client, url string) error {
	for ctx.Err() == nil {
		out, err := q.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl:          &url,
			VisibilityTimeout: 300,
		})
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if send(*m.Body) != nil {
				continue
			}
			if _, err := q.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// send asks the mail service, with its own retries.
func send(id string) error {
	for n := 0; n < 6; n++ {
		resp, err := hc.Get("http://mail.example.test/send?id=" + id)
		if err == nil {
			return resp.Body.Close()
		}
		time.Sleep(20 * time.Second)
	}
	return fmt.Errorf("mail not sent")
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
				if l.Kind == model.KindScheduler || l.Has(model.TraitOuterLoop) || l.Policy.Gap != model.StartToStart && !keepsLease(l, c.Hops[i:]) {
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
	place := mend(l)
	if t, ok := l.Trait(model.TraitLease); ok {
		place = at(t.At, place)
	}
	f := p.Report(place, w.chain, "a message is given to the next worker after %s, but %s %s: both do the work", lease, to, what)
	f.Layer = l.ID
	for _, h := range w.below {
		for _, x := range h.Layers {
			if x.Factor() {
				f.Related = append(f.Related, model.Related{At: mend(x), Message: title(x) + ": " + tries(x)})
			}
		}
	}
}

// keepsLease reports whether a redelivery has a deadline for the answer that its consumer does not ask to move.
func keepsLease(l *model.Layer, below []model.Hop) bool {
	if !l.Has(model.TraitLease) {
		return false
	}
	for _, h := range below[:min(len(below), 2)] {
		for _, v := range []*model.Vertex{h.Arc.From, h.Arc.To} {
			if v != nil && v.Handler != nil && hasTrait(v.Handler.Traits, model.TraitKeepsLease) {
				return true
			}
		}
	}
	return false
}

// leaseOf is the time after which the message comes again although its handler has not answered.
func leaseOf(l *model.Layer) model.Limit {
	if t, ok := l.Trait(model.TraitLease); ok && l.Policy.Gap != model.StartToStart {
		if d, err := time.ParseDuration(t.Detail); err == nil {
			return model.For(d)
		}
	}
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
	for _, h := range below {
		own := false // a layer of the code's own may make a context for each attempt
		for _, l := range h.Layers {
			own = own || l.Kind != model.KindClient
		}
		if own {
			break
		}
		if e := h.Arc.Edge; e != nil && e.Deadline.Known() && w.length.Known() {
			w.length = w.length.Min(e.Deadline) // the handler's own context ends it
		}
	}
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
