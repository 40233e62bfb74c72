package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "sarif",
	Doc:   "SARIF 2.1.0 for viewers and archives: all repositories in one run, chains as code flows across them",
	Write: writeSARIF,
})

// writeSARIF writes one run over all repositories; each has its own base for relative addresses.
func writeSARIF(w io.Writer, r *model.Result, opt Options) error {
	s := newSarifWriter(r, opt)
	run := s.run(nil)
	run.URIBases = map[string]sarifArtifact{}
	for i := range r.Repositories {
		repo := &r.Repositories[i]
		base := sarifArtifact{URI: permalinkRoot(repo), Description: &sarifMessage{Text: "the root of repository " + quote(repo.Name)}}
		run.URIBases[baseID(repo.Name)] = base
		if u := webAddress(repo.URL); u != nil {
			run.Provenance = append(run.Provenance, sarifProvenance{RepositoryURI: u.String(), RevisionID: clean(repo.Commit),
				MappedTo: sarifArtifact{URIBaseID: baseID(repo.Name)}})
		}
	}
	for i := range r.Findings {
		run.Results = append(run.Results, s.result(&r.Findings[i]))
	}
	return encodeSARIF(w, sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{run}})
}

// indentedResults is up to how many results a file is indented for people; in larger ones the spaces would be half of it.
const indentedResults = 500

func encodeSARIF(w io.Writer, log sarifLog) error {
	enc := json.NewEncoder(w)
	results := 0
	for _, r := range log.Runs {
		results += len(r.Results)
	}
	if results <= indentedResults {
		enc.SetIndent("", " ")
	}
	enc.SetEscapeHTML(false)
	return enc.Encode(log)
}

// sarifWriter is what both flavours share.
type sarifWriter struct {
	*view
	rules []sarifRule
	index map[string]int
	// own is the only repository whose files may be named by address; nil: all of them (the generic flavour).
	own *string
}

func newSarifWriter(r *model.Result, opt Options) *sarifWriter {
	s := &sarifWriter{view: newView(r, opt), index: map[string]int{}}
	for _, x := range ruleTexts(r) {
		s.index[x.ID] = len(s.rules)
		level := sarifLevel(x.Severity.String())
		problem := level
		if level == "note" {
			problem = "recommendation"
		}
		md := sentence(x.Summary) + "\n\n" + x.Why + "\n\n**Fix:** " + x.Fix + example("Bad", x.Bad) + example("Good", x.Good)
		s.rules = append(s.rules, sarifRule{
			ID: x.ID, Name: pascal(x.ID),
			ShortDescription: sarifMessage{Text: cut(sentence(x.Summary), 1000)},
			FullDescription:  sarifMessage{Text: cut(sentence(x.Why), 1000)},
			HelpURI:          ruleURL(x.ID),
			Help:             sarifMessage{Text: sentence(x.Summary) + "\n" + x.Why + "\nFix: " + x.Fix, Markdown: md},
			Defaults:         sarifDefaults{level},
			Properties:       sarifRuleProps{Tags: []string{"reliability", "retry", orOther(x.Group)}, Precision: "high", ProblemSeverity: problem},
		})
	}
	return s
}

func orOther(s string) string {
	if s == "" {
		return "other"
	}
	return clean(s)
}

// pascal is a rule's identifier as viewers show names: window-too-short is WindowTooShort. It must differ from the identifier
// by more than capitals.
func pascal(id string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(id, "-") {
		if part != "" {
			r, n := utf8.DecodeRuneInString(part)
			b.WriteString(string(unicode.ToUpper(r)) + part[n:])
		}
	}
	if !strings.Contains(id, "-") {
		b.WriteString("Rule")
	}
	return cut(clean(b.String()), 200)
}

// cut shortens to n bytes at a rune.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// quote puts dynamic text into single quotes, as SARIF's guide asks for.
func quote(s string) string { return "'" + sarifText(s) + "'" }

// sarifText makes plain text of a message: nothing of it is a link or a placeholder.
func sarifText(s string) string { return strings.ReplaceAll(clean(s), "](", "] (") }

// baseID is the name of a repository's root.
func baseID(repo string) string { return "ROOT:" + clean(repo) }

func sarifLevel(severity string) string {
	switch severity {
	case "error", "warning", "note":
		return severity
	}
	return "none"
}

var semantic = regexp.MustCompile(`^v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)$`)

// run is a run without results; repo is the repository whose incomplete input it names, nil for all.
func (s *sarifWriter) run(repo *string) sarifRun {
	d := sarifDriver{Name: "retrylint", Organization: "retrylint", Version: clean(s.Tool.Version), InformationURI: project, Rules: s.rules}
	if m := semantic.FindStringSubmatch(s.Tool.Version); m != nil {
		d.SemanticVersion = m[1]
	}
	if d.Version == "" {
		d.Version = "unknown"
	}
	inv := sarifInvocation{Successful: true}
	for _, g := range s.Incomplete {
		if repo != nil && g.Repository != *repo {
			continue
		}
		n := sarifNotification{Level: "warning", Message: sarifMessage{Text: fmt.Sprintf("%s was not read completely: %s (%s).", quote(g.Repository), sarifText(g.Reason), sarifText(g.Stage))}}
		if loc := s.location(model.Place{Repository: g.Repository, Path: g.Path, Line: g.Line}, ""); loc.Physical != nil {
			n.Locations = []sarifLocation{loc}
		}
		inv.Notifications = append(inv.Notifications, n)
	}
	return sarifRun{Tool: sarifTool{d}, Invocations: []sarifInvocation{inv}, ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
}

// location names a place, with a message where one is given. A place outside the own repository has no address.
func (s *sarifWriter) location(p model.Place, message string) sarifLocation {
	var loc sarifLocation
	if message != "" {
		loc.Message = &sarifMessage{Text: message}
	}
	if p.Path == "" || s.own != nil && p.Repository != *s.own {
		return loc
	}
	loc.Physical = &sarifPhysical{Artifact: s.artifact(p)}
	if p.Line > 0 {
		loc.Physical.Region = s.region(p, true)
	}
	return loc
}

func (s *sarifWriter) artifact(p model.Place) sarifArtifact {
	a := sarifArtifact{URI: escapePath(p.Path)}
	if s.own == nil && s.repos[p.Repository] != nil {
		a.URIBaseID = baseID(p.Repository)
	}
	return a
}

// region counts columns in UTF-16 units. For a host that shows a result only when all its lines are changed ones, it stays
// on its first line.
func (s *sarifWriter) region(p model.Place, snippet bool) *sarifRegion {
	r := &sarifRegion{StartLine: p.Line}
	if p.Column > 0 {
		r.StartColumn = s.utf16Column(p, p.Column)
	}
	switch {
	case p.EndLine == p.Line && p.EndColumn > p.Column && p.Column > 0:
		r.EndLine, r.EndColumn = p.Line, s.utf16Column(p, p.EndColumn)
	case p.EndLine > p.Line && s.own == nil:
		r.EndLine, r.EndColumn = p.EndLine, max(p.EndColumn, 0)
	}
	if text := strings.TrimRight(s.snippets[spot{p.Repository, p.Path, p.Line}], "\r\n"); snippet && text != "" && r.EndLine <= p.Line {
		r.Snippet = &sarifContent{cut(keepTabs(text), 200)}
	}
	return r
}

func keepTabs(s string) string {
	parts := strings.Split(s, "\t")
	for i := range parts {
		parts[i] = clean(parts[i])
	}
	return strings.Join(parts, "\t")
}

// result is one finding in the generic flavour.
func (s *sarifWriter) result(f *model.FindingInfo) sarifResult {
	out := s.resultHead(f)
	out.Locations = []sarifLocation{s.location(f.Place, "")}
	if l := s.layers[f.Layer]; l != nil && l.Function != "" {
		out.Locations[0].Logical = []sarifLogical{{Name: clean(l.Function), Kind: "function"}}
	}
	for i, r := range f.Related {
		loc := s.location(r.Place, sarifText(r.Message))
		if loc.Physical == nil {
			continue
		}
		id := i + 1
		loc.ID = &id
		out.Related = append(out.Related, loc)
	}
	if c := s.chains[f.Chain]; c != nil {
		var flow []sarifFlowLocation
		for i, st := range s.steps(c) {
			flow = append(flow, sarifFlowLocation{Location: s.location(st.at, sarifText(st.words)), NestingLevel: st.depth, Order: i + 1, Importance: importance(st)})
		}
		out.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{{flow}}}}
		out.Properties = map[string]any{"attempts": c.Attempts, "automaticDelay": clean(c.AutomaticDelay), "longestPath": clean(c.LongestPath.Kind),
			"longestDelay": clean(c.LongestPath.Delay), "requiredWindow": clean(c.RequiredWindow), "chain": clean(c.ID)}
	}
	if f.Suppressed != nil {
		kind := "external"
		if f.Suppressed.How == "comment" {
			kind = "inSource"
		}
		out.Suppressions = []sarifSuppression{{Kind: kind, Status: "accepted", Justification: sarifText(f.Suppressed.Reason)}}
	}
	switch f.Baseline {
	case "new", "unchanged", "updated", "absent":
		out.Baseline = f.Baseline
	}
	if fix := s.fix(f); len(fix.Changes) > 0 {
		out.Fixes = []sarifFix{fix}
	}
	return out
}

func importance(st step) string {
	if st.layer {
		return "essential"
	}
	return "important"
}

// resultHead is what both flavours say of a finding.
func (s *sarifWriter) resultHead(f *model.FindingInfo) sarifResult {
	out := sarifResult{RuleID: clean(f.Rule), RuleIndex: s.index[f.Rule], Level: sarifLevel(f.Severity),
		Message:      sarifMessage{Text: strings.ReplaceAll(s.explanation(f), "](", "] (")},
		Fingerprints: map[string]string{}, severity: rank(f.Severity), weight: s.weight(f.Chain)}
	if f.Fingerprint != "" {
		out.Fingerprints["retrylint/v1"] = clean(f.Fingerprint)
	}
	if c := s.chains[f.Chain]; c != nil {
		key := s.chainKey(f.Rule, c)
		out.Fingerprints["retrylint/chain/v1"] = key
		// The same for what the chain gives in every repository.
		g := s.chainKey("", c)
		out.Correlation = fmt.Sprintf("%s-%s-5%s-8%s-%s", g[:8], g[8:12], g[13:16], g[17:20], g[20:32])
	}
	return out
}

// fix groups edits by file.
func (s *sarifWriter) fix(f *model.FindingInfo) sarifFix {
	out := sarifFix{Description: sarifMessage{Text: sentence(sarifText(cmp.Or(f.Help, f.Message)))}}
	at := map[spot]int{}
	for _, e := range f.Fix {
		if e.Path == "" || e.Line <= 0 || e.Column <= 0 {
			continue
		}
		k := spot{e.Repository, e.Path, 0}
		i, ok := at[k]
		if !ok {
			i = len(out.Changes)
			at[k] = i
			out.Changes = append(out.Changes, sarifChange{Artifact: s.artifact(e.Place)})
		}
		region := sarifRegion{StartLine: e.Line, StartColumn: s.utf16Column(e.Place, e.Column), EndLine: max(e.EndLine, e.Line)}
		region.EndColumn = max(s.utf16Column(e.Place, e.EndColumn), region.StartColumn)
		if e.EndLine > e.Line {
			region.EndColumn = max(e.EndColumn, 1)
		}
		out.Changes[i].Replacements = append(out.Changes[i].Replacements, sarifReplacement{Deleted: region, Inserted: sarifContent{strings.ToValidUTF8(e.New, "\uFFFD")}})
	}
	return out
}
