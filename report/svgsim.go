package report

import (
	"fmt"
	"strings"
)

// The pictures of the two models. The numbers in simdata.go are those of package internal/sim with its published settings
// (seed 42); a test plays the models and holds the numbers against them.

// herdBin is how many buckets of 10 ms stand in one bar; a bar shows the fullest of them, so that peaks stay as they are.
const herdBin = 5

// herd is the retries of a strategy.
type herd struct {
	strategy string
	words    string
	peak     int
	bins     []int // of herdBin buckets each; the fullest bucket
}

// outcome is what became of 200 intents.
type outcome struct {
	words                  string
	lost, once, duplicated int
}

// svgJitter draws a panel for each strategy, all to one scale.
func svgJitter() string {
	const panel, left, width = 96, 150, 590
	bins, peak := 0, 1
	for _, h := range herds {
		bins, peak = max(bins, len(h.bins)), max(peak, h.peak)
	}
	var s svg
	label := "Most retries in one bucket of 10 ms:"
	for i, h := range herds {
		y := i * panel
		s.text(4, y+40, "b", h.words, 22)
		s.text(4, y+58, "p", fmt.Sprintf("peak %d in 10 ms", h.peak), 30)
		class := "cool"
		if h.peak >= 500 {
			class = "hot"
		}
		for b, n := range h.bins {
			if n == 0 {
				continue
			}
			tall := max(n*(panel-20)/peak, 1)
			x := left + b*width/bins
			s.column(x, y+panel-8-tall, max((b+1)*width/bins-b*width/bins-1, 1), tall, class)
		}
		s.line(left, y+panel-8, left+width, y+panel-8, "tick")
		label += fmt.Sprintf(" %s %d;", h.words, h.peak)
	}
	end := len(herds)*panel + 8
	s.text(left, end, "p", "0 s", 8)
	s.text(left+width-40, end, "p", fmt.Sprintf("%.1f s", float64(bins*herdBin)*0.01), 8)
	return s.done(pictureWidth, end+8, label)
}

// svgOutcomes draws what became of the intents, a bar for each way.
func svgOutcomes() string {
	const left, width, total = 290, 440, 200
	var s svg
	label := "Of 200 intents:"
	for i, o := range outcomes {
		y := 4 + 30*i
		s.text(4, y+16, "t", o.words, 44)
		x := left
		for _, part := range []struct {
			n     int
			class string
			word  string
		}{{o.once, "o-once", "once"}, {o.lost, "o-lost", "lost"}, {o.duplicated, "o-twice", "duplicated"}} {
			w := part.n * width / total
			if part.n > 0 {
				s.rect(x, y, max(w, 2), 22, part.class)
				if w > 90 {
					s.text(x+6, y+16, "on", fmt.Sprintf("%d %s", part.n, part.word), 20)
				} else if w > 24 {
					s.text(x+4, y+16, "on", fmt.Sprint(part.n), 6)
				}
			}
			x += w
		}
		label += fmt.Sprintf(" %s: %d once, %d lost, %d duplicated;", o.words, o.once, o.lost, o.duplicated)
	}
	return s.done(pictureWidth, 4+30*len(outcomes)+4, label)
}

// models is the section about both, with the numbers as tables.
func models() string {
	var b strings.Builder
	b.WriteString(`<h3>Clients that failed together</h3><p>1000 clients fail at the same moment and retry five times, from 100 ms, doubling, at most 10 s (a model with the seed 42). Without jitter all of them come back in the same 10 ms.</p>`)
	b.WriteString(svgJitter())
	b.WriteString(`<details><summary>As a table</summary><table><tr><th scope="col">Jitter</th><th scope="col">Most retries in 10 ms</th></tr>`)
	for _, h := range herds {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%d</td></tr>", h.words, h.peak)
	}
	b.WriteString(`</table></details><h3>Lost and duplicated</h3><p>200 intents over a network that loses 15 % of the requests, handlers of up to 60 ms, a time limit of 30 ms, six attempts (a model with the seed 42).</p>`)
	b.WriteString(svgOutcomes())
	b.WriteString(`<p class="key"><span class="k o-once"></span>applied once <span class="k o-lost"></span>lost <span class="k o-twice"></span>applied more than once</p>`)
	b.WriteString(`<details><summary>As a table</summary><table><tr><th scope="col">Clients and store</th><th scope="col">Once</th><th scope="col">Lost</th><th scope="col">Duplicated</th></tr>`)
	for _, o := range outcomes {
		fmt.Fprintf(&b, "<tr><td>%s</td><td>%d</td><td>%d</td><td>%d</td></tr>", o.words, o.once, o.lost, o.duplicated)
	}
	b.WriteString("</table></details>")
	return b.String()
}
