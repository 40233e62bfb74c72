package extract

import (
	"path"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "github-actions",
	Title: "GitHub Actions",
	Files: []string{"**/.github/workflows/*.yml", "**/.github/workflows/*.yaml", "**/.github/actions/**/action.yml", "**/.github/actions/**/action.yaml"},
	Match: func(p string, d *doc.Document) bool {
		if !strings.Contains("/"+p, "/.github/") {
			return false
		}
		return d.Root.Get("jobs").Kind() == doc.Map || d.Root.Path("runs.steps").Kind() == doc.List
	},
	Read: readActions,
	Keys: []Key{
		{"uses: …/retry with.max_attempts (max_retries, attempt_limit)", "attempts", "see the action", "refused", "refused"},
		{"with.retry_wait_seconds", "wait, seconds", "10", "", ""},
		{"with.timeout_minutes, timeout_seconds", "limit of one attempt", "", "", ""},
		{"run: curl --retry", "retries", "0, curl", "1 attempt", ""},
	},
	Doc: `There is no retry key: a step repeats where an action whose name ends in retry runs its command, or where the command does (curl --retry). A failed
run can be rerun by hand for 30 days, which repeats what its jobs did. Images that a step builds (docker/build-push-action, docker build) are noted with their
Dockerfile. Source: catalogue, G4 and L3; dedupe windows, 2.`,
	Example: `
-- .github/workflows/image.yml --
on: {push: {}}
jobs:
  image:
    steps:
      - uses: docker/build-push-action@v6
        with:
          file: build/one.Dockerfile
          tags: |- # want build "image:acme/nightly file=build/one.Dockerfile"
            ghcr.io/acme/nightly:${{ github.sha }}
            ${{ env.REGISTRY }}/other:1
      - run: docker build -t ghcr.io/acme/hooks:$SHA build/hooks # want build "image:acme/hooks file=build/hooks/Dockerfile"
-- .github/workflows/release.yml --
on: {push: {}}
jobs:
  publish:
    steps:
      - name: push it
        uses: nick-fields/retry@v3
        with:
          max_attempts: 4 # want layer "attempts=4 initial=20s perAttempt=5m kind=delivery"
          retry_wait_seconds: 20
          timeout_minutes: 5
          command: curl -X POST https://hooks.example.test/release # want edge "POST host:hooks.example.test /release"
      - run: |
          for i in 1 2 3; do # want layer "attempts=3 initial=5s"
            curl -f -X POST -H "Authorization: ${{ secrets.TOKEN }}" \
              https://hooks.example.test/done && break
            sleep 5
          done
      - run: |
          echo hello
          curl --retry 2 https://example.test/ping # want layer "attempts=3"
`,
})

func readActions(d *doc.Document, out *Out) {
	for _, j := range d.Root.Get("jobs").Entries() {
		actionSteps(j.Key, j.Value.Get("steps"), out)
	}
	actionSteps("", d.Root.Path("runs.steps"), out)
}

func actionSteps(job string, steps *doc.Node, out *Out) {
	self := model.N(model.SpaceWorkload, "github/"+out.Repo+"/"+path.Base(out.Path)+"#"+job)
	node := false
	need := func(at model.Location) {
		if !node {
			node = true
			out.Node(model.Node{Name: self, Kind: model.NodeBatch, At: at, Label: "job " + job, Entry: true})
		}
	}
	for _, s := range steps.Items() {
		if run := s.Get("run"); run.Kind() == doc.Scalar || run.Kind() == doc.Unknown {
			actionCalls(self, nil, false, run, need, out)
			dockerBuilds(run, out)
		}
		uses, _, _ := strings.Cut(s.Get("uses").Str(), "@")
		if uses == "docker/build-push-action" {
			buildAction(s.Get("with"), out)
		}
		if base := path.Base(uses); !strings.HasSuffix(base, "retry") && !strings.HasSuffix(base, "retry-action") && !strings.HasSuffix(base, "retry-step") {
			continue
		}
		w := s.Get("with")
		attempts, retries := exists(w.Get("max_attempts"), w.Get("attempt_limit"), w.Get("attempts"), w.Get("max-attempts")), exists(w.Get("max_retries"), w.Get("retries"), w.Get("max-retries"))
		l := model.Layer{Kind: model.KindDelivery, In: self, Label: uses, LowConfidence: true, Policy: model.Policy{On: model.OnExit}}
		switch {
		case attempts.Exists():
			out.count(&l, attempts, w, counting{zero: refused, negative: refused})
		case retries.Exists():
			out.count(&l, retries, w, counting{offset: 1, negative: refused})
		default:
			l.At = out.Loc(s.Get("uses"))
		}
		wait := exists(w.Get("retry_wait_seconds"), w.Get("delay"), w.Get("retry_delay"), w.Get("attempt_delay"))
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, wait, model.FieldInitial, time.Second), wait, model.For(10*time.Second)), Jitter: model.Jitter{Kind: model.JitterNone}}
		if t := w.Get("timeout_minutes"); t.Exists() {
			l.Policy.PerAttempt = out.span(&l, t, model.FieldPerAttempt, time.Minute)
		} else if t := w.Get("timeout_seconds"); t.Exists() {
			l.Policy.PerAttempt = out.span(&l, t, model.FieldPerAttempt, time.Second)
		}
		need(l.At)
		id := out.Layer(l).ID
		if cmd := exists(w.Get("command"), w.Get("run")); cmd.Kind() == doc.Scalar || cmd.Kind() == doc.Unknown {
			actionCalls(self, []string{id}, true, cmd, need, out)
		}
	}
}

// actionCalls makes the calls of a step's script edges where they repeat themselves, or where something repeats the step (repeated) and they change
// something: other calls of a pipeline are of no interest.
func actionCalls(self model.Name, under []string, repeated bool, run *doc.Node, need func(model.Location), out *Out) {
	for _, c := range shellCalls(run.Str()) {
		own := c.retries > 0 || c.unknown || c.endless || c.loop != nil && c.method != "GET" && c.method != "HEAD" && c.tool != "kubectl"
		if c.tool == "wget" {
			own = (c.tries || c.loop != nil) && own // 20 tries of a download are its usual way
		}
		if !own && (!repeated || c.method == "GET" || c.method == "HEAD") {
			continue
		}
		need(out.Loc(run))
		before := len(out.Facts.Edges)
		c.edge(self, "", run, out)
		for i := before; i < len(out.Facts.Edges); i++ {
			out.Facts.Edges[i].Under = append(append([]string{}, under...), out.Facts.Edges[i].Under...)
		}
	}
}

var _ = add(Format{
	Name:  "gitlab-ci",
	Title: "GitLab CI",
	Files: []string{".gitlab-ci.yml", "*.gitlab-ci.yml", "**/.gitlab/ci/*.yml", "**/.gitlab-ci/*.yml"},
	Match: func(p string, d *doc.Document) bool {
		return strings.Contains(p, ".gitlab") && d.Root.Kind() == doc.Map
	},
	Read: func(d *doc.Document, out *Out) {
		for _, e := range d.Root.Entries() {
			switch e.Key {
			case "stages", "variables", "include", "workflow", "image", "services", "cache", "spec":
				continue
			}
			gitlabJob(e.Key, e.Value, out)
		}
	},
	Keys: []Key{
		{"JOB.retry, default.retry", "retries", "0, GitLab", "1 attempt", "refused"},
		{"JOB.retry.max", "retries, at most 2", "0, also beside when", "1 attempt", "refused"},
		{"JOB.timeout", "limit of one attempt", "1h, GitLab", "", ""},
	},
	Doc: `A job that fails runs again retry times, at most twice. retry with when and without max does nothing. The callees are the calls of its script that change
something. Source: catalogue, G5.`,
	Example: `
-- .gitlab-ci.yml --
stages: [deploy]
deploy:
  stage: deploy
  retry: 2 # want layer "attempts=3 kind=delivery"
  script:
    - curl -X POST https://hooks.example.test/deploy # want edge "POST host:hooks.example.test"
other:
  retry:
    max: 1 # want layer "attempts=2"
    when: [runner_system_failure]
lost:
  retry: # want layer "attempts=1 ineffective"
    when: [script_failure]
`,
})

func gitlabJob(name string, j *doc.Node, out *Out) {
	r := j.Get("retry")
	if !r.Exists() || name == "pages" && r.Kind() == doc.Null {
		return
	}
	self := model.N(model.SpaceWorkload, "gitlab/"+out.Repo+"/"+path.Base(out.Path)+"#"+name)
	l := model.Layer{Kind: model.KindDelivery, In: self, Whole: true, Label: "GitLab CI retry", Policy: model.Policy{On: model.OnExit, Backoff: model.Backoff{Jitter: model.Jitter{Kind: model.JitterUnknown}}}}
	n := r
	if r.Kind() == doc.Map {
		n = r.Get("max")
	}
	if r.Kind() == doc.Map && !n.Exists() {
		l.At, l.Policy.Attempts = out.KeyLoc(r), model.Exactly(1)
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitIneffective, At: out.KeyLoc(r), Detail: "retry without max is 0 retries"})
	} else {
		out.count(&l, n, j, counting{offset: 1, negative: refused, most: 3})
	}
	l.Policy.PerAttempt = out.span(&l, j.Get("timeout"), model.FieldPerAttempt, time.Minute)
	if w := r.Get("when"); w.Exists() {
		infra := true
		for _, c := range w.Many() {
			switch c.Str() {
			case "runner_system_failure", "stuck_or_timeout_failure", "runner_unsupported", "stale_schedule", "scheduler_failure", "data_integrity_failure":
			default:
				infra = false
			}
		}
		if infra {
			l.Traits = append(l.Traits, model.Trait{Kind: model.TraitFiltersPermanent, At: out.Loc(w), Detail: "only failures of the runner"})
		}
	}
	out.Node(model.Node{Name: self, Kind: model.NodeBatch, At: l.At, Label: "job " + name, Entry: true})
	out.Layer(l)
	for _, key := range []string{"before_script", "script"} {
		for _, s := range j.Get(key).Many() {
			if s.Kind() == doc.Scalar {
				actionCalls(self, nil, true, s, func(model.Location) {}, out)
			}
		}
	}
}
