package report

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// pageData is the whole result as the page's script reads it: strings once each, everything else by number. Field order in
// the arrays is fixed; page/page.js reads it by the names that stand in the comments.
type pageData struct {
	Tool     string         `json:"tool"`
	Project  string         `json:"project"`
	One      bool           `json:"one"`      // one repository: places without its name
	Strings  []string       `json:"strings"`  // cleaned
	Repos    [][]any        `json:"repos"`    // name, root of links
	Rules    [][]any        `json:"rules"`    // name, summary
	Policies []policyData   `json:"policies"` // each once
	Layers   [][]any        `json:"layers"`   // words, repo, path, line, policy, set by [[repo, path, line]]
	Windows  [][]any        `json:"windows"`  // kind, ttl, guaranteed, repo, path, line
	Chains   [][]any        `json:"chains"`   // see chain
	Findings [][]any        `json:"findings"` // see finding
	Left     map[string]int `json:"-"`        // what is not in the page, because it would be too large
}

// policyData is what a layer does, in the words of the JSON.
type policyData struct {
	Attempts string            `json:"n"`
	Min      string            `json:"min,omitempty"`
	Backoff  model.BackoffInfo `json:"b"`
	Attempt  string            `json:"p,omitempty"`
	Deadline string            `json:"o,omitempty"`
	Gap      string            `json:"g,omitempty"`
	Budget   string            `json:"u,omitempty"`
	After    bool              `json:"a,omitempty"`
	Factor   bool              `json:"f,omitempty"`
	Waits    string            `json:"w,omitempty"`
}

// pageBytes is how large the data may become; the page is to stay below 15 MB.
const pageBytes = 12_500_000

// detail is how much goes into the page.
type detail struct{ findings, chains, hops int }

// encodePage gives the data as JSON that is safe inside of a script element. Where it would become too large, the steps of
// lesser chains are left out first, then lesser chains, then notes; what is left out is counted.
func encodePage(v *view) (text []byte, left map[string]int, err error) {
	d := detail{len(v.Findings), len(v.Chains), len(v.Chains)}
	for {
		data := pack(v, d)
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(data); err != nil { // escapes <, > and &
			return nil, nil, err
		}
		if b.Len() <= pageBytes || d.findings < 100 {
			return bytes.TrimSpace(b.Bytes()), data.Left, nil
		}
		over := b.Len()/pageBytes + 1
		switch {
		case d.hops > 2000:
			d.hops = max(d.hops/(2*over), 2000)
		case d.chains > 2000:
			d.chains = max(d.chains/(2*over), 2000)
			d.hops = min(d.hops, d.chains)
		default:
			d.findings /= 2
		}
	}
}

type packer struct {
	*view
	out      pageData
	strings  map[string]int
	repoAt   map[string]int
	ruleAt   map[string]int
	policyAt map[string]int
	layerAt  map[string]int
	windowAt map[string]int
}

func pack(v *view, d detail) *pageData {
	p := &packer{view: v, strings: map[string]int{}, repoAt: map[string]int{}, ruleAt: map[string]int{}, policyAt: map[string]int{}, layerAt: map[string]int{}, windowAt: map[string]int{}}
	p.out = pageData{Tool: clean(v.Tool.Name + " " + v.Tool.Version), Project: project, One: len(v.Repositories) == 1, Left: map[string]int{},
		Repos: [][]any{}, Rules: [][]any{}, Policies: []policyData{}, Layers: [][]any{}, Windows: [][]any{}, Chains: [][]any{}, Findings: [][]any{}}
	p.str("")
	for _, r := range v.Repositories {
		p.repo(r.Name)
	}
	for _, x := range ruleTexts(v.Result) {
		p.ruleAt[clean(x.ID)] = len(p.out.Rules)
		p.out.Rules = append(p.out.Rules, []any{p.str(x.ID), p.str(sentence(clean(x.Summary)))})
	}

	order := make([]int, len(v.Chains))
	for i := range order {
		order[i] = i
	}
	named := map[string]bool{}
	for _, f := range v.Findings {
		named[f.Chain] = true
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &v.Chains[i], &v.Chains[j]
		if named[a.ID] != named[b.ID] {
			if named[a.ID] {
				return -1
			}
			return 1
		}
		wa, wb := v.weight(a.ID), v.weight(b.ID)
		switch {
		case wa > wb:
			return -1
		case wa < wb:
			return 1
		}
		return 0
	})
	chainAt := map[string]int{}
	for n, i := range order {
		if n >= d.chains {
			p.out.Left["chains"] = len(order) - n
			break
		}
		c := &v.Chains[i]
		chainAt[c.ID] = len(p.out.Chains)
		p.out.Chains = append(p.out.Chains, p.chain(c, n < d.hops))
	}
	if d.hops < d.chains {
		p.out.Left["steps"] = d.chains - d.hops
	}

	findings := make([]*model.FindingInfo, len(v.Findings))
	for i := range v.Findings {
		findings[i] = &v.Findings[i]
	}
	slices.SortStableFunc(findings, func(a, b *model.FindingInfo) int { return rank(a.Severity) - rank(b.Severity) })
	for n, f := range findings {
		if n >= d.findings {
			p.out.Left["findings"] = len(findings) - n
			break
		}
		p.out.Findings = append(p.out.Findings, p.finding(f, chainAt))
	}
	return &p.out
}

// str is the number of a string.
func (p *packer) str(s string) int {
	s = clean(s)
	i, ok := p.strings[s]
	if !ok {
		i = len(p.out.Strings)
		p.strings[s] = i
		p.out.Strings = append(p.out.Strings, s)
	}
	return i
}

func (p *packer) repo(name string) int {
	i, ok := p.repoAt[name]
	if !ok {
		i = len(p.out.Repos)
		p.repoAt[name] = i
		p.out.Repos = append(p.out.Repos, []any{p.str(name), p.str(permalinkRoot(p.repos[name]))})
	}
	return i
}

func (p *packer) place(x model.Place) []any {
	return []any{p.repo(x.Repository), p.str(x.Path), x.Line}
}

func (p *packer) policy(l *model.LayerInfo) int {
	x := policyData{Attempts: clean(string(l.Attempts)), Min: clean(string(l.AttemptsMin)), Backoff: cleanBackoff(l.Backoff), Attempt: clean(l.PerAttemptTimeout),
		Deadline: clean(l.Deadline), Gap: l.Gap, Budget: l.Budget, After: l.WaitsAfterLast, Factor: l.Factor, Waits: waitText(*l)}
	key, err := json.Marshal(x)
	if err != nil {
		return 0
	}
	i, ok := p.policyAt[string(key)]
	if !ok {
		i = len(p.out.Policies)
		p.policyAt[string(key)] = i
		p.out.Policies = append(p.out.Policies, x)
	}
	return i
}

func cleanBackoff(b model.BackoffInfo) model.BackoffInfo {
	for _, s := range []*string{&b.Kind, &b.Initial, &b.Multiplier, &b.Max, &b.Jitter, &b.Step, &b.JitterFactor, &b.JitterExtra} {
		*s = clean(*s)
	}
	list := b.List
	b.List = nil
	for _, s := range list {
		b.List = append(b.List, clean(s))
	}
	return b
}

func (p *packer) layer(id string) (n int, ok bool) {
	l := p.layers[id]
	if l == nil {
		return 0, false
	}
	i, seen := p.layerAt[id]
	if !seen {
		set := [][]any{}
		for _, by := range l.SetBy {
			set = append(set, p.place(by))
		}
		x := append([]any{p.str(layerName(l))}, p.place(l.Place)...)
		i = len(p.out.Layers)
		p.layerAt[id] = i
		p.out.Layers = append(p.out.Layers, append(x, p.policy(l), set))
	}
	return i, true
}

func (p *packer) window(id string) (n int, ok bool) {
	w := p.windows[id]
	if w == nil {
		return 0, false
	}
	i, seen := p.windowAt[id]
	if !seen {
		i = len(p.out.Windows)
		p.windowAt[id] = i
		p.out.Windows = append(p.out.Windows, append([]any{p.str(w.Kind), p.str(w.TTL), p.str(w.Guaranteed)}, p.place(w.Place)...))
	}
	return i, true
}

// chain is: id, entry, entry's place, effect, effect's place, attempts, least attempts, automatic delay, worst case, paths
// [[kind, delay, origin, after]], longest kind, longest delay, factor, required, windows [[window, verdict]], rows; a row is
// [0, layer] or [1, words, repo, path, line, whether it is drawn, time limit].
func (p *packer) chain(c *model.ChainInfo, steps bool) []any {
	paths := [][]any{}
	for _, x := range c.Paths {
		paths = append(paths, []any{p.str(x.Kind), p.str(x.Delay), p.str(x.Origin), x.After})
	}
	windows := [][]any{}
	for _, w := range c.Windows {
		if i, ok := p.window(w.ID); ok {
			windows = append(windows, []any{i, p.str(w.Verdict)})
		}
	}
	rows := [][]any{}
	for i := range c.Hops {
		h := &c.Hops[i]
		for _, id := range h.Layers {
			if n, ok := p.layer(id); ok {
				rows = append(rows, []any{0, n})
			}
		}
		if steps {
			row := append([]any{1, p.str(hopWords(h))}, p.place(h.Place)...)
			rows = append(rows, append(row, drawn(c, i), p.str(h.Timeout)))
		}
	}
	return []any{p.str(c.ID), p.str(shortName(c.Entry.Name)), p.place(c.Entry.Place), p.str(endName(c)), p.place(c.Effect.Place), p.str(string(c.Attempts)),
		p.str(string(c.AttemptsMin)), p.str(c.AutomaticDelay), p.str(c.AutomaticWorstCase), paths, p.str(c.LongestPath.Kind), p.str(c.LongestPath.Delay),
		c.SafetyFactor, p.str(c.RequiredWindow), windows, rows}
}

// drawn reports whether a hop stands in the picture: calls inside of a program do not, nor does the last one, which is the
// effect itself.
func drawn(c *model.ChainInfo, i int) int {
	if i == len(c.Hops)-1 || c.Hops[i].Kind == "call" {
		return 0
	}
	return 1
}

// finding is: severity (0 error, 1 warning, 2 note), rule, message, repo, path, line, column, chain or -1, help, source line,
// state (0 open, 1 suppressed, 2 known to the baseline, 3 gone), reason, related [[message, repo, path, line]].
func (p *packer) finding(f *model.FindingInfo, chainAt map[string]int) []any {
	state, reason := 0, ""
	switch {
	case f.Suppressed != nil:
		state, reason = 1, f.Suppressed.Reason
	case f.Baseline == "unchanged":
		state = 2
	case f.Baseline == "absent":
		state = 3
	}
	chain, ok := chainAt[f.Chain]
	if !ok {
		chain = -1
	}
	related := [][]any{}
	for _, r := range f.Related {
		related = append(related, append([]any{p.str(r.Message)}, p.place(r.Place)...))
	}
	return []any{min(rank(f.Severity), 2), p.ruleAt[clean(f.Rule)], p.str(f.Message), p.repo(f.Repository), p.str(f.Path), f.Line, f.Column, chain, p.str(f.Help),
		p.str(f.Snippet), state, p.str(reason), related}
}
