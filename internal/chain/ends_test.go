package chain_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/model"
)

// A retried operation calls many functions that say nothing. The way ends at the operation; each request is an end by itself.
func TestPlainCallsAreOneEnd(t *testing.T) {
	r := repo("svc")
	entry, op, middle := fn(r, "Entry", true), fn(r, "op", false), fn(r, "middle", false)
	loop := layer(r, entry, model.Exactly(3), time.Second)
	call := func(from, to model.Name, under ...string) {
		r.Edges = append(r.Edges, model.Edge{From: from, To: to, Kind: model.EdgeCall, At: at(r, 200+len(r.Edges)), Under: under})
	}
	call(entry, op, loop)
	call(op, middle)
	for i := range 20 {
		call(middle, fn(r, fmt.Sprintf("far%d", i), false))
	}
	near := fn(r, "near", false)
	call(op, near)
	request(r, middle, "a.example", "POST", "/a")
	request(r, middle, "b.example", "POST", "/b")

	org := chain.Build([]*model.Facts{r}, options())
	var got []string
	for _, c := range org.Chains {
		require.Equal(t, "3", c.Attempts().String())
		got = append(got, c.Effect.Name.Key)
	}
	require.ElementsMatch(t, []string{op.Key, "a.example", "b.example"}, got)
}
