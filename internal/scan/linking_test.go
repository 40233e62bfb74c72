package scan_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/model"
)

var wantChain = regexp.MustCompile(`(?m)^(want|not): (\S+) attempts from (.*?)(?:, through (.*?),)? to (.*)$`)

// Organisations of several repositories, each with a chain that must come out: how many attempts, from where, through what, to what.
// The chain is that of the most attempts between its ends; "not" says that there is none such.
func TestLinking(t *testing.T) {
	files, err := filepath.Glob("testdata/linking/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			arch, err := txtar.ParseFile(file)
			require.NoError(t, err)
			org := map[string]string{}
			for _, f := range arch.Files {
				org[f.Name] = string(f.Data)
			}
			res := scanFolders(t, org)
			wants := wantChain.FindAllStringSubmatch(string(arch.Comment), -1)
			require.NotEmpty(t, wants)
			for _, w := range wants {
				found := false
				for _, c := range res.Chains {
					found = found || string(c.Attempts) == w[2] && describes(wayOf(c, 0, 1), w[3]) && describes(wayOf(c, len(c.Hops)-1, len(c.Hops)+1), w[5]) && describes(wayOf(c, 0, len(c.Hops)+1), w[4])
				}
				if found != (w[1] == "want") {
					var all []string
					for _, c := range res.Chains {
						all = append(all, fmt.Sprintf("%s attempts: %s", c.Attempts, wayOf(c, 0, len(c.Hops)+1)))
					}
					t.Errorf("%s\nthere are\n%s", w[0], strings.Join(all, "\n"))
				}
			}
		})
	}
}

// wayOf writes the nodes of a chain from one to another, with the requests between them.
func wayOf(c model.ChainInfo, from, to int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", c.Entry.Name, c.Entry.Repository+"/"+c.Entry.Path)
	for i, h := range c.Hops {
		if i >= from && i < to {
			fmt.Fprintf(&b, " > %s %s %s %s", h.Method, h.URLPath, h.To, h.Repository+"/"+h.Path)
		}
	}
	if from > 0 {
		return b.String()[strings.Index(b.String(), ">")+1:]
	}
	return b.String()
}

// describes reports whether all words of a description are in a text.
func describes(text, words string) bool {
	for _, w := range strings.Fields(words) {
		if w == "of" {
			continue
		}
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return false
		}
	}
	return true
}
