package scan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

// resultOf turns the judged organisation into what reports print.
func resultOf(org *model.Org, findings []*model.Finding, undecided []model.Undecided, set *config.Set, opt Options) *model.Result {
	r := &model.Result{Version: 1, Tool: model.ToolInfo{Name: "retrylint", Version: opt.Version},
		Repositories: []model.RepositoryInfo{}, Services: []model.ServiceInfo{}, Layers: []model.LayerInfo{}, Windows: []model.WindowInfo{},
		Chains: []model.ChainInfo{}, Findings: []model.FindingInfo{}, Incomplete: []model.IncompleteInfo{}}
	lines := newLines(org.Facts)
	scanned := map[string]bool{}
	for _, f := range org.Facts {
		for _, s := range f.Services {
			r.Services = append(r.Services, serviceInfo(s, f.Repo.Name))
		}
		undecided = append(undecided, f.Undecided...)
		for _, g := range f.Gaps {
			info := model.IncompleteInfo{Repository: f.Repo.Name, Path: g.Path, Line: g.Line, Stage: g.Stage, Reason: g.Reason}
			if !g.Expected {
				r.Incomplete = append(r.Incomplete, info)
			} else if opt.Verbose {
				r.Summary.PassedOver = append(r.Summary.PassedOver, info)
			}
		}
		if f.Repo.Name == configRepo || scanned[f.Repo.Name] {
			continue // what a configuration declares comes as facts of its own
		}
		scanned[f.Repo.Name] = true
		r.Repositories = append(r.Repositories, model.RepositoryInfo{Name: f.Repo.Name, URL: f.Repo.URL, Commit: f.Repo.Commit, Dirty: f.Repo.Dirty, Group: f.Repo.Group})
		s, t := &r.Summary, f.Stats
		s.Repositories++
		s.Files += t.Files
		s.GoFiles += t.GoFiles
		s.GoLines += t.GoLines
		s.ConfigFiles += t.ConfigFiles
		s.Skipped += t.Skipped
		s.Loops.Add(t.Loops)
		for _, n := range f.Notices {
			s.Notices = append(s.Notices, f.Repo.Name+": "+n)
		}
	}
	r.Summary.Cycles = len(org.Cycles)
	targets := targetsOf(org)
	for _, l := range org.Layers {
		r.Layers = append(r.Layers, layerInfo(l, targets[l.ID], lines))
		if l.Policy.Attempts.IsUnknown() {
			undecided = append(undecided, model.Undecided{Kind: model.UndecidedAttempts, At: l.At, What: "attempts of " + cmp.Or(l.Label, string(l.Kind))})
		}
		for _, ref := range l.Refs {
			if ref.Field == model.FieldAttempts && !ref.Over && len(l.SetBy) == 0 {
				undecided = append(undecided, model.Undecided{Kind: model.UndecidedSetting, At: l.At, What: "nobody in the scan sets " + ref.Name.String(),
					Declare: fmt.Sprintf("settings: {%s: 3}", ref.Name.Key)})
			}
		}
	}
	for _, f := range org.Facts {
		for i := range f.Boundaries {
			b := &f.Boundaries[i]
			r.Windows = append(r.Windows, windowInfo(boundaryIn(org, b), lines))
		}
	}
	for _, c := range org.Chains {
		r.Chains = append(r.Chains, chainInfo(c, org.Factor))
	}
	for _, f := range findings {
		r.Findings = append(r.Findings, findingInfo(f, lines))
	}
	slices.SortStableFunc(r.Services, func(a, b model.ServiceInfo) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.Kind, b.Kind))
	})
	r.Services = slices.CompactFunc(r.Services, func(a, b model.ServiceInfo) bool {
		return a.Name == b.Name && a.Repository == b.Repository && a.Kind == b.Kind
	})
	slices.SortStableFunc(r.Windows, func(a, b model.WindowInfo) int { return a.Location().Compare(b.Location()) })
	for _, list := range [][]model.IncompleteInfo{r.Incomplete, r.Summary.PassedOver} {
		sortIncomplete(list)
	}
	r.Undecided = undecidedInfo(undecided, opt.Verbose)
	return r
}

// boundaryIn is the linker's copy of a boundary, with what it filled in, or else the fact itself.
func boundaryIn(org *model.Org, b *model.Boundary) *model.Boundary {
	if org.ByBoundary[b.ID] != nil {
		return org.ByBoundary[b.ID]
	}
	return b
}

type lineIndex map[string]model.Line

func newLines(facts []*model.Facts) lineIndex {
	m := lineIndex{}
	for _, f := range facts {
		for _, l := range f.Lines {
			m[fmt.Sprintf("%s\x00%s\x00%d", f.Repo.Name, l.Path, l.Line)] = l
		}
	}
	return m
}

func (m lineIndex) at(l model.Location) model.Line {
	return m[fmt.Sprintf("%s\x00%s\x00%d", l.Repo, l.Path, l.Line)]
}

func serviceInfo(s model.Service, repo string) model.ServiceInfo {
	out := model.ServiceInfo{Name: s.Name, Repository: repo, Kind: s.Kind}
	for _, n := range s.Names {
		out.Aliases = append(out.Aliases, n.String())
	}
	if s.Replicas != (model.Count{}) {
		out.Replicas = model.NumberOf(s.Replicas)
	}
	return out
}

// targetsOf says for each layer what it repeats, where that is one thing.
func targetsOf(org *model.Org) map[string]string {
	out := map[string]string{}
	for _, v := range org.Vertices {
		for _, a := range v.Out {
			for _, l := range a.Layers {
				t := label(a.To)
				if have, ok := out[l.ID]; ok && have != t {
					t = have
				}
				out[l.ID] = t
			}
		}
	}
	return out
}

func label(v *model.Vertex) string { return cmp.Or(v.Label, v.Name.Key) }

func layerInfo(l *model.Layer, target string, lines lineIndex) model.LayerInfo {
	p := l.Policy
	out := model.LayerInfo{ID: l.ID, Place: model.PlaceOf(l.At), Kind: string(l.Kind), Label: l.Label, Service: l.Service, Target: target,
		Attempts: model.NumberOf(p.Total()), AttemptsMin: model.NumberMin(p.Total()), Backoff: backoffInfo(p.Backoff), Retries: p.On.Words(),
		Origin: string(cmp.Or(l.Origin, model.OriginExplicit)), DefaultOf: l.DefaultBy, Factor: l.Factor(), LowConfidence: l.LowConfidence, Environments: l.Envs, Snippet: lines.at(l.At).Text}
	if l.In.Space == model.SpaceFunc {
		out.Function = l.In.Key
	}
	if !p.PerAttempt.IsUnknown() {
		out.PerAttemptTimeout = p.PerAttempt.String()
	}
	if !p.Overall.IsUnknown() {
		out.Deadline = p.Overall.String()
	}
	if p.Gap == model.StartToStart {
		out.Gap = "start-to-start"
	}
	if p.Overall.Known() {
		out.Budget = budgetWords[p.Budget]
	}
	out.WaitsAfterLast = p.WaitsAfterLast
	for _, s := range l.SetBy {
		out.SetBy = append(out.SetBy, model.PlaceOf(s))
	}
	if !l.Call.IsZero() && l.Call.Line != l.At.Line && !slices.Contains(out.SetBy, model.PlaceOf(l.Call)) {
		out.SetBy = append(out.SetBy, model.PlaceOf(l.Call)) // the loop or call that the setting is about
	}
	for _, r := range l.Refs {
		if len(l.SetBy) == 0 && !r.Over {
			out.Settings = append(out.Settings, r.Name.String())
		}
	}
	return out
}

// budgetWords are the words for the ways in which a deadline ends a layer; a hard one needs none.
var budgetWords = map[model.BudgetKind]string{model.BudgetGateBefore: "before-wait", model.BudgetGateAfter: "after-attempt",
	model.BudgetAndCount: "with-count", model.BudgetWindowedRate: "rate"}

func backoffInfo(b model.Backoff) model.BackoffInfo {
	out := model.BackoffInfo{Kind: b.Kind.String(), Jitter: b.Jitter.Kind.String()}
	if !b.Initial.IsUnknown() && b.Kind != model.BackoffNone {
		out.Initial = b.Initial.String()
	}
	if b.Factor.Known() {
		out.Multiplier = b.Factor.String()
	}
	if !b.Max.IsUnknown() && b.Kind != model.BackoffNone && b.Kind != model.BackoffConstant {
		out.Max = b.Max.String()
	}
	for _, d := range b.List {
		out.List = append(out.List, model.FormatDuration(d))
	}
	if b.Step.Known() {
		out.Step = b.Step.String()
	}
	if b.Jitter.Factor.Known() {
		out.JitterFactor = b.Jitter.Factor.String()
	}
	if b.Jitter.Extra > 0 {
		out.JitterExtra = model.FormatDuration(b.Jitter.Extra)
	}
	out.Degree, out.Shift, out.Doublings, out.CapsSum = b.Degree, b.Shift, b.Doublings, b.CapsSum
	return out
}

func windowInfo(b *model.Boundary, lines lineIndex) model.WindowInfo {
	return model.WindowInfo{ID: b.ID, Place: model.PlaceOf(b.At), Kind: b.Kind, TTL: b.TTL.String(), Guaranteed: b.Guaranteed().String(),
		Service: b.Service, Origin: string(b.Origin), Snippet: lines.at(b.At).Text}
}

func endInfo(v *model.Vertex) model.EndInfo {
	return model.EndInfo{Name: label(v), Kind: string(v.Kind), Place: model.PlaceOf(v.At)}
}

func chainInfo(c *model.Chain, factor model.Ratio) model.ChainInfo {
	n := c.Attempts()
	auto := c.Automatic()
	path, when := c.Longest()
	out := model.ChainInfo{ID: c.ID, Entry: endInfo(c.Entry), Effect: endInfo(c.Effect), Layers: []string{}, Windows: []model.ChainWindow{},
		Attempts: model.NumberOf(n), AttemptsMin: model.NumberMin(n), AutomaticDelay: auto.Waits.String(), AutomaticWorstCase: auto.Worst.String(),
		LongestPath: pathInfo(path, when), SafetyFactor: factor.Float(), RequiredWindow: when.Scale(factor).String(), Environment: c.Env}
	d, _ := auto.Path()
	out.Paths = append(out.Paths, model.PathInfo{Kind: string(model.PathAutomatic), Delay: d.String(), Origin: "the retries themselves"})
	for _, p := range c.Paths {
		out.Paths = append(out.Paths, pathInfo(p, p.Arrival(auto.Waits)))
	}
	for _, h := range c.Hops {
		out.Hops = append(out.Hops, hopInfo(h))
		for _, l := range h.Layers {
			out.Layers = append(out.Layers, l.ID)
		}
		if h.Arc.Alternative {
			out.Notes = append(out.Notes, fmt.Sprintf("%s is one of several candidates", label(h.Arc.To)))
		}
	}
	for _, v := range c.Vertices() {
		for _, b := range v.Boundaries {
			j := c.Verdict(b, v, factor)
			w := model.ChainWindow{ID: b.ID, Verdict: string(j.Verdict), Longest: j.Longest.String(), Required: j.Required.String()}
			if j.Verdict == model.Short || j.Verdict == model.Margin {
				w.Shortfall = j.Shortfall.String()
			}
			out.Windows = append(out.Windows, w)
		}
	}
	if c.Others > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d more chains end here and are not listed", c.Others))
	}
	return out
}

func pathInfo(p model.ReplayPath, when model.Limit) model.PathInfo {
	out := model.PathInfo{Kind: string(p.Kind), Delay: when.String(), Origin: p.Origin}
	if p.Clock == model.AfterAutomatic {
		out.After++
	}
	if p.ThenAutomatic {
		out.After++
	}
	if !p.At.IsZero() {
		at := model.PlaceOf(p.At)
		out.At = &at
	}
	return out
}

func hopInfo(h model.Hop) model.HopInfo {
	a := h.Arc
	out := model.HopInfo{From: label(a.From), To: label(a.To), OneOf: a.Alternative}
	if e := a.Edge; e != nil {
		out.Kind, out.Place, out.Method, out.URLPath, out.Key = string(e.Kind), model.PlaceOf(e.At), e.Method, e.Path, string(e.Key.How)
		if limit := e.Timeout.Min(e.Deadline); !limit.IsUnknown() {
			out.Timeout = limit.String()
		}
	}
	for _, l := range h.Layers {
		out.Layers = append(out.Layers, l.ID)
	}
	return out
}

func findingInfo(f *model.Finding, lines lineIndex) model.FindingInfo {
	line := lines.at(f.At)
	out := model.FindingInfo{Rule: f.Rule, Severity: f.Severity.String(), Message: f.Message, Place: model.PlaceOf(f.At), Chain: f.Chain, Layer: f.Layer,
		Fingerprint: f.Fingerprint, LineHash: line.Rolling, Help: f.Help, Snippet: line.Text}
	for _, r := range f.Related {
		out.Related = append(out.Related, model.RelatedInfo{Place: model.PlaceOf(r.At), Message: r.Message})
	}
	if f.Suppressed != nil {
		out.Suppressed = &model.SuppressedInfo{How: f.Suppressed.How, Reason: f.Suppressed.Reason}
	}
	for _, e := range f.Fix {
		out.Fix = append(out.Fix, model.EditInfo{Place: model.Place{Repository: f.At.Repo, Path: e.Path, Line: e.From.Line, Column: e.From.Col,
			EndLine: e.To.Line, EndColumn: e.To.Col}, New: e.New})
	}
	return out
}

func undecidedInfo(list []model.Undecided, where bool) model.UndecidedInfo {
	slices.SortStableFunc(list, func(a, b model.Undecided) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.What, b.What))
	})
	var out model.UndecidedInfo
	for _, u := range list {
		switch u.Kind {
		case model.UndecidedAttempts:
			out.Attempts++
		case model.UndecidedTarget:
			out.Targets++
		case model.UndecidedSetting:
			out.Settings++
		case model.UndecidedLoop:
			out.Loops++
		default:
			out.Rules++
		}
		if where {
			out.Where = append(out.Where, model.UndecidedPlace{Kind: string(u.Kind), Place: model.PlaceOf(u.At), What: u.What, Declare: u.Declare})
		}
	}
	return out
}

func sortIncomplete(list []model.IncompleteInfo) {
	slices.SortStableFunc(list, func(a, b model.IncompleteInfo) int {
		return cmp.Or(cmp.Compare(a.Repository, b.Repository), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Reason, b.Reason))
	})
}
