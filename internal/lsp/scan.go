package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// scan scans the workspace once and publishes what it found. It reports whether it came to its end; a cancelled scan
// changes nothing.
func (s *server) scan(ctx context.Context) (whole bool) {
	defer func() {
		if r := recover(); r != nil {
			s.log(messageError, "scan: internal error: %v", r)
			whole = true
		}
	}()
	s.mu.Lock()
	roots := s.roots()
	texts, versions := s.overlay()
	s.mu.Unlock()
	if len(roots) == 0 {
		return true
	}
	s.cache.saves(len(texts) == 0)
	repos, err := source.Discover(append(roots, s.opt.Paths...), source.Options{})
	if err != nil {
		s.log(messageError, "scan: %v", err)
		return true
	}
	var cfg *config.Config
	if s.opt.Config != nil {
		if cfg, err = s.opt.Config(); err != nil {
			s.log(messageError, "%v", err)
			return true
		}
	}
	overlay := func(file string) ([]byte, bool) {
		t, ok := texts[file]
		return []byte(t), ok
	}
	result, err := scan.Run(ctx, scan.Options{Repos: repos, Source: source.Options{Overlay: overlay}, Config: cfg, Wants: s.opt.Wants,
		Cache: s.cache, Verbose: true, Version: s.opt.Version})
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		s.log(messageError, "scan: %v", err)
		return true
	}
	next := newSnapshot(result, repos, cfg, texts, versions)
	s.mu.Lock()
	first := s.last == nil
	s.last = next
	s.mu.Unlock()
	s.publish()
	s.say(result, first)
	return true
}

// say logs what the first scan saw, and what could not be read and lies in no file.
func (s *server) say(r *model.Result, first bool) {
	if first {
		s.log(messageLog, "%d repositories, %d layers, %d chains, %d windows, %d findings", len(r.Repositories), len(r.Layers), len(r.Chains),
			len(r.Windows), len(r.Findings))
	}
	for _, g := range r.Incomplete {
		if g.Path == "" {
			s.log(messageWarning, "not read: %s: %s", g.Repository, g.Reason)
		}
	}
}

// publish sends the diagnostics of the last scan, and takes back those that are no more.
func (s *server) publish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		return
	}
	byFile := s.diagnostics()
	var files []string
	for file := range byFile {
		files = append(files, file)
	}
	for file, uri := range s.published {
		if _, ok := byFile[file]; !ok || s.uri(file) != uri {
			s.send("textDocument/publishDiagnostics", publishDiagnosticsParams{URI: uri, Diagnostics: []diagnostic{}})
			delete(s.published, file)
		}
	}
	slices.Sort(files)
	for _, file := range files {
		p := publishDiagnosticsParams{URI: s.uri(file), Diagnostics: byFile[file]}
		if v, ok := s.last.versions[file]; ok && s.docs[file] != nil {
			p.Version = &v
		}
		s.send("textDocument/publishDiagnostics", p)
		s.published[file] = p.URI
	}
}

// diagnostics are those of all files that are shown. The caller holds the lock.
func (s *server) diagnostics() map[string][]diagnostic {
	out := map[string][]diagnostic{}
	snap := s.last
	add := func(p model.Place, d diagnostic) {
		file, ok := snap.file(p)
		if !ok || !s.shown(file) {
			return
		}
		d.Range, d.Source = snap.span(p), "retrylint"
		out[file] = append(out[file], d)
	}
	for i := range snap.result.Findings {
		f := &snap.result.Findings[i]
		if f.Suppressed == nil {
			add(f.Place, s.diagnostic(f))
		}
	}
	for _, g := range snap.result.Incomplete {
		if g.Path == "" {
			continue
		}
		d := diagnostic{Severity: severityInformation, Code: "not-read", Message: "retrylint could not read this: " + g.Reason}
		if g.Stage == scan.StageConfig {
			d.Severity, d.Code, d.Message = severityError, "config", g.Reason
		}
		add(model.Place{Repository: g.Repository, Path: g.Path, Line: max(g.Line, 1)}, d)
	}
	return out
}

// diagnostic is a finding without its range.
func (s *server) diagnostic(f *model.FindingInfo) diagnostic {
	d := diagnostic{Severity: severityInformation, Code: f.Rule, CodeDescription: &codeDescription{ruleURL(f.Rule)}, Message: f.Message,
		Data: &diagnosticData{f.Fingerprint}}
	switch f.Severity {
	case "error":
		d.Severity = severityError
	case "warning":
		d.Severity = severityWarning
	}
	if f.Help != "" {
		d.Message += "\nfix: " + f.Help
	}
	places := relatedPlaces(s.last, f)
	if s.related {
		for _, p := range places {
			if file, ok := s.last.file(p.Place); ok {
				d.RelatedInformation = append(d.RelatedInformation, relatedInformation{location{s.uri(file), s.last.span(p.Place)}, p.Message})
			}
		}
		return d
	}
	for _, p := range places {
		d.Message += fmt.Sprintf("\n%s: %s", p.Location(), p.Message)
	}
	return d
}

// ruleURL is the page of a rule.
func ruleURL(rule string) string {
	return "https://github.com/retrylint/retrylint/blob/main/docs/rules/" + rule + ".md"
}

// maxRelated is how many places one finding shows beside its own.
const maxRelated = 30

// relatedPlaces are the places that a finding names, and then the layers of its chain, outermost first.
func relatedPlaces(snap *snapshot, f *model.FindingInfo) []model.RelatedInfo {
	out := slices.Clone(f.Related)
	seen := func(p model.Place) bool {
		same := func(q model.Place) bool { return p.Repository == q.Repository && p.Path == q.Path && p.Line == q.Line }
		return same(f.Place) || slices.ContainsFunc(out, func(r model.RelatedInfo) bool { return same(r.Place) })
	}
	if c := snap.chain(f.Chain); c != nil {
		for _, id := range c.Layers {
			if l := snap.layers[id]; l != nil && !seen(l.Place) {
				out = append(out, model.RelatedInfo{Place: l.Place, Message: strings.TrimSpace("on the way: " + describe(l))})
			}
		}
	}
	return out[:min(len(out), maxRelated)]
}
