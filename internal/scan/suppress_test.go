package scan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract/doc"
)

// A comment silences its line, or, where it has its line for itself, the next one that says something: in every notation.
func TestCommentSuppressions(t *testing.T) {
	const own, behind = "retrylint:ignore no-backoff -- one client", "retrylint:ignore no-jitter, no-timeout -- why"
	for file, text := range map[string]string{
		"a.yaml":     "a: 1\n# " + own + "\n\n# more words\nb: 2 # " + behind + "\nc: 3\n",
		"a.toml":     "a = 1\n# " + own + "\n\n# more words\nb = 2 # " + behind + "\nc = 3\n",
		"a.ini":      "[a]\n; " + own + "\n\n; more words\nb = 2 ; " + behind + "\nc = 3\n",
		"main.tf":    "a = 1\n// " + own + "\n\n/* more\nwords */\nb = 2 # " + behind + "\nc = 3\n",
		"nginx.conf": "a 1;\n# " + own + "\n\n# more words\nb 2; # " + behind + "\nc 3;\n",
		"a.jsonc":    "{\n// " + own + "\n\n// more words\n\"b\": 2, // " + behind + "\n\"c\": 3}\n",
	} {
		t.Run(file, func(t *testing.T) {
			got := commentSuppressions("r", file, doc.Parse(file, []byte(text), doc.Limits{}))
			require.Len(t, got, 2)
			line := 5
			if file == "main.tf" {
				line = 6
			}
			require.Equal(t, []int{2, line}, []int{got[0].At.Line, got[0].Line})
			require.Equal(t, []string{"no-backoff"}, got[0].Rules)
			require.Equal(t, "one client", got[0].Reason)
			require.Equal(t, []int{line, line}, []int{got[1].At.Line, got[1].Line})
			require.Equal(t, []string{"no-jitter", "no-timeout"}, got[1].Rules)
		})
	}
	last := commentSuppressions("r", "a.yaml", doc.Parse("a.yaml", []byte("a: 1\n# "+own), doc.Limits{}))
	require.Len(t, last, 1)
	require.Equal(t, 2, last[0].Line, "nothing is below")
}
