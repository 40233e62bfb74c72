package model

import "slices"

// Severity of a finding. The zero value is "off".
type Severity uint8

// The severities in rising order.
const (
	Off Severity = iota
	Note
	Warning
	Error
)

var severityWords = []string{"off", "note", "warning", "error"}

// String is the word of the JSON.
func (s Severity) String() string { return word(severityWords, int(s)) }

// ParseSeverity reads a word; ok is false for anything else.
func ParseSeverity(w string) (s Severity, ok bool) {
	i := slices.Index(severityWords, w)
	return Severity(max(i, 0)), i >= 0
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(b []byte) error {
	*s, _ = ParseSeverity(string(b))
	return nil
}

// Related is another place that belongs to a finding.
type Related struct {
	At      Location
	Message string
}

// Edit is a safe local change that mends a finding: the bytes From..To of a file become New.
type Edit struct {
	Path string   `json:"path"`
	From Location `json:"from"` // positions in the file; From.Line/Col to To.Line/Col
	To   Location `json:"to"`
	New  string   `json:"new,omitempty"`
}

// Suppressed says that and why a finding is not counted.
type Suppressed struct {
	How    string // "comment", "config", "baseline"
	Reason string
}

// Finding is one thing that a rule says about the scanned code.
type Finding struct {
	Rule        string
	Severity    Severity
	Message     string // its first sentence says number and endpoints and can be understood alone
	At          Location
	Chain       string // id
	Layer       string // id of the layer that it is about, if it is about one
	Related     []Related
	Fingerprint string
	Suppressed  *Suppressed
	Fix         []Edit
	// Help is one line of what to do.
	Help string
}

// Gap is input that could not be read: nobody's fault, but silence about it must not be taken for safety.
type Gap struct {
	Repo   string `json:"repo,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Col    int    `json:"col,omitempty"`
	Stage  string `json:"stage"` // open, read, parse, types, extract, render, facts
	Reason string `json:"reason"`
	// Expected: a file that nobody expects to parse (a template, test data); counted, never sets the exit code.
	Expected bool `json:"expected,omitempty"`
}

// UndecidedKind is what could not be decided.
type UndecidedKind string

// The kinds that the JSON counts.
const (
	UndecidedAttempts UndecidedKind = "attempts"
	UndecidedTarget   UndecidedKind = "targets"
	UndecidedSetting  UndecidedKind = "settings"
	UndecidedLoop     UndecidedKind = "loops"
	UndecidedRule     UndecidedKind = "rules"
)

// Undecided is something that could not be decided, and why; it is counted and can be listed.
type Undecided struct {
	Kind UndecidedKind `json:"kind"`
	At   Location      `json:"at"`
	What string        `json:"what"`
	Rule string        `json:"rule,omitempty"`
	// Declare is what could be written into the configuration to settle it, ready to paste; "" where nothing would.
	Declare string `json:"declare,omitempty"`
}

// Suppression is a comment in the scanned code that silences rules on its line or the next.
type Suppression struct {
	At     Location `json:"at"`
	Line   int      `json:"line"`            // the line that it is about
	Rules  []string `json:"rules,omitempty"` // empty: all rules of retrylint (nolint:retrylint)
	Reason string   `json:"reason,omitempty"`
	Form   string   `json:"form"` // "retrylint:ignore", "nolint", "lint:ignore"
}
