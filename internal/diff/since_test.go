package diff

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestSinceKeepsDates(t *testing.T) {
	finding := func(print, date string) model.FindingInfo {
		return model.FindingInfo{Rule: "no-jitter", Fingerprint: print, FirstSeen: date}
	}
	last := &model.Result{Findings: []model.FindingInfo{finding("a", "2026-01-05"), finding("twice", "2026-01-06"), finding("undated", ""), finding("gone", "2026-01-01")}}
	gone := finding("was", "2026-01-02")
	gone.Baseline = "absent"
	last.Findings = append(last.Findings, gone)
	now := &model.Result{Findings: []model.FindingInfo{finding("a", ""), finding("twice", ""), finding("twice", ""), finding("undated", ""), finding("was", ""), finding("new", "")}}
	d := Since(last, now, "2026-01-12")
	var dates []string
	for _, f := range now.Findings {
		dates = append(dates, f.FirstSeen)
	}
	require.Equal(t, []string{"2026-01-05", "2026-01-06", "2026-01-12", "", "2026-01-12", "2026-01-12"}, dates)
	require.Equal(t, []string{"since the last run: 3 new findings, 1 gone"}, d.Notices())

	Since(&model.Result{}, now, "")
	for _, f := range now.Findings {
		require.Empty(t, f.FirstSeen, "no date comes from a clock")
	}
	require.Equal(t, []string{"nothing has changed since the last run"}, Since(now, now, "").Notices())

	for i := range 100 {
		now.Chains = append(now.Chains, model.ChainInfo{ID: fmt.Sprint(i)})
	}
	n := Since(last, now, "").Notices()
	require.Len(t, n, mostNotices+2)
	require.Contains(t, n[mostNotices+1], "70 more")
}
