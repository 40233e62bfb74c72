package libs

import (
	"fmt"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// finishBackoff turns the words and numbers into the rule of the waits.
func (e *evaluation) finishBackoff() {
	b := &e.r.Policy.Backoff
	word := choose(e.backoff, e.kindScope)
	first, rest := words(word)
	switch first {
	case "":
		// Nothing said; initial and factor say it where they are there.
		switch {
		case b.Factor.Known() && !b.Initial.IsUnknown():
			b.Kind = model.BackoffExponential
		case b.Initial.Known():
			b.Kind = model.BackoffConstant
		}
	case "none":
		*b = model.NoBackoff()
		return
	case "constant":
		b.Kind = model.BackoffConstant
		b.Factor = model.Ratio{}
	case "linear":
		b.Kind = model.BackoffLinear
		if b.Step.IsUnknown() {
			b.Step = b.Initial
		}
	case "exponential":
		b.Kind = model.BackoffExponential
	case "list":
		e.listBackoff(rest)
	case "server":
		b.Kind = model.BackoffServer
	case "polynomial":
		b.Kind = model.BackoffPolynomial
		fmt.Sscanf(rest, "%d shift %d", &b.Degree, &b.Shift)
	default: // custom
		*b = model.Backoff{}
		return
	}
	switch d, ok := b.Initial.Duration(); {
	case ok && d == 0 && b.Kind == model.BackoffConstant && len(b.List) == 0,
		ok && d == 0 && b.Kind == model.BackoffExponential:
		if j := e.parseJitter(); j.Kind != model.JitterAdditive && j.Kind != model.JitterAdditiveScaled {
			*b = model.NoBackoff()
			return
		}
		b.Kind = model.BackoffConstant
	case b.Kind == model.BackoffConstant && b.Initial.IsUnknown() && e.r.Policy.Backoff.Max.IsNone():
		b.Max = model.Limit{}
	}
	b.Jitter = e.parseJitter()
}

// madeList reports whether a list of waits is made by a part that has been read, so that the list adds nothing.
func madeList(backoff string, sc scope) bool {
	first, rest := words(backoff)
	if first != "list" {
		return false
	}
	t, err := parseTerm(rest)
	if err != nil || len(t) == 0 {
		return false
	}
	v := sc.value(t[0].of.path)
	return v.List == nil && v.Name != ""
}

func (e *evaluation) listBackoff(path string) {
	b := &e.r.Policy.Backoff
	t, err := parseTerm(path)
	if err != nil || len(t) == 0 {
		*b = model.Backoff{}
		return
	}
	v := e.kindScope.value(t[0].of.path)
	b.Kind = model.BackoffList
	for _, x := range v.List {
		if !x.IsInt {
			*b = model.Backoff{}
			return
		}
		b.List = append(b.List, durationOf(x.Int))
	}
	if len(b.List) == 0 {
		if v.Set && (v.Nil || v.List != nil) {
			*b = model.NoBackoff()
			return
		}
		*b = model.Backoff{}
	}
}

// choose takes the side of "A if C else B"; "custom" where that cannot be decided.
func choose(text string, sc scope) string {
	for {
		a, rest, ok := strings.Cut(text, " if ")
		if !ok {
			return text
		}
		cond, other, _ := strings.Cut(rest, " else ")
		c, err := parseCondition(cond)
		if err != nil {
			return "custom"
		}
		switch holds, decided, _ := sc.condition(c); {
		case !decided:
			return "custom"
		case holds:
			return a
		}
		text = other
	}
}

func (e *evaluation) parseJitter() model.Jitter {
	word := choose(e.jitter, e.jitScope)
	first, rest := words(word)
	k, ok := jitters[first]
	if !ok {
		if first == "custom" {
			return model.Jitter{Kind: model.JitterUnknown}
		}
		return model.Jitter{Kind: model.JitterUnknown}
	}
	j := model.Jitter{Kind: k}
	if rest == "" {
		return j
	}
	q := e.jitScope.eval(rest)
	switch k {
	case model.JitterProportional, model.JitterUpward:
		j.Factor = q.factor()
		if q.state == known && q.n == 0 && (!j.Factor.Known() || j.Factor.Cmp(model.NewRatio(0, 1)) == 0) {
			return model.Jitter{Kind: model.JitterNone}
		}
		if !j.Factor.Known() {
			return model.Jitter{Kind: model.JitterSome}
		}
	case model.JitterAdditive, model.JitterAdditiveScaled:
		d, ok := q.limit().Duration()
		switch {
		case !ok && q.state != unset:
			return model.Jitter{Kind: model.JitterSome}
		case d == 0:
			return model.Jitter{Kind: model.JitterNone}
		}
		j.Extra = d
	}
	return j
}

// factor is the quantity as a ratio.
func (q quantity) factor() model.Ratio {
	switch {
	case q.state != known || q.or != nil:
		return model.Ratio{}
	case q.ratio.Known():
		return q.ratio
	}
	return model.NewRatio(q.n, 1)
}

var jitters = map[string]model.JitterKind{
	"none": model.JitterNone, "full": model.JitterFull, "equal": model.JitterEqual, "proportional": model.JitterProportional,
	"upward": model.JitterUpward, "additive": model.JitterAdditive, "additive-scaled": model.JitterAdditiveScaled,
	"decorrelated": model.JitterDecorrelated, "some": model.JitterSome,
}
