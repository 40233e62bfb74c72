package rules

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

const sec = time.Second

func perTry(l *model.Layer, d time.Duration) *model.Layer {
	l.Policy.PerAttempt = model.For(d)
	return l
}

func TestInversionOfARoute(t *testing.T) {
	route := func(all, each time.Duration, n int64) *model.Org {
		l := perTry(loop(16, model.Exactly(n)), each)
		l.Policy.Backoff = model.Constant(25 * time.Millisecond)
		org := way(step{method: "GET", layers: []*model.Layer{l}})
		org.Facts = []*model.Facts{{Routes: []model.Route{{Layer: l.ID, Timeout: model.For(all), TimeoutAt: place("mesh.yaml", 14)}}}}
		return org
	}
	f := one(t, "timeout-inversion", route(5*sec, 5*sec, 4))
	require.Equal(t, 14, f.At.Line)
	require.Contains(t, f.Message, "the first slow attempt uses it up")
	require.Len(t, said(t, "timeout-inversion", route(10*sec, 3*sec, 4)), 1)
	require.Empty(t, said(t, "timeout-inversion", route(10*sec, 3*sec, 3)))
	require.Empty(t, said(t, "timeout-inversion", route(10*sec, 0, 4)), "no per-try timeout")
}

func TestInversionOfADeadlineAroundTheLoop(t *testing.T) {
	around := func(detail string, each time.Duration) *model.Org {
		l := perTry(with(loop(32, model.Exactly(4)), trait(model.TraitDeadline, 60, detail)), each)
		return way(step{method: "GET", layers: []*model.Layer{l}})
	}
	require.Equal(t, 60, one(t, "timeout-inversion", around("30s client", 30*sec)).At.Line)
	require.Len(t, said(t, "timeout-inversion", around("30s client", 10*sec)), 1, "four attempts of 10 s do not fit into 30 s")
	require.Empty(t, said(t, "timeout-inversion", around("90s client", 10*sec)))
	require.Empty(t, said(t, "timeout-inversion", around("175200h client", 175200*time.Hour)), "twenty years are no limit")
	// A context is a budget for all attempts: a fault only where the first slow attempt uses it up.
	require.Len(t, said(t, "timeout-inversion", around("30s", 30*sec)), 1)
	require.Empty(t, said(t, "timeout-inversion", around("30s", 10*sec)))
}

func TestInversionAcrossServices(t *testing.T) {
	call := func(limit time.Duration, edges ...model.Edge) *model.Org {
		inner := loop(30, model.Exactly(3))
		inner.Policy.Backoff = model.Constant(2 * sec)
		return way(
			step{method: "POST", edge: model.Edge{Timeout: model.For(limit), At: place("main.go", 18)}, layers: []*model.Layer{loop(10, model.Exactly(3))}},
			step{layers: []*model.Layer{inner}},
			step{method: "POST", edge: model.Edge{Timeout: model.For(5 * sec)}},
		)
	}
	f := one(t, "timeout-inversion", call(10*sec))
	require.Equal(t, 18, f.At.Line)
	require.Contains(t, f.Message, "19s")
	require.Empty(t, said(t, "timeout-inversion", call(20*sec)))
}

func TestInversionNeedsAnOuterLayerAndAnOuterProcess(t *testing.T) {
	inner := loop(30, model.Exactly(3))
	org := way(step{method: "POST", edge: model.Edge{Timeout: model.For(sec)}}, step{method: "POST", edge: model.Edge{Timeout: model.For(5 * sec)}, layers: []*model.Layer{inner}})
	require.Empty(t, said(t, "timeout-inversion", org), "nobody repeats the outer call")
	org = way(step{edge: model.Edge{Deadline: model.For(sec)}, layers: []*model.Layer{loop(10, model.Exactly(3))}}, step{method: "POST", edge: model.Edge{Timeout: model.For(5 * sec)}, layers: []*model.Layer{inner}})
	require.Empty(t, said(t, "timeout-inversion", org), "the same context bounds the inner path")
}

func TestLease(t *testing.T) {
	handle := func(lease, gap time.Duration, more ...func(*model.Layer)) *model.Org {
		queue := with(loop(34, model.Exactly(5)), func(l *model.Layer) {
			l.Kind, l.Policy.Gap, l.Policy.On = model.KindQueue, model.StartToStart, model.OnNoAck
			l.Policy.Backoff = model.Constant(lease)
		})
		inner := loop(52, model.Exactly(6))
		inner.Policy.Backoff = model.Constant(gap)
		for _, m := range more {
			m(inner)
		}
		return way(step{edge: model.Edge{Kind: model.EdgeDeliver}, layers: []*model.Layer{queue}},
			step{method: "POST", edge: model.Edge{Timeout: model.For(5 * sec)}, layers: []*model.Layer{inner}})
	}
	f := one(t, "lease-too-short", handle(30*sec, 20*sec))
	require.Equal(t, 34, f.At.Line)
	require.Contains(t, f.Message, "2m10s")
	require.Empty(t, said(t, "lease-too-short", handle(300*sec, 20*sec)))
	require.Empty(t, said(t, "lease-too-short", handle(30*sec, 20*sec, trait(model.TraitExtendsLease, 59, ""))))
}

func TestLeaseCountsTheWaitsWhereNothingBoundsAnAttempt(t *testing.T) {
	queue := with(loop(34, model.Exactly(5)), func(l *model.Layer) {
		l.Kind, l.Policy.Gap = model.KindQueue, model.StartToStart
		l.Policy.Backoff = model.Constant(30 * sec)
	})
	inner := loop(52, model.Exactly(6))
	inner.Policy.Backoff = model.Constant(20 * sec)
	org := way(step{layers: []*model.Layer{queue}}, step{method: "POST", layers: []*model.Layer{inner}})
	require.Contains(t, one(t, "lease-too-short", org).Message, "1m40s")
	inner.Policy.Backoff = model.Constant(sec)
	require.Empty(t, said(t, "lease-too-short", org), "a lower bound below the lease says nothing")
}
