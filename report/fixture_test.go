package report

import (
	"strings"

	"github.com/retrylint/retrylint/model"
)

func place(repo, path string, line, col, endCol int) model.Place {
	p := model.Place{Repository: repo, Path: path, Line: line, Column: col}
	if endCol > 0 {
		p.EndLine, p.EndColumn = line, endCol
	}
	return p
}

// richResult is a result in which every field has a value somewhere: four repositories, a chain across all of them, a window
// that is too short, one without end, one that is unknown, findings of every severity, suppressed, known and gone.
func richResult() *model.Result {
	wf := place("scheduler", "settle.yaml", 20, 18, 21)
	loop := place("settle-service", "main.go", 31, 2, 44)
	client := place("payout-gateway", "internal/ledger/client.go", 27, 2, 35)
	win := place("ledger", "main.go", 17, 7, 15)
	hook := place("payout-gateway", "hooks.go", 9, 4, 12)
	r := &model.Result{
		Version: 1, Tool: model.ToolInfo{Name: "retrylint", Version: "1.2.3"},
		Repositories: []model.RepositoryInfo{
			{Name: "ledger", URL: "git@github.com:pay/ledger.git", Commit: "1f0e8d6c5b4a39281706f5e4d3c2b1a098765432", Group: "core"},
			{Name: "payout-gateway", URL: "https://gitlab.com/pay/payout-gateway", Commit: "2f0e8d6c5b4a39281706f5e4d3c2b1a098765432"},
			{Name: "scheduler", URL: "https://user:secret@git.example.test/pay/scheduler.git", Commit: "3f0e8d6c5b4a39281706f5e4d3c2b1a098765432", Dirty: true},
			{Name: "settle-service"},
		},
		Services: []model.ServiceInfo{
			{Name: "ledger", Repository: "ledger", Kind: "main", Aliases: []string{"host:ledger.pay"}, Replicas: "2"},
			{Name: "payout-gateway", Repository: "payout-gateway", Kind: "main", Replicas: "3"},
			{Name: "settle", Repository: "scheduler", Kind: "workflow"},
			{Name: "settle-service", Repository: "settle-service", Kind: "main"},
		},
		Layers: []model.LayerInfo{
			{ID: "client", Place: client, Kind: "loop", Label: "retry loop", Service: "payout-gateway", Function: "example.test/pay/payout-gateway.(*Ledger).Book",
				Target: "POST /entries", Attempts: "3", Backoff: model.BackoffInfo{Kind: "constant", Initial: "2s", Jitter: "none"},
				PerAttemptTimeout: "5s", Retries: []string{"any error"}, Origin: "explicit", SetBy: []model.Place{place("payout-gateway", "deploy/values.yaml", 4, 11, 12)},
				Factor: true, Snippet: "\tfor i := 1; i <= l.attempts; i++ {"},
			{ID: "workflow", Place: wf, Kind: "workflow", Label: "Argo retryStrategy", Target: "settle-service", Attempts: "3",
				Backoff: model.BackoffInfo{Kind: "constant", Initial: "1h", Jitter: "none"}, Retries: []string{"failed process"}, Origin: "explicit", Factor: true,
				Snippet: "          limit: \"2\""},
			{ID: "worker", Place: loop, Kind: "loop", Label: "retry loop", Service: "settle-service", Function: "example.test/pay/settle-service.settle",
				Attempts: "3", AttemptsMin: "2", Backoff: model.BackoffInfo{Kind: "constant", Initial: "1m", Jitter: "none"}, Deadline: "10m",
				Retries: []string{"any error"}, Origin: "explicit", Settings: []string{"env:ROUNDS"}, Environments: []string{"prod"}, Factor: true,
				Snippet: "\tfor round := 0; round < rounds(); round++ {"},
			{ID: "breaker", Place: place("payout-gateway", "internal/ledger/client.go", 12, 1, 8), Kind: "breaker", Label: "circuit breaker", Attempts: "1",
				Backoff: model.BackoffInfo{Kind: "none", Jitter: "none"}, Origin: "default", DefaultOf: "the library", Factor: false},
			{ID: "sender", Place: hook, Kind: "webhook", Label: "webhook redelivery", Attempts: "unbounded",
				Backoff: model.BackoffInfo{Kind: "list", List: []string{"5s", "5m", "30m"}, Jitter: "full"}, Origin: "declared", Factor: true},
			{ID: "sdk", Place: place("payout-gateway", "hooks.go", 14, 7, 20), Kind: "client", Label: "storage client", Attempts: "unknown",
				Backoff: model.BackoffInfo{Kind: "exponential", Initial: "1s", Multiplier: "2", Max: "32s", Jitter: "proportional"}, Origin: "default", DefaultOf: "storage v1", Factor: true},
		},
		Windows: []model.WindowInfo{
			{ID: "redis", Place: win, Kind: "redis", TTL: "24h", Guaranteed: "24h", Service: "ledger", Origin: "explicit", Snippet: "const remember = 24 * time.Hour"},
			{ID: "unique", Place: place("ledger", "schema.sql", 3, 1, 0), Kind: "unique-constraint", TTL: "permanent", Guaranteed: "permanent", Service: "ledger", Origin: "explicit"},
			{ID: "cache", Place: place("payout-gateway", "hooks.go", 30, 1, 0), Kind: "memory", TTL: "unknown", Guaranteed: "unknown"},
		},
		Chains: []model.ChainInfo{
			{ID: "c27", Entry: model.EndInfo{Name: "CronWorkflow settle", Kind: "schedule", Place: place("scheduler", "settle.yaml", 5, 9, 15)},
				Effect: model.EndInfo{Name: "POST /entries", Kind: "route", Place: place("ledger", "main.go", 44, 12, 38)},
				Layers: []string{"workflow", "worker", "client"}, Attempts: "27", AttemptsMin: "18", AutomaticDelay: "2h6m36s", AutomaticWorstCase: "2h8m51s",
				Paths: []model.PathInfo{{Kind: "automatic", Delay: "2h8m51s", Origin: "the retries themselves"},
					{Kind: "dead-letter", Delay: "26h6m36s", Origin: "default: 24h after the automatic path gives up"},
					{Kind: "operator-rerun", Delay: "72h", Origin: "default: found after a weekend", At: &wf},
					{Kind: "restore", Delay: "168h", Origin: "config: replay.restore"}},
				LongestPath: model.PathInfo{Kind: "restore", Delay: "168h", Origin: "config: replay.restore"}, SafetyFactor: 2, RequiredWindow: "336h",
				Windows: []model.ChainWindow{{ID: "redis", Verdict: "short", Shortfall: "312h", Longest: "168h", Required: "336h"},
					{ID: "unique", Verdict: "covered", Longest: "168h", Required: "336h"}},
				Hops: []model.HopInfo{
					{From: "CronWorkflow settle", To: "step settle", Kind: "schedule", Place: place("scheduler", "settle.yaml", 11, 17, 23)},
					{From: "step settle", To: "settle-service", Kind: "request", Place: place("scheduler", "settle.yaml", 24, 16, 58), Method: "POST", URLPath: "/batches", Key: "derived", Layers: []string{"workflow"}},
					{From: "POST /batches", To: "settle", Kind: "call", Place: place("settle-service", "main.go", 69, 13, 44)},
					{From: "settle", To: "payout-gateway", Kind: "request", Place: place("settle-service", "main.go", 44, 16, 31), Method: "POST", URLPath: "/payouts", Timeout: "30s", Layers: []string{"worker"}},
					{From: "POST /payouts", To: "(*Ledger).Book", Kind: "call", Place: place("payout-gateway", "main.go", 18, 13, 0)},
					{From: "(*Ledger).Book", To: "POST /entries", Kind: "request", Place: place("payout-gateway", "internal/ledger/client.go", 33, 16, 32), Method: "POST", URLPath: "/entries", OneOf: true, Layers: []string{"breaker", "client"}},
				}, Environment: "prod", Notes: []string{"POST /entries is one of several candidates"}},
			{ID: "chook", Entry: model.EndInfo{Name: "POST /hooks/billing", Kind: "route", Place: place("payout-gateway", "hooks.go", 9, 4, 12)},
				Effect: model.EndInfo{Name: "bucket", Kind: "operation"}, Layers: []string{"sender", "sdk"}, Attempts: "unbounded", AutomaticDelay: "unbounded", AutomaticWorstCase: "unbounded",
				Paths:       []model.PathInfo{{Kind: "automatic", Delay: "unbounded", Origin: "the retries themselves"}},
				LongestPath: model.PathInfo{Kind: "automatic", Delay: "unbounded"}, SafetyFactor: 1.5, RequiredWindow: "unbounded",
				Windows: []model.ChainWindow{{ID: "cache", Verdict: "unknown"}},
				Hops: []model.HopInfo{{From: "POST /hooks/billing", To: "bucket", Kind: "call", Place: place("payout-gateway", "hooks.go", 14, 7, 20),
					Layers: []string{"sender", "sdk"}}}},
		},
		Incomplete: []model.IncompleteInfo{{Repository: "settle-service", Path: "deploy/broken.yaml", Line: 3, Stage: "parse", Reason: "did not find expected key"},
			{Repository: "ledger", Stage: "load", Reason: "go.mod is not there"}},
		Undecided: model.UndecidedInfo{Attempts: 1, Targets: 2, Settings: 1, Loops: 3, Rules: 1,
			Where: []model.UndecidedPlace{{Kind: "setting", Place: loop, What: "nobody in the scan sets env:ROUNDS", Declare: "settings: {ROUNDS: 3}"}}},
		Summary: model.SummaryInfo{Repositories: 4, Files: 40, GoFiles: 12, GoLines: 2110, ConfigFiles: 9, Skipped: 2, Cycles: 1, Notices: []string{"ledger: go.sum is missing"}},
	}
	r.Findings = []model.FindingInfo{
		{Rule: "window-too-short", Severity: "error", Message: "the dedupe window of 24h is shorter than the longest path of 168h (restore) from CronWorkflow settle to POST /entries",
			Place: win, Chain: "c27", Related: []model.RelatedInfo{{Place: wf, Message: "retried here: 3 attempts"}, {Place: loop, Message: "retried here: 3 attempts"},
				{Place: client, Message: "retried here: 3 attempts"}},
			Fingerprint: "0a3d4c5b6a79880a3d4c5b6a79880a3d", LineHash: "5b5422080533d9df:1", Help: "Keep keys for at least 336h, 14 days, or make the write permanent.",
			Snippet: "const remember = 24 * time.Hour", Baseline: "new",
			Fix: []model.EditInfo{{Place: place("ledger", "main.go", 17, 18, 20), New: "336"}}},
		{Rule: "no-jitter", Severity: "note", Message: "the retry loop has a fixed wait of 2s, the same for every client", Place: client, Layer: "client", Chain: "c27",
			Fingerprint: "1a3d4c5b6a79880a3d4c5b6a79880a3d", LineHash: "a717ae11b0a11c44:1", Help: "Spread each wait at random.", Snippet: "\tfor i := 1; i <= l.attempts; i++ {"},
		{Rule: "unbounded-retry", Severity: "error", Message: "nothing ends the redelivery of POST /hooks/billing", Place: hook, Chain: "chook", Layer: "sender",
			Fingerprint: "2a3d4c5b6a79880a3d4c5b6a79880a3d", Help: "Give it a number or a time."},
		{Rule: "stacked-retries", Severity: "warning", Message: "27 attempts for one intent, 3 layers of 3", Place: model.Place{Repository: "scheduler", Path: "settle.yaml", Line: 20, Column: 18, EndLine: 22, EndColumn: 9}, Chain: "c27",
			Fingerprint: "3a3d4c5b6a79880a3d4c5b6a79880a3d", LineHash: "2e4c02888828836a:1", Help: "Let one layer retry.", Snippet: "          limit: \"2\"", Baseline: "updated"},
		{Rule: "no-timeout", Severity: "warning", Message: "no attempt has a time limit", Place: loop, Layer: "worker", Fingerprint: "4a3d4c5b6a79880a3d4c5b6a79880a3d",
			Suppressed: &model.SuppressedInfo{How: "comment", Reason: "the proxy has one"}, Snippet: "\tfor round := 0; round < rounds(); round++ {"},
		{Rule: "no-backoff", Severity: "warning", Message: "attempts follow each other at once", Place: place("settle-service", "old.go", 3, 1, 9), Fingerprint: "5a3d4c5b6a79880a3d4c5b6a79880a3d", Baseline: "unchanged"},
		{Rule: "no-backoff", Severity: "warning", Message: "attempts follow each other at once", Place: place("settle-service", "gone.go", 3, 0, 0), Fingerprint: "6a3d4c5b6a79880a3d4c5b6a79880a3d", Baseline: "absent"},
		{Rule: "suppression", Severity: "warning", Message: "the suppression of no-jitter suppresses nothing", Place: place("settle-service", "main.go", 12, 1, 40), Fingerprint: "7a3d4c5b6a79880a3d4c5b6a79880a3d",
			Snippet: "// caf\u00e9 \U0001F600 //retrylint:ignore no-jitter"},
	}
	return r
}

// hostileText has something for every format that would let text out of its place.
const hostileText = "x\x1b[31m\x00\u202e\r\n::error file=a::pwn\n```\n<script>alert(1)</script><img src=x onerror=alert(1)>" +
	"</script><!--]]>|`\"'&amp;%0A{{7*7}}[link](javascript:alert(1))@everyone https://evil.example/ \u2028\xff\xfe :::red\" --> n9[\"x\"]; end"

// hostileResult has the hostile text in every free field.
func hostileResult() *model.Result {
	r := richResult()
	h := func(s *string) { *s = hostileText + *s }
	p := func(p *model.Place) {
		if p.Path != "" {
			h(&p.Path)
			h(&p.Repository)
		}
	}
	r.Tool.Version = hostileText
	for i := range r.Repositories {
		x := &r.Repositories[i]
		h(&x.Name)
		h(&x.Group)
		x.Commit, x.URL = hostileText, hostileText
	}
	r.Repositories[0].URL, r.Repositories[0].Commit = "https://github.com/a/"+hostileText, "1f0e8d6c5b4a39281706f5e4d3c2b1a098765432"
	r.Repositories[1].URL = "javascript:alert(1)//x"
	for i := range r.Services {
		x := &r.Services[i]
		h(&x.Name)
		h(&x.Kind)
		h(&x.Repository)
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		p(&l.Place)
		for _, s := range []*string{&l.Label, &l.Function, &l.Target, &l.Snippet, &l.Service, &l.Kind, &l.DefaultOf, &l.Backoff.Initial, &l.Backoff.Multiplier} {
			h(s)
		}
		l.Retries = append(l.Retries, hostileText)
		for j := range l.SetBy {
			p(&l.SetBy[j])
		}
	}
	for i := range r.Windows {
		w := &r.Windows[i]
		p(&w.Place)
		for _, s := range []*string{&w.Kind, &w.TTL, &w.Guaranteed, &w.Service, &w.Snippet} {
			h(s)
		}
	}
	for i := range r.Chains {
		c := &r.Chains[i]
		p(&c.Entry.Place)
		p(&c.Effect.Place)
		for _, s := range []*string{&c.Entry.Name, &c.Effect.Name, &c.Environment, &c.AutomaticDelay, &c.RequiredWindow, &c.LongestPath.Kind} {
			h(s)
		}
		for j := range c.Paths {
			h(&c.Paths[j].Kind)
			h(&c.Paths[j].Origin)
			h(&c.Paths[j].Delay)
		}
		for j := range c.Hops {
			x := &c.Hops[j]
			p(&x.Place)
			for _, s := range []*string{&x.From, &x.To, &x.Method, &x.URLPath} {
				h(s)
			}
		}
		c.Notes = append(c.Notes, hostileText)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		p(&f.Place)
		for _, s := range []*string{&f.Message, &f.Help, &f.Snippet, &f.LineHash, &f.Fingerprint} {
			h(s)
		}
		for j := range f.Related {
			p(&f.Related[j].Place)
			h(&f.Related[j].Message)
		}
		for j := range f.Fix {
			p(&f.Fix[j].Place) // the new text is the rule's own
		}
		if f.Suppressed != nil {
			h(&f.Suppressed.Reason)
		}
	}
	r.Findings[7].Rule = "a-rule-" + hostileText
	for i := range r.Incomplete {
		g := &r.Incomplete[i]
		h(&g.Repository)
		h(&g.Path)
		h(&g.Reason)
		h(&g.Stage)
	}
	for i := range r.Undecided.Where {
		p(&r.Undecided.Where[i].Place)
		h(&r.Undecided.Where[i].What)
	}
	r.Summary.Notices = append(r.Summary.Notices, hostileText)
	return r
}

// emptyResult is a scan that found nothing at all.
func emptyResult() *model.Result {
	return &model.Result{Version: 1, Tool: model.ToolInfo{Name: "retrylint", Version: "devel"}, Repositories: []model.RepositoryInfo{{Name: "one"}},
		Services: []model.ServiceInfo{}, Layers: []model.LayerInfo{}, Windows: []model.WindowInfo{}, Chains: []model.ChainInfo{}, Findings: []model.FindingInfo{},
		Incomplete: []model.IncompleteInfo{}, Summary: model.SummaryInfo{Repositories: 1}}
}

// singleResult is one repository of the rich result, as --output {repository} makes it.
func singleResult() *model.Result {
	r := richResult()
	r.Repositories = r.Repositories[:1]
	r.Findings = r.Findings[:1]
	r.Incomplete = nil
	return r
}

func written(f Format, r *model.Result, opt Options) (string, error) {
	var b strings.Builder
	err := f.Write(&b, r, opt)
	return b.String(), err
}
