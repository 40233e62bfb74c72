package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// maxChains is how many chains a hover shows; the rest is counted.
const maxChains = 3

// hover tells what is known of the place under the cursor: a layer, a window, a setting of one, a finding.
func (s *server) hover(_ context.Context, p hoverParams) (*hoverResult, error) {
	file, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	file = realPath(file)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || !s.sameLine(file, p.Position.Line) {
		return nil, nil
	}
	h := &hovering{snap: s.last, file: file, at: p.Position, seen: map[string]bool{}}
	h.collect()
	if len(h.parts) == 0 {
		return nil, nil
	}
	value := strings.Join(h.parts, "\n\n---\n\n")
	out := &hoverResult{Contents: markupContent{"markdown", value}, Range: h.span}
	if s.plain {
		out.Contents = markupContent{"plaintext", plainText(value)}
	}
	return out, nil
}

// sameLine reports whether a line of a document is still what was scanned. The caller holds the lock.
func (s *server) sameLine(file string, line int) bool {
	t := s.last.text(file)
	if t == nil {
		return false
	}
	d := s.docs[file]
	return d == nil || d.text == t.whole || newText(d.text).line(line+1) == t.line(line+1)
}

// hovering collects what there is to say of one place.
type hovering struct {
	snap  *snapshot
	file  string
	at    position
	parts []string
	span  *textRange
	seen  map[string]bool // layers and windows that were told
}

func (h *hovering) add(span textRange, part string) {
	h.parts = append(h.parts, part)
	if h.span == nil {
		h.span = &span
	}
}

// collect takes what lies under the cursor; where nothing does, what lies on its line.
func (h *hovering) collect() {
	for _, exact := range []bool{true, false} {
		h.findings(exact)
		h.layersAndWindows(exact)
		h.undecided(exact)
		if len(h.parts) > 0 {
			return
		}
	}
}

// here reports whether a place is under the cursor, or with exact unset on its line.
func (h *hovering) here(p model.Place, exact bool) (textRange, bool) {
	if file, ok := h.snap.file(p); !ok || file != h.file || p.Line < 1 {
		return textRange{}, false
	}
	// Cheap first: of all places of a workspace few are near.
	if h.at.Line+1 < p.Line || h.at.Line+1 > max(p.EndLine, p.Line) {
		return textRange{}, false
	}
	r := h.snap.span(p)
	if exact {
		return r, r.touches(textRange{h.at, h.at})
	}
	return r, h.at.Line == r.Start.Line
}

func (h *hovering) findings(exact bool) {
	for i := range h.snap.result.Findings {
		f := &h.snap.result.Findings[i]
		r, ok := h.here(f.Place, exact)
		if !ok {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "**%s** [%s](%s): %s", f.Severity, f.Rule, ruleURL(f.Rule), escape(f.Message))
		if f.Suppressed != nil {
			fmt.Fprintf(&b, "\n\nSuppressed by %s: %s", f.Suppressed.How, escape(f.Suppressed.Reason))
		} else if f.Help != "" {
			fmt.Fprintf(&b, "\n\n*Fix:* %s", escape(f.Help))
		}
		if c := h.snap.chain(f.Chain); c != nil && f.Layer == "" {
			b.WriteString("\n\n" + h.chainText(c, ""))
		}
		h.add(r, b.String())
	}
}

func (h *hovering) layersAndWindows(exact bool) {
	for i := range h.snap.result.Layers {
		l := &h.snap.result.Layers[i]
		r, ok := h.here(l.Place, exact)
		for _, at := range l.SetBy {
			if !ok {
				r, ok = h.here(at, exact)
			}
		}
		if ok && !h.seen[l.ID] {
			h.seen[l.ID] = true
			h.add(r, h.layerText(l))
		}
	}
	for i := range h.snap.result.Windows {
		w := &h.snap.result.Windows[i]
		if r, ok := h.here(w.Place, exact); ok && !h.seen[w.ID] {
			h.seen[w.ID] = true
			h.add(r, h.windowText(w))
		}
	}
}

func (h *hovering) undecided(exact bool) {
	for _, u := range h.snap.result.Undecided.Where {
		r, ok := h.here(u.Place, exact)
		if !ok {
			continue
		}
		part := "Not decided: " + escape(u.What)
		if u.Declare != "" {
			part += "\n\nThis in `.retrylint.yaml` would settle it:\n\n" + fence(u.Declare)
		}
		h.add(r, part)
	}
}

// describe is a layer in one line: "retry loop: 3 attempts, 1m apart".
func describe(l *model.LayerInfo) string {
	s := fmt.Sprintf("%s: %s", cmp.Or(l.Label, l.Kind), attempts(l.Attempts))
	if w := waits(l.Backoff); w != "" {
		s += ", " + w
	}
	switch {
	case l.Origin != "default":
	case l.DefaultOf != "":
		s += ", the default of " + l.DefaultOf
	default:
		s += ", a default that nobody wrote"
	}
	return s
}

func attempts(n model.Number) string {
	switch n {
	case "1":
		return "1 attempt"
	case "unknown", "":
		return "an unknown number of attempts"
	case "unbounded":
		return "attempts without bound"
	}
	return string(n) + " attempts"
}

func waits(b model.BackoffInfo) string {
	s := ""
	switch b.Kind {
	case "none":
		return "without a wait"
	case "constant":
		s = cmp.Or(b.Initial, "unknown") + " apart"
	case "", "unknown":
		return ""
	default:
		s = b.Kind + " backoff"
		if b.Initial != "" {
			s += " from " + b.Initial
		}
		if b.Multiplier != "" {
			s += " x " + b.Multiplier
		}
		if b.Max != "" && b.Max != "unbounded" {
			s += " to " + b.Max
		}
	}
	if b.Jitter != "" && b.Jitter != "none" && b.Jitter != "unknown" {
		s += ", " + b.Jitter + " jitter"
	}
	return s
}

func (h *hovering) layerText(l *model.LayerInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", escape(describe(l)))
	var more []string
	if l.Service != "" {
		more = append(more, "in "+l.Service)
	}
	if l.Target != "" {
		more = append(more, "repeats "+report.ShortName(l.Target))
	}
	if l.PerAttemptTimeout != "" {
		more = append(more, "each attempt at most "+l.PerAttemptTimeout)
	}
	if l.Deadline != "" {
		more = append(more, "all together at most "+l.Deadline)
	}
	if len(more) > 0 {
		fmt.Fprintf(&b, "\\\n%s", escape(strings.Join(more, "; ")))
	}
	fmt.Fprintf(&b, "\\\nat %s", h.link(l.Place))
	for _, p := range l.SetBy {
		fmt.Fprintf(&b, ", set at %s", h.link(p))
	}
	if !l.Factor {
		b.WriteString("\n\nIt is shown on the way, but not multiplied.")
	}
	var on []*model.ChainInfo
	for i := range h.snap.result.Chains {
		if c := &h.snap.result.Chains[i]; slices.Contains(c.Layers, l.ID) {
			on = append(on, c)
		}
	}
	if len(on) == 0 {
		b.WriteString("\n\nNo chain of several layers runs through it in this workspace.")
	}
	b.WriteString(h.chainsText(on, l.ID))
	return b.String()
}

// chainsText shows some chains.
func (h *hovering) chainsText(on []*model.ChainInfo, current string) string {
	var b strings.Builder
	for i, c := range on {
		if i == maxChains {
			fmt.Fprintf(&b, "\n\n%d more chains run through here.", len(on)-maxChains)
			break
		}
		b.WriteString("\n\n" + h.chainText(c, current))
	}
	return b.String()
}

// chainText is a chain as a list of its layers, outermost first, its product, and its paths. The current layer is bold.
func (h *hovering) chainText(c *model.ChainInfo, current string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** from %s to %s", attempts(c.Attempts), escape(report.ShortName(c.Entry.Name)), escape(report.EndName(c)))
	var factors []string
	list := ""
	for _, id := range c.Layers {
		l := h.snap.layers[id]
		if l == nil {
			continue
		}
		if l.Factor {
			factors = append(factors, string(cmp.Or(l.Attempts, "unknown")))
		}
		line := escape(describe(l))
		if id == current {
			line = "**" + line + "**"
		}
		list += fmt.Sprintf("\n1. %s, %s", line, h.link(l.Place))
	}
	if len(factors) > 1 {
		fmt.Fprintf(&b, " (%s)", strings.Join(factors, " x "))
	}
	if list != "" {
		b.WriteString("\n" + list)
	}
	b.WriteString("\n\n| path | last duplicate after | because |\n|---|---|---|")
	for _, p := range c.Paths {
		fmt.Fprintf(&b, "\n| %s | %s | %s |", escape(p.Kind), escape(p.Delay), escape(p.Origin))
	}
	for _, w := range c.Windows {
		win := h.snap.windows[w.ID]
		if win == nil {
			continue
		}
		fmt.Fprintf(&b, "\n\nWindow %s at %s: %s", escape(cmp.Or(win.Guaranteed, win.TTL)), h.link(win.Place), verdict(w))
	}
	for _, n := range c.Notes {
		b.WriteString("\n\n" + escape(n))
	}
	return b.String()
}

func verdict(w model.ChainWindow) string {
	s := escape(w.Verdict)
	if w.Longest != "" && w.Longest != "unknown" {
		s += ", longest path " + w.Longest
	}
	if w.Required != "" && w.Required != "unknown" {
		s += ", required " + w.Required
	}
	if w.Shortfall != "" {
		s += ", short by " + w.Shortfall
	}
	return s
}

func (h *hovering) windowText(w *model.WindowInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**dedupe window %s** (%s)", escape(w.TTL), escape(w.Kind))
	if w.Guaranteed != "" && w.Guaranteed != w.TTL {
		fmt.Fprintf(&b, ", of which %s is certain", escape(w.Guaranteed))
	}
	var on []*model.ChainInfo
	for i := range h.snap.result.Chains {
		c := &h.snap.result.Chains[i]
		if slices.ContainsFunc(c.Windows, func(cw model.ChainWindow) bool { return cw.ID == w.ID }) {
			on = append(on, c)
		}
	}
	if len(on) == 0 {
		b.WriteString("\n\nNo chain of several layers reaches it in this workspace.")
	}
	b.WriteString(h.chainsText(on, ""))
	return b.String()
}
