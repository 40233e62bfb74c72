package model_test

import (
	"math/big"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

type exampleFile struct {
	Examples []example `yaml:"examples"`
}

type example struct {
	ID     string `yaml:"id"`
	Title  string `yaml:"title"`
	Chains []struct {
		AttemptS yaml.Node      `yaml:"attempt_s"`
		Layers   []exampleLayer `yaml:"layers"`
	} `yaml:"chains"`
	Paths []struct {
		Name          string    `yaml:"name"`
		DelayS        yaml.Node `yaml:"delay_s"`
		Clock         string    `yaml:"clock"`
		ThenAutomatic bool      `yaml:"then_automatic"`
	} `yaml:"paths"`
	Factor yaml.Node `yaml:"factor"`
	Window struct {
		Seconds yaml.Node `yaml:"seconds"`
	} `yaml:"window"`
	Expect struct {
		Attempts   yaml.Node `yaml:"attempts"`
		AutomaticS yaml.Node `yaml:"automatic_s"`
		Path       string    `yaml:"longest_path"`
		LongestS   yaml.Node `yaml:"longest_s"`
		RequiredS  yaml.Node `yaml:"required_s"`
		Verdict    string    `yaml:"verdict"`
		ShortfallS yaml.Node `yaml:"shortfall_s"`
	} `yaml:"expect"`
}

type exampleLayer struct {
	Attempts yaml.Node `yaml:"attempts"`
	Gap      string    `yaml:"gap"`
	Backoff  struct {
		Kind       string    `yaml:"kind"`
		BaseS      yaml.Node `yaml:"base_s"`
		Multiplier yaml.Node `yaml:"multiplier"`
		CapS       yaml.Node `yaml:"cap_s"`
		Shift      int64     `yaml:"shift"`
		AddS       yaml.Node `yaml:"add_s"`
		Jitter     struct {
			Kind   string    `yaml:"kind"`
			Factor yaml.Node `yaml:"factor"`
			MaxS   yaml.Node `yaml:"max_s"`
		} `yaml:"jitter"`
	} `yaml:"backoff"`
	PerTryCapS yaml.Node `yaml:"per_try_cap_s"`
	Budget     struct {
		Kind   string    `yaml:"kind"`
		LimitS yaml.Node `yaml:"limit_s"`
	} `yaml:"budget"`
}

// limit reads seconds as an exact number of nanoseconds; an absent node is the unknown limit.
func limit(t *testing.T, n yaml.Node) model.Limit {
	t.Helper()
	switch n.Value {
	case "":
		return model.Limit{}
	case "unbounded":
		return model.NoLimit()
	}
	r, ok := new(big.Rat).SetString(n.Value)
	require.True(t, ok, n.Value)
	r.Mul(r, big.NewRat(int64(time.Second), 1))
	require.True(t, r.IsInt(), n.Value)
	return model.For(time.Duration(r.Num().Int64()))
}

func ratio(t *testing.T, n yaml.Node) model.Ratio {
	t.Helper()
	if n.Value == "" {
		return model.Ratio{}
	}
	r, err := model.ParseRatio(n.Value)
	require.NoError(t, err)
	return r
}

func (l exampleLayer) policy(t *testing.T) model.Policy {
	t.Helper()
	p := model.Policy{Attempts: model.Unbounded(), PerAttempt: limit(t, l.PerTryCapS)}
	if l.Attempts.Value != "unbounded" {
		var n int64
		require.NoError(t, l.Attempts.Decode(&n))
		p.Attempts = model.Exactly(n)
	}
	if l.Gap == "start_to_start" {
		p.Gap = model.StartToStart
	}
	b := model.Backoff{Initial: limit(t, l.Backoff.BaseS), Factor: ratio(t, l.Backoff.Multiplier), Max: limit(t, l.Backoff.CapS),
		Shift: l.Backoff.Shift, Jitter: model.Jitter{Kind: model.JitterNone}}
	switch l.Backoff.Kind {
	case "constant":
		b.Kind = model.BackoffConstant
	case "exponential":
		b.Kind = model.BackoffExponential
	case "quartic":
		b.Kind, b.Degree, b.Initial = model.BackoffPolynomial, 4, limit(t, l.Backoff.AddS)
	default:
		t.Fatalf("unknown backoff %q", l.Backoff.Kind)
	}
	extra, _ := limit(t, l.Backoff.Jitter.MaxS).Duration()
	switch l.Backoff.Jitter.Kind {
	case "":
	case "full":
		b.Jitter = model.Jitter{Kind: model.JitterFull}
	case "proportional":
		b.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: ratio(t, l.Backoff.Jitter.Factor)}
	case "additive":
		b.Jitter = model.Jitter{Kind: model.JitterAdditive, Extra: extra}
	case "additive_scaled":
		b.Jitter = model.Jitter{Kind: model.JitterAdditiveScaled, Extra: extra}
	default:
		t.Fatalf("unknown jitter %q", l.Backoff.Jitter.Kind)
	}
	p.Backoff = b
	switch l.Budget.Kind {
	case "":
	case "hard":
		p.Budget, p.Overall = model.BudgetHard, limit(t, l.Budget.LimitS)
	case "gate_before_sleep":
		p.Budget, p.Overall = model.BudgetGateBefore, limit(t, l.Budget.LimitS)
	case "gate_after_attempt":
		p.Budget, p.Overall = model.BudgetGateAfter, limit(t, l.Budget.LimitS)
	default:
		t.Fatalf("unknown budget %q", l.Budget.Kind)
	}
	return p
}

func TestWindowExamples(t *testing.T) {
	data, err := os.ReadFile("testdata/window-examples.yaml")
	require.NoError(t, err)
	var file exampleFile
	require.NoError(t, yaml.Unmarshal(data, &file))
	require.Len(t, file.Examples, 18)
	for _, e := range file.Examples {
		t.Run(e.ID, func(t *testing.T) {
			var m model.Meeting
			for _, c := range e.Chains {
				r := model.Run{Attempt: limit(t, c.AttemptS)}
				for _, l := range c.Layers {
					r.Layers = append(r.Layers, l.policy(t))
				}
				m.Runs = append(m.Runs, r)
			}
			for _, p := range e.Paths {
				q := model.ReplayPath{Kind: model.PathKind(p.Name), Delay: limit(t, p.DelayS), ThenAutomatic: p.ThenAutomatic}
				if p.Clock == "after_automatic" {
					q.Clock = model.AfterAutomatic
				}
				m.Paths = append(m.Paths, q)
			}
			w := model.Permanent()
			if e.Window.Seconds.Value != "permanent" {
				d, ok := limit(t, e.Window.Seconds).Duration()
				require.True(t, ok)
				w = model.WindowFor(d)
			}
			factor := ratio(t, e.Factor)

			require.Equal(t, e.Expect.Attempts.Value, m.Attempts().String(), "attempts: %s", e.Title)
			require.Equal(t, limit(t, e.Expect.AutomaticS).String(), m.Automatic().String(), "automatic")
			path, when := m.Longest()
			require.Equal(t, e.Expect.Path, string(path.Kind), "longest path")
			require.Equal(t, limit(t, e.Expect.LongestS).String(), when.String(), "longest")
			d := m.Automatic()
			j := model.Judge(w, model.Automatic{Waits: d, Worst: d}, m.Paths, factor)
			require.Equal(t, limit(t, e.Expect.RequiredS).String(), j.Required.String(), "required")
			verdict := "fail"
			if j.Verdict == model.Covered {
				verdict = "pass"
			}
			require.Equal(t, e.Expect.Verdict, verdict, "verdict")
			require.Equal(t, limit(t, e.Expect.ShortfallS).String(), j.Shortfall.String(), "shortfall")
		})
	}
}
