package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// genericDirs are folders whose files configure no running service.
var genericDirs = map[string]bool{"node_modules": true, "vendor": true, "testdata": true, "test": true, "tests": true, "__tests__": true,
	"fixtures": true, "__fixtures__": true, "mocks": true, "__mocks__": true, "snapshots": true, "__snapshots__": true, "e2e": true, "spec": true,
	".github": true, ".gitlab": true, ".circleci": true, ".vscode": true, ".idea": true, ".devcontainer": true, ".husky": true, ".changeset": true,
	"i18n": true, "locales": true, "locale": true, "lang": true, "translations": true, "messages": true, "docs": true, "doc": true, "openapi": true, "swagger": true,
	"schema": true, "schemas": true, "crd": true, "crds": true, "dashboards": true, "grafana": true, "third_party": true, "third-party": true, "dist": true,
	"build": true, "target": true, "site-packages": true, "benchmarks": true, "bench": true, "changelogs": true, ".cargo": true, ".buildkite": true, ".azure-pipelines": true,
	".tekton": true, ".prow": true, "test-data": true, "test_data": true, "samples": true, "proto": true, "ci": true, "molecule": true, "public": true, "static": true, "assets": true}

// genericNames are patterns of base names, in lower case, of files of tools.
var genericNames = []string{"package*.json", "*lock.json", "*-lock.yaml", "*.lock", "tsconfig*.json", "jsconfig*.json", "composer.json", "bower.json", "lerna.json",
	"nx.json", "turbo.json", "angular.json", "project.json", "*.schema.json", "schema*.json", "swagger*", "openapi*", "*openapi*.json", "*openapi*.yaml", "*.postman_*", "chart.yaml", "kustomization.y*ml",
	"cargo.toml", "pyproject.toml", "pipfile*", "poetry.toml", "uv.toml", "ruff.toml", "rustfmt.toml", "clippy.toml", "deny.toml", "gopkg.toml", "rust-toolchain.toml", "setup.cfg", "tox.ini",
	"pytest.ini", "mypy.ini", "alembic.ini", "phpunit*", "buildspec*.yml", "cloudbuild*.yaml", "appveyor.yml", "azure-pipelines*", "bitbucket-pipelines.yml", "jenkins*", "skaffold*.yaml",
	"tilt*", "taskfile*.yml", "firebase.json", "vercel.json", "netlify.toml", "fly*.toml", "gradle*.properties", "log4j*", "logback*", "logging.*", "sonar-project.properties", "messages*.properties",
	"*_??.properties", "*_??_??.properties", "mockery.y*ml", "sqlc.y*ml", "playwright*", "cypress*.json", "cypress*.env*", "karma*", "nodemon.json", "mkdocs.y*ml", "codecov.y*ml",
	"dependabot*", "renovate*", "buf*.yaml", "crowdin.yml", "manifest.json", "*.webmanifest", "launchsettings.json", "launch.json", "tasks.json", "devcontainer.json", "extensions.json",
	"jest*", "babel*", "webpack*", "cspell*.json", "biome.json*", "deno.json*", "knip.json", "components.json", "app.json", "eas.json", "lighthouserc*", "release*.json", "goreleaser.y*ml",
	"golangci.y*ml", "*.golangci.y*ml", "cliff.toml", "book.toml", "typos.toml", "taplo.toml", "cross.toml", "makefile.toml", "conda*.y*ml", "environment.y*ml", "meta.y*ml", "galaxy.yml", "antora*.yml", "_config.y*ml",
	"doxyfile*", "doxygen*", "mime.types", "*.desktop", "*.tfvars.json", "versions.json", "catalog-info.y*ml", "devfile.y*ml", "testgrid*", "prow*", "nextest.toml", "hugo*", "config.toml.example"}

// genericFile reports whether a document may be a service's own configuration.
func genericFile(p string, d *doc.Document) bool {
	switch d.Syntax {
	case doc.YAML, doc.JSON, doc.TOML, doc.INI, doc.Properties, doc.Env:
	default:
		return false
	}
	r := d.Root
	if r.Kind() != doc.Map || len(r.Raw()) > maxGenericBytes {
		return false
	}
	if r.Get("apiVersion").Exists() {
		return false
	}
	lower := strings.ToLower(p)
	base := path.Base(lower)
	if strings.HasPrefix(base, ".") && !strings.HasPrefix(base, ".env") {
		return false // dot files belong to tools
	}
	for part := range strings.SplitSeq(path.Dir(lower), "/") {
		if genericDirs[part] || strings.Contains(part, "fixture") || strings.Contains(part, "example") || part == "botocore" || strings.HasPrefix(part, "test-") || strings.HasSuffix(part, "_test") || strings.HasSuffix(part, "-tests") {
			return false
		}
	}
	if strings.Contains(base, "example") || strings.Contains(base, "sample") || strings.Contains(base, "test") || strings.Contains(base, "mock") || strings.Contains(base, "fixture") || strings.Contains(base, "schema") || strings.Contains(base, "dashboard") {
		return false
	}
	has := func(keys ...string) bool {
		for _, k := range keys {
			if !r.Get(k).Exists() {
				return false
			}
		}
		return true
	}
	switch {
	case has("kind", "metadata"), has("openapi") || has("swagger") || has("asyncapi"), has("$schema", "properties"), has("$schema", "definitions"),
		has("type", "properties"), has("panels"), has("on", "jobs"), has("Resources"), has("AWSTemplateFormatVersion"), has("compilerOptions"), has("devDependencies"),
		has("dependencies", "scripts"), has("dependencies", "version"), has("services", "version"), has("services", "networks"), has("services", "volumes"), has("groups") && has("rules"),
		has("stages"), has("repos", "default_stages"), has("linters"), has("$defs"), has("jsonrpc"), has("resource") && has("provider"), has("swarm"), has("StartAt", "States"),
		has("hooks", "repos"), has("playbook"), has("hosts", "tasks"), has("site_name"), has("pipeline", "steps"), has("cells", "nbformat"), has("shapes", "operations"), has("features", "type"):
		return false
	}
	// A list of alerting or recording rules.
	for _, g := range r.Get("groups").Items() {
		if g.Get("rules").Exists() {
			return false
		}
	}
	// The longest list comes last.
	for _, pattern := range genericNames {
		if ok, _ := path.Match(pattern, base); ok {
			return false
		}
	}
	return true
}

// appConfig reports whether a file's name says that an application reads it.
func appConfig(p string) bool {
	lower := strings.ToLower(p)
	base := path.Base(lower)
	if strings.Contains(base, "example") || strings.Contains(base, "sample") || strings.Contains(base, "template") || strings.HasSuffix(base, ".dist") {
		return false
	}
	for _, w := range []string{"config", "settings", "application", "conf.", "options"} {
		if strings.Contains(base, w) {
			return true
		}
	}
	switch path.Ext(base) {
	case ".properties", ".ini", ".env", ".toml":
		return true
	}
	if strings.HasPrefix(base, ".env") || strings.HasPrefix(base, "app.") {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(lower), "/") {
		switch part {
		case "config", "configs", "conf", "settings", "etc":
			return true
		}
	}
	return false
}

// retryStems are the beginnings of the words that this format looks for, in lower case.
var retryStems = []string{"retry", "retries", "retried", "attempt", "max_tries", "maxtries", "max-tries", "backoff", "redeliver", "reconnect", "max_deliver", "maxdeliver", "receivecount", "receive_count", "dlq", "dlx", "dlt", "dead_l", "dead-l", "deadl", "dead.l", "parking",
	"poison", "idempot", "dedup", "duplicate", "replay"}

// speaksOfRetries is a cheap look at a text before its keys are taken apart. A root without a text of its own is always looked at.
func speaksOfRetries(text string) bool {
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	return slices.ContainsFunc(retryStems, func(stem string) bool { return strings.Contains(text, stem) })
}

// chartAbove reports whether a file lies in a Helm chart.
func chartAbove(out *Out) bool {
	if out.Tree == nil {
		return false
	}
	for dir := path.Dir(out.Path); ; dir = path.Dir(dir) {
		if out.Tree(path.Join(dir, "Chart.yaml")) != nil {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}
