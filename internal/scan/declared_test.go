package scan

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// What a configuration declares joins what the files say: a schedule in one repository calls a service in another, with a
// layer in between that nobody sees.
const declaredOrg = `
-- org.yaml --
version: 1
services:
  - {name: settle-worker, repository: settle, aliases: [settle-worker.pay.svc], replicas: 3}
links:
  - {from: nightly, to: settle-worker, method: POST, path: /settle, key: batch-id}
layers:
  - {name: partner gateway, service: settle-worker, attempts: 3, backoff: {initial: 1s, multiplier: 2, max: 10s}}
windows:
  - {service: ledger.pay, ttl: 24h, kind: redis}
-- nightly/cron.yaml --
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: pay}
spec:
  schedule: "0 2 * * *"
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        spec:
          containers: [{name: n, image: run/nightly}]
-- settle/go.mod --
module example.test/settle
-- settle/main.go --
package main

import (
	"net/http"
	"strings"
	"time"
)

func main() {
	http.HandleFunc("POST /settle", settle)
	http.ListenAndServe(":8080", nil)
}

func settle(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Timeout: 5 * time.Second}
	for i := 0; i < 4; i++ {
		resp, err := client.Post("http://ledger.pay.svc/entries", "application/json", strings.NewReader("{}"))
		if err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(time.Second)
	}
	w.WriteHeader(502)
}
`

func TestDeclarationsJoinWhatTheFilesSay(t *testing.T) {
	dir := t.TempDir()
	var cfg *config.Config
	for _, f := range txtar.Parse([]byte(declaredOrg)).Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, f.Data, 0o644))
		if f.Name == "org.yaml" {
			var problems []config.Problem
			cfg, problems = config.Parse(f.Name, f.Data)
			require.Empty(t, problems)
		}
	}
	repos, err := source.Discover([]string{filepath.Join(dir, "nightly"), filepath.Join(dir, "settle")}, source.Options{})
	require.NoError(t, err)
	r, err := Run(t.Context(), Options{Repos: repos, Config: cfg})
	require.NoError(t, err)
	var found *model.ChainInfo
	for i, c := range r.Chains {
		if c.Entry.Repository == "nightly" && c.Attempts == "36" {
			found = &r.Chains[i]
		}
	}
	require.NotNil(t, found, "3 (Job) x 3 (declared) x 4 (loop): %+v", r.Chains)
	require.Len(t, found.Windows, 1)
	require.Equal(t, "short", found.Windows[0].Verdict, "a schedule can be rerun after a weekend")
	require.Equal(t, "144h", found.Windows[0].Required)
}

func TestSettingsOfTheOrganisationHoldEverywhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pay")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/pay\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"net/http"
	"os"
	"strconv"
	"time"
)

func main() {
	n, _ := strconv.Atoi(os.Getenv("MAX_RETRIES"))
	for i := 0; i <= n; i++ {
		if resp, err := http.Get("http://ledger.pay.svc/entries"); err == nil {
			resp.Body.Close()
			return
		}
		time.Sleep(time.Second)
	}
}
`), 0o644))
	cfg, problems := config.Parse("org.yaml", []byte("version: 1\nsettings: {MAX_RETRIES: 5}\n"))
	require.Empty(t, problems)
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	for _, tt := range []struct {
		cfg  *config.Config
		want model.Number
	}{{nil, "unknown"}, {cfg, "6"}} {
		r, err := Run(t.Context(), Options{Repos: repos, Config: tt.cfg})
		require.NoError(t, err)
		require.Len(t, r.Layers, 1)
		require.Equal(t, tt.want, r.Layers[0].Attempts)
	}
}

func TestTermsOfLibrariesAreChecked(t *testing.T) {
	cfg, problems := config.Parse("c.yaml", []byte("version: 1\nlibraries:\n  - path: example.test/a\n    calls: [{func: Do, runs: arg 0, attempts: arg 1 + 1}]\n  - path: example.test/b\n    calls: [{func: Do, backoff: sometimes}]\n"))
	require.Empty(t, problems)
	problems = CheckConfig(cfg)
	require.Len(t, problems, 1)
	require.Equal(t, 5, problems[0].Line)
	require.Contains(t, problems[0].Message, `"sometimes" is none of`)
}

func TestDeclaredLibraryMakesALayer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pay")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.test/pay\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"net/http"

	"corp.test/again"
)

func main() {
	again.Do(func() error {
		resp, err := http.Get("http://ledger.pay.svc/entries")
		if err == nil {
			resp.Body.Close()
		}
		return err
	}, 4)
}
`), 0o644))
	cfg, problems := config.Parse("org.yaml", []byte("version: 1\nlibraries:\n  - path: corp.test/again\n    calls: [{func: Do, runs: arg 0, attempts: arg 1 + 1, backoff: constant, initial: 2s}]\n"))
	require.Empty(t, problems)
	repos, err := source.Discover([]string{dir}, source.Options{})
	require.NoError(t, err)
	r, err := Run(t.Context(), Options{Repos: repos, Config: cfg})
	require.NoError(t, err)
	require.Len(t, r.Layers, 1)
	require.Equal(t, model.Number("5"), r.Layers[0].Attempts)
	require.Equal(t, "2s", r.Layers[0].Backoff.Initial)
	r, err = Run(t.Context(), Options{Repos: repos})
	require.NoError(t, err)
	require.Empty(t, r.Layers)
}
