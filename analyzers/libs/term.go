package libs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/retrylint/retrylint/model"
)

// A term is the parsed form of one value of a [Policy]: alternatives, of which the first that is set counts.
type term []alternative

// alternative is an operand with arithmetic, under a condition.
type alternative struct {
	of   operand
	ops  []arith
	cond *condition
}

// arith is one step of arithmetic with a constant.
type arith struct {
	op  byte // + - *
	n   int64
	dur bool
}

type condition struct {
	not  bool
	of   operand
	want string // the value compared with; "" where presence or truth is asked
}

// operand is a constant, a path into the site, or a function of terms.
type operand struct {
	word  string // unbounded, none, unknown, default
	con   *constant
	path  []step // outermost first: "field Steps of arg 0" is field, arg
	len   bool
	unit  time.Duration // of a bare number; 0: as it is
	fn    string        // min, max, polls
	args  []term
	means map[byte]string // what '0' and '-' mean
}

type constant struct {
	n     int64
	dur   bool
	ratio model.Ratio
	text  string
}

type step struct {
	kind string // arg, option, field, setter, receiver
	name string
	n    int // argument number
}

var termCache sync.Map // text -> parsedTerm

type parsedTerm struct {
	t   term
	err error
}

// parseTerm parses a term; the result is shared and not modified.
func parseTerm(text string) (term, error) {
	if v, ok := termCache.Load(text); ok {
		p := v.(parsedTerm)
		return p.t, p.err
	}
	p := &termParser{toks: lexTerm(text)}
	t, err := p.term()
	if err == nil && p.i < len(p.toks) {
		err = fmt.Errorf("unexpected %q", p.toks[p.i])
	}
	if err != nil {
		err = fmt.Errorf("term %q: %w", text, err)
	}
	termCache.Store(text, parsedTerm{t, err})
	return t, err
}

// lexTerm splits a term into words and the signs ( ) [ ] , = which stand alone.
func lexTerm(text string) []string {
	var toks []string
	start := -1
	flush := func(i int) {
		if start >= 0 {
			toks = append(toks, text[start:i])
			start = -1
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case ' ', '\t', '\n':
			flush(i)
		case '(', ')', '[', ']', ',', '=':
			flush(i)
			toks = append(toks, string(c))
		default:
			if start < 0 {
				start = i
			}
		}
	}
	flush(len(text))
	return toks
}

// maxTermDepth bounds the nesting of functions, because terms also come from configuration files.
const maxTermDepth = 16

type termParser struct {
	toks  []string
	i     int
	depth int
}

func (p *termParser) peek() string {
	if p.i < len(p.toks) {
		return p.toks[p.i]
	}
	return ""
}

func (p *termParser) next() string {
	t := p.peek()
	p.i++
	return t
}

func (p *termParser) accept(t string) bool {
	if p.peek() == t {
		p.i++
		return true
	}
	return false
}

func (p *termParser) term() (term, error) {
	if p.depth++; p.depth > maxTermDepth {
		return nil, fmt.Errorf("nested too deeply")
	}
	defer func() { p.depth-- }()
	var t term
	for {
		a, err := p.alternative()
		if err != nil {
			return nil, err
		}
		t = append(t, a)
		if !p.accept("else") {
			return t, nil
		}
	}
}

func (p *termParser) alternative() (a alternative, err error) {
	if a.of, err = p.operand(); err != nil {
		return a, err
	}
	for {
		op := p.peek()
		if op != "+" && op != "-" && op != "*" {
			break
		}
		p.i++
		c, ok := parseConstant(p.next())
		if !ok || c.ratio.Known() && c.n == 0 && c.text != "0" {
			return a, fmt.Errorf("a whole number or duration must follow %q", op)
		}
		if c.dur && op == "*" {
			return a, fmt.Errorf("a duration is no factor")
		}
		a.ops = append(a.ops, arith{op[0], c.n, c.dur})
	}
	if p.accept("if") {
		a.cond, err = p.condition()
	}
	return a, err
}

func (p *termParser) condition() (*condition, error) {
	c := &condition{not: p.accept("not")}
	var err error
	if c.of, err = p.operand(); err != nil {
		return nil, err
	}
	if c.of.path == nil {
		return nil, fmt.Errorf("a condition asks an argument, option, field or setter")
	}
	if p.accept("=") {
		if c.want = p.next(); c.want == "" {
			return nil, fmt.Errorf("a value must follow \"=\"")
		}
	}
	return c, nil
}

var termUnits = map[string]time.Duration{"ms": time.Millisecond, "seconds": time.Second, "minutes": time.Minute, "hours": time.Hour}

func (p *termParser) operand() (o operand, err error) {
	switch t := p.peek(); t {
	case "":
		return o, fmt.Errorf("a value is missing")
	case "unbounded", "none", "unknown", "default":
		p.i++
		o.word = t
		return o, nil
	case "min", "max", "polls":
		p.i++
		o.fn = t
		if !p.accept("(") {
			return o, fmt.Errorf("( must follow %s", t)
		}
		for {
			a, err := p.term()
			if err != nil {
				return o, err
			}
			o.args = append(o.args, a)
			if !p.accept(",") {
				break
			}
		}
		if !p.accept(")") {
			return o, fmt.Errorf(") is missing after the arguments of %s", t)
		}
		if len(o.args) != 2 {
			return o, fmt.Errorf("%s takes two values", t)
		}
		return o, nil
	case "len":
		p.i++
		o.len = true
	default:
		if u := termUnits[t]; u != 0 {
			p.i++
			o.unit = u
		}
	}
	if c, ok := parseConstant(p.peek()); ok {
		if o.len || o.unit != 0 {
			return o, fmt.Errorf("a constant needs neither len nor unit")
		}
		p.i++
		o.con = &c
		return o, nil
	}
	for {
		s, err := p.step()
		if err != nil {
			return o, err
		}
		o.path = append(o.path, s)
		if !p.accept("of") {
			break
		}
	}
	if p.accept("[") {
		o.means, err = p.meanings()
	}
	return o, err
}

func (p *termParser) step() (step, error) {
	s := step{kind: p.next()}
	switch s.kind {
	case "receiver":
		s.n = -1
		return s, nil
	case "arg":
		n, err := strconv.Atoi(p.next())
		if err != nil || n < 0 || n > 1000 {
			return s, fmt.Errorf("a number must follow \"arg\"")
		}
		s.n = n
		return s, nil
	case "option", "field", "setter":
		s.name = p.next()
		if s.name == "" || strings.ContainsAny(s.name, "()[],=") {
			return s, fmt.Errorf("a name must follow %q", s.kind)
		}
		if i := strings.LastIndexByte(s.name, '.'); i > 0 && s.kind != "field" {
			n, err := strconv.Atoi(s.name[i+1:])
			if err != nil || n < 0 {
				return s, fmt.Errorf("%q does not end in an argument number", s.name)
			}
			s.name, s.n = s.name[:i], n
		}
		return s, nil
	}
	return s, fmt.Errorf("%q is no value", s.kind)
}

// meaningWords is what a literal zero or negative number can mean.
var meaningWords = []string{"unbounded", "none", "default", "one", "never", "error", "zero"}

func (p *termParser) meanings() (map[byte]string, error) {
	m := make(map[byte]string)
	for {
		k := p.next()
		if k != "0" && k != "-" {
			return nil, fmt.Errorf("%q in brackets is neither 0 nor -", k)
		}
		v := p.next()
		if err := checkMeaning(v); err != nil {
			return nil, err
		}
		m[k[0]] = v
		if p.accept("]") {
			return m, nil
		}
		if !p.accept(",") {
			return nil, fmt.Errorf("] is missing")
		}
	}
}

func checkMeaning(v string) error {
	if slices.Contains(meaningWords, v) {
		return nil
	}
	if _, ok := parseConstant(v); ok {
		return nil
	}
	return fmt.Errorf("%q is no meaning of a number: want a number or one of %s", v, strings.Join(meaningWords, ", "))
}

// parseConstant reads a whole number, a decimal or a duration.
func parseConstant(s string) (constant, bool) {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return constant{}, false
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return constant{n: n, ratio: model.NewRatio(n, 1), text: s}, true
	}
	if d, err := time.ParseDuration(s); err == nil {
		return constant{n: int64(d), dur: true, text: s}, true
	}
	if strings.ContainsAny(s, "eE/") {
		return constant{}, false
	}
	if r, err := model.ParseRatio(s); err == nil {
		return constant{ratio: r, text: s}, true
	}
	return constant{}, false
}
