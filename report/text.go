package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "text",
	Doc:   "for people: findings with their source line, then the chains that they are about, then a summary",
	Write: writeText,
})

// text writes for a terminal of a given width, in colour or not.
type text struct {
	w      io.Writer
	r      *model.Result
	opt    Options
	width  int
	layers map[string]model.LayerInfo
	wins   map[string]model.WindowInfo
	chains map[string]*model.ChainInfo
	err    error
}

func writeText(w io.Writer, r *model.Result, opt Options) error {
	t := &text{w: w, r: r, opt: opt, width: cmp.Or(opt.Width, 100), layers: map[string]model.LayerInfo{}, wins: map[string]model.WindowInfo{},
		chains: map[string]*model.ChainInfo{}}
	t.width = min(max(t.width, 40), 160)
	for _, l := range r.Layers {
		t.layers[l.ID] = l
	}
	for _, x := range r.Windows {
		t.wins[x.ID] = x
	}
	for i := range r.Chains {
		t.chains[r.Chains[i].ID] = &r.Chains[i]
	}
	shown := map[string]bool{}
	for _, f := range r.Findings {
		if f.Baseline == "absent" || !opt.Verbose && !counted(&f) {
			continue
		}
		t.finding(f)
		// The chain is drawn once, under the first of the weighty findings that name it.
		if c := t.chains[f.Chain]; c != nil && !shown[f.Chain] && f.Severity != "note" {
			shown[f.Chain] = true
			t.printf("\n")
			t.way(c)
		}
		t.printf("\n")
	}
	t.summary()
	return t.err
}

func (t *text) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	yellow = "33"
	cyan   = "36"
	green  = "32"
)

func (t *text) paint(style, s string) string {
	if !t.opt.Color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

func severityStyle(s string) string {
	switch s {
	case "error":
		return red
	case "warning":
		return yellow
	}
	return cyan
}

// clean makes text from the scanned code safe for a terminal: control characters are shown, never obeyed.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case obeyed(r):
			return '\u00b7'
		}
		return r
	}, s)
}

// obeyed reports whether terminals or readers obey a character instead of showing it: control characters, those of C1
// included, marks of writing direction, and separators of lines.
func obeyed(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200e || r == 0x200f || r == 0x061c || r == 0xfeff || r == 0x2028 || r == 0x2029
}

func placeText(p model.Place, one bool) string {
	s := fmt.Sprintf("%s:%d", p.Path, p.Line)
	if p.Column > 0 {
		s += fmt.Sprintf(":%d", p.Column)
	}
	if !one && p.Repository != "" {
		s = p.Repository + "/" + s
	}
	return clean(s)
}

func (t *text) place(p model.Place) string { return placeText(p, len(t.r.Repositories) == 1) }

// short is a place without its column, for lists.
func (t *text) short(p model.Place) string {
	p.Column = 0
	return t.place(p)
}

func (t *text) finding(f model.FindingInfo) {
	head := fmt.Sprintf("%s: %s:", t.place(f.Place), f.Severity)
	t.printf("%s: %s:", t.paint(bold, t.place(f.Place)), t.paint(severityStyle(f.Severity), f.Severity))
	t.wrap(clean(f.Message)+" "+t.paint(dim, "["+clean(f.Rule)+"]"), utf8.RuneCountInString(head), "    ")
	if f.Suppressed != nil {
		t.line("    ", t.paint(dim, clean("suppressed by "+f.Suppressed.How+": "+f.Suppressed.Reason)))
	}
	t.snippet(f)
	for i, r := range f.Related {
		if i == 6 && !t.opt.Verbose {
			t.printf("    %s\n", t.paint(dim, fmt.Sprintf("and %d more places", len(f.Related)-i)))
			break
		}
		t.printf("    %s", t.paint(dim, t.short(r.Place)+":"))
		t.wrap(clean(r.Message), 5+utf8.RuneCountInString(t.short(r.Place)), "      ")
	}
	if f.Help != "" {
		t.printf("    %s", t.paint(green, "fix:"))
		t.wrap(clean(f.Help), 8, "         ")
	}
}

// snippet is the source line with a caret under the place.
func (t *text) snippet(f model.FindingInfo) {
	line := strings.TrimRight(f.Snippet, " \t\r")
	if strings.TrimSpace(line) == "" {
		return
	}
	trimmed := strings.TrimLeft(line, " \t")
	cut := len(line) - len(trimmed)
	number := fmt.Sprintf("%5d | ", f.Line)
	body := clean(trimmed)
	if n := t.width - len(number); utf8.RuneCountInString(body) > n {
		body = string([]rune(body)[:max(n-3, 8)]) + "..."
	}
	t.printf("%s%s\n", t.paint(dim, number), body)
	col := f.Column - 1 - cut
	if col < 0 || col >= len(trimmed) {
		return
	}
	before := utf8.RuneCountInString(clean(trimmed[:col]))
	if before >= utf8.RuneCountInString(body) {
		return
	}
	n := 1
	if f.EndLine == f.Line && f.EndColumn > f.Column {
		n = utf8.RuneCountInString(trimmed[col:min(col+f.EndColumn-f.Column, len(trimmed))])
	}
	n = min(n, utf8.RuneCountInString(body)-before)
	t.printf("%s%s\n", t.paint(dim, "      | "), strings.Repeat(" ", before)+t.paint(severityStyle(f.Severity), "^"+strings.Repeat("~", max(n-1, 0))))
}

// wrap prints words up to the width and ends the line; the first word follows what stands on the line up to column used,
// the lines after it begin with indent.
func (t *text) wrap(s string, used int, indent string) {
	t.flow(s, used, used > 0, indent)
	t.printf("\n")
}

// flow prints words up to the width and returns the column that it reached; after says that words stand before the first.
func (t *text) flow(s string, used int, after bool, indent string) int {
	col := used
	for word := range strings.FieldsSeq(s) {
		n := visible(word)
		switch {
		case after && col+1+n > t.width && col > len(indent):
			t.printf("\n%s", indent)
			col = len(indent)
		case after:
			t.printf(" ")
			col++
		}
		t.printf("%s", word)
		col += n
		after = true
	}
	return col
}

// visible is the length of a word without colour codes.
func visible(s string) int {
	n, esc := 0, false
	for _, r := range s {
		switch {
		case r == '\x1b':
			esc = true
		case esc:
			esc = r != 'm'
		default:
			n++
		}
	}
	return n
}

// way draws a chain as an indented way with its factors, then the table of paths.
func (t *text) way(c *model.ChainInfo) {
	t.line("    ", shortName(c.Entry.Name), t.placeNote(c.Entry.Place))
	depth := 1
	indent := func() string {
		if t.width < 80 {
			return "  " + strings.Repeat(" ", min(depth, 8))
		}
		return "    " + strings.Repeat("  ", min(depth, 12))
	}
	for i := range c.Hops {
		h := &c.Hops[i]
		for _, id := range h.Layers {
			l, ok := t.layers[id]
			if !ok {
				continue
			}
			words, notes := t.layerLine(l)
			t.line(indent(), words, notes...)
			depth++
		}
		to := shortName(h.To)
		if h.Kind == "request" && h.Method+h.URLPath != "" {
			if want := clean(strings.TrimSpace(h.Method + " " + h.URLPath)); !strings.Contains(to, want) {
				to = strings.TrimSpace(want + " at " + to)
			}
		}
		if h.Kind == "publish" {
			to = "publish to " + to
		}
		if h.OneOf {
			to += " (one of several)"
		}
		t.line(indent(), t.paint(dim, "> ")+to, t.placeNote(h.Place))
	}
	in := t.paint(bold, "in all") + ": " + t.paint(bold, attemptsText(c.Attempts))
	if c.AttemptsMin != "" && c.AttemptsMin != c.Attempts {
		in += fmt.Sprintf(" (%s at least)", clean(string(c.AttemptsMin)))
	}
	t.line("    ", in+", automatic path "+clean(c.AutomaticDelay))
	t.paths(c)
}

func (t *text) placeNote(p model.Place) string {
	if p.Path == "" {
		return ""
	}
	return t.paint(dim, t.short(p))
}

// line prints words and the places that belong to them; what does not fit stands on lines of its own, further in.
func (t *text) line(indent, words string, notes ...string) {
	t.printf("%s", indent)
	used := len(indent)
	inner := indent + "    "
	if utf8.RuneCountInString(indent) > t.width/2 {
		inner = strings.Repeat(" ", t.width/4)
	}
	used = t.flow(words, used, false, inner)
	for _, n := range notes {
		if n == "" {
			continue
		}
		if used+2+visible(n) > t.width {
			t.printf("\n%s", inner)
			used = t.flow(n, len(inner), false, inner)
			continue
		}
		t.printf("  %s", n)
		used += 2 + visible(n)
	}
	t.printf("\n")
}

func attemptsText(n model.Number) string {
	switch n {
	case "1":
		return "1 attempt"
	case "unknown", "":
		return "an unknown number of attempts"
	}
	return clean(string(n)) + " attempts"
}

// layerLine is a layer in words, and the places where it stands and is set.
func (t *text) layerLine(l model.LayerInfo) (words string, notes []string) {
	what := clean(cmp.Or(l.Label, l.Kind))
	words = t.paint(bold, "x "+clean(string(l.Attempts))) + "  " + what
	if !l.Factor {
		words = t.paint(dim, "x 1  "+what+" (shown, not counted)")
	}
	if w := waitText(l); w != "" {
		words += ", " + w
	}
	if l.Origin == "default" {
		words += ", " + t.paint(yellow, "a default nobody wrote")
	}
	notes = append(notes, t.paint(dim, t.short(l.Place)))
	for _, by := range l.SetBy {
		notes = append(notes, t.paint(dim, "set at "+t.short(by)))
	}
	return words, notes
}

// waitText says how long a layer waits between attempts; "" where that is not known.
func waitText(l model.LayerInfo) string { return clean(waitWords(l.Backoff)) }

func waitWords(b model.BackoffInfo) string {
	first := b.Initial
	if first == "" || first == "unknown" {
		first = ""
	}
	top := ""
	if b.Max != "" && b.Max != "unbounded" && b.Max != "unknown" {
		top = " up to " + b.Max
	}
	switch b.Kind {
	case "none":
		return "no wait between"
	case "constant":
		if first == "" {
			return "a fixed wait"
		}
		return first + " apart"
	case "exponential":
		if first == "" || b.Multiplier == "" {
			return "growing waits" + top
		}
		return "waits from " + first + " x" + b.Multiplier + top
	case "list":
		return "waits " + strings.Join(b.List, ", ")
	case "linear", "polynomial", "doubling-linear":
		if first == "" {
			return "growing waits" + top
		}
		return "growing waits from " + first + top
	case "server-directed":
		return "waits as the server says" + top
	}
	return ""
}

// paths is the table of ways by which a duplicate can come, held against the windows on the way.
func (t *text) paths(c *model.ChainInfo) {
	rows := [][]string{{"path", "last duplicate after", "because"}}
	for _, p := range c.Paths {
		delay := p.Delay
		if p.Kind == "automatic" {
			delay = clean(c.AutomaticDelay)
			if c.AutomaticWorstCase != "unknown" && c.AutomaticWorstCase != c.AutomaticDelay {
				delay += " (" + clean(c.AutomaticWorstCase) + " with slow attempts)"
			}
		}
		rows = append(rows, []string{p.Kind, daysToo(delay), p.Origin})
	}
	t.table(rows)
	for _, w := range c.Windows {
		info := t.wins[w.ID]
		style, verdict := green, "covers the longest path"
		switch w.Verdict {
		case "short":
			style, verdict = red, "does not cover the longest path"
		case "margin":
			style, verdict = yellow, "covers the longest path, but without margin"
		case "unknown":
			style, verdict = yellow, "cannot be judged"
		}
		req := ""
		if w.Required != "" && w.Required != "unknown" && info.Guaranteed != "permanent" {
			req = fmt.Sprintf("required %s (safety factor %g)", daysToo(w.Required), c.SafetyFactor)
		}
		kept := daysToo(info.Guaranteed)
		if info.Guaranteed != info.TTL && info.TTL != "" {
			kept += " guaranteed of " + clean(info.TTL)
		}
		t.line("    ", "window "+t.paint(bold, kept)+" "+t.paint(style, verdict), t.placeNote(info.Place), req)
	}
}

func daysToo(s string) string {
	var l model.Limit
	if l.UnmarshalText([]byte(s)) != nil || !l.Known() {
		return clean(s)
	}
	return l.InWords()
}

// table prints rows in columns; where they do not fit, each row is a line with the rest beneath it.
func (t *text) table(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i := range r {
			r[i] = clean(r[i])
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
	total := 4
	for _, n := range widths {
		total += n + 2
	}
	for i, r := range rows {
		if total-2 > t.width {
			if i > 0 {
				t.line("    ", r[0]+": "+r[1], t.paint(dim, r[2]))
			}
			continue
		}
		var b strings.Builder
		for j, cell := range r {
			b.WriteString(cell)
			if j < len(r)-1 {
				b.WriteString(strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2))
			}
		}
		line := strings.TrimRight(b.String(), " ")
		if i == 0 {
			line = t.paint(dim, line)
		}
		t.printf("    %s\n", line)
	}
}

func (t *text) summary() {
	r := t.r
	count := map[string]int{}
	suppressed := 0
	for _, f := range r.Findings {
		if f.Suppressed != nil {
			suppressed++
			continue
		}
		if f.Baseline == "unchanged" || f.Baseline == "absent" {
			continue
		}
		count[f.Severity]++
	}
	worst := worstChain(r.Chains)
	if len(r.Findings) == 0 && worst != nil {
		t.wrap(fmt.Sprintf("worst chain: %s from %s to %s", attemptsText(worst.Attempts), shortName(worst.Entry.Name), endName(worst)), 0, "    ")
		t.way(worst)
		t.printf("\n")
	}
	for _, n := range r.Summary.Notices {
		t.wrap(t.paint(dim, "notice: "+clean(n)), 0, "    ")
	}
	for _, i := range r.Incomplete {
		where := i.Repository
		if i.Path != "" {
			where += "/" + i.Path
		}
		if i.Line > 0 {
			where += fmt.Sprintf(":%d", i.Line)
		}
		t.wrap(t.paint(yellow, "not read: "+clean(where)+":")+" "+clean(i.Reason)+" ("+clean(i.Stage)+")", 0, "    ")
	}
	s := fmt.Sprintf("%s, %s, %s in %s", plural(count["error"], "error"), plural(count["warning"], "warning"), plural(count["note"], "note"),
		plural(r.Summary.Repositories, "repository"))
	style := green
	switch {
	case count["error"] > 0:
		style = red
	case count["warning"] > 0:
		style = yellow
	}
	if suppressed > 0 {
		s += fmt.Sprintf(", %d suppressed", suppressed)
	}
	t.line("", t.paint(style, s), fmt.Sprintf("(%s, %s, %s)", plural(len(r.Layers), "layer"), plural(len(r.Chains), "chain"), plural(len(r.Windows), "window")))
	u := r.Undecided
	if n := u.Attempts + u.Targets + u.Settings + u.Loops + u.Rules; n > 0 {
		t.wrap(t.paint(dim, fmt.Sprintf("not decided: %s, %s, %s, %s%s", plural(u.Attempts, "attempt count"), plural(u.Targets, "target"),
			plural(u.Settings, "setting"), plural(u.Loops, "loop"), more(t.opt.Verbose))), 0, "    ")
		if t.opt.Verbose {
			for _, w := range u.Where {
				t.printf("  %s", t.paint(dim, t.place(w.Place)+":"))
				t.wrap(clean(w.What), 3+utf8.RuneCountInString(t.place(w.Place)), "    ")
			}
		}
	}
	if r.Summary.Skipped > 0 {
		t.wrap(t.paint(dim, plural(r.Summary.Skipped, "gap")+" that nobody minds: files that are not expected to parse, parts that are elsewhere"+more(t.opt.Verbose)), 0, "    ")
		for _, g := range r.Summary.PassedOver {
			where := t.place(model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line})
			t.printf("  %s", t.paint(dim, where+":"))
			t.wrap(clean(g.Reason), 3+utf8.RuneCountInString(where), "    ")
		}
	}
}

func more(verbose bool) string {
	if verbose {
		return ""
	}
	return " (-v lists them)"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if strings.HasSuffix(word, "y") {
		return fmt.Sprintf("%d %sies", n, word[:len(word)-1])
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// worstChain is the chain with the most attempts; nil where there is none.
func worstChain(cs []model.ChainInfo) *model.ChainInfo {
	if len(cs) == 0 {
		return nil
	}
	i := slices.IndexFunc(cs, func(c model.ChainInfo) bool { return c.Attempts == "unbounded" })
	if i >= 0 {
		return &cs[i]
	}
	best := 0
	for i := range cs {
		if number(cs[i].Attempts) > number(cs[best].Attempts) {
			best = i
		}
	}
	return &cs[best]
}

// number is a count as a number; 0 where it is a word.
func number(n model.Number) int64 {
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		return 0
	}
	return v
}
