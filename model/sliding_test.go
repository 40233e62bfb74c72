package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A memory that each duplicate renews has to outlast the longest time between two of them, not the whole path.
func TestSlidingWindow(t *testing.T) {
	loop := &Layer{Kind: KindLoop, Policy: Policy{Attempts: Exactly(50), Backoff: Constant(time.Minute)}}
	queue := &Layer{Kind: KindQueue, Policy: Policy{Attempts: Exactly(4), Gap: StartToStart, Backoff: Constant(20 * time.Minute)}}
	a, b := &Vertex{ID: 0}, &Vertex{ID: 1}
	arc := &Arc{From: a, To: b, Edge: &Edge{Kind: EdgeRequest, Timeout: For(10 * time.Second)}, Layers: []*Layer{queue, loop}}
	c := &Chain{Entry: a, Effect: b, Hops: []Hop{{arc, arc.Layers}}}
	judge := func(ttl time.Duration, traits ...Trait) Judged {
		return c.Verdict(&Boundary{Store: StoreDurable, TTL: WindowFor(ttl), Traits: traits}, b, NewRatio(2, 1))
	}
	sliding := Trait{Kind: TraitSliding}
	require.Equal(t, Short, judge(time.Hour).Verdict, "the path takes 1h58m and more")
	j := judge(time.Hour, sliding)
	require.Equal(t, Covered, j.Verdict)
	require.True(t, j.Gap)
	require.Equal(t, "20m", j.Longest.String())
	require.Equal(t, Margin, judge(30*time.Minute, sliding).Verdict)
	require.Equal(t, Short, judge(20*time.Minute, sliding).Verdict)

	c.Paths = []ReplayPath{{Kind: PathDeadLetter, Delay: For(24 * time.Hour), Clock: AfterAutomatic}}
	require.Equal(t, "24h", judge(time.Hour, sliding).Longest.String(), "a replay may follow a single attempt")
	require.Equal(t, Covered, judge(48*time.Hour, sliding).Verdict)
}

func TestLongestWait(t *testing.T) {
	for want, b := range map[string]Backoff{
		"1s":        Constant(time.Second),
		"8s":        Exponential(time.Second, NewRatio(2, 1), time.Minute),
		"3s":        Exponential(time.Second, NewRatio(2, 1), 3*time.Second),
		"unbounded": {},
	} {
		n := Exactly(5)
		if b.Kind == BackoffUnknown {
			b, n = Exponential(time.Second, NewRatio(2, 1), 0), Unbounded()
			b.Max = NoLimit()
		}
		require.Equal(t, want, b.Longest(n).String())
	}
	require.Equal(t, "3s", Exponential(time.Second, NewRatio(2, 1), 3*time.Second).Longest(Unbounded()).String())
	require.Equal(t, "0s", Constant(time.Second).Longest(Exactly(1)).String())
}
