package sim

import (
	"sort"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublishedPeaks(t *testing.T) {
	want := map[Strategy]int{NoJitter: 1000, FullJitter: 157, EqualJitter: 214, DecorrelatedJitter: 73}
	for _, p := range DefaultHerd().Run() {
		require.Equal(t, want[p.Strategy], p.Peak, p.Strategy)
	}
}

// median of a figure over 20 seeds.
func median(c Clients, figure func(Outcome) int) int {
	var all []int
	for seed := range uint32(20) {
		c.Seed = seed + 1
		all = append(all, figure(c.Run()))
	}
	sort.Ints(all)
	return (all[9] + all[10]) / 2
}

func TestPublishedBands(t *testing.T) {
	lost := func(o Outcome) int { return o.Lost }
	twice := func(o Outcome) int { return o.Duplicated }
	for _, c := range []struct {
		name   string
		use    KeyUse
		store  Store
		figure func(Outcome) int
		lo, hi int
	}{
		{"lost without retries", NeverRetry, RecordBefore, lost, 20, 40},
		{"duplicated without a key", NoKey, RecordBefore, twice, 85, 115},
		{"duplicated with a key per attempt", KeyPerAttempt, RecordBefore, twice, 85, 115},
		{"duplicated with one key", OneKey, RecordBefore, twice, 0, 0},
		{"duplicated with one key and one commit", OneKey, RecordCommit, twice, 0, 0},
		{"duplicated with the record after the effect", OneKey, RecordAfter, twice, 75, 96},
	} {
		m := DefaultClients()
		m.Use, m.Store = c.use, c.store
		got := median(m, c.figure)
		require.GreaterOrEqual(t, got, c.lo, c.name)
		require.LessOrEqual(t, got, c.hi, c.name)
	}
}

func TestACrashBetweenClaimAndEffectLosesTheIntent(t *testing.T) {
	m := DefaultClients()
	m.Loss, m.Crash = 0, 0.5
	require.Positive(t, m.Run().Lost, "claimed, never done, nobody takes over")
	m.Store = RecordCommit
	require.Zero(t, m.Run().Duplicated)
	m.Store = RecordAfter
	require.Positive(t, m.Run().Duplicated)
}

func TestEveryIntentIsCountedOnce(t *testing.T) {
	for seed := range uint32(50) {
		m := DefaultClients()
		m.Seed, m.Use, m.Store = seed, NoKey, RecordAfter
		o := m.Run()
		require.Equal(t, m.Intents, o.Lost+o.Once+o.Duplicated)
		require.LessOrEqual(t, o.Sent, m.Intents*m.Attempts)
		require.Equal(t, o, m.Run(), "the same seed gives the same figures")
	}
}
