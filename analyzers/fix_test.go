package analyzers

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

func analyzerNamed(t *testing.T, name string) *analysis.Analyzer {
	t.Helper()
	for _, a := range All() {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no analyzer %s", name)
	return nil
}

// What go vet -fix and go fix do with a finding.
func TestSuggestedFix(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData()+"/fix", analyzerNamed(t, "keyperattempt"), "example.test/pay")
}

// A retry helper of another package is a layer under go vet, too.
func TestVetHelper(t *testing.T) {
	analysistest.Run(t, analysistest.TestData()+"/fix", analyzerNamed(t, "keyperattempt"), "example.test/shop")
}
