package report

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// The pictures of one chain. page/draw.js draws the same for chains that are opened in the page, with the same numbers; a
// test holds one against the other.

// svg collects the elements of a picture. Colours come from the page's style by class, so that they follow light and dark.
type svg struct{ b strings.Builder }

func (s *svg) rect(x, y, w, h int, class string) {
	fmt.Fprintf(&s.b, `<rect x="%d" y="%d" width="%d" height="%d" rx="4" class="%s"/>`, x, y, max(w, 0), max(h, 0), class)
}

// column is a bar of a chart, without round corners.
func (s *svg) column(x, y, w, h int, class string) {
	fmt.Fprintf(&s.b, `<rect x="%d" y="%d" width="%d" height="%d" class="%s"/>`, x, y, w, h, class)
}

func (s *svg) line(x1, y1, x2, y2 int, class string) {
	fmt.Fprintf(&s.b, `<line x1="%d" y1="%d" x2="%d" y2="%d" class="%s"/>`, x1, y1, x2, y2, class)
}

// text writes at most limit characters.
func (s *svg) text(x, y int, class, text string, limit int) {
	fmt.Fprintf(&s.b, `<text x="%d" y="%d" class="%s">%s</text>`, x, y, class, html.EscapeString(shorten(text, limit)))
}

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:max(n-3, 1)]) + "..."
}

func (s *svg) done(w, h int, label string) string {
	return fmt.Sprintf(`<div class="wide"><svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg></div>`, w, h, w, h, html.EscapeString(label), s.b.String())
}

// row is one thing on the way of a chain as it is drawn.
type row struct {
	kind    string // layer, quiet (shown, not counted), hop, window
	words   string
	place   string
	verdict string
}

// rows is the way of a chain for the picture: layers, the requests between services, the windows.
func (v *view) rows(c *model.ChainInfo) []row {
	var out []row
	for i := range c.Hops {
		h := &c.Hops[i]
		for _, id := range h.Layers {
			l := v.layers[id]
			if l == nil {
				continue
			}
			words := "x " + clean(string(l.Attempts)) + "  " + layerName(l)
			if w := waitText(*l); w != "" {
				words += ", " + w
			}
			kind := "layer"
			if !l.Factor {
				kind, words = "quiet", layerName(l)+", not counted"
			}
			out = append(out, row{kind: kind, words: words, place: v.at(l.Place)})
		}
		if drawn(c, i) == 1 {
			out = append(out, row{kind: "hop", words: hopWords(h), place: v.at(h.Place)})
		}
	}
	for _, w := range c.Windows {
		if info := v.windows[w.ID]; info != nil {
			out = append(out, row{kind: "window", words: windowLabel(clean(info.Guaranteed), clean(info.TTL), clean(w.Verdict)), place: v.at(info.Place), verdict: verdictClass(w.Verdict)})
		}
	}
	return out
}

// layerName is what a layer is, with whose default it is.
func layerName(l *model.LayerInfo) string {
	s := clean(l.Label)
	if s == "" {
		s = clean(l.Kind)
	}
	if l.Origin == "default" {
		s += " (default)"
	}
	return s
}

func windowLabel(guaranteed, ttl, verdict string) string {
	kept := guaranteed
	if kept == "" {
		kept = ttl
	}
	switch verdict {
	case "short":
		return "window " + kept + ": does not cover the longest path"
	case "margin":
		return "window " + kept + ": covers it, without margin"
	case "covered":
		return "window " + kept + ": covers the longest path"
	}
	return "window " + kept + ": cannot be judged"
}

func verdictClass(s string) string {
	switch s {
	case "short", "margin", "covered":
		return s
	}
	return "open"
}

const (
	pictureWidth = 760
	rowHeight    = 44
	maxInset     = 10
)

// svgChain draws a chain as layers inside of each other around what happens at its end.
func (v *view) svgChain(c *model.ChainInfo) string {
	return svgRows(v.rows(c), shortName(c.Entry.Name), v.at(c.Entry.Place), endName(c), attemptsText(c.Attempts), heatOf(v.weight(c.ID)), v.arithmetic(c))
}

// maxRows is how many things a picture has at most; those in the middle of a longer chain are told in one.
const maxRows = 60

func svgRows(rows []row, entry, entryPlace, effect, attempts, heat, label string) string {
	if n := len(rows) - maxRows; n > 0 {
		left := row{kind: "hop", words: fmt.Sprintf("%d more steps", n+1)}
		rows = append(append(append([]row{}, rows[:maxRows/2]...), left), rows[len(rows)-maxRows/2+1:]...)
	}
	var s svg
	type box struct {
		x, y  int
		class string
	}
	inset := func(depth int) int { return 12 * min(depth, maxInset) }
	depth, y := 0, 4
	var boxes []box
	var texts svg
	put := func(class, words, place string) {
		x := inset(depth) + 10
		texts.text(x, y+18, class, words, (pictureWidth-2*x)/7)
		texts.text(x, y+34, "p", place, (pictureWidth-2*x)/6)
		y += rowHeight
	}
	put("b", entry, entryPlace)
	for _, r := range rows {
		switch r.kind {
		case "layer", "quiet":
			boxes = append(boxes, box{inset(depth), y, r.kind})
			if r.kind == "layer" {
				put("b", r.words, r.place)
			} else {
				put("t", r.words, r.place)
			}
			depth++
		case "window":
			texts.rect(inset(depth)+4, y+2, pictureWidth-2*inset(depth)-8, rowHeight-6, "w-"+r.verdict)
			put("t", r.words, r.place)
		default:
			put("t", "> "+r.words, r.place)
		}
	}
	texts.rect(inset(depth)+4, y+2, pictureWidth-2*inset(depth)-8, rowHeight-6, "e-"+heat)
	put("b", effect+": "+attempts, "for one intent")
	for i, b := range boxes {
		s.rect(b.x, b.y, pictureWidth-2*b.x, y-b.y+6*(len(boxes)-i), b.class)
	}
	s.b.WriteString(texts.b.String())
	return s.done(pictureWidth, y+6*len(boxes)+4, "Chain from "+entry+" to "+effect+": "+label)
}

// bar is a path on the time line.
type bar struct {
	name  string
	value model.Limit
}

// timeline is what a time line shows.
type timeline struct {
	bars     []bar
	windows  []bar // name is the verdict
	required model.Limit
}

func (v *view) timelineOf(c *model.ChainInfo) timeline {
	var t timeline
	for _, p := range c.Paths {
		t.bars = append(t.bars, bar{clean(p.Kind), limitOf(p.Delay)})
	}
	for _, w := range c.Windows {
		if info := v.windows[w.ID]; info != nil {
			kept := info.Guaranteed
			if kept == "" {
				kept = info.TTL
			}
			l := limitOf(kept)
			if kept == "permanent" {
				l = model.NoLimit()
			}
			t.windows = append(t.windows, bar{verdictClass(w.Verdict), l})
		}
	}
	t.required = limitOf(c.RequiredWindow)
	return t
}

func limitOf(s string) model.Limit {
	var l model.Limit
	if l.UnmarshalText([]byte(s)) != nil {
		return model.Limit{}
	}
	return l
}

// ticks are the marks of the scale.
var ticks = []struct {
	name string
	d    time.Duration
}{{"1s", time.Second}, {"1m", time.Minute}, {"1h", time.Hour}, {"1d", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {"30d", 30 * 24 * time.Hour}, {"1y", 365 * 24 * time.Hour}}

const (
	plotLeft  = 150
	plotWidth = 570
)

// draw draws the paths as bars on a logarithmic scale, with the windows and the required window as lines across.
func (t timeline) draw() string {
	var s svg
	longest := time.Minute
	consider := func(l model.Limit) {
		if d, ok := l.Duration(); ok && d > longest {
			longest = d
		}
	}
	for _, b := range t.bars {
		consider(b.value)
	}
	for _, w := range t.windows {
		consider(w.value)
	}
	consider(t.required)
	top := math.Log1p(longest.Seconds() * 1.3)
	at := func(l model.Limit) int {
		d, ok := l.Duration()
		if !ok {
			return plotLeft + plotWidth
		}
		return plotLeft + int(math.Round(plotWidth*math.Log1p(d.Seconds())/top))
	}
	bottom := 26 + 26*len(t.bars)
	for _, k := range ticks {
		if k.d <= longest {
			x := at(model.For(k.d))
			s.line(x, 20, x, bottom, "tick")
			s.text(x+2, 14, "p", k.name, 8)
		}
	}
	label := "Time line:"
	for i, b := range t.bars {
		y := 26 + 26*i
		s.text(4, y+15, "t", b.name, 20)
		words := b.value.InWords()
		if !b.value.IsUnknown() {
			s.rect(plotLeft, y+2, at(b.value)-plotLeft, 18, "bar")
		}
		s.text(plotLeft+6, y+15, "t", words, 40)
		label += " " + b.name + " " + words + ";"
	}
	y := bottom
	mark := func(l model.Limit, class, words string) {
		if !l.IsUnknown() {
			s.line(at(l), 20, at(l), y+8, class)
		}
		s.text(4, y+18, class, words, 100)
		label += " " + words + ";"
		y += 20
	}
	for _, w := range t.windows {
		words := "window " + w.value.InWords()
		if w.value.IsNone() {
			words = "window permanent"
		}
		mark(w.value, "m-"+w.name, words)
	}
	mark(t.required, "m-required", "required window "+t.required.InWords())
	return s.done(pictureWidth, y+10, label)
}

// ownCell is the cell of the amplification table that a chain belongs to: the column whose product comes nearest. ok is
// false where the chain is off the table.
func ownCell(layers int, product int64) (attempts int, ok bool) {
	if layers < 1 || layers > 4 || product < 2 || product > 2000 {
		return 0, false
	}
	best := int64(-1)
	for a := 2; a <= 5; a++ {
		n := int64(1)
		for range layers {
			n *= int64(a)
		}
		if d := max(n-product, product-n); best < 0 || d < best {
			best, attempts = d, a
		}
	}
	return attempts, true
}

// amplification is the table of products, 1 to 4 layers of 2 to 5 attempts, with the own cell marked; layers 0 marks none.
func amplification(layers int, product int64) string {
	own, ok := ownCell(layers, product)
	var b strings.Builder
	b.WriteString(`<table class="amp"><caption>Attempts for one intent: layers, each with so many attempts</caption><tr><th scope="col">layers</th>`)
	for a := 2; a <= 5; a++ {
		fmt.Fprintf(&b, `<th scope="col">%d each</th>`, a)
	}
	b.WriteString("</tr>")
	for l := 1; l <= 4; l++ {
		fmt.Fprintf(&b, `<tr><th scope="row">%d</th>`, l)
		for a := 2; a <= 5; a++ {
			n := int64(1)
			for range l {
				n *= int64(a)
			}
			if ok && l == layers && a == own {
				fmt.Fprintf(&b, `<td class="h-%s own">%d<span class="sr"> (nearest to this chain)</span></td>`, heatOf(n), n)
				continue
			}
			fmt.Fprintf(&b, `<td class="h-%s">%d</td>`, heatOf(n), n)
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

// factorCount is how many layers of a chain multiply.
func (v *view) factorCount(c *model.ChainInfo) int {
	n := 0
	for _, id := range c.Layers {
		if l := v.layers[id]; l != nil && l.Factor && l.Attempts != "1" {
			n++
		}
	}
	return n
}
