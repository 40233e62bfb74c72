package report

import (
	"fmt"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/sim"
)

// playModels plays the published experiments.
func playModels() ([]herd, []outcome) {
	words := map[sim.Strategy]string{sim.NoJitter: "no jitter", sim.FullJitter: "full jitter", sim.EqualJitter: "equal jitter", sim.DecorrelatedJitter: "decorrelated jitter"}
	var hs []herd
	for _, p := range sim.DefaultHerd().Run() {
		h := herd{strategy: string(p.Strategy), words: words[p.Strategy], peak: p.Peak}
		last := 0
		for b := range p.Buckets {
			last = max(last, b)
		}
		last = min(last, 399) // four seconds; what comes later is sparse
		h.bins = make([]int, last/herdBin+1)
		for b, n := range p.Buckets {
			if b <= last {
				h.bins[b/herdBin] = max(h.bins[b/herdBin], n)
			}
		}
		hs = append(hs, h)
	}
	var os []outcome
	for _, x := range []struct {
		words string
		use   sim.KeyUse
		store sim.Store
	}{
		{"no retries", sim.NeverRetry, sim.RecordBefore},
		{"retries without a key", sim.NoKey, sim.RecordBefore},
		{"a new key for each attempt", sim.KeyPerAttempt, sim.RecordBefore},
		{"one key, recorded after the effect", sim.OneKey, sim.RecordAfter},
		{"one key, claimed before the effect", sim.OneKey, sim.RecordBefore},
		{"one key, in one transaction", sim.OneKey, sim.RecordCommit},
	} {
		c := sim.DefaultClients()
		c.Use, c.Store = x.use, x.store
		o := c.Run()
		os = append(os, outcome{x.words, o.Lost, o.Once, o.Duplicated})
	}
	return hs, os
}

// TestModelPictures holds the numbers of the pictures against the models themselves.
func TestModelPictures(t *testing.T) {
	hs, outs := playModels()
	if *update {
		var b strings.Builder
		b.WriteString("package report\n\n// Written by the test that plays the models (go test ./report -update).\n\nvar herds = []herd{\n")
		for _, h := range hs {
			fmt.Fprintf(&b, "{%q, %q, %d, %#v},\n", h.strategy, h.words, h.peak, h.bins)
		}
		b.WriteString("}\n\nvar outcomes = []outcome{\n")
		for _, o := range outs {
			fmt.Fprintf(&b, "{%q, %d, %d, %d},\n", o.words, o.lost, o.once, o.duplicated)
		}
		b.WriteString("}\n")
		src, err := format.Source([]byte(b.String()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("simdata.go", src, 0o644))
		return
	}
	require.Equal(t, hs, herds)
	require.Equal(t, outs, outcomes)
	require.Len(t, herds, 4)
	require.Contains(t, svgJitter(), "peak 1000 in 10 ms")
}
