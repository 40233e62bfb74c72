package scan

import (
	"github.com/retrylint/retrylint/internal/chain"
	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/rules"
)

// Reduce links the facts of all repositories, judges them and makes the result. It opens nothing.
func Reduce(facts []*model.Facts, opt Options) *model.Result {
	org, set := Link(facts, opt)
	warning, red := set.Whole().Thresholds()
	findings, undecided := rules.Run(org, rules.Settings{Warning: warning, Error: red, Severity: set.Severity}, wanted(opt))
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
	org := chain.Build(all, chain.Options{Replay: whole.ReplayDefaults(configRepo), Factor: whole.Factor()})
	return org, set
}

// configRepo is the name that locations in the organisation's configuration have in place of a repository.
const configRepo = "config"
