package rules

import "github.com/retrylint/retrylint/model"

var _ = add(Rule{
	ID:       "record-not-atomic",
	Severity: model.Warning,
	Group:    "dedupe",
	Summary:  "the key's record and the effect are two separate commits",
	Why: "A crash or a rollback between the two leaves one without the other. If the record stays and the effect is gone, every repeat is " +
		"turned away and the work is lost; if the effect stays and the record is gone, the repeat does the work again.",
	Fix: "Write the record and the effect in one transaction, or record the claim as in flight with a way to take it over.",
	Bad: `
-- inbox/go.mod --
module example.test/inbox
-- inbox/inbox.go --
package inbox

import (
	"context"
	"database/sql"
)

type Inbox struct{ db *sql.DB }

// Receive handles one message of an at-least-once feed.
func (b *Inbox) Receive(ctx context.Context, messageID string, cents int64) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := b.db.ExecContext(ctx, "INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING", messageID) // want "2 commits"
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET cents = cents + $1", cents); err != nil {
		return err
	}
	return tx.Commit()
}
`,
	Good: `
-- inbox/go.mod --
module example.test/inbox
-- inbox/inbox.go --
package inbox

import (
	"context"
	"database/sql"
)

type Inbox struct{ db *sql.DB }

// Receive handles one message of an at-least-once feed.
func (b *Inbox) Receive(ctx context.Context, messageID string, cents int64) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	res, err := tx.ExecContext(ctx, "INSERT INTO inbox (id) VALUES ($1) ON CONFLICT DO NOTHING", messageID)
	if err != nil {
		return err
	}
	if n, _ := res.RowsAffected(); n == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE accounts SET cents = cents + $1", cents); err != nil {
		return err
	}
	return tx.Commit()
}
`,
	GoAlone: true,
	Check:   checkRecordNotAtomic,
})

func checkRecordNotAtomic(p *Pass) {
	for _, d := range memories(p.Org) {
		b := d.boundary
		t, ok := b.Trait(model.TraitSeparateCommit)
		if !ok || b.Has(model.TraitRecovery) || b.Order == model.OrderTransaction {
			continue
		}
		place := at(t.At, b.Use, b.At)
		why := t.Detail
		if why == "" {
			why = "a crash in between leaves one without the other"
		}
		f := p.Report(place, nil, "2 commits for one intent at %s: the %s record and the effect are not written together, and %s.", d.where(), storeWords(b), why)
		if e, ok := b.Trait(model.TraitEffect); ok {
			related(f, e.At, "the effect")
		}
		related(f, b.Use, "the record is asked for here")
	}
}
