package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const payChart = `-- charts/pay/Chart.yaml --
apiVersion: v2
name: pay
version: 1.0.0
-- charts/pay/values.yaml --
retries: 3
deadline: 60
name: pay
-- charts/pay/templates/job.yaml --
apiVersion: batch/v1
kind: Job
metadata: {name: "{{ .Values.name }}"}
spec:
  backoffLimit: {{ .Values.retries }}
  activeDeadlineSeconds: {{ .Values.deadline }}
`

// TestReleases: what installs a chart is an environment of it, whoever says so, and a value's place is where it is given.
func TestReleases(t *testing.T) {
	type want struct {
		env, retries, file string
		line               int
	}
	for name, c := range map[string]struct {
		files string
		want  []want
		gaps  int
	}{
		"values files elsewhere": {`
-- deploy/prod/values-pay.yaml --
retries: 8
-- deploy/staging/pay.yaml --
retries: 1
-- deploy/prod/values-other.yaml --
unknown: 8
thing: 7
`, []want{{"values.yaml", "3", "charts/pay/values.yaml", 1}, {"deploy/prod/values-pay.yaml", "8", "deploy/prod/values-pay.yaml", 1}, {"deploy/staging/pay.yaml", "1", "deploy/staging/pay.yaml", 1}}, 0},
		"argo application": {`
-- charts/pay/values-prod.yaml --
retries: 4
deadline: 30
-- argocd/pay-prod.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: pay-prod}
spec:
  source:
    path: charts/pay
    helm:
      valueFiles: [values.yaml, values-prod.yaml, ../../envs/prod.yaml, ../../envs/gone.yaml]
      values: |
        deadline: 90
        retries: 6
      parameters:
        - name: name
          value: prod
        - name: retries
          value: "9"
-- envs/prod.yaml --
retries: 5
`, []want{{"envs/prod.yaml", "9", "argocd/pay-prod.yaml", 16}}, 1},
		"argo values": {`
-- argocd/pay.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: pay-prod}
spec:
  sources:
    - repoURL: https://git.example.com/x.git
      ref: values
    - path: charts/pay
      helm:
        valueFiles: [$values/envs/prod.yaml]
        values: |
          deadline: 90
          retries: 6
-- argocd/pay-dev.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: pay-dev}
spec:
  source:
    path: charts/pay
    helm:
      valuesObject:
        retries: 2
-- envs/prod.yaml --
retries: 5
`, []want{{"argocd/pay-dev.yaml", "2", "argocd/pay-dev.yaml", 9}, {"envs/prod.yaml", "6", "argocd/pay.yaml", 13}}, 0},
		"application set": {`
-- apps.yaml --
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: pay}
spec:
  generators:
    - list:
        elements:
          - {cluster: prod, retries: "7"}
          - {cluster: dev, retries: "1"}
  template:
    spec:
      source:
        path: charts/pay
        helm:
          valueFiles: ["../../envs/{{cluster}}.yaml"]
          parameters: [{name: retries, value: "{{ .retries }}"}]
-- envs/dev.yaml --
deadline: 2
-- envs/prod.yaml --
deadline: 3
`, []want{{"envs/prod.yaml", "7", "apps.yaml", 16}, {"envs/dev.yaml", "1", "apps.yaml", 16}}, 0},
		"application set over clusters": {`
-- apps.yaml --
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: pay}
spec:
  generators: [{clusters: {}}]
  template:
    spec:
      source:
        path: charts/pay
        helm: {valueFiles: ["../../envs/{{name}}/values.yaml"]}
-- envs/dev/values.yaml --
retries: 2
-- envs/prod/values.yaml --
retries: 5
`, []want{{"envs/dev/values.yaml", "2", "envs/dev/values.yaml", 1}, {"envs/prod/values.yaml", "5", "envs/prod/values.yaml", 1}}, 0},
		"flux": {`
-- clusters/prod/pay.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: pay}
spec:
  chart:
    spec:
      chart: ./charts/pay
      sourceRef: {kind: GitRepository, name: flux-system}
  valuesFrom:
    - {kind: ConfigMap, name: pay-values}
    - {kind: Secret, name: pay-secrets}
  values:
    deadline: 10
-- clusters/prod/kustomization.yaml --
configMapGenerator:
  - name: pay-values
    files: [values.yaml=more.yaml]
-- clusters/prod/more.yaml --
# more
retries: 6
-- clusters/dev/pay.yaml --
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: pay}
spec:
  chart: {spec: {chart: pay, sourceRef: {kind: HelmRepository, name: own}}}
  values:
    retries: 1
`, []want{{"clusters/dev/pay.yaml", "1", "clusters/dev/pay.yaml", 7}, {"clusters/prod/more.yaml", "6", "clusters/prod/more.yaml", 2}}, 1},
		"helmfile": {`
-- helmfile.yaml --
environments:
  dev: {}
  prod:
    values: [x.yaml]
---
releases:
  - name: pay
    chart: ./charts/pay
    values:
      - deploy/{{ .Environment.Name }}.yaml
      - deadline: 20
    set:
      - {name: name, value: shop}
-- deploy/dev.yaml --
retries: 2
-- deploy/prod.yaml --
retries: 12
`, []want{{"deploy/dev.yaml", "2", "deploy/dev.yaml", 1}, {"deploy/prod.yaml", "12", "deploy/prod.yaml", 1}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			sets, gaps := all(t.Context(), repository(payChart+c.files))
			i := 0
			for ; i < len(sets) && sets[i].Name != "charts/pay"; i++ {
			}
			require.Less(t, i, len(sets))
			var got []want
			for _, e := range sets[i].Envs {
				text, at := value(t, e, "Job", "spec.backoffLimit")
				got = append(got, want{e.Name[len("charts/pay:"):], text, at.Path, at.Pos.Line})
			}
			require.Equal(t, c.want, got)
			require.Len(t, gaps, c.gaps, "%v", gaps)
			for _, g := range gaps {
				require.True(t, g.Expected)
				require.Positive(t, g.Line)
			}
		})
	}
}

// TestHelmIgnore: what Helm leaves out of a chart does not ship.
func TestHelmIgnore(t *testing.T) {
	sets, gaps := all(t.Context(), repository(payChart+`-- charts/pay/.helmignore --
# drafts
*-draft.yaml
/templates/old/
charts/gone/
-- charts/pay/templates/job-draft.yaml --
kind: Draft
-- charts/pay/templates/old/job.yaml --
kind: Old
-- charts/pay/templates/.hidden.yaml --
kind: Hidden
-- charts/pay/charts/gone/Chart.yaml --
apiVersion: v2
name: gone
version: 1.0.0
-- charts/pay/charts/gone/templates/job.yaml --
kind: Gone
`))
	require.Empty(t, gaps)
	require.Len(t, sets, 1)
	require.Len(t, sets[0].Envs, 1)
	var paths []string
	for _, x := range sets[0].Envs[0].Texts {
		paths = append(paths, x.Path)
	}
	require.Equal(t, []string{"charts/pay/templates/job.yaml"}, paths)
	require.Contains(t, sets[0].Covers, "charts/pay/templates/old/job.yaml", "it is not read as it stands either")
	require.True(t, Wants("charts/pay/.helmignore"))
}
