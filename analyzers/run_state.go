package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// absKind is the kind of an abstract value.
type absKind uint8

const (
	absUnknown absKind = iota
	absNil
	absErr   // an error that is not nil
	absObj   // something that is not nil
	absBool  // b
	absNum   // lo..hi; random where rnd
	absStr   // s
	absResp  // an HTTP response with a status
	absTimer // its channel fires after d
	absList
	absClock // a time of the clock
	absToken // something that will tell how the operation ended: a command, a token
)

// abs is an abstract value.
type abs struct {
	k      absKind
	b      bool
	rnd    bool
	float  bool
	lo, hi float64
	s      string
	status int
	d      *abs
	list   []abs
	leaf   *leaf
	why    bound // of an unknown truth: what kind of test it is
}

// leaf is the expression from which a number comes.
type leaf struct {
	expr    ast.Expr
	val     libs.Value
	unknown bool // the number stands in for one that is not known
}

// bound says that a test is one of the loop's own limits, or of an interruption, not of the operation's outcome.
type bound uint8

const (
	boundNone  bound = iota
	boundCount       // a counter against a limit that is not known
	boundTime        // the clock against a deadline
)

func num(x float64) abs { return abs{k: absNum, lo: x, hi: x} }

func boolean(b bool) abs { return abs{k: absBool, b: b} }

// scenario is the assumption about the operation.
type scenario uint8

const (
	opSucceeds scenario = iota
	opFails             // returns an error, or false
	opStatus            // answers with machine.status
)

// ctl is how a list of statements is left.
type ctl uint8

const (
	ctlFall     ctl = iota
	ctlNext         // the next round of the loop under question
	ctlLeave        // the loop under question is left
	ctlBreak        // the innermost breakable statement
	ctlContinue     // the innermost loop
	ctlReturn       // of a function that is being run inside
)

// state is what is known at a point of a run.
type state struct {
	vars  []absVar
	ops   int     // how often the operation ran
	waits [][]abs // waits before the first operation, after the first, after the second ...
	ret   []abs
}

// absVar is what a variable or field holds. There are few in a loop, and states are copied far more often than they are
// looked into.
type absVar struct {
	obj types.Object
	val abs
}

func (s *state) get(o types.Object) (abs, bool) {
	for i := range s.vars {
		if s.vars[i].obj == o {
			return s.vars[i].val, true
		}
	}
	return abs{}, false
}

func (s *state) set(o types.Object, v abs) {
	for i := range s.vars {
		if s.vars[i].obj == o {
			s.vars[i].val = v
			return
		}
	}
	s.vars = append(s.vars, absVar{o, v})
}

func (s *state) unset(o types.Object) {
	s.vars = slices.DeleteFunc(s.vars, func(v absVar) bool { return v.obj == o })
}

func (s *state) clone() *state {
	c := *s
	c.vars = slices.Clone(s.vars)
	c.waits = append([][]abs(nil), s.waits...)
	if n := len(c.waits); n > 0 {
		c.waits[n-1] = append([]abs(nil), c.waits[n-1]...)
	}
	return &c
}

func (s *state) wait(d abs) {
	for len(s.waits) <= s.ops {
		s.waits = append(s.waits, nil)
	}
	s.waits[s.ops] = append(s.waits[s.ops], d)
}

func (s *state) waitCount() int {
	n := 0
	for _, w := range s.waits {
		n += len(w)
	}
	return n
}

// outcome is how and with what state a list of statements is left.
type outcome struct {
	ctl   ctl
	label string
	st    *state
}

func first(xs []abs) abs {
	if len(xs) == 0 {
		return abs{}
	}
	return xs[0]
}

func knownAbs(a abs) bool { return a.k != absUnknown && !(a.leaf != nil && a.leaf.unknown) }
