package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // the page's style and script
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "html",
	Doc:   "one self-contained page: pictures of the chains, time lines, the map, search, and what if; opens from disk, without network",
	Write: writeHTML,
})

//go:embed page/style.css
var pageStyle string

//go:embed page/calc.js
var pageCalc string

//go:embed page/draw.js
var pageDraw string

//go:embed page/page.js
var pageScript string

// What stands in the page without its script.
const (
	staticFindings = 200
	staticChains   = 5
)

// policyOf is the hash of an inline element for the content policy.
func policyOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// writeHTML writes the page. Everything from the scan is escaped text, or JSON in an element that no browser runs; the
// policy allows the page's own style and script by their hashes and nothing else: no network, no other script.
func writeHTML(w io.Writer, r *model.Result, opt Options) error {
	v := newView(r, opt)
	data, left, err := encodePage(v)
	if err != nil {
		return err
	}
	style, script := "\n"+pageStyle, "\n\"use strict\";\n"+pageCalc+pageDraw+pageScript
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>retrylint report</title>\n<style>%s</style>\n</head>\n<body>\n", policyOf(script), policyOf(style), style)
	p := &htmlPage{v, b}
	p.head()
	p.static()
	p.app(left)
	p.rest()
	fmt.Fprintf(b, "<script type=\"application/json\" id=\"data\">%s</script>\n<script>%s</script>\n</body>\n</html>\n", data, script)
	return b.Flush()
}

type htmlPage struct {
	*view
	w *bufio.Writer
}

func esc(s string) string { return html.EscapeString(clean(s)) }

func (p *htmlPage) head() {
	findings := p.counted()
	n := map[string]int{}
	for _, f := range findings {
		n[f.Severity]++
	}
	fmt.Fprintf(p.w, "<a class=\"skip\" href=\"#main\">To the findings</a>\n<header><h1>retrylint</h1>\n<p class=\"dim\">%s, %s %s</p>\n<ul class=\"counts\">", esc(plural(len(p.Repositories), "repository")), esc(p.Tool.Name), esc(p.Tool.Version))
	fmt.Fprintf(p.w, "<li class=\"s0\"><b>%d</b> %s</li><li class=\"s1\"><b>%d</b> %s</li><li class=\"s2\"><b>%d</b> %s</li>", n["error"], noun(n["error"], "error"), n["warning"], noun(n["warning"], "warning"), n["note"], noun(n["note"], "note"))
	fmt.Fprintf(p.w, "<li><b>%d</b> %s</li><li><b>%d</b> %s</li><li><b>%d</b> %s</li>", len(p.Layers), noun(len(p.Layers), "retrying layer"), len(p.Chains), noun(len(p.Chains), "chain"), len(p.Windows), noun(len(p.Windows), "dedupe window"))
	if c := worstChain(p.Chains); c != nil {
		fmt.Fprintf(p.w, "<li class=\"h-%s\">worst chain: <b>%s</b></li>", heatOf(p.weight(c.ID)), esc(attemptsText(c.Attempts)))
	}
	fmt.Fprintf(p.w, "</ul>\n<nav aria-label=\"Parts of the page\"><a href=\"#findings\">Findings</a><a href=\"#chains\">Chains</a><a href=\"#map\">Map</a><a href=\"#models\">Why it matters</a><a href=\"#input\">What was read</a></nav></header>\n<main id=\"main\">\n")
}

func noun(n int, word string) string {
	_, s, _ := strings.Cut(plural(n, word), " ")
	return s
}

// static is the essentials for browsers without script; the script takes its place.
func (p *htmlPage) static() {
	findings := p.counted()
	slices.SortStableFunc(findings, func(a, b *model.FindingInfo) int { return rank(a.Severity) - rank(b.Severity) })
	fmt.Fprintf(p.w, "<div id=\"static\">\n<div id=\"static-findings\">\n<h2>Findings</h2>\n")
	if len(findings) == 0 {
		fmt.Fprintf(p.w, "<p>No findings.</p>\n")
	}
	for i, f := range findings {
		if i == staticFindings {
			fmt.Fprintf(p.w, "<p>and %s; the page shows all of them with its script.</p>\n", plural(len(findings)-i, "more finding"))
			break
		}
		fmt.Fprintf(p.w, "<details class=\"item\"><summary><span class=\"badge s%d\">%s</span> %s <span class=\"dim\">[%s]</span><span class=\"place\">%s</span></summary><p>%s</p>",
			min(rank(f.Severity), 2), esc(f.Severity), esc(f.Message), esc(f.Rule), html.EscapeString(p.at(f.Place)), p.anchor(f.Place))
		if f.Snippet != "" {
			fmt.Fprintf(p.w, "<pre>%s</pre>", esc(f.Snippet))
		}
		if f.Help != "" {
			fmt.Fprintf(p.w, "<p><b>What to do:</b> %s</p>", esc(f.Help))
		}
		if len(f.Related) > 0 {
			fmt.Fprintf(p.w, "<ul>")
			for _, x := range f.Related {
				fmt.Fprintf(p.w, "<li>%s %s</li>", esc(x.Message), p.anchor(x.Place))
			}
			fmt.Fprintf(p.w, "</ul>")
		}
		fmt.Fprintf(p.w, "</details>\n")
	}
	fmt.Fprintf(p.w, "</div>\n")
	p.worstChains()
	fmt.Fprintf(p.w, "</div>\n")
}

// worstChains is the pictures of the worst chains; they stand in print too, where the script's lists are mostly closed.
func (p *htmlPage) worstChains() {
	chains := make([]*model.ChainInfo, 0, len(p.Chains))
	for i := range p.Chains {
		if len(p.Chains[i].Layers) > 0 {
			chains = append(chains, &p.Chains[i])
		}
	}
	weights := map[string]int64{}
	for _, c := range chains {
		weights[c.ID] = p.weight(c.ID)
	}
	slices.SortStableFunc(chains, func(a, b *model.ChainInfo) int {
		switch x, y := weights[a.ID], weights[b.ID]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if len(chains) > 0 {
		fmt.Fprintf(p.w, "<h2>The worst chains</h2>\n")
	}
	for i, c := range chains {
		if i == staticChains {
			break
		}
		fmt.Fprintf(p.w, "<h3>%s to %s: %s</h3>\n%s\n%s\n%s\n", esc(shortName(c.Entry.Name)), esc(endName(c)), html.EscapeString(p.arithmetic(c)), p.svgChain(c), p.timelineOf(c).draw(), amplification(p.factorCount(c), p.weight(c.ID)))
		fmt.Fprintf(p.w, "<details><summary>The way in words</summary><ol>")
		for _, s := range p.steps(c) {
			fmt.Fprintf(p.w, "<li>%s %s</li>", html.EscapeString(s.words), p.anchor(s.at))
		}
		fmt.Fprintf(p.w, "</ol></details>\n")
	}
}

// anchor is a place, linked where its host is known.
func (p *htmlPage) anchor(x model.Place) string {
	if x.Path == "" {
		return ""
	}
	if l := p.link(x); strings.HasPrefix(l, "https://") {
		return fmt.Sprintf("<a class=\"place\" rel=\"noreferrer noopener\" href=\"%s\">%s</a>", html.EscapeString(l), html.EscapeString(p.at(x)))
	}
	return fmt.Sprintf("<span class=\"place\">%s</span>", html.EscapeString(p.at(x)))
}

// app is what the script fills; left is what would have made the page too large.
func (p *htmlPage) app(left map[string]int) {
	fmt.Fprint(p.w, "<div id=\"app\" hidden>\n")
	for _, what := range []string{"findings", "chains", "steps"} {
		if n := left[what]; n > 0 {
			words := map[string]string{"findings": "of the least severe findings are not in this page", "chains": "of the lesser chains are not in this page",
				"steps": "of the lesser chains are here without the steps between their layers"}[what]
			fmt.Fprintf(p.w, "<p class=\"verdict v-margin\">%d %s, which would be too large; the JSON has all of them.</p>\n", n, words)
		}
	}
	fmt.Fprint(p.w, `<form id="filters" class="filters" aria-label="Filters"><label>Search (press /)<input type="search" name="q" autocomplete="off"></label>
<label>Repository<input name="repo" list="repos" autocomplete="off"><datalist id="repos"></datalist></label>
<label>Rule<select name="rule"><option value="">all rules</option></select></label>
<fieldset><legend>Severity</legend><label class="check"><input type="checkbox" name="error" checked>error</label><label class="check"><input type="checkbox" name="warning" checked>warning</label><label class="check"><input type="checkbox" name="note" checked>note</label></fieldset>
<label class="check"><input type="checkbox" name="closed">suppressed and known too</label><button type="reset">Clear</button></form>
<section id="findings" aria-labelledby="findings-title"><h2 id="findings-title">Findings</h2><p id="findings-list-status" role="status" class="dim"></p><div id="findings-list"></div></section>
<section id="chains" aria-labelledby="chains-title"><h2 id="chains-title">Chains</h2><p class="dim">Each intent's way from its entry to its effect; opened, its layers, its time line, and what if.</p><p id="chains-list-status" role="status" class="dim"></p><div id="chains-list"></div></section>
</div>
`)
}

func (p *htmlPage) rest() {
	fmt.Fprintf(p.w, "<section id=\"map\"><h2>Map of the services</h2>\n<p class=\"dim\">The numbers are the most attempts that one intent makes over a connection.</p>\n%s</section>\n", p.svgMap())
	fmt.Fprintf(p.w, "<section id=\"models\"><h2>Why it matters</h2>\n<h3>Attempts multiply</h3>\n%s<p class=\"dim\">Amber from %d attempts, red from %d.</p>\n%s</section>\n", amplification(0, 0), amberFrom, redFrom, models())
	fmt.Fprintf(p.w, "<section id=\"input\"><h2>What was read</h2>\n<p>%s: %s, %s of Go, %s of configuration.</p>\n", esc(plural(len(p.Repositories), "repository")), esc(plural(p.Summary.Files, "file")), esc(plural(p.Summary.GoFiles, "file")), esc(plural(p.Summary.ConfigFiles, "file")))
	if len(p.Incomplete) > 0 {
		fmt.Fprintf(p.w, "<h3>Not read</h3><ul>")
		for i, g := range p.Incomplete {
			if i == staticFindings {
				fmt.Fprintf(p.w, "<li>and %s</li>", plural(len(p.Incomplete)-i, "more place"))
				break
			}
			fmt.Fprintf(p.w, "<li><span class=\"place\">%s</span>: %s (%s)</li>", html.EscapeString(p.at(model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line})), esc(g.Reason), esc(g.Stage))
		}
		fmt.Fprintf(p.w, "</ul>")
	}
	u := p.Undecided
	fmt.Fprintf(p.w, "<p>Not decided: %s, %s, %s, %s.</p>", plural(u.Attempts, "attempt count"), plural(u.Targets, "target"), plural(u.Settings, "setting"), plural(u.Loops, "loop"))
	for i, n := range p.Summary.Notices {
		if i == staticFindings {
			break
		}
		fmt.Fprintf(p.w, "<p class=\"dim\">%s</p>", esc(n))
	}
	fmt.Fprintf(p.w, "</section>\n</main>\n")
}
