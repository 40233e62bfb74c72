package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// readGenericFile reads a file as the scan does: the heuristic comes only where no format knows the document.
func readGenericFile(t *testing.T, name, text string) *model.Facts {
	t.Helper()
	f := doc.Parse(name, []byte(text), doc.Limits{})
	require.Empty(t, f.Errs)
	facts := &model.Facts{}
	out := &Out{Repo: "shop", Path: name, Facts: facts}
	for _, d := range f.Docs {
		if genericFile(name, d) {
			readGeneric(d, out)
		}
	}
	return facts
}

// TestGenericLeavesAlone holds files of tools and data, in which words of retries configure no service.
func TestGenericLeavesAlone(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"package.json", `{"name": "x", "scripts": {"e2e": "run"}, "dependencies": {}, "retry": {"max_retries": 3}}`},
		{"web/package-lock.json", `{"packages": {"node_modules/retry": {"version": "0.12.0", "retries": 3}}}`},
		{"tsconfig.build.json", `{"compilerOptions": {}, "retries": 3}`},
		{"api/openapi.yaml", "openapi: 3.0.0\npaths:\n  /x:\n    get:\n      x-retry: {max_retries: 3}\n"},
		{"api/spec.yaml", "openapi: 3.0.0\nx-retry: {max_retries: 3}\n"},
		{"deploy/crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: {max_retries: 3}\n"},
		{"deploy/any.yaml", "apiVersion: example.test/v1\nkind: Thing\nmetadata: {name: x}\nspec: {max_retries: 3}\n"},
		{"ops/board.json", `{"panels": [], "retry": {"max_retries": 3}}`},
		{"config/locales/en.yaml", "retry:\n  max_attempts: 3\n"},
		{"i18n/config.yaml", "max_retries: 3\n"},
		{"pkg/testdata/config.yaml", "max_retries: 3\n"},
		{"test/config.yaml", "max_retries: 3\n"},
		{"examples/config.yaml", "max_retries: 3\n"},
		{".golangci.yml", "run: {max_retries: 3}\n"},
		{"playwright.config.json", `{"retries": 2}`},
		{"jest.config.json", `{"retries": 2}`},
		{".github/config.yaml", "max_retries: 2\n"},
		{"Cargo.toml", "[package]\nname = \"x\"\n[dependencies]\nretry = \"2\"\n"},
		{"nextest.toml", "[profile.ci]\nretries = 2\n"},
		{"config.yaml", "password:\n  max_attempts: 5\nlogin_attempts: 3\notp: {retry_limit: 3}\n"},
		{"rules/alerts.yaml", "groups:\n  - name: g\n    rules:\n      - alert: A\n        labels: {max_retries: 3}\n"},
		{"config.yaml", "attempts: 3\nname: quiz\n"},
		{"envoy.json", `{"cluster_manager": {"circuit_breakers": {"default": {"max_retries": 3}}}}`},
		{"config.yaml", "healthcheck:\n  retries: 3\n  interval: 10s\n"},
		{"config.yaml", "retry:\n  enabled: false\n  max_attempts: 5\n"},
		{"schema.json", `{"$schema": "http://json-schema.org", "properties": {"max_retries": {"type": "integer", "maximum": 5}}}`},
		{"config.yaml", "retry:\n  min: 1\n  max: 100\n"},
	} {
		facts := readGenericFile(t, c.name, c.text)
		require.Empty(t, facts.Layers, "%s\n%s", c.name, c.text)
		require.Empty(t, facts.Boundaries, c.name)
	}
}

// TestGenericFinds holds what home-made configuration looks like.
func TestGenericFinds(t *testing.T) {
	for _, c := range []struct{ name, text, attempts, initial string }{
		{"config/app.yaml", "clients:\n  payments:\n    base_url: https://pay.example.test\n    max_retries: 4\n    retry_delay: 250ms\n", "5", "250ms"},
		{"settings.toml", "[mailer.retry]\nattempts = 6\nbackoff_ms = 500\n", "6", "500ms"},
		{"appsettings.json", `{"Mail": {"RetryCount": 3, "RetryDelaySeconds": 2}}`, "3..4", "2s"},
		{"worker.ini", "[queue]\nmax_tries = 5\nretry_wait_seconds = 30\n", "5", "30s"},
		{".env", "PAYMENTS_API_MAX_RETRIES=7\nPAYMENTS_API_URL=https://pay.example.test\n", "8", "unknown"},
		{"config.yaml", "http:\n  retries: ${HTTP_RETRIES:-2}\n", "3", "unknown"},
		{"config.yaml", "retry:\n  maxRetries: -1\n  initialDelayMs: 100\n  maxDelayMs: 1000\n", "unbounded", "100ms"},
	} {
		facts := readGenericFile(t, c.name, c.text)
		require.Len(t, facts.Layers, 1, "%s\n%s", c.name, c.text)
		l := facts.Layers[0]
		require.Equal(t, c.attempts, l.Policy.Attempts.String(), c.text)
		require.Equal(t, c.initial, l.Policy.Backoff.Initial.String(), c.text)
		require.True(t, l.LowConfidence)
		require.Equal(t, model.KindConfig, l.Kind)
	}
}

// TestGenericSettings: every scalar of an application's configuration is a value that code may read.
func TestGenericSettings(t *testing.T) {
	facts := readGenericFile(t, "config.yaml", "payments:\n  timeout: 5s\n  retry: {max_attempts: 3}\n")
	names := map[string]string{}
	for _, s := range facts.Settings {
		names[s.Name.String()] = s.Value
	}
	require.Equal(t, map[string]string{"config:payments.timeout": "5s", "config:payments.retry.max_attempts": "3"}, names)
	require.Empty(t, readGenericFile(t, "data/cities.json", `{"berlin": {"people": 3}}`).Settings, "data is no configuration")
}
