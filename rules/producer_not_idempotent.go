package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "producer-not-idempotent",
	Severity: model.Warning,
	Group:    "policies",
	Summary:  "a producer retries with idempotence off, or code sends again on top of an idempotent producer",
	Why: "When an acknowledgement is lost the producer writes the record again. With idempotence on the broker drops the repeat by its " +
		"sequence number; with idempotence off the record is there twice. A send that code repeats is a new record either way.",
	Fix: "Switch the producer's idempotence on, and let the producer do the retries.",
	Bad: `
-- feed/go.mod --
module example.test/feed

require github.com/IBM/sarama v1.46.0
-- feed/producer.go --
package feed

import "github.com/IBM/sarama"

// NewProducer opens the producer for the ledger feed.
func NewProducer(brokers []string) (sarama.SyncProducer, error) {
	c := sarama.NewConfig()
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Retry.Max = 8 // want "idempotence"
	return sarama.NewSyncProducer(brokers, c)
}
`,
	Good: `
-- feed/go.mod --
module example.test/feed

require github.com/IBM/sarama v1.46.0
-- feed/producer.go --
package feed

import "github.com/IBM/sarama"

// NewProducer opens the producer for the ledger feed.
func NewProducer(brokers []string) (sarama.SyncProducer, error) {
	c := sarama.NewConfig()
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Idempotent = true
	c.Net.MaxOpenRequests = 1
	c.Producer.Retry.Max = 8
	return sarama.NewSyncProducer(brokers, c)
}
`,
	GoAlone: true,
	Check:   checkProducer,
})

func checkProducer(p *Pass) {
	v := viewOf(p.Org)
	for _, l := range v.org.Layers {
		if l.Policy.Attempts.One() {
			continue
		}
		if t, ok := l.Trait(model.TraitNotIdempotentSend); ok {
			f := p.Report(mend(l), v.chains[l], "the producer sends again (%s) with idempotence off: a record whose acknowledgement was lost is written twice", tries(l))
			f.Layer = l.ID
			if !t.At.IsZero() && t.At != mend(l) {
				f.Related = append(f.Related, model.Related{At: t.At, Message: "idempotence is off"})
			}
			continue
		}
		if t, ok := l.Trait(model.TraitResendsOverSafe); ok {
			f := p.Report(mend(l), v.chains[l], "the %s sends a record again on top of an idempotent producer: to the broker it is a new record", title(l))
			f.Layer = l.ID
			if !t.At.IsZero() && t.At != mend(l) {
				f.Related = append(f.Related, model.Related{At: t.At, Message: "the record is sent here"})
			}
		}
	}
}
