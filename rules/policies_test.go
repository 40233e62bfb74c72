package rules

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestSoundLoopIsLeftAlone(t *testing.T) {
	org := way(step{method: "POST", edge: model.Edge{Timeout: model.For(time.Second)}, layers: []*model.Layer{loop(10, model.Exactly(4))}})
	out, _ := Run(org, Defaults(), func(r Rule) bool { return r.Group == "policies" || r.Group == "chains" })
	require.Empty(t, out)
}

func TestUnbounded(t *testing.T) {
	f := one(t, "unbounded-retry", way(step{method: "GET", layers: []*model.Layer{loop(10, model.Unbounded())}}))
	require.Equal(t, model.Warning, f.Severity)
	f = one(t, "unbounded-retry", way(step{method: "POST", layers: []*model.Layer{loop(10, model.Unbounded())}}))
	require.Equal(t, model.Error, f.Severity)
	f = one(t, "unbounded-retry", way(step{method: "POST", edge: model.Edge{Key: model.Key{How: model.KeyForwarded}}, layers: []*model.Layer{loop(10, model.Unbounded())}}))
	require.Equal(t, model.Warning, f.Severity, "a key makes the repeat harmless")
	out, und := Run(way(step{method: "POST", layers: []*model.Layer{with(loop(10, model.Unbounded()), trait(model.TraitStopsOnContext, 12, ""))}}), Defaults(), func(r Rule) bool { return r.ID == "unbounded-retry" })
	require.Empty(t, out, "the caller's context may have a deadline")
	require.Len(t, und, 1)
	f = one(t, "unbounded-retry", way(step{method: "POST", edge: model.Edge{Deadline: model.NoLimit()}, layers: []*model.Layer{with(loop(10, model.Unbounded()), trait(model.TraitStopsOnContext, 12, ""))}}))
	require.Equal(t, model.Error, f.Severity, "it is known that it has none")
}

func TestUnboundedMustNotFlag(t *testing.T) {
	for name, org := range map[string]*model.Org{
		"a count":           way(step{method: "POST", layers: []*model.Layer{loop(10, model.Exactly(9))}}),
		"a time limit":      way(step{method: "POST", layers: []*model.Layer{with(loop(10, model.Unbounded()), func(l *model.Layer) { l.Policy.Overall = model.For(time.Minute) })}}),
		"a deadline around": way(step{method: "POST", layers: []*model.Layer{with(loop(10, model.Unbounded()), trait(model.TraitDeadline, 9, "1m0s"))}}),
		"a caller's deadline": way(step{edge: model.Edge{Deadline: model.For(time.Minute)}},
			step{method: "POST", layers: []*model.Layer{loop(10, model.Unbounded())}}),
		"a poller":          way(step{method: "GET", layers: []*model.Layer{with(loop(10, model.Unbounded()), trait(model.TraitWaitsForState, 9, ""))}}),
		"a schedule's tick": way(step{method: "GET", layers: []*model.Layer{with(loop(10, model.Unbounded()), trait(model.TraitOuterLoop, 9, ""))}}),
		"nothing was sent":  way(step{method: "GET", layers: []*model.Layer{with(loop(10, model.Unbounded()), func(l *model.Layer) { l.Policy.On = model.OnConnect })}}),
	} {
		require.Empty(t, said(t, "unbounded-retry", org), name)
	}
}

func TestNoBackoff(t *testing.T) {
	bare := func(n model.Count) *model.Layer {
		return with(loop(10, n), func(l *model.Layer) { l.Policy.Backoff = model.NoBackoff() })
	}
	f := one(t, "no-backoff", way(step{method: "GET", layers: []*model.Layer{bare(model.Exactly(500))}}))
	require.Equal(t, model.Warning, f.Severity)
	require.Contains(t, f.Message, "500 attempts without a wait")
	require.Len(t, said(t, "no-backoff", way(step{method: "GET", layers: []*model.Layer{bare(model.Unbounded())}})), 1)
	require.Empty(t, said(t, "no-jitter", way(step{method: "GET", layers: []*model.Layer{bare(model.Exactly(500))}})))
	for name, l := range map[string]*model.Layer{
		"one immediate second try": bare(model.Exactly(2)),
		"hedging":                  with(bare(model.Exactly(3)), trait(model.TraitHedge, 10, "")),
		"a known wait":             loop(10, model.Exactly(5)),
		"a wait of unknown length": with(loop(10, model.Exactly(5)), func(l *model.Layer) { l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant} }),
		"unknown":                  with(loop(10, model.Exactly(5)), func(l *model.Layer) { l.Policy.Backoff = model.Backoff{} }),
		"switched off":             bare(model.Exactly(1)),
		"a pipeline's step":        with(bare(model.Exactly(3)), func(l *model.Layer) { l.Kind = model.KindDelivery }),
	} {
		require.Empty(t, said(t, "no-backoff", way(step{method: "GET", layers: []*model.Layer{l}})), name)
	}
}

func TestNoJitter(t *testing.T) {
	fixed := func() *model.Layer {
		return with(loop(10, model.Exactly(5)), func(l *model.Layer) { l.Policy.Backoff = model.Constant(2 * time.Second) })
	}
	f := one(t, "no-jitter", way(step{method: "GET", layers: []*model.Layer{fixed()}}))
	require.Equal(t, model.Note, f.Severity)
	require.Contains(t, f.Message, "a fixed wait of 2s")
	for name, l := range map[string]*model.Layer{
		"jitter":          loop(10, model.Exactly(5)),
		"unknown jitter":  with(fixed(), func(l *model.Layer) { l.Policy.Backoff.Jitter = model.Jitter{} }),
		"single instance": with(fixed(), trait(model.TraitSingleInstance, 10, "")),
		"a job":           with(fixed(), func(l *model.Layer) { l.Kind = model.KindJob }),
		"a lease":         with(fixed(), func(l *model.Layer) { l.Policy.Gap = model.StartToStart }),
	} {
		require.Empty(t, said(t, "no-jitter", way(step{method: "GET", layers: []*model.Layer{l}})), name)
	}
}

func TestNoTimeout(t *testing.T) {
	none := model.Edge{Timeout: model.NoLimit(), Deadline: model.NoLimit(), At: place("rates.go", 21)}
	f := one(t, "no-timeout", way(step{method: "GET", edge: none, layers: []*model.Layer{loop(10, model.Exactly(5))}}))
	require.Equal(t, 21, f.At.Line)
	// The loop is in the caller, whose context has no deadline.
	passed := none
	passed.Deadline = model.Limit{}
	require.Len(t, said(t, "no-timeout", way(step{edge: model.Edge{Deadline: model.NoLimit()}, layers: []*model.Layer{loop(10, model.Exactly(5))}}, step{method: "GET", edge: passed})), 1)
	for name, org := range map[string]*model.Org{
		"a client's timeout":       way(step{method: "GET", edge: model.Edge{Timeout: model.For(time.Second), Deadline: model.NoLimit()}, layers: []*model.Layer{loop(10, model.Exactly(5))}}),
		"a context of unknown end": way(step{method: "GET", edge: passed, layers: []*model.Layer{loop(10, model.Exactly(5))}}),
		"an unknown client":        way(step{method: "GET", edge: model.Edge{Deadline: model.NoLimit()}, layers: []*model.Layer{loop(10, model.Exactly(5))}}),
		"a caller's deadline":      way(step{edge: model.Edge{Deadline: model.For(time.Minute)}, layers: []*model.Layer{loop(10, model.Exactly(5))}}, step{method: "GET", edge: passed}),
		"a limit per attempt": way(step{method: "GET", edge: none, layers: []*model.Layer{with(loop(10, model.Exactly(5)), func(l *model.Layer) {
			l.Policy.PerAttempt = model.For(time.Second)
		})}}),
		"no retries":        way(step{method: "GET", edge: none}),
		"a route's timeout": way(step{method: "GET", edge: none, limit: model.For(time.Second), layers: []*model.Layer{loop(10, model.Exactly(5))}}),
	} {
		require.Empty(t, said(t, "no-timeout", org), name)
	}
}

func TestPermanentErrors(t *testing.T) {
	l := with(loop(10, model.Exactly(5)), trait(model.TraitRetriesPermanent, 37, "every answer from 400 on is repeated"))
	f := one(t, "retries-permanent-errors", way(step{method: "GET", layers: []*model.Layer{l}}))
	require.Equal(t, 37, f.At.Line)
	require.Empty(t, said(t, "retries-permanent-errors", way(step{method: "GET", layers: []*model.Layer{with(l, trait(model.TraitFiltersPermanent, 38, ""))}})))
	ctx := with(loop(23, model.Exactly(7)), trait(model.TraitIgnoresContext, 19, ""))
	require.Equal(t, 23, one(t, "retries-permanent-errors", way(step{method: "GET", layers: []*model.Layer{ctx}})).At.Line)
	require.Empty(t, said(t, "retries-permanent-errors", way(step{method: "GET", layers: []*model.Layer{with(ctx, trait(model.TraitStopsOnContext, 20, ""))}})))
	mesh := with(loop(8, model.Exactly(3)), func(l *model.Layer) { l.At.Path, l.Policy.On = "mesh.yaml", model.On4xx|model.On5xx })
	require.Len(t, said(t, "retries-permanent-errors", way(step{method: "GET", layers: []*model.Layer{mesh}})), 1)
}

func TestRetryAfter(t *testing.T) {
	sees := func(more ...func(*model.Layer)) *model.Org {
		l := with(with(loop(15, model.Exactly(6)), trait(model.TraitSeesStatus, 24, "")), trait(model.TraitRetries429, 24, "429"))
		for _, m := range more {
			m(l)
		}
		return way(step{method: "GET", layers: []*model.Layer{l}})
	}
	f := one(t, "ignores-retry-after", sees())
	require.Equal(t, 24, f.At.Line)
	require.Equal(t, model.Note, f.Severity)
	require.Empty(t, said(t, "ignores-retry-after", sees(trait(model.TraitReadsRetryAfter, 18, "capped"))))
	require.Contains(t, one(t, "ignores-retry-after", sees(trait(model.TraitReadsRetryAfter, 18, "uncapped"))).Message, "without a cap")
	require.Empty(t, said(t, "ignores-retry-after", sees(trait(model.TraitReadsRetryAfter, 18, "uncapped"), func(l *model.Layer) { l.Policy.Overall = model.For(time.Minute) })))
}

func TestBody(t *testing.T) {
	body := func(k model.TraitKind, more ...func(*model.Layer)) *model.Org {
		l := with(loop(19, model.Exactly(4)), trait(k, 20, ""))
		for _, m := range more {
			m(l)
		}
		return way(step{method: "PUT", layers: []*model.Layer{l}})
	}
	require.Equal(t, model.Error, one(t, "body-not-rewound", body(model.TraitBodyStream)).Severity)
	require.Equal(t, model.Warning, one(t, "body-not-rewound", body(model.TraitBodyReader)).Severity)
	require.Empty(t, said(t, "body-not-rewound", body(model.TraitBodyReader, trait(model.TraitBodyRewound, 21, ""))))
	require.Empty(t, said(t, "body-not-rewound", body(model.TraitBodyStream, func(l *model.Layer) { l.Policy.Attempts = model.Exactly(1) })))
}

func TestPayload(t *testing.T) {
	ask := func(k model.Key) *model.Org {
		return way(step{method: "POST", edge: model.Edge{Key: k}, layers: []*model.Layer{with(loop(10, model.Exactly(4)), trait(model.TraitPayloadFresh, 27, "the clock"))}})
	}
	f := one(t, "payload-per-attempt", ask(model.Key{How: model.KeyDerived, Sink: "Idempotency-Key"}))
	require.Equal(t, 27, f.At.Line)
	require.Len(t, said(t, "payload-per-attempt", ask(model.Key{How: model.KeyMade, Sources: model.FromRandom})), 1)
	require.Empty(t, said(t, "payload-per-attempt", ask(model.Key{How: model.KeyMade, Sources: model.FromRandom, BornUnder: []string{"loop" + string(rune('0'+10))}})), "the key is fresh as well")
	require.Empty(t, said(t, "payload-per-attempt", ask(model.Key{How: model.KeyNone})), "no key")
}

func TestProducerAndSettings(t *testing.T) {
	l := with(loop(15, model.Exactly(9)), trait(model.TraitNotIdempotentSend, 18, ""))
	require.Equal(t, 15, one(t, "producer-not-idempotent", way(step{layers: []*model.Layer{l}})).At.Line)
	l.Policy.Attempts = model.Exactly(1)
	require.Empty(t, said(t, "producer-not-idempotent", way(step{layers: []*model.Layer{l}})))
	l = with(loop(15, model.Exactly(9)), trait(model.TraitIneffective, 18, "gRPC stops at 5 attempts"))
	require.Contains(t, one(t, "ineffective-setting", way(step{layers: []*model.Layer{l}})).Message, "gRPC stops at 5 attempts")
}
