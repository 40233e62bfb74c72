package scan

import (
	"cmp"
	"slices"

	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// Reduce links the facts of all repositories, judges them and makes the result. It opens nothing.
func Reduce(facts []*model.Facts, opt Options) *model.Result {
	org, set := Link(facts, opt)
	warning, red := set.Whole().Thresholds()
	ran := func(rule string) bool { return opt.Wants == nil || opt.Wants(rule) }
	findings, undecided := rules.Run(org, rules.Settings{Warning: warning, Error: red, Severity: set.Severity},
		func(r rules.Rule) bool { return ran(r.ID) })
	findings = suppress(findings, facts, set, ran)
	lines := newLines(facts)
	config.Fingerprint(findings, func(repo, path string, line int) string {
		return lines.at(model.Location{Repo: repo, Path: path, Line: line}).Hash
	})
	return resultOf(org, findings, undecided, set, opt)
}

// Link links the facts with what the configurations declare.
func Link(facts []*model.Facts, opt Options) (*model.Org, *config.Set) {
	set := config.NewSet(opt.Config)
	for _, f := range facts {
		if f.Config == "" {
			continue
		}
		if cfg, _ := config.Parse(f.ConfigPath, []byte(f.Config)); cfg != nil {
			set.Add(f.Repo.Name, cfg)
		}
	}
	all := append([]*model.Facts(nil), facts...)
	all = append(all, set.Facts(configRepo)...)
	whole := set.Whole()
	org := chain.Build(all, chain.Options{Replay: whole.ReplayDefaults(configRepo), Factor: whole.Factor(), Everywhere: configRepo})
	return org, set
}

// ruleIDs are the names that a configuration or a comment may use.
func ruleIDs() []string {
	ids := []string{config.SuppressionRule}
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	return ids
}

// configRepo is the name that locations in the organisation's configuration have in place of a repository.
const configRepo = "config"

// suppress applies the comments in the scanned code, and adds what is to be said about the comments.
func suppress(findings []*model.Finding, facts []*model.Facts, set *config.Set, ran func(string) bool) []*model.Finding {
	var comments []model.Suppression
	for _, f := range facts {
		comments = append(comments, f.Suppressions...)
	}
	about := config.Suppress(findings, comments, ruleIDs(), ran)
	if !ran(config.SuppressionRule) {
		return findings
	}
	for _, f := range about {
		if s, ok := set.Severity(f.Rule, f.At.Repo); ok {
			f.Severity = s
		}
		if f.Severity != model.Off {
			findings = append(findings, f)
		}
	}
	slices.SortStableFunc(findings, func(a, b *model.Finding) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Rule, b.Rule)) })
	return findings
}
