package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// The JSON of a scan may be looked at in a terminal; what a repository names its things must not steer that terminal, and
// programs must get the names as they are.
func TestJSONHoldsNoCharacterThatATerminalObeys(t *testing.T) {
	name := "a\x1b[31m\u009b31m\x7f\u202eb\u2066\ufeff\u2028 grüße 日本 \U0001f642"
	r := &model.Result{Findings: []model.FindingInfo{{Rule: "x", Message: name}}}
	var b bytes.Buffer
	require.NoError(t, writeJSON(&b, r, Options{}))
	for _, c := range b.String() {
		require.False(t, c != '\n' && obeyed(c), "%q", c)
	}
	require.Contains(t, b.String(), "grüße 日本 \U0001f642")
	var back model.Result
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	require.Equal(t, name, back.Findings[0].Message)
}
