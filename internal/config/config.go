package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/retrylint/retrylint/model"
)

// FileName is the name of the configuration of a repository, in its top folder.
const FileName = ".retrylint.yaml"

// Version is the version of the file format that is read.
const Version = 1

// maxBytes is the largest configuration that is read.
const maxBytes = 4 << 20

// Config is one configuration file. The zero value says nothing. Fields that were not set are zero: unknown limits and
// ratios, 0 thresholds, nil lists.
type Config struct {
	Path         string // as messages name it
	Text         string // that it was parsed from; "" where it was put together
	SafetyFactor model.Ratio
	Warning      int64 // attempts from which stacked layers are a warning; 0 not set
	Error        int64 // attempts from which they are an error; 0 not set
	Replay       Replay
	Services     []Service
	Links        []Link
	Layers       []Layer
	Senders      []Sender
	Windows      []Window
	Settings     []Setting
	Libraries    *yaml.Node // the list as written; nil where there is none
	Rules        []RuleSeverity
	Exclude      []Pattern
}

// Replay is the human and replay paths as configured.
type Replay struct {
	DeadLetter       model.Limit // unknown: not set
	DeadLetterAt     model.Location
	OperatorRerun    model.Limit // unknown: not set
	OperatorRerunAt  model.Location
	AppliesTo        []string    // scheduled, queued, batch, workflow, all; nil: not set
	Restore          model.Limit // unknown: not declared
	RestoreAt        model.Location
	RestoreDatabases []string // services whose database is restored as well, and with it what they remember
	ReplaysAutomatic Switch
	Paths            []Path
}

// Switch is a yes, a no, or not said (the zero value).
type Switch uint8

// The three states.
const (
	NotSaid Switch = iota
	No
	Yes
)

// Path is a declared way by which a duplicate can come.
type Path struct {
	Name           string
	Service        string // "" all
	Delay          model.Limit
	AfterAutomatic bool
	At             model.Location
}

// Service is a declared service.
type Service struct {
	Name       string
	Repository string // "" the repository of the file
	Path       string // folder of its main package
	Aliases    []string
	Replicas   model.Count
	At         model.Location
	ReplicasAt model.Location
}

// Link is a declared call.
type Link struct {
	From, To     string
	Method, Path string
	Key          string // "none": it is known that there is none; "" not said
	Timeout      model.Limit
	At           model.Location
}

// Layer is a declared layer.
type Layer struct {
	Name, Service string
	Attempts      model.Count
	Backoff       model.Backoff
	PerAttempt    model.Limit
	Deadline      model.Limit
	At            model.Location // of the attempts
}

// Sender is an outside party that delivers again.
type Sender struct {
	To            string // "POST /hooks/billing", or a path alone
	Service       string // "" any that serves it
	Name          string
	Attempts      model.Count // unknown: not said
	RedeliversFor model.Limit
	At            model.Location
}

// Window is a declared dedupe memory.
type Window struct {
	Service string
	TTL     model.Window
	Kind    string
	Store   model.StoreKind
	At      model.Location // of the time to live
}

// Setting is a value that is known only at run time.
type Setting struct {
	Name, Value string
	At          model.Location
}

// RuleSeverity sets the severity of a rule.
type RuleSeverity struct {
	Rule     string
	Severity model.Severity
	At       model.Location
}

// Pattern is an excluded glob.
type Pattern struct {
	Glob string
	At   model.Location
}

// Parse reads a configuration. path is the name that messages and locations get. All problems of the file come at once,
// sorted by place. The Config is never nil; where there is a problem it is empty, since half a configuration would mislead.
func Parse(path string, data []byte) (cfg *Config, problems []Problem) {
	cfg = &Config{Path: path, Text: string(data)}
	c := &checker{path: path}
	// The YAML library reports some broken input by panicking.
	defer func() {
		if r := recover(); r != nil {
			cfg, problems = &Config{Path: path}, []Problem{{Path: path, Message: "the file cannot be read as YAML"}}
		}
	}()
	if len(data) > maxBytes {
		return cfg, []Problem{{Path: path, Message: fmt.Sprintf("the file is larger than %d MB", maxBytes>>20)}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docNode yaml.Node
	switch err := dec.Decode(&docNode); {
	case errors.Is(err, io.EOF):
		return cfg, []Problem{{Path: path, Line: 1, Col: 1, Message: "version is missing: the file is empty"}}
	case err != nil:
		return cfg, []Problem{yamlProblem(path, err)}
	}
	var more yaml.Node
	if err := dec.Decode(&more); err == nil {
		c.add(&more, "a second document; only one is allowed")
	}
	byteColumns(&docNode, data)
	byteColumns(&more, data)
	root := docNode.Content[0]
	shape := fileShape()
	c.check(root, &shape, "the file")
	if v := get(root, "version"); v.Kind == yaml.ScalarNode && v.Value != strconv.Itoa(Version) {
		if n, err := strconv.Atoi(v.Value); err == nil && n > 0 {
			c.add(v, "version %d is not known; this retrylint reads version %d", n, Version)
		}
	}
	if len(c.problems) == 0 {
		b := &builder{path: path}
		b.config(root, cfg)
		c.semantics(root, cfg)
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return cfg, c.problems
}

// byteColumns turns the columns of a tree from characters, as the YAML library counts, into bytes.
func byteColumns(n *yaml.Node, data []byte) {
	if isASCII(data) {
		return
	}
	lines := bytes.Split(data, []byte("\n"))
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		if n.Line > 0 && n.Line <= len(lines) {
			col := 1
			for rest := lines[n.Line-1]; n.Column > 1 && len(rest) > 0; n.Column-- {
				_, size := utf8.DecodeRune(rest)
				col, rest = col+size, rest[size:]
			}
			n.Column = col
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(n)
}

func isASCII(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// semantics is what a shape cannot say.
func (c *checker) semantics(root *yaml.Node, cfg *Config) {
	w, e := cmp.Or(cfg.Warning, 16), cmp.Or(cfg.Error, 64)
	if w > e {
		c.add(get(root, "thresholds"), "thresholds: warning (%d) is above error (%d)", w, e)
	}
	for i, s := range cfg.Senders {
		if _, _, ok := methodPath(s.To); !ok {
			c.add(get(root, "senders").Content[i], "senders[%d].to: %q is not a request such as \"POST /hooks/billing\"", i, s.To)
		}
	}
}

// CheckRules finds names in rules: that are no rules.
func (c *Config) CheckRules(known []string) []Problem {
	var out []Problem
	for _, r := range c.Rules {
		if form := ruleForm(r.Rule); form != r.Rule && slices.Contains(known, form) {
			out = append(out, Problem{Path: c.Path, Line: r.At.Line, Col: r.At.Col,
				Message: fmt.Sprintf("rules: %q has not the form of a rule's name, which is words in lower case joined by \"-\"", r.Rule), Suggestion: form})
		} else if !slices.Contains(known, r.Rule) {
			out = append(out, Problem{Path: c.Path, Line: r.At.Line, Col: r.At.Col,
				Message: fmt.Sprintf("rules: there is no rule %q", r.Rule), Suggestion: Nearest(r.Rule, known)})
		}
	}
	return out
}

// ruleForm writes a name as rules are named: "NoJitter", "no_jitter", "retrylint/no-jitter" -> "no-jitter".
func ruleForm(name string) string {
	for _, prefix := range []string{"retrylint/", "retrylint:", "retrylint."} {
		name = strings.TrimPrefix(name, prefix)
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range strings.TrimSpace(name) {
		this := r
		switch {
		case r == '_' || r == ' ' || r == '.':
			r = '-'
		case r >= 'A' && r <= 'Z':
			if before >= 'a' && before <= 'z' {
				b.WriteByte('-')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
		before = this
	}
	return b.String()
}

// methodPath splits "POST /hooks/billing"; the method may be left out.
func methodPath(s string) (method, path string, ok bool) {
	method, path, found := strings.Cut(strings.TrimSpace(s), " ")
	if !found {
		method, path = "", method
	}
	path = strings.TrimSpace(path)
	for _, r := range method {
		if r < 'A' || r > 'Z' {
			return "", "", false
		}
	}
	return method, path, strings.HasPrefix(path, "/") && !strings.ContainsAny(path, " \t")
}

// yamlProblem takes the line out of the YAML library's message.
func yamlProblem(path string, err error) Problem {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if rest, ok := strings.CutPrefix(msg, "line "); ok {
		if n, tail, ok := strings.Cut(rest, ": "); ok {
			if i, e := strconv.Atoi(n); e == nil {
				line, msg = i, tail
			}
		}
	}
	return Problem{Path: path, Line: line, Message: "not valid YAML: " + msg}
}

// absent stands for a node that is not there.
var absent = yaml.Node{}

// get is the value of a key; a node of kind 0 where there is none.
func get(n *yaml.Node, key string) *yaml.Node {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	none := absent
	return &none
}
