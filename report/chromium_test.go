package report

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/retrylint/retrylint/model"
)

// browser is a headless Chromium with one page in it. What the page complains about or asks of the network is kept.
type browser struct {
	ctx context.Context

	mu       sync.Mutex
	trouble  []string
	requests []string
}

func chromiumPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}

func openBrowser(t testing.TB) *browser {
	t.Helper()
	path := chromiumPath()
	if path == "" {
		t.Skip("chromium is not installed")
	}
	dir, err := os.MkdirTemp("", "retrylint-chromium-")
	require.NoError(t, err)
	opts := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(dir), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WindowSize(1200, 1000), chromedp.WSURLReadTimeout(2 * time.Minute)}
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	b := &browser{}
	ctx, stop := chromedp.NewContext(alloc, chromedp.WithListener(b.hear))
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	b.ctx = ctx
	t.Cleanup(func() {
		cancel()
		stop()
		stopAlloc()
		os.RemoveAll(dir)
	})
	b.do(t, chromedp.Navigate("about:blank"))
	call(t, b, log.Enable, cdp.Empty{})
	call(t, b, network.Enable, network.EnableParams{})
	call(t, b, runtime.Enable, cdp.Empty{})
	return b
}

// hear keeps what the page complains about and asks for.
func (b *browser) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.trouble = append(b.trouble, fmt.Sprintf("%s %+v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		b.trouble = append(b.trouble, fmt.Sprint("console: ", ev.Type))
	case *log.EventEntryAdded:
		b.trouble = append(b.trouble, ev.Entry.Text)
	case *cdppage.EventJavascriptDialogOpening:
		b.trouble = append(b.trouble, "dialog: "+ev.Message)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, ev.Request.URL)
	}
}

// do runs steps in the page.
func (b *browser) do(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(b.ctx, steps...))
}

// call gives a command of the protocol.
func call[P, R any](t testing.TB, b *browser, cmd cdp.Command[P, R], params P) {
	t.Helper()
	_, err := chromedp.Call(b.ctx, cmd, params)
	require.NoError(t, err)
}

// open writes the page of a result to disk and opens it from there.
func (b *browser) open(t testing.TB, r *model.Result) string {
	t.Helper()
	f, _ := Find("html")
	text, err := written(f, r, Options{})
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	b.show(t, name)
	return name
}

func (b *browser) show(t testing.TB, name string) {
	t.Helper()
	b.do(t, chromedp.Navigate((&url.URL{Scheme: "file", Path: name}).String()))
}

// eval runs an expression in the page.
func eval[T any](t testing.TB, b *browser, expr string) T {
	t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expr))
	require.NoError(t, err, expr)
	return out
}

// run runs a statement in the page.
func run(t testing.TB, b *browser, js string) {
	t.Helper()
	eval[bool](t, b, "(() => { "+js+"; return true; })()")
}

// quiet fails where the page complained, or asked for anything but itself.
func (b *browser) quiet(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.trouble)
	for _, u := range b.requests {
		require.True(t, strings.HasPrefix(u, "file:") || u == "about:blank", "the page asks for %s", u)
	}
}

// wait is long enough for what opens to be made.
var wait = chromedp.Sleep(300 * time.Millisecond)

// scheme sets light or dark.
func (b *browser) scheme(t testing.TB, name string) {
	t.Helper()
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// shot writes a picture of the page where a folder for them is given.
func (b *browser) shot(t testing.TB, name string) {
	t.Helper()
	dir := os.Getenv("RETRYLINT_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// TestPageArithmetic holds the page's arithmetic against all worked examples.
func TestPageArithmetic(t *testing.T) {
	b := openBrowser(t)
	b.open(t, emptyResult())
	data, err := os.ReadFile("../model/testdata/window-examples.yaml")
	require.NoError(t, err)
	text, err := json.Marshal(plainYAML(t, data))
	require.NoError(t, err)
	got := eval[[]string](t, b, `(() => {
	const s = v => v === undefined ? null : v === "unbounded" ? Infinity : calc.duration(v + "s");
	const same = (id, what, want, got) => want === got ? null : id + " " + what + ": want " + want + ", got " + got;
	const out = [];
	for (const e of `+string(text)+`.examples) {
		let attempts = calc.count(0n, 0n), automatic = 0n;
		for (const c of e.chains) {
			const layers = c.layers.map(l => {
				const b = l.backoff, j = b.jitter || {kind: "none"}, quartic = b.kind === "quartic";
				return {attempts: l.attempts === "unbounded" ? calc.count(1n, Infinity) : calc.count(BigInt(l.attempts), BigInt(l.attempts)),
					startToStart: l.gap === "start_to_start", perAttempt: s(l.per_try_cap_s), overall: l.budget ? s(l.budget.limit_s) : null,
					budget: l.budget ? {hard: "", gate_before_sleep: "before-wait", gate_after_attempt: "after-attempt"}[l.budget.kind] : "",
					backoff: {kind: quartic ? "polynomial" : b.kind, degree: 4, shift: +(b.shift || 0), initial: s(quartic ? b.add_s : b.base_s), mult: b.multiplier ? calc.ratio(b.multiplier) : null, max: s(b.cap_s), list: [],
						jitter: j.kind.replace("_", "-"), jitterFactor: j.factor ? calc.ratio(j.factor) : null, jitterExtra: s(j.max_s) || 0n}};
			});
			const r = calc.run(layers, s(c.attempt_s));
			attempts = calc.sum(attempts, r.attempts);
			automatic = calc.longer(automatic, r.delay);
		}
		const paths = (e.paths || []).map(p => ({kind: p.name, delay: s(p.delay_s), after: (p.clock === "after_automatic" ? 1 : 0) + (p.then_automatic === "true" ? 1 : 0)}));
		const w = e.window.seconds === "permanent" ? Infinity : s(e.window.seconds), x = e.expect;
		const j = calc.judge(w, automatic, automatic, paths, calc.ratio(e.factor));
		const best = calc.longest(automatic, automatic, paths);
		out.push(same(e.id, "attempts", x.attempts, attempts.hi === Infinity ? "unbounded" : String(attempts.hi)), same(e.id, "automatic", s(x.automatic_s), automatic),
			same(e.id, "path", x.longest_path, best.kind), same(e.id, "longest", s(x.longest_s), best.when), same(e.id, "required", s(x.required_s), j.required),
			same(e.id, "verdict", x.verdict, j.verdict === "covered" ? "pass" : "fail"), same(e.id, "shortfall", s(x.shortfall_s), j.shortfall));
	}
	return out.map(x => x === null ? "" : x);
	})()`)
	require.Len(t, got, 7*18)
	for _, g := range got {
		require.Empty(t, g)
	}
	b.quiet(t)
}

// plainYAML is a document with every scalar as its text.
func plainYAML(t *testing.T, data []byte) any {
	t.Helper()
	var doc yaml.Node
	require.NoError(t, yaml.Unmarshal(data, &doc))
	var plain func(n *yaml.Node) any
	plain = func(n *yaml.Node) any {
		switch n.Kind {
		case yaml.DocumentNode:
			return plain(n.Content[0])
		case yaml.MappingNode:
			m := map[string]any{}
			for i := 0; i+1 < len(n.Content); i += 2 {
				m[n.Content[i].Value] = plain(n.Content[i+1])
			}
			return m
		case yaml.SequenceNode:
			l := []any{}
			for _, c := range n.Content {
				l = append(l, plain(c))
			}
			return l
		}
		return n.Value
	}
	return plain(&doc)
}

// TestPagePictures: the page draws what Go draws, and its durations are written as Go writes them.
func TestPagePictures(t *testing.T) {
	b := openBrowser(t)
	long := richResult()
	for i := range 100 {
		h := long.Chains[0].Hops[i%6]
		long.Chains[0].Hops = append(long.Chains[0].Hops, h)
		long.Chains[0].Layers = append(long.Chains[0].Layers, h.Layers...)
	}
	for name, r := range map[string]*model.Result{"rich": richResult(), "hostile": hostileResult(), "long": long} {
		b.open(t, r)
		v := newView(r, Options{})
		for i := range r.Chains {
			c := &r.Chains[i]
			find := fmt.Sprintf(`(() => { const c = page.D.chains.map(page.chain).find(c => c.id === %q); return %%s; })()`, c.ID)
			require.Equal(t, v.svgChain(c), eval[string](t, b, fmt.Sprintf(find, "page.chainPicture(c, null, c.attempts)")), name)
			require.Equal(t, amplification(v.factorCount(c), v.weight(c.ID)), eval[string](t, b, fmt.Sprintf(find, "draw.amplification(page.factors(c), page.weight(c.attempts))")), name)
			if name == "rich" { // the hostile one has no durations
				require.Equal(t, v.timelineOf(c).draw(), eval[string](t, b, fmt.Sprintf(find, "page.timelinePicture(c)")))
				require.Equal(t, c.AutomaticDelay, eval[string](t, b, fmt.Sprintf(find, "calc.format(page.evaluate(c).waits)")), "the arithmetic of a chain from the page's data")
				require.Equal(t, c.AutomaticWorstCase, eval[string](t, b, fmt.Sprintf(find, "calc.format(page.evaluate(c).worst)")))
			}
		}
		if name == "rich" {
			b.quiet(t)
		}
	}
	for _, x := range []model.BackoffInfo{{Kind: "none"}, {Kind: "constant", Initial: "2s"}, {Kind: "constant"}, {Kind: "exponential", Initial: "1s", Multiplier: "2", Max: "unbounded"},
		{Kind: "exponential", Initial: "1s", Multiplier: "1.5", Max: "30s"}, {Kind: "exponential", Max: "30s"}, {Kind: "list", List: []string{"1s", "2s"}}, {Kind: "linear", Initial: "1s"},
		{Kind: "server-directed", Max: "1m"}, {Kind: "unknown"}} {
		text, err := json.Marshal(x)
		require.NoError(t, err)
		require.Equal(t, waitWords(x), eval[string](t, b, "page.waitWords("+string(text)+")"))
	}
	for _, d := range []string{"0s", "1ns", "1.5\u00b5s", "20ms", "1.5s", "1m", "1m30s", "1h", "1h0m5s", "2h6m36s", "26h6m36s", "48h", "72h", "100h30m", "8760h"} {
		l := limitOf(d)
		require.Equal(t, l.InWords(), eval[string](t, b, fmt.Sprintf("calc.words(calc.duration(%q))", d)))
	}
}

func TestPageWorksByKeyboardAndFilters(t *testing.T) {
	b := openBrowser(t)
	b.open(t, richResult())
	require.False(t, eval[bool](t, b, `document.getElementById("app").hidden`))
	require.Equal(t, "none", eval[string](t, b, `getComputedStyle(document.getElementById("static")).display`))
	open := `document.querySelectorAll("#findings-list > details").length`
	require.Equal(t, 5, eval[int](t, b, open))

	// "/" goes to the search field, text narrows, Escape and the clear button are the browser's own.
	b.do(t, chromedp.KeyEvent("/"), chromedp.KeyEvent("hooks billing"), chromedp.Sleep(200*time.Millisecond))
	require.Equal(t, "q", eval[string](t, b, `document.activeElement.name`))
	require.Equal(t, 1, eval[int](t, b, open))
	require.Contains(t, eval[string](t, b, `document.getElementById("findings-list-status").textContent`), "1 of 8 findings")

	// Space opens a finding that has the focus; its chain is open with pictures.
	run(t, b, `document.querySelector("#findings-list summary").focus()`)
	b.do(t, chromedp.KeyEvent(" "), chromedp.Sleep(200*time.Millisecond))
	require.True(t, eval[bool](t, b, `document.querySelector("#findings-list details").open`))
	require.Positive(t, eval[int](t, b, `document.querySelectorAll("#findings-list svg[role=img][aria-label]").length`))

	set := func(js string) {
		run(t, b, `(() => { const f = document.getElementById("filters").elements; f.q.value = ""; f.repo.value = ""; f.rule.value = ""; f.error.checked = f.warning.checked = f.note.checked = true; f.closed.checked = false; `+js+`; page.apply(); })()`)
	}
	set(`f.repo.value = "ledger"`)
	require.Equal(t, 1, eval[int](t, b, open))
	set(`f.error.checked = f.warning.checked = false`)
	require.Equal(t, 1, eval[int](t, b, open))
	set(`f.closed.checked = true`)
	require.Equal(t, 8, eval[int](t, b, open))
	set(`f.rule.value = [...f.rule.options].find(o => o.text === "stacked-retries").value`)
	require.Equal(t, 1, eval[int](t, b, open))
	require.Equal(t, 1, eval[int](t, b, `document.querySelectorAll("#chains-list > details").length`), "chains follow the findings")
	run(t, b, `document.querySelectorAll("#chains-list details").forEach(d => d.open = true)`)
	require.Equal(t, "https://gitlab.com/pay/payout-gateway/-/blob/2f0e8d6c5b4a39281706f5e4d3c2b1a098765432/internal/ledger/client.go#L27",
		waitFor(t, b, `[...document.querySelectorAll("#chains-list a")].map(a => a.href).find(h => h.endsWith("client.go#L27")) || ""`))
	b.quiet(t)
}

// waitFor asks until the answer is not empty.
func waitFor(t testing.TB, b *browser, expr string) string {
	t.Helper()
	for range 100 {
		if s := eval[string](t, b, expr); s != "" {
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nothing: %s", expr)
	return ""
}

func TestPageWhatIf(t *testing.T) {
	b := openBrowser(t)
	b.open(t, richResult())
	run(t, b, `location.hash = "chain=c27"`)
	b.do(t, chromedp.Reload(), chromedp.WaitReady(chromedp.CSS("#chains-list .calculator")))
	require.Equal(t, 1, eval[int](t, b, `document.querySelectorAll("#chains-list > details").length`), "the address names one chain")
	verdict := `document.querySelector("#chains-list .verdict").textContent`
	first := eval[string](t, b, verdict)
	require.Contains(t, first, "27 attempts; automatic path 2h6m36s (2h8m51s with slow attempts); longest path: restore 168h, 7 days; required window 336h, 14 days.")
	require.Contains(t, first, "The window does not cover the longest path. Missing: 312h, 13 days.")
	require.NotContains(t, eval[string](t, b, `document.querySelector("#chains-list .calculator").textContent`), "The scan says")
	b.shot(t, "chain")

	set := func(i int, value string) {
		run(t, b, fmt.Sprintf(`(() => { document.querySelector("#chains-list .calculator").open = true; const x = document.querySelectorAll("#chains-list .whatif input")[%d]; x.value = %q; x.dispatchEvent(new Event("input", {bubbles: true})); })()`, i, value))
	}
	labels := eval[[]string](t, b, `[...document.querySelectorAll("#chains-list .whatif label")].map(l => l.textContent)`)
	require.Equal(t, "attempts", labels[0])
	set(0, "1") // the workflow no longer retries
	b.shot(t, "what-if")
	require.Contains(t, eval[string](t, b, verdict), "9 attempts; automatic path 2m12s")
	require.Contains(t, eval[string](t, b, `document.querySelector("#chains-list .pictures").textContent`), "x 1  Argo retryStrategy")
	at := -1
	for i, l := range labels {
		if l == "window" {
			at = i
		}
	}
	set(at, "permanent")
	require.Contains(t, eval[string](t, b, verdict), "The window covers every path")
	set(at, "nonsense")
	require.Contains(t, eval[string](t, b, `document.querySelector("#chains-list [role=status]").textContent`), "cannot be read")
	set(at, "400h")
	require.Contains(t, eval[string](t, b, verdict), "The window covers every path")
	set(at, "200h")
	require.Contains(t, eval[string](t, b, verdict), "without the safety factor")
	set(0, "unbounded")
	require.Contains(t, eval[string](t, b, verdict), "unbounded attempts; automatic path unbounded")
	run(t, b, `document.querySelector("#chains-list .whatif button[type=reset]").click()`)
	b.do(t, chromedp.Sleep(200*time.Millisecond))
	require.Equal(t, first, eval[string](t, b, verdict))
	b.quiet(t)
}

// TestPageIsHarmless: names from the scan run nothing, and the page may load nothing.
func TestPageIsHarmless(t *testing.T) {
	b := openBrowser(t)
	b.open(t, hostileResult())
	for range 3 { // what is opened makes more to open
		run(t, b, `document.querySelectorAll("details").forEach(d => d.open = true)`)
		b.do(t, wait)
	}
	require.Equal(t, 2, eval[int](t, b, `document.scripts.length`))
	require.Zero(t, eval[int](t, b, `document.querySelectorAll("img, iframe, object, embed, link, base").length`))
	require.Zero(t, eval[int](t, b, `[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on") || a.name === "style")).length`))
	require.Zero(t, eval[int](t, b, `[...document.querySelectorAll("a[href]")].filter(a => !a.href.startsWith("https://") && !a.getAttribute("href").startsWith("#")).length`))
	b.quiet(t)
	blocked := eval[string](t, b, `(() => { window.hit = "blocked"; const s = document.createElement("script"); s.textContent = "window.hit = 'ran'"; document.body.append(s); return window.hit; })()`)
	require.Equal(t, "blocked", blocked, "the policy is in force")
}

func TestPageWithoutScriptInDarkAndInPrint(t *testing.T) {
	b := openBrowser(t)
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	name := b.open(t, richResult())
	text, err := chromedp.Run(b.ctx, chromedp.TextContent(chromedp.CSS("#static")))
	require.NoError(t, err)
	require.Contains(t, text, "the dedupe window of 24h is shorter")
	require.Contains(t, text, "3 x 3 x 3 = 27 attempts")
	b.shot(t, "no-script")
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	b.scheme(t, "dark")
	b.show(t, name)
	run(t, b, `document.querySelector("#findings-list details").open = true`)
	b.do(t, wait)
	require.Equal(t, "rgb(13, 17, 23)", eval[string](t, b, `getComputedStyle(document.body).backgroundColor`))
	b.shot(t, "dark")
	b.scheme(t, "light")
	b.show(t, name)
	b.shot(t, "light")
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 390, Height: 800, DeviceScaleFactor: 1, Mobile: true})
	require.LessOrEqual(t, eval[int](t, b, `document.documentElement.scrollWidth`), 390, "nothing is wider than a small screen")
	b.shot(t, "small")
	call(t, b, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	require.Equal(t, "none", eval[string](t, b, `getComputedStyle(document.getElementById("filters")).display`))
	require.Equal(t, "block", eval[string](t, b, `getComputedStyle(document.getElementById("static")).display`), "the worst chains stand in print")
	require.Equal(t, "none", eval[string](t, b, `getComputedStyle(document.getElementById("static-findings")).display`), "the findings stand there once")
	b.shot(t, "print")
	b.quiet(t)
}

// bigResult is an organisation of n repositories: two findings, two chains and three layers in each.
func bigResult(n int) *model.Result {
	r := emptyResult()
	r.Repositories = nil
	for i := range n {
		name := fmt.Sprintf("team-%02d-service-%05d", i%97, i)
		next := fmt.Sprintf("team-%02d-service-%05d", (i+1)%97, (i+1)%n)
		r.Repositories = append(r.Repositories, model.RepositoryInfo{Name: name, URL: "https://github.com/org/" + name, Commit: digest(name) + "00000000"})
		r.Services = append(r.Services, model.ServiceInfo{Name: name, Repository: name, Kind: "main"})
		var ids []string
		for j := range 3 {
			id := fmt.Sprintf("layer:%s:%d", name, j)
			ids = append(ids, id)
			r.Layers = append(r.Layers, model.LayerInfo{ID: id, Place: place(name, fmt.Sprintf("internal/client%d/client.go", j), 20+i%50, 2, 20), Kind: "loop", Label: "retry loop",
				Attempts: model.Number(fmt.Sprint(2 + (i+j)%4)), Backoff: model.BackoffInfo{Kind: "exponential", Initial: "100ms", Multiplier: "2", Max: fmt.Sprintf("%ds", 5+i%7), Jitter: "full"},
				Retries: []string{"any error"}, Origin: "explicit", Factor: true, Snippet: fmt.Sprintf("\tfor i := 0; i < %d; i++ {", 2+(i+j)%4)})
		}
		for j := range 2 {
			c := model.ChainInfo{ID: fmt.Sprintf("c%d-%d", i, j), Entry: model.EndInfo{Name: fmt.Sprintf("POST /v1/orders/%d", i), Kind: "route", Place: place(name, "cmd/server/main.go", 40+j, 2, 0)},
				Effect: model.EndInfo{Name: fmt.Sprintf("POST /v1/entries/%d", j), Kind: "route", Place: place(next, "cmd/server/main.go", 60, 2, 0)}, Layers: ids,
				Attempts: model.Number(fmt.Sprint(8 + (i*7+j)%120)), AutomaticDelay: "1m2.5s", AutomaticWorstCase: "unknown", SafetyFactor: 2, RequiredWindow: "144h",
				Paths:       []model.PathInfo{{Kind: "automatic", Delay: "1m2.5s", Origin: "the retries themselves"}, {Kind: "operator-rerun", Delay: "72h", Origin: "default: found after a weekend"}},
				LongestPath: model.PathInfo{Kind: "operator-rerun", Delay: "72h"}}
			for k, id := range ids {
				c.Hops = append(c.Hops, model.HopInfo{From: "a", To: fmt.Sprintf("(*Client%d).Do", k), Kind: "call", Place: place(name, fmt.Sprintf("internal/client%d/client.go", k), 33, 4, 0), Layers: []string{id}})
			}
			c.Hops = append(c.Hops, model.HopInfo{From: "a", To: next, Kind: "request", Method: "POST", URLPath: "/v1/entries", Place: place(name, "internal/client2/client.go", 44, 4, 0)})
			r.Chains = append(r.Chains, c)
			r.Findings = append(r.Findings, model.FindingInfo{Rule: []string{"stacked-retries", "unkeyed-retry"}[j], Severity: []string{"error", "warning", "note"}[(i+j)%3],
				Message: fmt.Sprintf("%s attempts for one intent from POST /v1/orders/%d", c.Attempts, i), Place: place(name, "internal/client0/client.go", 20+i%50, 2, 20), Chain: c.ID,
				Fingerprint: digest(fmt.Sprint(i, j)), Help: "Let one layer retry, preferably the one nearest to the fault, and switch the others off.", Snippet: "\tfor i := 0; i < 3; i++ {"})
		}
	}
	r.Summary.Repositories = n
	return r
}

// TestPageOfTenThousandRepositories holds the size; how fast the page is, is measured by the benchmark.
func TestPageOfTenThousandRepositories(t *testing.T) {
	f, _ := Find("html")
	text, err := written(f, bigResult(10_000), Options{})
	require.NoError(t, err)
	require.Less(t, len(text), 15_000_000)
	t.Logf("%.1f MB", float64(len(text))/1e6)
	b := openBrowser(t)
	name := filepath.Join(t.TempDir(), "big.html")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	b.show(t, name)
	require.Equal(t, 100, eval[int](t, b, `document.querySelectorAll("#findings-list > details").length`))
	require.Contains(t, eval[string](t, b, `document.getElementById("findings-list-status").textContent`), "of 20000 findings")
	t.Logf("loaded after %.0f ms, a search takes %.0f ms", eval[float64](t, b, `performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart`),
		eval[float64](t, b, `(() => { const f = document.getElementById("filters").elements; f.q.value = "service-00042"; const t = performance.now(); page.apply(); return performance.now() - t; })()`))
	require.Equal(t, 2, eval[int](t, b, `document.querySelectorAll("#findings-list > details").length`))
	b.quiet(t)
}

// TestAPageThatWouldBeTooLarge leaves things out, and says so.
func TestAPageThatWouldBeTooLarge(t *testing.T) {
	r := bigResult(2)
	long := strings.Repeat("x", 300)
	for i := range 60_000 {
		f := r.Findings[0]
		f.Message = fmt.Sprint(i, long)
		r.Findings = append(r.Findings, f)
	}
	f, _ := Find("html")
	text, err := written(f, r, Options{})
	require.NoError(t, err)
	require.Less(t, len(text), 15_000_000)
	require.True(t, strings.Contains(text, "of the least severe findings are not in this page"))
}

func BenchmarkPageOfTenThousandRepositories(b *testing.B) {
	r := bigResult(10_000)
	f, _ := Find("html")
	var n int
	for b.Loop() {
		text, err := written(f, r, Options{})
		require.NoError(b, err)
		n = len(text)
	}
	b.ReportMetric(float64(n)/1e6, "MB/page")
	br := openBrowser(b)
	br.open(b, r)
	b.ReportMetric(eval[float64](b, br, `performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart`), "ms/interactive")
}
