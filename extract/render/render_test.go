package render

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract/doc"
)

// repository makes Files of a txtar.
func repository(text string) Files {
	a := txtar.Parse([]byte(text))
	data := map[string][]byte{}
	f := Files{}
	for _, x := range a.Files {
		data[x.Name] = x.Data
		f.Paths = append(f.Paths, x.Name)
	}
	slices.Sort(f.Paths)
	f.Read = func(p string) ([]byte, error) {
		if d, ok := data[p]; ok {
			return d, nil
		}
		return nil, os.ErrNotExist
	}
	trees := map[string]*doc.File{}
	f.Tree = func(p string) *doc.File {
		if _, ok := data[p]; !ok {
			return nil
		}
		if trees[p] == nil {
			trees[p] = doc.Parse(p, data[p], doc.Limits{})
		}
		return trees[p]
	}
	return f
}

// all are the sets of Each.
func all(ctx context.Context, files Files) ([]Set, []Gap) {
	var sets []Set
	gaps := Each(ctx, files, func(s Set) { sets = append(sets, s) })
	slices.SortStableFunc(sets, func(a, b Set) int { return strings.Compare(a.Name, b.Name) })
	return sets, gaps
}

// value finds a value in the texts of an environment and the line that sets it.
func value(t *testing.T, e Env, kind, dotted string) (text string, at Place) {
	t.Helper()
	for _, x := range e.Texts {
		for _, d := range doc.ParseAs(doc.YAML, "x.yaml", x.Data, doc.Limits{}).Docs {
			if k, name, _ := strings.Cut(kind, "/"); d.Root.Get("kind").Str() == k && (name == "" || d.Root.Path("metadata.name").Str() == name) {
				if n := d.Root.Path(dotted); n.Exists() {
					return n.Str(), x.Place(n.Pos())
				}
			}
		}
	}
	t.Fatalf("%s: no %s of %s", e.Name, dotted, kind)
	return "", Place{}
}

const chartStart = "-- c/Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\n"

func TestPlacesOfValues(t *testing.T) {
	files := repository(chartStart + `
-- c/values.yaml --
job: {retries: 3}
env:
  MAX_RETRIES: "4"
resources:
  limits:
    cpu: 2
list:
  - name: one
    tries: 5
-- c/values-prod.yaml --
job:
  retries: 7
-- c/templates/_helpers.tpl --
{{- define "c.spec" -}}
backoffLimit: {{ .Values.job.retries }}
{{- end }}
-- c/templates/job.yaml --
apiVersion: batch/v1
kind: Job
metadata:
  name: c
  annotations:
    checksum: {{ include (print $.Template.BasePath "/map.yaml") . | sha256sum }}
spec:
  {{- include "c.spec" . | nindent 2 }}
  completions: 1
  {{- with .Values.job }}
  parallelism: {{ .retries }}
  {{- end }}
  quoted: "{{ .Values.job.retries }}"
  fallback: {{ .Values.job.nothing | default 9 }}
  resources: {{- toYaml .Values.resources | nindent 4 }}
  {{- range .Values.list }}
  {{ .name }}: {{ .tries }}
  {{- end }}
-- c/templates/map.yaml --
kind: ConfigMap
metadata: {name: c}
data:
  {{- range $k, $v := .Values.env }}
  {{ $k }}: {{ $v | quote }}
  {{- end }}
`)
	sets, gaps := all(t.Context(), files)
	require.Empty(t, gaps)
	require.Len(t, sets, 1)
	require.Len(t, sets[0].Envs, 2)
	require.Equal(t, []string{"c/templates/job.yaml", "c/templates/map.yaml"}, sets[0].Covers)
	plain, prod := sets[0].Envs[0], sets[0].Envs[1]
	require.Equal(t, "c:values.yaml", plain.Name)
	require.Equal(t, "c:values-prod.yaml", prod.Name)
	for _, c := range []struct {
		env          Env
		kind, dotted string
		text, file   string
		line         int
	}{
		{plain, "Job", "spec.backoffLimit", "3", "c/values.yaml", 1},
		{prod, "Job", "spec.backoffLimit", "7", "c/values-prod.yaml", 2},
		{prod, "Job", "spec.parallelism", "7", "c/values-prod.yaml", 2},
		{prod, "Job", "spec.quoted", "7", "c/values-prod.yaml", 2},
		{prod, "Job", "spec.completions", "1", "c/templates/job.yaml", 9},
		{plain, "Job", "spec.fallback", "9", "c/templates/job.yaml", 14},
		{prod, "Job", "spec.resources.limits.cpu", "2", "c/values.yaml", 6},
		{prod, "Job", "spec.one", "5", "c/values.yaml", 9},
		{prod, "ConfigMap", "data.MAX_RETRIES", "4", "c/values.yaml", 3},
	} {
		text, at := value(t, c.env, c.kind, c.dotted)
		require.Equal(t, c.text, text, c.dotted)
		require.Equal(t, c.file, at.Path, c.dotted)
		require.Equal(t, c.line, at.Pos.Line, c.dotted)
	}
	_, at := value(t, prod, "Job", "spec.completions")
	require.Equal(t, 16, at.Pos.Col)
	require.Equal(t, 17, at.Pos.EndCol)
}

func TestDependencies(t *testing.T) {
	files := repository(`
-- c/Chart.yaml --
apiVersion: v2
name: c
version: 1.0.0
dependencies:
  - {name: redis, version: 1.0.0, repository: "https://charts.example.com"}
  - {name: queue, version: 1.0.0, repository: "https://charts.example.com", alias: orders}
  - {name: common, version: 1.0.0, repository: "file://../common"}
-- c/values.yaml --
orders: {retries: 8}
-- c/templates/job.yaml --
kind: Job
metadata: {name: main}
{{ include "common.spec" . }}
-- c/charts/queue/Chart.yaml --
apiVersion: v2
name: queue
version: 1.0.0
-- c/charts/queue/values.yaml --
retries: 1
wait: 5
-- c/charts/queue/templates/job.yaml --
kind: Job
metadata: {name: queue}
spec: {backoffLimit: {{ .Values.retries }}, wait: {{ .Values.wait }}}
-- common/Chart.yaml --
apiVersion: v2
name: common
version: 1.0.0
type: library
-- common/templates/_spec.tpl --
{{- define "common.spec" -}}
spec:
  backoffLimit: 2
{{- end -}}
`)
	sets, gaps := all(t.Context(), files)
	require.Len(t, sets, 1)
	require.Len(t, gaps, 1)
	require.True(t, gaps[0].Expected)
	require.Equal(t, 5, gaps[0].Line)
	require.Contains(t, gaps[0].Reason, "redis")
	require.Equal(t, "c/Chart.yaml", gaps[0].Path)
	text, at := value(t, sets[0].Envs[0], "Job/queue", "spec.backoffLimit")
	require.Equal(t, "8", text)
	require.Equal(t, Place{"c/values.yaml", at.Pos}, at)
	_, at = value(t, sets[0].Envs[0], "Job/main", "spec.backoffLimit")
	require.Equal(t, "common/templates/_spec.tpl", at.Path)
	require.Equal(t, 3, at.Pos.Line)
}

// TestBrokenTemplates: a template that does not render costs itself, with its place; the rest of the chart is rendered.
func TestBrokenTemplates(t *testing.T) {
	for name, broken := range map[string]string{
		"syntax":   "kind: Job\nspec: {{ .Values.x\n",
		"function": "kind: Job\nspec: {{ nothing .Values.x }}\n",
		"required": "kind: Job\nspec: {{ required \"x is needed\" .Values.x }}\n",
		"nil":      "kind: Job\nspec: {{ .Values.a.b.c }}\n",
	} {
		t.Run(name, func(t *testing.T) {
			sets, gaps := all(t.Context(), repository(chartStart+"-- c/values.yaml --\na: {}\n-- c/templates/broken.yaml --\n"+broken+"-- c/templates/good.yaml --\nkind: Job\nspec: {backoffLimit: 4}\n"))
			require.Len(t, gaps, 1)
			require.Equal(t, "c/templates/broken.yaml", gaps[0].Path)
			require.Equal(t, name != "syntax" && name != "function", gaps[0].Expected)
			require.Positive(t, gaps[0].Line)
			require.LessOrEqual(t, gaps[0].Line, 3)
			require.Len(t, sets, 1)
			require.Equal(t, []string{"c/templates/good.yaml"}, sets[0].Covers)
			text, _ := value(t, sets[0].Envs[0], "Job", "spec.backoffLimit")
			require.Equal(t, "4", text)
		})
	}
}

// TestHostileCharts: whatever a chart does, it ends in time and takes nothing with it; the next chart is rendered.
func TestHostileCharts(t *testing.T) {
	defer func(d time.Duration) { jobTime = d }(jobTime)
	jobTime = 3 * time.Second
	for name, template := range map[string]string{
		"until":     `{{ range until 2000000000 }}x{{ end }}`,
		"repeat":    `{{ repeat 2000000000 "xxxxxxxxxx" }}`,
		"loops":     `{{ range until 9999 }}{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}{{ end }}`,
		"recursion": `{{ define "a" }}{{ include "a" . }}{{ include "a" . }}{{ end }}{{ include "a" . }}`,
		"template":  `{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`,
		"doubling":  `{{ $x := "xxxxxxxxxxxxxxxx" }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}{{ $x }}`,
		"tpl":       `{{ tpl "{{ range until 2000000000 }}x{{ end }}" . }}`,
		"output":    `{{ range until 4000 }}{{ repeat 4000 "x" }}{{ end }}`,
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			sets, gaps := all(t.Context(), repository(chartStart+"-- c/templates/x.yaml --\n"+template+"\n-- d/Chart.yaml --\napiVersion: v2\nname: d\nversion: 1.0.0\n-- d/templates/job.yaml --\nkind: Job\nspec: {backoffLimit: 4}\n"))
			require.NotEmpty(t, gaps)
			for _, g := range gaps {
				require.Equal(t, "c", strings.Split(g.Path, "/")[0], g)
			}
			require.Less(t, time.Since(start), 30*time.Second)
			i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == "d" })
			require.GreaterOrEqual(t, i, 0)
			text, _ := value(t, sets[i].Envs[0], "Job", "spec.backoffLimit")
			require.Equal(t, "4", text)
		})
	}
}

// TestNothingIsCalled: what asks the network, the cluster, the environment or the disk gets nothing.
func TestNothingIsCalled(t *testing.T) {
	t.Setenv("RETRYLINT_TEST_SECRET", "secret")
	sets, gaps := all(t.Context(), repository(chartStart+`
-- c/templates/job.yaml --
kind: Job
metadata: {name: c}
spec:
  host: "{{ getHostByName "localhost" }}"
  lookup: "{{ lookup "v1" "Secret" "default" "x" }}"
  file: "{{ .Files.Get "/etc/passwd" }}{{ .Files.Get "../../../etc/passwd" }}"
`))
	require.Empty(t, gaps)
	for dotted, want := range map[string]string{"spec.host": "", "spec.lookup": "map[]", "spec.file": ""} {
		text, _ := value(t, sets[0].Envs[0], "Job", dotted)
		require.Equal(t, want, text, dotted)
	}
	_, gaps = all(t.Context(), repository(chartStart+"-- c/templates/job.yaml --\nx: {{ env \"RETRYLINT_TEST_SECRET\" }}\n"))
	require.Len(t, gaps, 1)
	require.Contains(t, gaps[0].Reason, `"env" not defined`)
}

func TestOverlays(t *testing.T) {
	files := repository(`
-- base/kustomization.yaml --
resources: [job.yaml]
configMapGenerator:
  - name: settings
    literals:
      - MAX_RETRIES=4
-- base/job.yaml --
apiVersion: batch/v1
kind: Job
metadata:
  name: settle
spec:
  backoffLimit: 3
  completions: 2
  template:
    spec:
      restartPolicy: Never
      containers: [{name: a, image: a}, {name: b, image: b, env: [{name: X, value: "1"}]}]
-- overlays/prod/kustomization.yaml --
namePrefix: prod-
resources:
  - ../../base
  - https://example.com/other/app.yaml
patches:
  - path: retries.yaml
-- overlays/prod/retries.yaml --
apiVersion: batch/v1
kind: Job
metadata:
  name: settle
spec:
  backoffLimit: 8
  template:
    spec:
      containers:
        - name: b
          env: [{name: X, value: "2"}]
-- overlays/staging/kustomization.yaml --
resources: [../../base]
patches:
  - target: {kind: Job, name: settle}
    patch: |-
      - op: replace
        path: /spec/backoffLimit
        value: 1
-- broken/kustomization.yaml --
resources: [gone.yaml]
patches:
  - path: nowhere.yaml
`)
	sets, gaps := all(t.Context(), files)
	require.Len(t, gaps, 2, "%v", gaps)
	require.Equal(t, "broken/kustomization.yaml", gaps[0].Path)
	require.Equal(t, "overlays/prod/kustomization.yaml", gaps[1].Path)
	require.Equal(t, 4, gaps[1].Line)
	require.Len(t, sets, 1)
	require.Equal(t, []string{"base/job.yaml", "overlays/prod/retries.yaml"}, sets[0].Covers)
	prod, staging := sets[0].Envs[0], sets[0].Envs[1]
	require.Equal(t, []string{"overlays:prod", "overlays:staging"}, []string{prod.Name, staging.Name})
	for _, c := range []struct {
		env          Env
		kind, dotted string
		text, file   string
		line         int
	}{
		{prod, "Job/prod-settle", "spec.backoffLimit", "8", "overlays/prod/retries.yaml", 6},
		{prod, "Job/prod-settle", "spec.completions", "2", "base/job.yaml", 7},
		{prod, "Job/prod-settle", "spec.template.spec.containers.0.env.0.value", "2", "overlays/prod/retries.yaml", 11},
		{staging, "Job/settle", "spec.backoffLimit", "1", "overlays/staging/kustomization.yaml", 7},
		{staging, "Job/settle", "spec.template.spec.containers.1.env.0.value", "1", "base/job.yaml", 11},
		{staging, "ConfigMap", "data.MAX_RETRIES", "4", "base/kustomization.yaml", 5},
	} {
		text, at := value(t, c.env, c.kind, c.dotted)
		require.Equal(t, c.text, text, c.dotted)
		require.Equal(t, c.file, at.Path, c.dotted)
		require.Equal(t, c.line, at.Pos.Line, "%s: %s", c.env.Name, c.dotted)
	}
}

// TestOverlaysCallNothing: remote bases, plugins and functions are left out.
func TestOverlaysCallNothing(t *testing.T) {
	marker := path.Join(t.TempDir(), "ran")
	files := repository(`
-- o/kustomization.yaml --
resources:
  - github.com/example/other//deploy?ref=main
  - git@example.com:other.git
  - job.yaml
transformers:
  - run.yaml
-- o/job.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: x}
spec: {backoffLimit: 3}
-- o/run.yaml --
apiVersion: v1
kind: Fn
metadata:
  name: fn
  annotations:
    config.kubernetes.io/function: |
      exec: {path: /bin/touch, args: ["` + marker + `"]}
`)
	start := time.Now()
	_, gaps := all(t.Context(), files)
	require.NotEmpty(t, gaps)
	require.NoFileExists(t, marker)
	require.Less(t, time.Since(start), 30*time.Second)
}

func TestManyEnvironments(t *testing.T) {
	var b strings.Builder
	b.WriteString(chartStart + "-- c/templates/x.yaml --\nkind: Job\nspec: {backoffLimit: {{ .Values.n }}}\n")
	for i := range 30 {
		b.WriteString("-- c/values-" + string(rune('a'+i%26)) + itoa(i) + ".yaml --\nn: 1\n")
	}
	sets, gaps := all(t.Context(), repository(b.String()))
	require.Len(t, sets[0].Envs, maxEnvironments)
	require.Len(t, gaps, 1)
	require.Contains(t, gaps[0].Reason, "11 more values files")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sets, _ := all(ctx, repository(chartStart+"-- c/templates/x.yaml --\nkind: Job\n"))
	require.Empty(t, sets)
}
