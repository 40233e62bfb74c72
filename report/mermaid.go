package report

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/retrylint/retrylint/model"
)

// mermaidText is text in a quoted label: whatever could end the label, the picture or its code block is a number.
func mermaidText(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range clean(s) {
		if n++; n > 80 {
			b.WriteString("...")
			break
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:/_-+=$()", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// mermaidSteps is how many boxes a picture has at most; the ones between are told in one.
const mermaidSteps = 24

// mermaid is a chain as a Mermaid flow chart: each layer a box with its factor, grouped by the repository in which it
// stands; hops of plain calls are left out, requests between services are kept.
func mermaid(v *view, c *model.ChainInfo) string {
	type box struct{ id, repo, label, class string }
	var boxes []box
	put := func(repo, label, class string) {
		boxes = append(boxes, box{fmt.Sprintf("n%d", len(boxes)), repo, label, class})
	}
	put(c.Entry.Repository, mermaidText(shortName(c.Entry.Name)), "plain")
	factors := 0
	for i := range c.Hops {
		h := &c.Hops[i]
		for _, id := range h.Layers {
			l := v.layers[id]
			if l == nil {
				continue
			}
			label := "<b>x " + mermaidText(string(l.Attempts)) + "</b> " + mermaidText(cmp.Or(l.Label, l.Kind))
			if w := waitText(*l); w != "" {
				label += "<br>" + mermaidText(w)
			}
			label += "<br>" + mermaidText(v.at(l.Place))
			class := "layer"
			if !l.Factor {
				class = "plain"
			} else {
				factors++
			}
			put(l.Repository, label, class)
		}
		if i < len(c.Hops)-1 && h.Kind != "call" {
			put(h.Repository, mermaidText(hopWords(h)), "plain")
		}
	}
	for _, w := range c.Windows {
		if info := v.windows[w.ID]; info != nil {
			class := "plain"
			if w.Verdict == "short" || w.Verdict == "margin" {
				class = w.Verdict
			}
			put(info.Repository, mermaidText(windowWords(info, &w)), class)
		}
	}
	if len(c.Hops) > 0 {
		put(c.Effect.Repository, mermaidText(endName(c))+"<br><b>"+mermaidText(attemptsText(c.Attempts))+"</b>", "effect")
	}
	if n := len(boxes); n > mermaidSteps {
		left := box{"cut", "", fmt.Sprintf("%d more steps", n-mermaidSteps), "plain"}
		boxes = append(append(append([]box{}, boxes[:mermaidSteps/2]...), left), boxes[n-mermaidSteps/2:]...)
	}

	var b strings.Builder
	b.WriteString("flowchart TD\n")
	open := ""
	for i, x := range boxes {
		if x.repo != open {
			if open != "" {
				b.WriteString("  end\n")
			}
			if x.repo != "" {
				fmt.Fprintf(&b, "  subgraph g%d[\"%s\"]\n", i, mermaidText(x.repo))
			}
			open = x.repo
		}
		fmt.Fprintf(&b, "    %s[\"%s\"]:::%s\n", x.id, x.label, x.class)
	}
	if open != "" {
		b.WriteString("  end\n")
	}
	for i := 1; i < len(boxes); i++ {
		fmt.Fprintf(&b, "  %s --> %s\n", boxes[i-1].id, boxes[i].id)
	}
	heat := "fill:#e6f4ea,stroke:#1e7e34,color:#111"
	switch heatOf(v.weight(c.ID)) {
	case "red":
		heat = "fill:#fde2e1,stroke:#b42318,color:#111"
	case "amber":
		heat = "fill:#fff1d6,stroke:#b25e09,color:#111"
	}
	b.WriteString("  classDef plain fill:#f4f4f5,stroke:#71717a,color:#111\n")
	b.WriteString("  classDef layer fill:#e0ecff,stroke:#1d4ed8,color:#111\n")
	fmt.Fprintf(&b, "  classDef effect %s\n", heat)
	b.WriteString("  classDef short fill:#fde2e1,stroke:#b42318,color:#111\n")
	b.WriteString("  classDef margin fill:#fff1d6,stroke:#b25e09,color:#111\n")
	return b.String()
}

// Marks of the product, as in rule stacked-retries: amber from 16 attempts, red from 64.
const (
	amberFrom = 16
	redFrom   = 64
)

// heatOf is the colour of a product.
func heatOf(n int64) string {
	switch {
	case n >= redFrom:
		return "red"
	case n >= amberFrom:
		return "amber"
	}
	return "green"
}
