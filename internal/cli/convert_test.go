package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/report"
)

const convertedLoop = `package pay

import (
	"net/http"
	"time"
)

func Send(req *http.Request) (resp *http.Response, err error) {
	for i := 0; i < 3; i++ {
		if resp, err = http.DefaultClient.Do(req); err == nil {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}
`

// TestConvertEqualsScan: for every format, what convert makes of the JSON is what the scan itself writes.
func TestConvertEqualsScan(t *testing.T) {
	dir := t.TempDir()
	gitRepo(t, filepath.Join(dir, "pay"), map[string]string{"go.mod": "module example.test/pay\n", "send.go": convertedLoop})
	gitRepo(t, filepath.Join(dir, "jobs"), map[string]string{"job.yaml": jobText})
	args := []string{"scan", "--cache", "off", "--no-progress", "--fail-on", "never", "--allow-partial"}
	for _, f := range report.All() {
		args = append(args, "--format", f.Name, "--output", filepath.Join(dir, "direct."+f.Name))
	}
	code, _, stderr := call(t, append(args, filepath.Join(dir, "pay"), filepath.Join(dir, "jobs"))...)
	require.Zero(t, code, stderr)
	args = []string{"convert", "--from", filepath.Join(dir, "direct.json"), "--fail-on", "never", "--allow-partial"}
	for _, f := range report.All() {
		args = append(args, "--format", f.Name, "--output", filepath.Join(dir, "converted."+f.Name))
	}
	code, _, stderr = call(t, args...)
	require.Zero(t, code, stderr)
	for _, f := range report.All() {
		direct, err := os.ReadFile(filepath.Join(dir, "direct."+f.Name))
		require.NoError(t, err)
		converted, err := os.ReadFile(filepath.Join(dir, "converted."+f.Name))
		require.NoError(t, err)
		require.NotEmpty(t, direct)
		require.True(t, string(direct) == string(converted), "%s", f.Name)
	}
}
