package libs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/retrylint/retrylint/model"
)

// ParseYAML reads the configuration's libraries: a list of entries with the fields of [Library]. Unknown fields, terms that do
// not parse and entries without a path are errors; the message says which entry.
func ParseYAML(data []byte) ([]Library, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var list []Library
	if err := d.Decode(&list); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, err
	}
	var more any
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("libraries: more than one YAML document")
	}
	for i := range list {
		l := &list[i]
		if l.Path == "" {
			return nil, fmt.Errorf("libraries[%d]: path is missing", i)
		}
		if l.Name == "" {
			l.Name = l.Path
		}
		if err := l.Validate(); err != nil {
			return nil, fmt.Errorf("libraries[%d] (%s): %w", i, l.Name, err)
		}
	}
	return list, nil
}

// Validate reports what is wrong with an entry: terms that do not parse, unknown words, names missing. Nil where nothing is.
func (l *Library) Validate() error {
	var errs []error
	bad := func(where string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	if strings.Count(l.Path, "*") > strings.Count(l.Path+"/", "/v*/")+boolInt(strings.HasSuffix(l.Path, "/*")) {
		bad("path", fmt.Errorf("%q: * stands only for a whole last element or as v* for a major version", l.Path))
	}
	bad("versions", checkRange(l.Versions))
	for _, c := range l.Calls {
		if c.Func == "" {
			bad("calls", errors.New("func is missing"))
		}
		bad(c.Func, c.validate())
		bad(c.Func+" runs", checkRuns(c.Runs))
		if c.Send != nil {
			bad(c.Func+" send", c.Send.validate())
		}
	}
	for _, p := range l.Parts {
		if p.Func == "" {
			bad("parts", errors.New("func is missing"))
		}
		bad(p.Func, p.validate())
		bad(p.Func+" wraps", checkPath(p.Wraps))
	}
	for _, c := range l.Clients {
		if c.Type == "" {
			bad("clients", errors.New("type is missing"))
		}
		bad(c.Type, c.validate())
		for _, s := range c.Sends {
			if s.Func == "" {
				bad(c.Type, errors.New("func of a send is missing"))
			}
			bad(c.Type+"."+s.Func, s.validate())
		}
	}
	return errors.Join(errs...)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func checkTerm(s string) error {
	if s == "" {
		return nil
	}
	_, err := parseTerm(s)
	return err
}

// checkPath wants a term that is a path and nothing else.
func checkPath(s string) error {
	if s == "" {
		return nil
	}
	t, err := parseTerm(s)
	if err != nil {
		return err
	}
	for _, a := range t {
		if len(a.of.path) == 0 || len(a.ops) > 0 || a.cond != nil {
			return fmt.Errorf("%q: want an argument, option, field, setter or receiver", s)
		}
	}
	return nil
}

func checkRuns(s string) error {
	switch s {
	case "", "request", "receiver", "body":
		return nil
	}
	return checkPath(s)
}

func oneOf(s string, list ...string) error {
	if s == "" || slices.Contains(list, s) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", s, strings.Join(list, ", "))
}

func (p Policy) validate() error {
	var errs []error
	bad := func(where string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", where, err))
		}
	}
	for _, t := range []struct{ name, text string }{
		{"attempts", p.Attempts}, {"initial", p.Initial}, {"factor", p.Factor}, {"max", p.Max}, {"step", p.Step},
		{"perAttempt", p.PerAttempt}, {"overall", p.Overall}, {"predicate", p.Predicate},
	} {
		bad(t.name, checkTerm(t.text))
	}
	for _, f := range p.Follow {
		bad("follow", checkPath(f))
	}
	if p.ZeroIs != "" {
		bad("zeroIs", checkMeaning(p.ZeroIs))
	}
	if p.NegativeIs != "" {
		bad("negativeIs", checkMeaning(p.NegativeIs))
	}
	if p.MaxIs != "" {
		_, err := strconv.ParseInt(p.MaxIs, 10, 64)
		bad("maxIs", err)
	}
	bad("backoff", checkWord(p.Backoff, func(first, rest string) error {
		if !slices.Contains(backoffWords, first) {
			return fmt.Errorf("%q is none of %s", first, strings.Join(backoffWords, ", "))
		}
		switch first {
		case "list":
			return checkPath(rest)
		case "polynomial":
			var d, s int
			if n, _ := fmt.Sscanf(rest, "%d shift %d", &d, &s); n == 0 || d < 1 || d > 8 || s < 0 || s > 100 {
				return fmt.Errorf("%q is no degree and shift", rest)
			}
			return nil
		}
		if rest != "" {
			return fmt.Errorf("unexpected %q after %s", rest, first)
		}
		return nil
	}))
	bad("jitter", checkWord(p.Jitter, func(first, rest string) error {
		if _, ok := jitters[first]; !ok && first != "custom" {
			return fmt.Errorf("%q is no kind of jitter", first)
		}
		return checkTerm(rest)
	}))
	bad("budget", oneOf(p.Budget, "hard", "gate-before", "gate-after"))
	if p.On != "" {
		_, err := parseConditions(p.On)
		bad("on", err)
	}
	bad("retryAfter", oneOf(p.RetryAfter, "honoured", "capped", "ignored"))
	if p.Context != "none" && p.Context != "request" {
		bad("context", checkPath(p.Context))
	}
	bad("kind", oneOf(p.Kind, layerKinds...))
	for _, t := range p.Traits {
		if t.Kind == "" {
			bad("traits", errors.New("kind is missing"))
		}
		if t.If != "" {
			_, err := parseCondition(t.If)
			bad("traits", err)
		}
	}
	for _, w := range p.When {
		if w.Versions == "" {
			bad("when", errors.New("versions is missing"))
		}
		bad("when", checkRange(w.Versions))
		bad("when "+w.Versions, w.Policy.validate())
		if len(w.When) > 0 {
			bad("when", errors.New("when inside when"))
		}
	}
	return errors.Join(errs...)
}

var layerKinds = []string{string(model.KindLoop), string(model.KindLibrary), string(model.KindClient), string(model.KindTransport),
	string(model.KindRPC), string(model.KindProxy), string(model.KindMesh), string(model.KindQueue), string(model.KindWorkflow),
	string(model.KindScheduler), string(model.KindJob), string(model.KindRestart), string(model.KindProducer),
	string(model.KindDelivery), string(model.KindTelemetry), string(model.KindConfig), string(model.KindDeclared)}

// checkWord checks each side of "A if C else B".
func checkWord(s string, check func(first, rest string) error) error {
	for s != "" {
		a, rest, cond := strings.Cut(s, " if ")
		if err := check(words(a)); err != nil {
			return err
		}
		if !cond {
			return nil
		}
		c, other, ok := strings.Cut(rest, " else ")
		if !ok {
			return fmt.Errorf("%q: else is missing", s)
		}
		if _, err := parseCondition(c); err != nil {
			return err
		}
		s = other
	}
	return nil
}

func (s *Send) validate() error {
	if err := oneOf(s.Kind, "request", "publish", "store", "call"); err != nil {
		return err
	}
	if strings.HasPrefix(s.Key, "field ") || strings.HasPrefix(s.Key, "option ") || strings.HasPrefix(s.Key, "setter ") || strings.HasPrefix(s.Key, "arg ") {
		if err := checkPath(s.Key); err != nil {
			return err
		}
	} else if err := oneOf(s.Key, "header", "client", "natural"); err != nil {
		return err
	}
	return checkPath(s.Queue)
}

func checkRange(r string) error {
	if r == "" {
		return nil
	}
	for c := range strings.SplitSeq(r, ",") {
		c = strings.TrimSpace(c)
		i := strings.IndexByte(c, 'v')
		if i < 0 || !slices.Contains([]string{">=", ">", "<", "<=", "=", ""}, strings.TrimSpace(c[:i])) {
			return fmt.Errorf("%q is no range of versions: want \">= v1.2\", \"< v2\"", r)
		}
		if !validVersion(c[i:]) {
			return fmt.Errorf("%q is no version", c[i:])
		}
	}
	return nil
}
