package model_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestConditions(t *testing.T) {
	require.Equal(t, "502-504, 429", (model.OnGateway | model.On429).String())
	require.Equal(t, []string{"connect-failure", "success"}, (model.OnConnect | model.OnSuccess).Words())
	require.Empty(t, model.Conditions(0).Words())
	require.True(t, model.OnConnect.OnlyUnsent())
	require.False(t, (model.OnConnect | model.OnReset).OnlyUnsent())
	require.False(t, model.Conditions(0).OnlyUnsent(), "not known")
	require.True(t, model.OnNoAck.Redelivery())
	require.False(t, (model.OnNoAck | model.OnError).Redelivery())
	for _, c := range []struct {
		a, b   model.Conditions
		shared bool
	}{
		{model.OnConnect, model.On500, false},
		{model.OnConnect | model.On500, model.On500, true},
		{0, model.OnConnect, true},
		{model.OnError, model.OnConnect, true},
		{model.OnExit, model.On500, true},
		{model.OnNoAck, model.On429, true},
		{model.OnSuccess, model.On429, true},
		{model.OnTimeout, model.On429, false},
	} {
		require.Equal(t, c.shared, c.a.Shares(c.b), "%s and %s", c.a, c.b)
		require.Equal(t, c.shared, c.b.Shares(c.a), "%s and %s", c.b, c.a)
	}
}

func TestTotal(t *testing.T) {
	second := model.Constant(time.Second)
	for _, c := range []struct {
		name string
		p    model.Policy
		want string
	}{
		{"no limit in time", model.Policy{Attempts: model.Exactly(4), Backoff: second}, "4"},
		{"the count is reached first", model.Policy{Attempts: model.Exactly(4), Backoff: second, Overall: model.For(time.Minute)}, "4"},
		{"the time is reached first", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(3 * time.Second)}, "4"},
		{"only a time", model.Policy{Attempts: model.Unbounded(), Backoff: second, Overall: model.For(3 * time.Second)}, "4"},
		{"a time that is looked at after an attempt", model.Policy{Attempts: model.Unbounded(), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetGateAfter}, "5"},
		{"a time that is looked at before a wait", model.Policy{Attempts: model.Unbounded(), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetGateBefore}, "4"},
		{"count and time", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetAndCount}, "9"},
		{"so many in a time", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetWindowedRate}, "9"},
		{"unknown count", model.Policy{Backoff: second, Overall: model.For(3 * time.Second)}, "1..4"},
		{"unknown count of some", model.Policy{Attempts: model.AtLeast(2), Backoff: second, Overall: model.For(3 * time.Second)}, "2..4"},
		{"unknown count of more than fit", model.Policy{Attempts: model.AtLeast(8), Backoff: second, Overall: model.For(3 * time.Second)}, "4"},
		{"no waits", model.Policy{Attempts: model.Exactly(9), Backoff: model.NoBackoff(), Overall: model.For(3 * time.Second)}, "9"},
		{"no waits and no count", model.Policy{Attempts: model.Unbounded(), Backoff: model.NoBackoff(), Overall: model.For(3 * time.Second)}, "unbounded"},
		{"no waits, looked at after an attempt", model.Policy{Attempts: model.Unbounded(), Backoff: model.NoBackoff(), Overall: model.For(3 * time.Second), Budget: model.BudgetGateAfter}, "unbounded"},
		{"switched off", model.Policy{Attempts: model.Exactly(1), Backoff: second, Overall: model.For(3 * time.Second)}, "1"},
	} {
		require.Equal(t, c.want, c.p.Total().String(), c.name)
	}
}

func TestPath(t *testing.T) {
	second, none := model.Constant(time.Second), model.NoBackoff()
	growing := model.Exponential(time.Second, model.NewRatio(2, 1), 0)
	capped := model.Exponential(time.Second, model.NewRatio(2, 1), 4*time.Second)
	inner := model.For(10 * time.Second)
	for _, c := range []struct {
		name  string
		p     model.Policy
		inner model.Limit
		want  string
	}{
		{"waits alone", model.Policy{Attempts: model.Exactly(4), Backoff: second}, model.For(0), "3s"},
		{"attempts and waits", model.Policy{Attempts: model.Exactly(4), Backoff: second}, inner, "43s"},
		{"each attempt is limited", model.Policy{Attempts: model.Exactly(4), Backoff: second, PerAttempt: model.For(2 * time.Second)}, inner, "11s"},
		{"the limit of an attempt is longer", model.Policy{Attempts: model.Exactly(4), Backoff: second, PerAttempt: model.For(time.Minute)}, inner, "43s"},
		{"the limit makes an attempt known", model.Policy{Attempts: model.Exactly(4), Backoff: second, PerAttempt: model.For(2 * time.Second)}, model.Limit{}, "11s"},
		{"no limit of an attempt", model.Policy{Attempts: model.Exactly(4), Backoff: second, PerAttempt: model.NoLimit()}, inner, "43s"},
		{"switched off", model.Policy{Attempts: model.Exactly(1), Backoff: second, Overall: model.For(time.Second)}, inner, "10s"},
		{"a wait follows the last attempt", model.Policy{Attempts: model.Exactly(4), Backoff: second, WaitsAfterLast: true}, model.For(0), "4s"},
		{"start to start", model.Policy{Attempts: model.Exactly(4), Backoff: second, Gap: model.StartToStart}, inner, "13s"},
		{"unbounded", model.Policy{Attempts: model.Unbounded(), Backoff: second}, inner, "unbounded"},
		{"unknown", model.Policy{Backoff: second}, inner, "unknown"},
		{"a deadline", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(5 * time.Second)}, inner, "5s"},
		{"a deadline over unknown", model.Policy{Backoff: second, Overall: model.For(5 * time.Second)}, inner, "5s"},
		{"no deadline", model.Policy{Attempts: model.Exactly(4), Backoff: second, Overall: model.NoLimit()}, inner, "43s"},
		{"a deadline that is not reached", model.Policy{Attempts: model.Exactly(2), Backoff: second, Overall: model.For(time.Hour)}, inner, "21s"},
		{"a gate before the wait", model.Policy{Attempts: model.Unbounded(), Backoff: second, Overall: model.For(5 * time.Second), Budget: model.BudgetGateBefore}, inner, "15s"},
		{"a gate after the attempt", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(5 * time.Second), Budget: model.BudgetGateAfter}, inner, "16s"},
		{"a gate after the attempt, growing waits", model.Policy{Attempts: model.Exactly(9), Backoff: growing, Overall: model.For(7 * time.Second), Budget: model.BudgetGateAfter}, model.For(0), "15s"},
		{"a gate after the attempt, no end but a cap", model.Policy{Attempts: model.Unbounded(), Backoff: none.WithJitter(model.Jitter{}), Overall: model.For(5 * time.Second), Budget: model.BudgetGateAfter}, inner, "15s"},
		{"a gate after the attempt, one more of those that are capped", model.Policy{Attempts: model.Unbounded(), Backoff: capped, Overall: model.For(5 * time.Second), Budget: model.BudgetGateAfter}, model.For(0), "7s"},
		{"a gate after an attempt of unknown length", model.Policy{Attempts: model.Exactly(3), Backoff: second, Overall: model.For(5 * time.Second), Budget: model.BudgetGateAfter}, model.Limit{}, "unknown"},
		{"count and time", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetAndCount}, model.For(0), "8s"},
		{"so many in a time", model.Policy{Attempts: model.Exactly(9), Backoff: second, Overall: model.For(3 * time.Second), Budget: model.BudgetWindowedRate}, model.For(0), "8s"},
	} {
		require.Equal(t, c.want, c.p.Path(c.inner).String(), c.name)
	}
}

func TestBounded(t *testing.T) {
	for _, c := range []struct {
		p              model.Policy
		bounded, known bool
	}{
		{model.Policy{}, false, false},
		{model.Policy{Attempts: model.Unbounded()}, false, true},
		{model.Policy{Attempts: model.Exactly(3)}, true, true},
		{model.Policy{Attempts: model.Unbounded(), Overall: model.For(time.Second)}, true, true},
		{model.Policy{Overall: model.For(time.Second)}, true, true},
		{model.Policy{Attempts: model.Unbounded(), Overall: model.NoLimit()}, false, true},
	} {
		bounded, known := c.p.Bounded()
		require.Equal(t, c.bounded, bounded, "%+v", c.p)
		require.Equal(t, c.known, known, "%+v", c.p)
	}
}
