package window

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/retrylint/retrylint/model"
)

// The marks of the amplification table.
const (
	amberFrom = 16
	redFrom   = 64
)

// palette is how words are marked; without colours nothing is.
type palette struct{ on bool }

func (p palette) paint(code, s string) string {
	if !p.on {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) bold(s string) string  { return p.paint("1", s) }
func (p palette) red(s string) string   { return p.paint("31", s) }
func (p palette) amber(s string) string { return p.paint("33", s) }
func (p palette) green(s string) string { return p.paint("32", s) }

func (p palette) verdict(v model.VerdictKind, s string) string {
	switch v {
	case model.Covered:
		return p.green(s)
	case model.Margin:
		return p.amber(s)
	case model.Short:
		return p.red(s)
	}
	return s
}

// WriteText writes the answer for a terminal.
func (r Result) WriteText(w io.Writer, color bool) error {
	b := bufio.NewWriter(w)
	p := palette{color}
	r.writeLayers(b, p)
	fmt.Fprintln(b)
	r.writePaths(b, p)
	fmt.Fprintln(b)
	writeAmplification(b, p, r)
	fmt.Fprintln(b)
	r.writeVerdict(b, p)
	return b.Flush()
}

func (r Result) writeLayers(w io.Writer, p palette) {
	rows := [][]string{{"layer, innermost first", "attempts", "waits", "product", "from first to last"}}
	for _, l := range r.Layers {
		rows = append(rows, []string{l.Name, l.Policy.Total().String(), describeWait(l.Policy), l.Product.String(), l.Delay.String()})
	}
	table(w, p, rows, nil)
	var factors []string
	for _, l := range r.Layers {
		factors = append(factors, l.Policy.Total().String())
	}
	product := p.bold(fmt.Sprintf("%s attempts", r.Attempts))
	if r.Attempts.One() {
		product = p.bold("1 attempt")
	}
	if len(factors) > 1 && r.Attempts.Known() {
		fmt.Fprintf(w, "%s for one intent: %s\n", product, strings.Join(factors, " x "))
	} else {
		fmt.Fprintf(w, "%s for one intent\n", product)
	}
}

// describeWait is the waits of a policy in the form in which they are given.
func describeWait(p model.Policy) string {
	b := p.Backoff
	var s string
	switch b.Kind {
	case model.BackoffNone:
		s = "none"
	case model.BackoffConstant:
		s = b.Initial.String()
	case model.BackoffExponential:
		s = b.Initial.String()
		if b.Max.Known() {
			s += ".." + b.Max.String()
		}
		s += " x" + b.Factor.String()
	case model.BackoffList:
		var items []string
		for _, d := range b.List {
			items = append(items, model.FormatDuration(d))
		}
		s = strings.Join(items, ",")
	default:
		s = b.Kind.String()
	}
	switch b.Jitter.Kind {
	case model.JitterFull, model.JitterEqual:
		s += ", " + b.Jitter.Kind.String() + " jitter"
	case model.JitterProportional:
		s += ", jitter " + b.Jitter.Factor.String()
	case model.JitterAdditive:
		s += ", jitter " + model.FormatDuration(b.Jitter.Extra)
	}
	if p.PerAttempt.Known() {
		s += ", timeout " + p.PerAttempt.String()
	}
	if p.Overall.Known() {
		s += ", deadline " + p.Overall.String()
	}
	return s
}

// pathName is a path for people.
func pathName(k model.PathKind) string {
	switch k {
	case model.PathDeadLetter:
		return "dead letter"
	case model.PathOperatorRerun:
		return "operator rerun"
	}
	return string(k)
}

func (r Result) writePaths(w io.Writer, p palette) {
	head := fmt.Sprintf("x%s", r.Input.Factor)
	rows := [][]string{{"path of a duplicate", "last one after", head, "window " + r.Input.Window.String(), "why"}}
	marks := []model.VerdictKind{""}
	for _, x := range r.Paths {
		origin := x.Path.Origin
		if x.Path.ThenAutomatic {
			origin += ", and the automatic path once more"
		}
		rows = append(rows, []string{pathName(x.Path.Kind), x.Arrival.InWords(), x.Required.InWords(), string(x.Verdict), origin})
		marks = append(marks, x.Verdict)
	}
	table(w, p, rows, func(row, col int, s string) string {
		if col == 3 {
			return p.verdict(marks[row], s)
		}
		return s
	})
}

func writeAmplification(w io.Writer, p palette, r Result) {
	layers, attempts, cells := Amplification()
	rows := [][]string{{"attempts for one intent"}}
	for _, a := range attempts {
		rows[0] = append(rows[0], fmt.Sprintf("%d each", a))
	}
	own := func(l, a int64) bool { return int64(len(r.Layers)) == l && allAttempts(r.Layers, a) }
	for i, l := range layers {
		row := []string{fmt.Sprintf("%d layers", l)}
		if l == 1 {
			row[0] = "1 layer"
		}
		for j, n := range cells[i] {
			s := strconv.FormatInt(n, 10)
			switch {
			case n >= redFrom:
				s += " !"
			case n >= amberFrom:
				s += " *"
			}
			if own(l, attempts[j]) {
				s += " <"
			}
			row = append(row, s)
		}
		rows = append(rows, row)
	}
	table(w, p, rows, func(row, col int, s string) string {
		if row == 0 || col == 0 {
			return s
		}
		switch n := cells[row-1][col-1]; {
		case n >= redFrom:
			return p.red(s)
		case n >= amberFrom:
			return p.amber(s)
		}
		return s
	})
	legend := fmt.Sprintf("* amber, from %d   ! red, from %d", amberFrom, redFrom)
	for _, l := range layers {
		for _, a := range attempts {
			if own(l, a) {
				legend += "   < these layers"
			}
		}
	}
	fmt.Fprintln(w, legend)
}

func allAttempts(layers []LayerResult, n int64) bool {
	for _, l := range layers {
		if hi, ok := l.Policy.Total().Max(); !ok || hi != n {
			return false
		}
	}
	return true
}

func (r Result) writeVerdict(w io.Writer, p palette) {
	j := r.Judged
	fmt.Fprintf(w, "window    %s: %s\n", r.windowText(), p.verdict(j.Verdict, p.bold(string(j.Verdict))))
	fmt.Fprintf(w, "longest   %s (%s)\n", j.Longest.InWords(), pathName(j.Path.Kind))
	fmt.Fprintf(w, "required  %s (%s x %s)\n", j.Required.InWords(), r.Input.Factor, j.Longest)
	if j.Verdict == model.Short || j.Verdict == model.Margin {
		fmt.Fprintf(w, "shortfall %s\n", j.Shortfall.InWords())
	}
	switch {
	case j.ByAutomatic && j.Verdict == model.Short:
		fmt.Fprintln(w, "          the automatic retries alone outlast the window")
	case j.StrictDiffers:
		fmt.Fprintln(w, "          in the strict reading, in which a replay runs the automatic path once more, it would not be covered")
	}
	if r.Rows != nil {
		fmt.Fprintf(w, "costs     %s rows, %s, at %s and %d bytes a row\n", grouped(r.Rows), sizeText(r.Bytes), r.Input.Rate.s, r.Input.RowBytes)
	}
}

func (r Result) windowText() string {
	if d, ok := r.Input.Window.Duration(); ok {
		return model.For(d).InWords()
	}
	return r.Input.Window.String()
}

// table writes aligned columns; mark colours a cell after it was padded.
func table(w io.Writer, p palette, rows [][]string, mark func(row, col int, s string) string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for r, row := range rows {
		var line strings.Builder
		for i, c := range row {
			pad := ""
			if i < len(row)-1 {
				pad = strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2)
			}
			switch {
			case r == 0:
				c = p.bold(c)
			case mark != nil:
				c = mark(r, i, c)
			}
			line.WriteString(c + pad)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// grouped writes a number with commas between thousands.
func grouped(n *big.Int) string {
	s := n.String()
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func sizeText(n *big.Int) string {
	f, _ := new(big.Float).SetInt(n).Float64()
	for _, u := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if f < 1000 || u == "TB" {
			if u == "bytes" {
				return fmt.Sprintf("%.0f bytes", f)
			}
			return fmt.Sprintf("%.1f %s", f, u)
		}
		f /= 1000
	}
	return ""
}

type jsonLayer struct {
	Name     string       `json:"name"`
	Attempts model.Number `json:"attempts"`
	Waits    string       `json:"waits"`
	Product  model.Number `json:"product"`
	Delay    string       `json:"delay"`
}

type jsonPath struct {
	Kind     string `json:"kind"`
	Delay    string `json:"delay"`
	Required string `json:"required"`
	Verdict  string `json:"verdict"`
	Origin   string `json:"origin"`
}

type jsonCost struct {
	Rate     string   `json:"rate"`
	RowBytes int64    `json:"rowBytes"`
	Rows     *big.Int `json:"rows"`
	Bytes    *big.Int `json:"bytes"`
}

type jsonAmplification struct {
	Layers   []int64   `json:"layers"`
	Attempts []int64   `json:"attempts"`
	Products [][]int64 `json:"products"`
	Amber    int64     `json:"amberFrom"`
	Red      int64     `json:"redFrom"`
}

type jsonResult struct {
	Version        int               `json:"version"`
	Layers         []jsonLayer       `json:"layers"`
	Attempts       model.Number      `json:"attempts"`
	AutomaticDelay string            `json:"automaticDelay"`
	Paths          []jsonPath        `json:"paths"`
	LongestPath    model.PathInfo    `json:"longestPath"`
	SafetyFactor   float64           `json:"safetyFactor"`
	RequiredWindow string            `json:"requiredWindow"`
	Window         string            `json:"window"`
	Verdict        string            `json:"verdict"`
	Shortfall      string            `json:"shortfall,omitempty"`
	Cost           *jsonCost         `json:"cost,omitempty"`
	Amplification  jsonAmplification `json:"amplification"`
}

// WriteJSON writes the answer as one object, with the words of the scan's JSON.
func (r Result) WriteJSON(w io.Writer) error {
	j := r.Judged
	out := jsonResult{Version: 1, Layers: []jsonLayer{}, Attempts: model.NumberOf(r.Attempts), AutomaticDelay: r.Delay.String(),
		LongestPath:  model.PathInfo{Kind: string(j.Path.Kind), Delay: j.Longest.String(), Origin: j.Path.Origin},
		SafetyFactor: r.Input.Factor.Float(), RequiredWindow: j.Required.String(), Window: r.Input.Window.String(), Verdict: string(j.Verdict)}
	for _, l := range r.Layers {
		out.Layers = append(out.Layers, jsonLayer{l.Name, model.NumberOf(l.Policy.Total()), describeWait(l.Policy), model.NumberOf(l.Product), l.Delay.String()})
	}
	for _, p := range r.Paths {
		out.Paths = append(out.Paths, jsonPath{string(p.Path.Kind), p.Arrival.String(), p.Required.String(), string(p.Verdict), p.Path.Origin})
	}
	if j.Verdict == model.Short || j.Verdict == model.Margin {
		out.Shortfall = j.Shortfall.String()
	}
	if r.Rows != nil {
		out.Cost = &jsonCost{r.Input.Rate.s, r.Input.RowBytes, r.Rows, r.Bytes}
	}
	a := &out.Amplification
	a.Layers, a.Attempts, a.Products = Amplification()
	a.Amber, a.Red = amberFrom, redFrom
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
