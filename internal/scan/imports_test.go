package scan_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows is the architecture: what each package of the project may import from the project. A new arrow is a decision,
// made here.
var arrows = map[string][]string{
	"model":              {},
	"extract/doc":        {},
	"extract":            {"model", "extract/doc"},
	"extract/gosrc":      {"internal/typenotes"},
	"extract/render":     {"extract/doc"},
	"analyzers/libs":     {"model"},
	"analyzers":          {"model", "rules", "analyzers/libs", "internal/chain", "internal/typenotes"},
	"rules":              {"model"},
	"report":             {"model", "rules"},
	"internal/chain":     {"model"},
	"internal/typenotes": {},
	"internal/source":    {},
	"internal/identity":  {},
	"internal/factfile":  {"model", "internal/identity"},
	"internal/pack":      {},
	"internal/config":    {"model"},
	"internal/sim":       {"model"},
	"internal/forge":     {},
	"internal/diff":      {"model", "report"},
	"internal/scan":      {"model", "extract", "extract/doc", "extract/gosrc", "extract/render", "analyzers", "analyzers/libs", "rules", "internal/chain", "internal/config", "internal/source", "internal/factfile", "internal/pack"},
}

// TestImportDirections fails on an import between packages of the project that the table does not name.
func TestImportDirections(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	const prefix = "github.com/retrylint/retrylint/"
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for dec.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		require.NoError(t, dec.Decode(&p))
		pkg := strings.TrimPrefix(p.ImportPath, prefix)
		allowed, known := arrows[pkg]
		if !known {
			continue // commands, generators and leaf packages may import what they like; nobody imports them (below)
		}
		seen++
		for _, imp := range p.Imports {
			to, ok := strings.CutPrefix(imp, prefix)
			if ok && !slices.Contains(allowed, to) && !strings.HasPrefix(to, pkg+"/") {
				t.Errorf("%s imports %s, which the architecture does not allow", pkg, to)
			}
		}
	}
	require.Greater(t, seen, 8, "the table is out of date")
}
