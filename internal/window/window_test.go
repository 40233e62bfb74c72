package window

import (
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

// example is a worked example of the catalogue, as far as it can be said with flags.
type example struct {
	ID     string `yaml:"id"`
	Chains []struct {
		AttemptS string `yaml:"attempt_s"`
		Layers   []struct {
			Name     string `yaml:"name"`
			Attempts string `yaml:"attempts"`
			Gap      string `yaml:"gap"`
			Backoff  struct {
				Kind       string `yaml:"kind"`
				BaseS      string `yaml:"base_s"`
				Multiplier string `yaml:"multiplier"`
				CapS       string `yaml:"cap_s"`
				Jitter     struct {
					Kind   string `yaml:"kind"`
					Factor string `yaml:"factor"`
					MaxS   string `yaml:"max_s"`
				} `yaml:"jitter"`
			} `yaml:"backoff"`
			PerTryCapS string `yaml:"per_try_cap_s"`
			Budget     struct {
				Kind   string `yaml:"kind"`
				LimitS string `yaml:"limit_s"`
			} `yaml:"budget"`
		} `yaml:"layers"`
	} `yaml:"chains"`
	Paths []struct {
		Name          string `yaml:"name"`
		DelayS        string `yaml:"delay_s"`
		Clock         string `yaml:"clock"`
		ThenAutomatic bool   `yaml:"then_automatic"`
	} `yaml:"paths"`
	Factor string `yaml:"factor"`
	Window struct {
		Seconds string `yaml:"seconds"`
	} `yaml:"window"`
	Expect struct {
		Attempts   string `yaml:"attempts"`
		AutomaticS string `yaml:"automatic_s"`
		LongestS   string `yaml:"longest_s"`
		RequiredS  string `yaml:"required_s"`
		Verdict    string `yaml:"verdict"`
		ShortfallS string `yaml:"shortfall_s"`
	} `yaml:"expect"`
}

// The worked examples of the catalogue, written as flags, give the figures of the catalogue.
func TestExamplesAsFlags(t *testing.T) {
	data, err := os.ReadFile("../../model/testdata/window-examples.yaml")
	require.NoError(t, err)
	var file struct {
		Examples []example `yaml:"examples"`
	}
	require.NoError(t, yaml.Unmarshal(data, &file))
	ran := 0
	for _, e := range file.Examples {
		in, ok := e.input(t)
		if !ok {
			continue
		}
		ran++
		t.Run(e.ID, func(t *testing.T) {
			r := Calculate(in)
			require.Equal(t, e.Expect.Attempts, r.Attempts.String())
			require.Equal(t, seconds(e.Expect.AutomaticS), r.Delay.String())
			require.Equal(t, seconds(e.Expect.LongestS), r.Judged.Longest.String())
			require.Equal(t, seconds(e.Expect.RequiredS), r.Judged.Required.String())
			want := []model.VerdictKind{model.Covered}
			if e.Expect.Verdict == "fail" {
				want = []model.VerdictKind{model.Short, model.Margin}
				require.Equal(t, seconds(e.Expect.ShortfallS), r.Judged.Shortfall.String())
			}
			require.Contains(t, want, r.Judged.Verdict)
		})
	}
	require.GreaterOrEqual(t, ran, 14)
}

// seconds is a figure of the catalogue as the reports write it.
func seconds(s string) string {
	if s == "unbounded" {
		return s
	}
	r, _ := new(big.Rat).SetString(s)
	r.Mul(r, big.NewRat(int64(time.Second), 1))
	return model.FormatDuration(time.Duration(new(big.Int).Quo(r.Num(), r.Denom()).Int64()))
}

// input writes an example as flags; ok is false where flags cannot say it.
func (e example) input(t *testing.T) (in Input, ok bool) {
	t.Helper()
	if len(e.Chains) != 1 {
		return in, false // chains that meet
	}
	in.RowBytes = DefaultRowBytes
	for _, l := range e.Chains[0].Layers {
		if l.Backoff.Kind == "quartic" || l.Backoff.Jitter.Kind == "additive_scaled" {
			return in, false
		}
		pairs := []string{"attempts=" + l.Attempts, "initial=" + l.Backoff.BaseS + "s"}
		add := func(key, value, unit string) {
			if value != "" {
				pairs = append(pairs, key+"="+value+unit)
			}
		}
		add("factor", l.Backoff.Multiplier, "")
		add("max", l.Backoff.CapS, "s")
		add("timeout", l.PerTryCapS, "s")
		add("deadline", l.Budget.LimitS, "s")
		add("budget", map[string]string{"hard": "hard", "gate_before_sleep": "gate-before", "gate_after_attempt": "gate-after"}[l.Budget.Kind], "")
		if l.Gap == "start_to_start" {
			add("gap", "start", "")
		}
		switch l.Backoff.Jitter.Kind {
		case "full":
			add("jitter", "full", "")
		case "proportional":
			add("jitter", l.Backoff.Jitter.Factor, "")
		case "additive":
			add("jitter", l.Backoff.Jitter.MaxS, "s")
		}
		layer, err := ParseLayer("layer:" + strings.Join(pairs, ","))
		require.NoError(t, err)
		in.Layers = append(in.Layers, layer)
	}
	for _, p := range e.Paths {
		delay := p.DelayS
		if delay != "unbounded" {
			delay += "s"
		}
		s := p.Name + ":" + delay
		if p.Clock == "after_automatic" {
			s += ":after-automatic"
		}
		if p.ThenAutomatic {
			s += ":then-automatic"
		}
		path, err := ParsePath(s)
		require.NoError(t, err)
		in.Paths = append(in.Paths, path)
	}
	var err error
	in.Factor, err = model.ParseRatio(e.Factor)
	require.NoError(t, err)
	d, err := time.ParseDuration(e.Chains[0].AttemptS + "s")
	require.NoError(t, err)
	in.Attempt = model.For(d)
	if e.Window.Seconds == "permanent" {
		in.Window = model.Permanent()
	} else {
		w, err := time.ParseDuration(e.Window.Seconds + "s")
		require.NoError(t, err)
		in.Window = model.WindowFor(w)
	}
	return in, true
}

func TestParseLayerForms(t *testing.T) {
	for in, want := range map[string]string{
		"http client:3:2s":                  "http client 3 2s",
		"a:3":                               "a 3 none",
		"host:port client:3":                "host:port client 3 none",
		"a:b:3:1s":                          "a:b 3 1s",
		"a:5:1s..30s x2":                    "a 5 1s..30s x2",
		"a:5:1s..30s":                       "a 5 1s..30s x2",
		"a:5:1s x1.5":                       "a 5 1s x1.5",
		"a:4:1s,5s,10s":                     "a 4 1s,5s,10s",
		"a:unbounded:1m":                    "a unbounded 1m",
		"a:attempts=5,initial=1s":           "a 5 1s",
		"a:attempts=5,initial=1s,max=30s":   "a 5 1s..30s x2",
		"a:attempts=2,timeout=5s":           "a 2 none, timeout 5s",
		"a:attempts=2,initial=1s,jitter=1":  "a 2 1s, jitter 1",
		"a:deadline=10s,initial=1s":         "a 11 1s, deadline 10s",
		"a:attempts=2,initial=1s,jitter=5s": "a 2 1s, jitter 5s",
	} {
		l, err := ParseLayer(in)
		require.NoError(t, err, in)
		require.Equal(t, want, fmt.Sprintf("%s %s %s", l.Name, l.Policy.Total(), describeWait(l.Policy)), in)
	}
}

func TestRates(t *testing.T) {
	for in, want := range map[string]string{"50000/day": "300000", "50000": "300000", "10/minute": "86400", "1/s": "518400", "0.5/h": "72", "1/week": "1"} {
		r, err := ParseRate(in)
		require.NoError(t, err, in)
		require.Equal(t, want, r.Over(144*time.Hour).String(), in)
	}
	for _, in := range []string{"", "x/day", "-1/day", "0/day", "1/year", "1e99/day", "1/3/day", "Inf/day", "NaN"} {
		_, err := ParseRate(in)
		require.Error(t, err, in)
	}
}

func TestCostsOfAWindowWithoutEnd(t *testing.T) {
	in := WorkedExample()
	in.Paths = []model.ReplayPath{{Kind: "never ends", Delay: model.NoLimit()}}
	r, err := ParseRate("1/day")
	require.NoError(t, err)
	in.Rate = &r
	out := Calculate(in)
	require.Nil(t, out.Rows)
	var b strings.Builder
	require.NoError(t, out.WriteText(&b, false))
	require.Contains(t, b.String(), "required  unbounded")
}

func FuzzParse(f *testing.F) {
	f.Add("http client:3:2s", "weekend:72h:after-automatic", "50000/day")
	f.Add("a:attempts=5,initial=1s,factor=2,max=30s,jitter=full", "x:unbounded", "1")
	f.Fuzz(func(t *testing.T, layer, path, rate string) {
		in := WorkedExample()
		if l, err := ParseLayer(layer); err == nil {
			in.Layers = append(in.Layers, l)
		}
		if p, err := ParsePath(path); err == nil {
			in.Paths = append(in.Paths, p)
		}
		if r, err := ParseRate(rate); err == nil {
			in.Rate = &r
		}
		var b strings.Builder
		r := Calculate(in)
		if err := r.WriteText(&b, true); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
	})
}
