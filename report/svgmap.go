package report

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// mapEdges is how many connections the map shows; the heaviest.
const mapEdges = 30

// mapEdge is a connection between two services with the worst that comes over it.
type mapEdge struct {
	from, to string
	attempts int64 // most attempts for one intent that arrive at its end; maxWeight where there is no end
	known    bool  // false where a layer above makes an unknown number
	chains   int
}

const maxWeight = 1<<63 - 1

// edges are the connections between services that the chains use, heaviest first.
func (v *view) edges() []mapEdge {
	names := v.serviceNames()
	at := map[[2]string]int{}
	var out []mapEdge
	for i := range v.Chains {
		c := &v.Chains[i]
		product, known := int64(1), true
		from := nodeOf(names, c.Entry.Place, c.Entry.Name)
		seen := map[[2]string]bool{}
		for j := range c.Hops {
			h := &c.Hops[j]
			for _, id := range h.Layers {
				l := v.layers[id]
				switch {
				case l == nil || !l.Factor:
				case l.Attempts == "unbounded":
					product = maxWeight
				case l.Attempts == "unknown" || l.Attempts == "":
					known = false
				default:
					product = timesSat(product, max(number(l.Attempts), 1))
				}
			}
			to := from
			switch {
			case j+1 < len(c.Hops):
				to = nodeOf(names, c.Hops[j+1].Place, h.To)
			case c.Effect.Path != "":
				to = nodeOf(names, c.Effect.Place, h.To)
			case h.Kind != "call" && h.To != "":
				to = shortName(h.To)
			}
			if to != from {
				k := [2]string{from, to}
				n, ok := at[k]
				if !ok {
					n = len(out)
					at[k] = n
					out = append(out, mapEdge{from: from, to: to, known: true})
				}
				e := &out[n]
				if product > e.attempts {
					e.attempts, e.known = product, known
				}
				if !seen[k] {
					seen[k] = true
					e.chains++
				}
			}
			from = to
		}
	}
	slices.SortStableFunc(out, func(a, b mapEdge) int {
		return cmp.Or(cmp.Compare(b.attempts, a.attempts), cmp.Compare(b.chains, a.chains), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return out
}

func timesSat(a, b int64) int64 {
	if a == maxWeight || b > 0 && a > maxWeight/b {
		return maxWeight
	}
	return a * b
}

// serviceNames names the service of a repository where it is one.
func (v *view) serviceNames() map[string]string {
	of := map[string]map[string]bool{}
	for _, s := range v.Services {
		if s.Kind == "main" {
			if of[s.Repository] == nil {
				of[s.Repository] = map[string]bool{}
			}
			of[s.Repository][s.Name] = true
		}
	}
	out := map[string]string{}
	for repo, names := range of {
		if len(names) == 1 {
			for n := range names {
				out[repo] = clean(n)
			}
		}
	}
	return out
}

func nodeOf(names map[string]string, p model.Place, otherwise string) string {
	if n := names[p.Repository]; n != "" {
		return n
	}
	if p.Repository != "" {
		return clean(p.Repository)
	}
	return shortName(otherwise)
}

// svgMap draws the services in columns, callers left of what they call, with the heaviest connections; the table beneath it
// says the same in words.
func (v *view) svgMap() string {
	all := v.edges()
	if len(all) == 0 {
		return "<p>No chain leads from one service to another.</p>"
	}
	edges := all[:min(len(all), mapEdges)]
	// A service stands in the column after its furthest caller; ways that lead back are left out of this.
	column := map[string]int{}
	var nodes []string
	for _, e := range edges {
		for _, n := range []string{e.from, e.to} {
			if _, ok := column[n]; !ok {
				column[n] = 0
				nodes = append(nodes, n)
			}
		}
	}
	back := backEdges(edges)
	for range nodes {
		moved := false
		for i, e := range edges {
			if !back[i] && column[e.to] < column[e.from]+1 {
				column[e.to] = column[e.from] + 1
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	columns := map[int][]string{}
	last := 0
	for _, n := range nodes {
		columns[column[n]] = append(columns[column[n]], n)
		last = max(last, column[n])
	}
	const w, h, gapX, gapY = 200, 34, 110, 22
	rows := 0
	pos := map[string][2]int{}
	for c := 0; c <= last; c++ {
		slices.Sort(columns[c])
		rows = max(rows, len(columns[c]))
		for i, n := range columns[c] {
			pos[n] = [2]int{10 + c*(w+gapX), 10 + i*(h+gapY)}
		}
	}
	var s svg
	for i, e := range edges {
		a, b := pos[e.from], pos[e.to]
		x1, y1, x2, y2 := a[0]+w, a[1]+h/2, b[0], b[1]+h/2
		mid := (x1 + x2) / 2
		if back[i] || x2 < x1 {
			x1, x2 = a[0], b[0]+w
			mid = (x1 + x2) / 2
		}
		width := 1
		for n := e.attempts; n > 1 && width < 8; n /= 3 {
			width++
		}
		fmt.Fprintf(&s.b, `<path d="M%d %d C%d %d %d %d %d %d" stroke-width="%d" class="edge s-%s"/>`, x1, y1, mid, y1, mid, y2, x2, y2, width, heatOf(e.attempts))
		s.text((x1+x2)/2-14, (y1+y2)/2-4, "t", "x "+e.words(), 14)
	}
	for _, n := range nodes {
		p := pos[n]
		s.rect(p[0], p[1], w, h, "node")
		s.text(p[0]+8, p[1]+21, "b", n, 26)
	}
	width, height := 20+(last+1)*w+last*gapX, 20+rows*(h+gapY)
	var b strings.Builder
	b.WriteString(s.done(width, height, fmt.Sprintf("Map of %s and their %s; the table beneath says the same", plural(len(nodes), "service"), plural(len(edges), "heaviest connection"))))
	b.WriteString(`<details><summary>The map as a table</summary><table><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Most attempts for one intent</th><th scope="col">Chains</th></tr>`)
	for _, e := range edges {
		fmt.Fprintf(&b, `<tr><td>%s</td><td>%s</td><td class="h-%s">%s</td><td>%d</td></tr>`, html.EscapeString(e.from), html.EscapeString(e.to), heatOf(e.attempts), e.words(), e.chains)
	}
	b.WriteString("</table></details>")
	if n := len(all) - len(edges); n > 0 {
		fmt.Fprintf(&b, "<p>%s with fewer attempts not drawn.</p>", plural(n, "connection"))
	}
	return b.String()
}

func (e *mapEdge) words() string {
	switch {
	case e.attempts == maxWeight:
		return "unbounded"
	case !e.known:
		return fmt.Sprintf("%d or more", e.attempts)
	}
	return fmt.Sprint(e.attempts)
}

// backEdges finds the edges that close a circle, in the order of the edges.
func backEdges(edges []mapEdge) map[int]bool {
	out := map[int]bool{}
	next := map[string][]string{}
	var reaches func(from, to string, seen map[string]bool) bool
	reaches = func(from, to string, seen map[string]bool) bool {
		if from == to {
			return true
		}
		seen[from] = true
		for _, n := range next[from] {
			if !seen[n] && reaches(n, to, seen) {
				return true
			}
		}
		return false
	}
	for i, e := range edges {
		if reaches(e.to, e.from, map[string]bool{}) {
			out[i] = true
			continue
		}
		next[e.from] = append(next[e.from], e.to)
	}
	return out
}
