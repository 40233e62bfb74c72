package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

// kind is the type of a value in the file.
type kind int

const (
	kindString   kind = iota
	kindText          // any scalar, kept as text
	kindBool          // true, false
	kindInt           // at least 1
	kindRatio         // a number of at least 1
	kindDuration      // "24h", "3d"
	kindWindow        // a duration, "permanent", "unknown"
	kindAttempts      // an integer of at least 1, "unbounded", "unknown"
	kindEnum          // one of words
	kindGlob          // a doublestar pattern
	kindObject        // fields
	kindMap           // any key, elem
	kindList          // of elem
	kindAny           // not looked into
)

// shape describes a value of the file: the one source of the checks and of the schema for editors.
type shape struct {
	kind   kind
	doc    string
	words  []string
	fields []field
	elem   *shape
}

type field struct {
	name     string
	required bool
	shape    shape
}

func str(doc string) shape      { return shape{kind: kindString, doc: doc} }
func duration(doc string) shape { return shape{kind: kindDuration, doc: doc} }
func attempts(doc string) shape { return shape{kind: kindAttempts, doc: doc} }

func object(doc string, fields ...field) shape {
	return shape{kind: kindObject, doc: doc, fields: fields}
}

func list(doc string, elem shape) shape { return shape{kind: kindList, doc: doc, elem: &elem} }

func opt(name string, s shape) field { return field{name: name, shape: s} }
func req(name string, s shape) field { return field{name: name, required: true, shape: s} }

var severityWords = []string{"off", "note", "warning", "error"}

// fileShape is the whole file.
func fileShape() shape {
	backoff := object("the waits between attempts",
		opt("kind", shape{kind: kindEnum, words: []string{"none", "constant", "exponential"}, doc: "by default exponential where a multiplier is given, else constant"}),
		opt("initial", duration("the first wait")),
		opt("multiplier", shape{kind: kindRatio, doc: "each wait is the one before times this"}),
		opt("max", duration("no wait is longer")),
		opt("jitter", shape{kind: kindEnum, words: []string{"none", "full", "equal", "some"}, doc: "how the waits of several clients are spread"}),
	)
	return object("What retrylint cannot see in the files of an organisation, and how strict it is.",
		req("version", shape{kind: kindInt, doc: "of this format: 1"}),
		opt("safetyFactor", shape{kind: kindRatio, doc: "a dedupe window must be this many times the longest path; 2 by default"}),
		opt("thresholds", object("attempts for one intent from which stacked layers are a warning or an error",
			opt("warning", shape{kind: kindInt, doc: "16 by default"}),
			opt("error", shape{kind: kindInt, doc: "64 by default"}))),
		opt("replay", object("how late a duplicate can come when people or restores send work again",
			opt("deadLetter", object("a dead letter is replayed after the automatic path gave up; where a dead-letter queue exists",
				req("delay", duration("24h by default")))),
			opt("operatorRerun", object("somebody runs the work again",
				opt("delay", duration("from the first attempt; 72h by default, a weekend")),
				opt("appliesTo", list("kinds of entries that somebody can rerun", shape{kind: kindEnum, words: []string{"scheduled", "queued", "batch", "workflow", "all"}})))),
			opt("restore", object("a restore from backup that replays a queue; not assumed unless declared",
				req("delay", duration("age of the backup")),
				opt("databases", list("services whose database is restored as well, so that what they remember goes back to an older state", str("name of a service or repository"))))),
			opt("replaysAutomatic", shape{kind: kindBool, doc: "the strict reading: a replay runs the automatic path once more"}),
			opt("paths", list("further ways by which a duplicate can come", object("one way",
				req("name", str("for people")),
				req("delay", duration("until the last duplicate")),
				opt("service", str("only for chains that enter at or pass this service; all by default")),
				opt("clock", shape{kind: kindEnum, words: []string{"first-attempt", "after-automatic"}, doc: "from where the delay is counted; the first attempt by default"})))))),
		opt("services", list("what cannot be seen: names, places, how many run", object("a service",
			req("name", str("as people say")),
			opt("repository", str("that holds its source; this one by default")),
			opt("path", str("folder of its main package")),
			opt("aliases", list("hosts and other names", str("a name"))),
			opt("replicas", shape{kind: kindInt, doc: "processes at the same time"})))),
		opt("links", list("calls that cannot be seen", object("a call",
			req("from", str("service, schedule or queue")),
			req("to", str("service, or a host outside")),
			opt("method", str("of the request: POST")),
			opt("path", str("of the request: /payouts")),
			opt("key", str("name of the stable idempotency key that the call carries; \"none\" where it has none")),
			opt("timeout", duration("of one attempt"))))),
		opt("layers", list("layers that cannot be seen: another team's, a vendor's", object("a layer",
			req("name", str("for people")),
			req("service", str("whose outgoing calls it repeats")),
			req("attempts", attempts("total calls, the first included")),
			opt("backoff", backoff),
			opt("perAttemptTimeout", duration("of one attempt")),
			opt("deadline", duration("over all attempts"))))),
		opt("senders", list("outside parties that deliver again (webhooks)", object("a sender",
			req("to", str("the handler: \"POST /hooks/billing\"")),
			opt("service", str("that serves it, where several do")),
			opt("name", str("of the sender, for people")),
			opt("attempts", attempts("deliveries of one event, the first included")),
			req("redeliversFor", duration("from the first delivery to the last"))))),
		opt("windows", list("dedupe that cannot be seen", object("a window",
			req("service", str("whose effects it guards")),
			req("ttl", shape{kind: kindWindow, doc: "how long a key is remembered, or permanent"}),
			req("kind", str("unique-constraint, redis, table ...")),
			opt("store", shape{kind: kindEnum, words: []string{"durable", "memory", "evicting", "provider"}, doc: "durable by default"})))),
		opt("settings", shape{kind: kindMap, doc: "values known only at run time, by the name under which code or a manifest reads them", elem: &shape{kind: kindText}}),
		opt("libraries", list("in-house retry helpers, in the form of the built-in catalogue", libraryShape())),
		opt("rules", shape{kind: kindMap, doc: "severity of rules", elem: &shape{kind: kindEnum, words: severityWords}}),
		opt("exclude", list("files that are not read", shape{kind: kindGlob, doc: "a pattern with ** for any folders"})),
	)
}

// Problem is a mistake in a configuration file.
type Problem struct {
	Path       string
	Line, Col  int // from 1; 0 where there is no place
	Message    string
	Suggestion string // what was probably meant; "" where nothing is near
}

// String is path:line:col: message (did you mean "x"?).
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Path)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Col > 0 {
			fmt.Fprintf(&b, ":%d", p.Col)
		}
	}
	b.WriteString(": " + p.Text())
	return b.String()
}

// Text is the message with its suggestion, without the place.
func (p Problem) Text() string {
	if p.Suggestion == "" {
		return p.Message
	}
	return fmt.Sprintf("%s (did you mean %q?)", p.Message, p.Suggestion)
}

// checker collects the problems of one file.
type checker struct {
	path     string
	problems []Problem
}

func (c *checker) add(n *yaml.Node, format string, args ...any) *Problem {
	c.problems = append(c.problems, Problem{Path: c.path, Line: n.Line, Col: n.Column, Message: fmt.Sprintf(format, args...)})
	return &c.problems[len(c.problems)-1]
}

// check holds a node against a shape. where is the key path, for messages.
func (c *checker) check(n *yaml.Node, s *shape, where string) {
	if n.Kind == yaml.AliasNode {
		c.add(n, "%s: aliases are not allowed here", where)
		return
	}
	switch s.kind {
	case kindObject:
		c.checkObject(n, s, where)
	case kindMap:
		c.checkMap(n, s, where)
	case kindList:
		if n.Kind != yaml.SequenceNode {
			c.add(n, "%s must be a list, not %s", where, describe(n))
			return
		}
		for i, e := range n.Content {
			c.check(e, s.elem, fmt.Sprintf("%s[%d]", where, i))
		}
	case kindAny:
	default:
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			c.add(n, "%s must be %s, not %s", where, s.expects(), describe(n))
			return
		}
		c.checkScalar(n, s, where)
	}
}

func (c *checker) checkObject(n *yaml.Node, s *shape, where string) {
	if n.Kind != yaml.MappingNode {
		c.add(n, "%s must be a mapping, not %s", where, describe(n))
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := s.field(key.Value)
		at := join(where, key.Value)
		switch {
		case f == nil:
			p := c.add(key, "unknown key %q%s", key.Value, in(where))
			p.Suggestion = Nearest(key.Value, s.names())
		case seen[key.Value]:
			c.add(key, "%s stands twice", at)
		default:
			c.check(value, &f.shape, at)
		}
		seen[key.Value] = true
	}
	for _, f := range s.fields {
		if f.required && !seen[f.name] {
			c.add(n, "%s is missing", join(where, f.name))
		}
	}
}

func (c *checker) checkMap(n *yaml.Node, s *shape, where string) {
	if n.Kind != yaml.MappingNode {
		c.add(n, "%s must be a mapping, not %s", where, describe(n))
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			c.add(key, "%s: a key must be a word", where)
			continue
		case seen[key.Value]:
			c.add(key, "%s stands twice", join(where, key.Value))
		}
		seen[key.Value] = true
		c.check(n.Content[i+1], s.elem, join(where, key.Value))
	}
}

func (c *checker) checkScalar(n *yaml.Node, s *shape, where string) {
	bad := func(format string, args ...any) *Problem {
		return c.add(n, "%s: %s", where, fmt.Sprintf(format, args...))
	}
	v := n.Value
	switch s.kind {
	case kindString, kindText:
		if strings.TrimSpace(v) == "" && s.kind == kindString {
			bad("must not be empty")
		}
	case kindBool:
		if v != "true" && v != "false" {
			bad("%q is neither true nor false", v)
		}
	case kindInt:
		if i, err := strconv.ParseInt(v, 10, 64); err != nil || i < 1 {
			bad("%q is not a whole number of at least 1", v)
		}
	case kindRatio:
		if r, err := model.ParseRatio(v); err != nil {
			bad("%v", err)
		} else if r.Cmp(model.NewRatio(1, 1)) < 0 {
			bad("%s is below 1", v)
		}
	case kindDuration:
		if _, err := ParseDuration(v); err != nil {
			bad("%v", err)
		}
	case kindWindow:
		if _, err := parseWindow(v); err != nil {
			bad("%v, and neither permanent nor unknown", err)
		}
	case kindAttempts:
		if _, err := ParseAttempts(v); err != nil {
			bad("%v", err)
		}
	case kindEnum:
		for _, w := range s.words {
			if v == w {
				return
			}
		}
		bad("%q is not one of %s", v, strings.Join(s.words, ", ")).Suggestion = Nearest(v, s.words)
	case kindGlob:
		if !doublestar.ValidatePattern(v) {
			bad("%q is not a valid pattern", v)
		}
	}
}

func (s *shape) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

func (s *shape) names() []string {
	var out []string
	for _, f := range s.fields {
		out = append(out, f.name)
	}
	return out
}

// expects is the shape in words, for messages.
func (s *shape) expects() string {
	switch s.kind {
	case kindBool:
		return "true or false"
	case kindInt, kindRatio:
		return "a number"
	case kindDuration:
		return "a duration (24h, 3d)"
	case kindWindow:
		return "a duration, permanent or unknown"
	case kindAttempts:
		return "a number of attempts, unbounded or unknown"
	case kindEnum:
		return "one of " + strings.Join(s.words, ", ")
	case kindGlob:
		return "a pattern"
	}
	return "text"
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "empty"
	}
	return strconv.Quote(n.Value)
}

func join(where, key string) string {
	if where == "" || where == "the file" {
		return key
	}
	return where + "." + key
}

func in(where string) string {
	if where == "" || where == "the file" {
		return ""
	}
	return " in " + where
}

// ParseDuration reads a duration as Go writes it, with days in front or alone: "90s", "1h30m", "3d", "1d12h". Negative
// durations and numbers without a unit are errors.
func ParseDuration(s string) (time.Duration, error) {
	rest := strings.TrimSpace(s)
	if rest == "" || strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+") {
		return 0, fmt.Errorf("%q is not a duration such as 90s, 24h or 3d", s)
	}
	var total time.Duration
	if head, tail, ok := strings.Cut(rest, "d"); ok {
		days, err := strconv.ParseFloat(head, 64)
		if err != nil || strings.ContainsAny(head, "eExXinfINF_") || days > 100000 {
			return 0, fmt.Errorf("%q is not a duration such as 90s, 24h or 3d", s)
		}
		total = time.Duration(days * float64(24*time.Hour))
		if tail == "" {
			return total, nil
		}
		rest = tail
	}
	d, err := time.ParseDuration(rest)
	if err != nil {
		if _, e := strconv.ParseFloat(rest, 64); e == nil && rest != "0" {
			return 0, fmt.Errorf("%q has no unit; write %ss, %sm or %sh", s, rest, rest, rest)
		}
		return 0, fmt.Errorf("%q is not a duration such as 90s, 24h or 3d", s)
	}
	if total+d < total {
		return 0, fmt.Errorf("%q is too long", s)
	}
	return total + d, nil
}

// ParseAttempts reads a number of total calls: an integer of at least 1, "unbounded" or "unknown".
func ParseAttempts(s string) (model.Count, error) {
	switch s {
	case "unbounded":
		return model.Unbounded(), nil
	case "unknown":
		return model.Count{}, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return model.Count{}, fmt.Errorf("%q is not a number of attempts (1 is the first call alone), unbounded or unknown", s)
	}
	return model.Exactly(n), nil
}

func parseWindow(s string) (model.Window, error) {
	switch s {
	case "permanent":
		return model.Permanent(), nil
	case "unknown":
		return model.Window{}, nil
	}
	d, err := ParseDuration(s)
	return model.WindowFor(d), err
}

// Nearest is the candidate that is closest to a word, or "" where none is close: at most a third of its letters differ.
func Nearest(word string, candidates []string) string {
	best, at := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= at && (best == "" || d < at) {
			best, at = c, d
		}
	}
	return best
}

// distance is the number of letters to insert, drop, change or swap; long words are cut, since they are no typing errors.
func distance(a, b string) int {
	const longest = 64
	a, b = a[:min(len(a), longest)], b[:min(len(b), longest)]
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
