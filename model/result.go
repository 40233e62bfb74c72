package model

// Result is one scan as the reports see it; its JSON is the contract (version 1). Durations are Go duration strings, or
// "unbounded" or "unknown"; counts are numbers or those words. Paths are relative to their repository.
type Result struct {
	Version      int              `json:"version"`
	Tool         ToolInfo         `json:"tool"`
	Repositories []RepositoryInfo `json:"repositories"`
	Services     []ServiceInfo    `json:"services"`
	Layers       []LayerInfo      `json:"layers"`
	Windows      []WindowInfo     `json:"windows"`
	Chains       []ChainInfo      `json:"chains"`
	Findings     []FindingInfo    `json:"findings"`
	Incomplete   []IncompleteInfo `json:"incomplete"`
	Undecided    UndecidedInfo    `json:"undecided"`
	Summary      SummaryInfo      `json:"summary"`
}

// ToolInfo names the program that made the result.
type ToolInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// RepositoryInfo is one scanned repository.
type RepositoryInfo struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"`
	Commit string `json:"commit,omitempty"`
	Dirty  bool   `json:"dirty,omitempty"`
	Group  string `json:"group,omitempty"`
}

// Place is a position as the JSON writes it.
type Place struct {
	Repository string `json:"repository"`
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Column     int    `json:"column,omitempty"`
	EndLine    int    `json:"endLine,omitempty"`
	EndColumn  int    `json:"endColumn,omitempty"`
}

// PlaceOf converts a location.
func PlaceOf(l Location) Place {
	return Place{l.Repo, l.Path, l.Line, l.Col, l.EndLine, l.EndCol}
}

// Location converts back.
func (p Place) Location() Location {
	return Location{p.Repository, p.Path, p.Line, p.Column, p.EndLine, p.EndColumn}
}

// ServiceInfo is one service.
type ServiceInfo struct {
	Name       string   `json:"name"`
	Repository string   `json:"repository"`
	Kind       string   `json:"kind"`
	Aliases    []string `json:"aliases,omitempty"`
	Replicas   Number   `json:"replicas,omitempty"`
}

// Number is a count in the JSON: an integer, "unbounded" or "unknown".
type Number string

// BackoffInfo is the waits of a layer.
type BackoffInfo struct {
	Kind       string   `json:"kind"`
	Initial    string   `json:"initial,omitempty"`
	Multiplier string   `json:"multiplier,omitempty"`
	Max        string   `json:"max,omitempty"`
	Jitter     string   `json:"jitter"`
	List       []string `json:"list,omitempty"`
	// What the arithmetic needs beside these, where the kind of wait or jitter has it.
	Step         string `json:"step,omitempty"`         // of a linear wait
	Degree       int    `json:"degree,omitempty"`       // of a polynomial
	Shift        int64  `json:"shift,omitempty"`        // of a polynomial
	Doublings    int64  `json:"doublings,omitempty"`    // of waits that double, then grow linearly
	JitterFactor string `json:"jitterFactor,omitempty"` // share of the wait
	JitterExtra  string `json:"jitterExtra,omitempty"`  // longest addition
	CapsSum      bool   `json:"capsSum,omitempty"`      // the maximum caps wait and jitter together
}

// LayerInfo is one retrying layer.
type LayerInfo struct {
	ID string `json:"id"`
	Place
	Kind              string      `json:"kind"`
	Label             string      `json:"label,omitempty"`
	Service           string      `json:"service,omitempty"`
	Function          string      `json:"function,omitempty"`
	Target            string      `json:"target,omitempty"`
	Attempts          Number      `json:"attempts"`
	AttemptsMin       Number      `json:"attemptsMin,omitempty"`
	Backoff           BackoffInfo `json:"backoff"`
	PerAttemptTimeout string      `json:"perAttemptTimeout,omitempty"`
	Deadline          string      `json:"deadline,omitempty"`
	Retries           []string    `json:"retries,omitempty"`
	Origin            string      `json:"origin"`
	DefaultOf         string      `json:"defaultOf,omitempty"`
	SetBy             []Place     `json:"setBy,omitempty"`
	Gap               string      `json:"gap,omitempty"`            // start-to-start; nothing: the wait follows a failure
	Budget            string      `json:"budget,omitempty"`         // how the deadline ends the layer, where that is not at once
	WaitsAfterLast    bool        `json:"waitsAfterLast,omitempty"` // a wait follows the last attempt too
	Settings          []string    `json:"settings,omitempty"`       // names of values that lie elsewhere and were not found
	Factor            bool        `json:"factor"`                   // false: shown on the way, never multiplied
	LowConfidence     bool        `json:"lowConfidence,omitempty"`  // read by a heuristic: no error by itself
	Environments      []string    `json:"environments,omitempty"`
	Snippet           string      `json:"snippet,omitempty"`
}

// WindowInfo is one dedupe window.
type WindowInfo struct {
	ID string `json:"id"`
	Place
	Kind       string `json:"kind"`
	TTL        string `json:"ttl"`
	Guaranteed string `json:"guaranteed,omitempty"`
	Service    string `json:"service,omitempty"`
	Origin     string `json:"origin,omitempty"`
	Snippet    string `json:"snippet,omitempty"`
}

// HopInfo is one step of a chain.
type HopInfo struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"`
	Place
	Method  string   `json:"method,omitempty"`
	URLPath string   `json:"urlPath,omitempty"`
	Timeout string   `json:"timeout,omitempty"`
	Key     string   `json:"key,omitempty"`
	Layers  []string `json:"layers,omitempty"` // ids, outermost first
	OneOf   bool     `json:"oneOf,omitempty"`  // one of several candidates
}

// EndInfo is an end of a chain.
type EndInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Place
}

// PathInfo is one way by which a duplicate can come.
type PathInfo struct {
	Kind   string `json:"kind"`
	Delay  string `json:"delay"` // from the first attempt to the last duplicate
	Origin string `json:"origin"`
	At     *Place `json:"at,omitempty"`
	// After is how many times the automatic path counts in the delay: 1 where the replay begins after it or runs it again.
	After int `json:"after,omitempty"`
}

// ChainWindow is a window on the way of a chain, with its verdict.
type ChainWindow struct {
	ID        string `json:"id"`
	Verdict   string `json:"verdict"`
	Shortfall string `json:"shortfall,omitempty"`
	Longest   string `json:"longest,omitempty"`
	Required  string `json:"required,omitempty"`
}

// ChainInfo is the way of one intent.
type ChainInfo struct {
	ID                 string        `json:"id"`
	Entry              EndInfo       `json:"entry"`
	Effect             EndInfo       `json:"effect"`
	Layers             []string      `json:"layers"`
	Attempts           Number        `json:"attempts"`
	AttemptsMin        Number        `json:"attemptsMin,omitempty"`
	AutomaticDelay     string        `json:"automaticDelay"`
	AutomaticWorstCase string        `json:"automaticWorstCase"`
	Paths              []PathInfo    `json:"paths"`
	LongestPath        PathInfo      `json:"longestPath"`
	SafetyFactor       float64       `json:"safetyFactor"`
	RequiredWindow     string        `json:"requiredWindow"`
	Windows            []ChainWindow `json:"windows"`
	Hops               []HopInfo     `json:"hops"`
	Environment        string        `json:"environment,omitempty"`
	Notes              []string      `json:"notes,omitempty"`
}

// RelatedInfo is another place of a finding.
type RelatedInfo struct {
	Place
	Message string `json:"message"`
}

// SuppressedInfo says how and why a finding is not counted.
type SuppressedInfo struct {
	How    string `json:"how"`
	Reason string `json:"reason,omitempty"`
}

// EditInfo is a safe change.
type EditInfo struct {
	Place
	New string `json:"new"`
}

// FindingInfo is one finding.
type FindingInfo struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Place
	Chain       string          `json:"chain,omitempty"`
	Layer       string          `json:"layer,omitempty"`
	Related     []RelatedInfo   `json:"related,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	LineHash    string          `json:"lineHash,omitempty"` // of the line and what follows, as GitHub's upload computes it
	Suppressed  *SuppressedInfo `json:"suppressed,omitempty"`
	Baseline    string          `json:"baseline,omitempty"`  // new, unchanged, updated, absent: where a baseline was given
	FirstSeen   string          `json:"firstSeen,omitempty"` // day (2026-01-31) of the run that first had it: --date of that run
	Help        string          `json:"help,omitempty"`
	Snippet     string          `json:"snippet,omitempty"`
	Fix         []EditInfo      `json:"fix,omitempty"`
	Simulated   *SimulatedInfo  `json:"simulated,omitempty"` // with --simulate
}

// SimulatedInfo is what the seeded model of clients makes of a finding: intents, and how often each was applied.
type SimulatedInfo struct {
	Attempts   int `json:"attempts"`
	Intents    int `json:"intents"`
	Lost       int `json:"lost"`
	Once       int `json:"once"`
	Duplicated int `json:"duplicated"`
	Most       int `json:"mostTimesApplied"`
}

// IncompleteInfo is input that could not be read.
type IncompleteInfo struct {
	Repository string `json:"repository"`
	Path       string `json:"path,omitempty"`
	Line       int    `json:"line,omitempty"`
	Stage      string `json:"stage"`
	Reason     string `json:"reason"`
}

// UndecidedInfo counts what could not be decided; with -v it says where.
type UndecidedInfo struct {
	Attempts int              `json:"attempts"`
	Targets  int              `json:"targets"`
	Settings int              `json:"settings"`
	Loops    int              `json:"loops"`
	Rules    int              `json:"rules,omitempty"`
	Where    []UndecidedPlace `json:"where,omitempty"`
}

// UndecidedPlace is one thing that could not be decided.
type UndecidedPlace struct {
	Kind string `json:"kind"`
	Place
	What    string `json:"what"`
	Declare string `json:"declare,omitempty"`
}

// SummaryInfo counts what was read.
type SummaryInfo struct {
	Repositories int `json:"repositories"`
	Files        int `json:"files"`
	GoFiles      int `json:"goFiles"`
	GoLines      int `json:"goLines"`
	ConfigFiles  int `json:"configFiles"`
	Skipped      int `json:"skipped"`
	// PassedOver are the gaps that nobody minds, with -v: files that are not expected to parse, parts that are elsewhere.
	PassedOver []IncompleteInfo `json:"passedOver,omitempty"`
	Cycles     int              `json:"cycles,omitempty"` // ways that lead back to themselves; counted once each, never multiplied
	Notices    []string         `json:"notices,omitempty"`
	// Loops counts the loops of Go code by what they are.
	Loops LoopCounts `json:"loops,omitzero"`
}
