package scan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// addLines writes down the text of each line on which a fact stands, cut to 200 characters: whoever judges has no source
// files, but needs snippets and stable fingerprints.
func addLines(rev *source.Revision, f *model.Facts, blobs *blobFacts) error {
	want := map[string]map[int]bool{}
	add := func(l model.Location) {
		if l.Path == "" || l.Line <= 0 || l.Repo != f.Repo.Name {
			return
		}
		if want[l.Path] == nil {
			want[l.Path] = map[int]bool{}
		}
		want[l.Path][l.Line] = true
	}
	eachLocation(f, add)
	var files []string
	for _, info := range rev.Files() {
		lines := want[info.Path]
		if lines == nil {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(blobs.lines(info.Path)), func(l model.Line) bool { return !lines[l.Line] })
		if len(known) == len(lines) {
			f.Lines = append(f.Lines, known...)
			continue
		}
		files = append(files, info.Path)
	}
	return rev.Read(files, func(p string, data []byte) error {
		lines := want[p]
		rolling := rollingHashes(data, lines)
		n := 0
		for len(data) > 0 {
			line := data
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				line, data = data[:i], data[i+1:]
			} else {
				data = nil
			}
			n++
			if lines[n] {
				l := lineOf(p, n, string(bytes.TrimRight(line, "\r")))
				l.Rolling = rolling[n]
				f.Lines = append(f.Lines, l)
			}
		}
		return nil
	})
}

func eachLocation(f *model.Facts, add func(model.Location)) {
	traits := func(ts []model.Trait) {
		for _, t := range ts {
			add(t.At)
		}
	}
	for i := range f.Layers {
		l := &f.Layers[i]
		add(l.At)
		add(l.Call)
		for _, s := range l.SetBy {
			add(s)
		}
		traits(l.Traits)
	}
	for i := range f.Boundaries {
		add(f.Boundaries[i].At)
		add(f.Boundaries[i].Use)
		traits(f.Boundaries[i].Traits)
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		add(e.At)
		add(e.Key.At)
		add(e.Key.Born)
		add(e.Handed.At)
	}
	for i := range f.Nodes {
		add(f.Nodes[i].At)
		traits(f.Nodes[i].Traits)
	}
	for i := range f.Handlers {
		add(f.Handlers[i].At)
		add(f.Handlers[i].KeyAt)
		traits(f.Handlers[i].Traits)
	}
	for i := range f.Routes {
		add(f.Routes[i].At)
		add(f.Routes[i].TimeoutAt)
	}
	for i := range f.DeadLetters {
		add(f.DeadLetters[i].At)
	}
	for i := range f.Services {
		add(f.Services[i].At)
		add(f.Services[i].ReplicasAt)
	}
	for i := range f.Settings {
		add(f.Settings[i].At)
	}
	for i := range f.Suppressions {
		add(f.Suppressions[i].At)
	}
}

const maxLineText = 200

// lineOf is a line with its hash over the text without the space around it, so that indenting changes nothing.
func lineOf(p string, n int, text string) model.Line {
	hash := config.LineHash(text)
	if secret(text) {
		text = "(not shown: the line may hold a secret)"
	}
	if len(text) > maxLineText {
		cut := maxLineText
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return model.Line{Path: p, Line: n, Text: strings.ToValidUTF8(text, "\uFFFD"), Hash: hash}
}

// secret reports whether a line assigns something that looks like a secret.
func secret(text string) bool {
	key, value, ok := strings.Cut(text, ":")
	if !ok || strings.Contains(key, "=") {
		key, value, ok = strings.Cut(text, "=")
	}
	if !ok || strings.TrimSpace(value) == "" {
		return false
	}
	key = strings.ToLower(key)
	return slices.ContainsFunc([]string{"password", "passwd", "secret", "token", "apikey", "api_key", "private_key", "credential"},
		func(w string) bool { return strings.Contains(key, w) })
}

func panicText(r any) string { return fmt.Sprintf("internal error: %v", r) }
