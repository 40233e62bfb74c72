package analyzers

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

// What go vet -fix and go fix do with a finding.
func TestSuggestedFix(t *testing.T) {
	var keys *analysis.Analyzer
	for _, a := range All() {
		if a.Name == "keyperattempt" {
			keys = a
		}
	}
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData()+"/fix", keys, "example.test/pay")
}
