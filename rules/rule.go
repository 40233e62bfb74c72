// Package rules holds the rules, one file each: metadata, texts, examples and the check side by side. Rules are questions
// about the linked graph; they see nothing but package model, open nothing and call no other rule.
package rules

import (
	"fmt"
	"sort"

	"github.com/retrylint/retrylint/model"
)

// Rule is one rule. A new rule is one new file with
//
//	var _ = add(Rule{...})
type Rule struct {
	ID       string         // kebab-case; stable: it stands in output, suppressions, docs and SARIF
	Severity model.Severity // default; Check may report another (stacked-retries rises with the product)
	Summary  string         // one line: what it flags
	Why      string         // what goes wrong, in the reader's terms
	Fix      string         // what to do
	Group    string         // keys, dedupe, chains, policies
	// Bad and Good are small repositories as txtar; in Bad a `// want "regexp"` comment (any syntax's comment) stands on each
	// line where a finding must be. Folders at the top are repositories.
	Bad, Good string
	// GoAlone: can be decided inside one build, hence also under go vet.
	GoAlone bool
	Check   func(*Pass)
}

var registry []Rule

func add(r Rule) bool {
	registry = append(registry, r)
	return true
}

// All lists the rules sorted by ID.
func All() []Rule {
	out := append([]Rule(nil), registry...)
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// Find is the rule with that ID; ok is false where there is none.
func Find(id string) (r Rule, ok bool) {
	for _, r := range registry {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}

// Settings are what a configuration may change.
type Settings struct {
	Warning, Error int64 // attempts for one intent: amber and red marks of stacked-retries
	// Severity overrides, by rule and repository ("" for all); Off switches a rule off.
	Severity func(rule, repo string) (model.Severity, bool)
}

// Defaults are the settings without a configuration.
func Defaults() Settings { return Settings{Warning: 16, Error: 64} }

// Pass is what a rule sees and how it speaks.
type Pass struct {
	Org      *model.Org
	Settings Settings
	Rule     Rule

	findings  []*model.Finding
	undecided []model.Undecided
}

// Report adds a finding with the rule's default severity and returns it, so that a check may raise or complete it.
func (p *Pass) Report(at model.Location, chain *model.Chain, format string, args ...any) *model.Finding {
	f := &model.Finding{Rule: p.Rule.ID, Severity: p.Rule.Severity, At: at, Message: fmt.Sprintf(format, args...), Help: p.Rule.Fix}
	if chain != nil {
		f.Chain = chain.ID
	}
	p.findings = append(p.findings, f)
	return f
}

// Undecided counts a place about which the rule cannot say anything, so that silence is never mistaken for safety.
func (p *Pass) Undecided(at model.Location, what string) {
	p.undecided = append(p.undecided, model.Undecided{Kind: model.UndecidedRule, At: at, What: what, Rule: p.Rule.ID})
}

// Run runs the rules (all of them where only is nil) over an organisation. Findings come sorted by place, one for each
// rule and place: of several, the worst is kept.
func Run(org *model.Org, set Settings, only func(Rule) bool) ([]*model.Finding, []model.Undecided) {
	var out []*model.Finding
	var und []model.Undecided
	for _, r := range All() {
		if only != nil && !only(r) {
			continue
		}
		p := &Pass{Org: org, Settings: set, Rule: r}
		r.Check(p)
		for _, f := range p.findings {
			if l := org.ByLayer[f.Layer]; l != nil && l.LowConfidence && f.Severity == model.Error {
				f.Severity = model.Warning // what a heuristic reads is no error by itself
			}
			if set.Severity != nil {
				if s, ok := set.Severity(r.ID, f.At.Repo); ok {
					f.Severity = s
				}
			}
			if f.Severity != model.Off {
				out = append(out, f)
			}
		}
		und = append(und, p.undecided...)
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if c := a.At.Compare(b.At); c != 0 {
			return c < 0
		}
		if a.Rule != b.Rule {
			return a.Rule < b.Rule
		}
		return a.Severity > b.Severity
	})
	kept := out[:0]
	for _, f := range out {
		if n := len(kept); n > 0 && kept[n-1].Rule == f.Rule && samePlace(kept[n-1].At, f.At) {
			continue
		}
		kept = append(kept, f)
	}
	return kept, und
}

func samePlace(a, b model.Location) bool {
	return a.Repo == b.Repo && a.Path == b.Path && a.Line == b.Line
}
