package diff

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func at(line int) model.Place { return model.Place{Repository: "r", Path: "a.go", Line: line} }

func chainOf(id string, n model.Number, delay, longest string) model.ChainInfo {
	return model.ChainInfo{ID: id, Entry: model.EndInfo{Name: "POST /payouts"}, Effect: model.EndInfo{Name: "ledger", Place: at(1)}, Attempts: n,
		AutomaticDelay: delay, LongestPath: model.PathInfo{Kind: "operator-rerun", Delay: longest}}
}

func sentences(list []Change) []string {
	var out []string
	for _, c := range list {
		out = append(out, c.Sentence())
	}
	return out
}

func TestChains(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after []model.ChainInfo
		want          []string
	}{
		{"same", []model.ChainInfo{chainOf("a", "9", "1m", "72h")}, []model.ChainInfo{chainOf("a", "9", "1m", "72h")}, nil},
		{"grew", []model.ChainInfo{chainOf("a", "9", "1m", "72h")}, []model.ChainInfo{chainOf("a", "27", "1m", "72h")},
			[]string{"POST /payouts to ledger: attempts grew from 9 to 27"}},
		{"shrank", []model.ChainInfo{chainOf("a", "unbounded", "unbounded", "72h")}, []model.ChainInfo{chainOf("a", "27", "1m", "72h")},
			[]string{"POST /payouts to ledger: attempts shrank from unbounded to 27", "POST /payouts to ledger: automatic delay shrank from unbounded to 1m"}},
		{"longer path", []model.ChainInfo{chainOf("a", "9", "1m", "72h")}, []model.ChainInfo{chainOf("a", "9", "1m", "96h")},
			[]string{"POST /payouts to ledger: longest path grew from 72h to 96h"}},
		{"equal in another form", []model.ChainInfo{chainOf("a", "9", "60s", "72h")}, []model.ChainInfo{chainOf("a", "9", "1m", "72h")}, nil},
		{"unknown is neither", []model.ChainInfo{chainOf("a", "unknown", "unknown", "72h")}, []model.ChainInfo{chainOf("a", "27", "1m", "72h")}, nil},
		{"appeared", nil, []model.ChainInfo{chainOf("a", "27", "1m", "72h")}, []string{"POST /payouts to ledger appeared (27 attempts)"}},
		{"vanished", []model.ChainInfo{chainOf("a", "1", "1m", "72h")}, nil, []string{"POST /payouts to ledger vanished (1 attempt)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Compare(&model.Result{Chains: tt.before}, &model.Result{Chains: tt.after})
			require.Equal(t, tt.want, sentences(d.Chains))
			require.Equal(t, tt.want == nil, d.Empty())
		})
	}
}

func TestVerdictOfAWindow(t *testing.T) {
	a, b := chainOf("a", "9", "1m", "72h"), chainOf("a", "9", "1m", "72h")
	a.Windows, b.Windows = []model.ChainWindow{{ID: "w", Verdict: "covered"}}, []model.ChainWindow{{ID: "w", Verdict: "short"}}
	d := Compare(&model.Result{Chains: []model.ChainInfo{a}}, &model.Result{Chains: []model.ChainInfo{b}})
	require.Equal(t, []string{"POST /payouts to ledger: window short, was covered"}, sentences(d.Chains))
	require.Equal(t, Shrank, d.Chains[0].How)
}

func TestLayersAndWindows(t *testing.T) {
	before := &model.Result{
		Layers:  []model.LayerInfo{{ID: "l1", Label: "loop", Attempts: "3", Place: at(1)}, {ID: "l2", Kind: "mesh", Attempts: "3", Place: at(2)}},
		Windows: []model.WindowInfo{{ID: "w1", Kind: "redis", TTL: "24h", Place: at(3)}},
	}
	after := &model.Result{
		Layers:  []model.LayerInfo{{ID: "l1", Label: "loop", Attempts: "5", Place: at(1)}, {ID: "l3", Label: "job", Attempts: "7", Place: at(9)}},
		Windows: []model.WindowInfo{{ID: "w1", Kind: "redis", TTL: "permanent", Place: at(3)}},
	}
	d := Compare(before, after)
	require.Equal(t, []string{"loop: attempts grew from 3 to 5", "job appeared (7 attempts)", "mesh vanished (3 attempts)"}, sentences(d.Layers))
	require.Equal(t, []string{"redis: window grew from 24h to permanent"}, sentences(d.Windows))
}

func TestFindings(t *testing.T) {
	f := func(print string) model.FindingInfo {
		return model.FindingInfo{Rule: "no-jitter", Severity: "note", Message: "no | jitter", Fingerprint: print, Place: at(4)}
	}
	quiet := f("quiet")
	quiet.Suppressed = &model.SuppressedInfo{How: "comment"}
	d := Compare(&model.Result{Findings: []model.FindingInfo{f("a"), f("quiet")}}, &model.Result{Findings: []model.FindingInfo{f("a"), f("a"), f("b"), quiet}})
	var got []string
	for _, c := range d.Findings {
		got = append(got, string(c.How)+" "+c.ID)
	}
	require.Equal(t, []string{"appeared a", "appeared b", "vanished quiet"}, got)

	var text, md strings.Builder
	require.NoError(t, d.WriteText(&text))
	require.Contains(t, text.String(), "  + note no-jitter: no | jitter\n      r/a.go:4\n")
	require.NoError(t, d.WriteMarkdown(&md))
	require.Contains(t, md.String(), "| vanished | note | `no-jitter` | no \\| jitter | `r/a.go:4` |\n")
}

func TestNothingDiffers(t *testing.T) {
	d := Compare(&model.Result{}, &model.Result{})
	var text, md strings.Builder
	require.NoError(t, d.WriteText(&text))
	require.Equal(t, "Nothing differs.\n", text.String())
	require.NoError(t, d.WriteMarkdown(&md))
	require.Contains(t, md.String(), "Nothing differs.")
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.JSONEq(t, `{"version":1,"chains":[],"layers":[],"windows":[],"findings":[]}`, string(data))
}
