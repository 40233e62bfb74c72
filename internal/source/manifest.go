package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxManifestBytes is the largest manifest: some 100,000 repositories.
const maxManifestBytes = 64 << 20

// manifestEntry is one repository as a manifest writes it.
type manifestEntry struct {
	Name  string `yaml:"name"`
	URL   string `yaml:"url"`
	Ref   string `yaml:"ref"`
	Group string `yaml:"group"`
	line  int
}

// ReadManifest reads a list of repositories. The form is known by the name's ending and the first line:
//
//   - YAML (.yaml, .yml, .json): repositories: [{name, url, ref, group}], all but url optional
//   - CSV (.csv, or a first line with "url" between commas): columns in any order, named by the first line
//   - anything else: one URL or path on each line; empty lines and lines with # in front are passed over
//
// A url may be a path, relative to the manifest's folder. Whether the repositories exist is found out by Open, so that
// one that has vanished does not keep the others from being scanned. Mistakes in the manifest are a [UsageError] that
// names the line.
func ReadManifest(path string) ([]Repo, error) {
	data, err := readManifestFile(path)
	if err != nil {
		return nil, &UsageError{Arg: path, Reason: underlying(err).Error()}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := strings.Cut(string(data), "\n")
	var entries []manifestEntry
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".yaml" || ext == ".yml" || ext == ".json":
		entries, err = manifestYAML(data)
	case ext == ".csv" || strings.Contains(","+strings.ToLower(strings.TrimSpace(first))+",", ",url,") && strings.Contains(first, ","):
		entries, err = manifestCSV(data)
	default:
		entries = manifestLines(data)
	}
	if err != nil {
		return nil, &UsageError{Arg: path, Reason: err.Error()}
	}
	base, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, &UsageError{Arg: path, Reason: err.Error()}
	}
	repos := make([]Repo, 0, len(entries))
	for _, e := range entries {
		r, err := e.repo(base)
		if err != nil {
			return nil, &UsageError{Arg: path, Reason: fmt.Sprintf("line %d: %v", e.line, err)}
		}
		repos = append(repos, r)
	}
	return Merge(repos), nil
}

func (e manifestEntry) repo(base string) (Repo, error) {
	if e.URL == "" {
		return Repo{}, errors.New("url is missing")
	}
	var r Repo
	if looksLikeURL(e.URL) {
		var err error
		if r, err = parseURL(e.URL); err != nil {
			return Repo{}, err
		}
	} else {
		dir := filepath.FromSlash(e.URL)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(base, dir)
		}
		r = Repo{Name: folderName(dir), Dir: filepath.Clean(dir)}
	}
	if e.Ref != "" {
		if err := checkRef(e.Ref); err != nil {
			return Repo{}, err
		}
	}
	if !validName(e.Name) || !validName(e.Group) {
		return Repo{}, errors.New("control characters in a name")
	}
	if e.Name != "" {
		r.Name = e.Name
	}
	r.Ref, r.Group = e.Ref, e.Group
	return r, nil
}

func manifestYAML(data []byte) ([]manifestEntry, error) {
	var doc struct {
		Repositories []yaml.Node `yaml:"repositories"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil && err != io.EOF {
		return nil, err
	}
	entries := make([]manifestEntry, 0, len(doc.Repositories))
	for _, n := range doc.Repositories {
		e := manifestEntry{line: n.Line}
		if n.Kind == yaml.ScalarNode {
			e.URL = n.Value
		} else {
			if err := knownKeys(&n); err != nil {
				return nil, err
			}
			if err := n.Decode(&e); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// knownKeys refuses keys that would be passed over in silence; Node.Decode has no such check of its own.
func knownKeys(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a repository is a mapping with name, url, ref and group", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k := n.Content[i]; k.Value {
		case "name", "url", "ref", "group":
		default:
			return fmt.Errorf("line %d: unknown key %q; known are name, url, ref and group", k.Line, k.Value)
		}
	}
	return nil
}

func manifestCSV(data []byte) ([]manifestEntry, error) {
	rd := csv.NewReader(bytes.NewReader(data))
	rd.TrimLeadingSpace = true
	rd.FieldsPerRecord = -1
	rd.Comment = '#'
	head, err := rd.Read()
	if err != nil {
		return nil, fmt.Errorf("no line with the names of the columns: %w", err)
	}
	var entries []manifestEntry
	seen := false
	for i, name := range head {
		head[i] = strings.ToLower(strings.TrimSpace(name))
		switch head[i] {
		case "url":
			seen = true
		case "name", "ref", "group":
		default:
			return nil, fmt.Errorf("line 1: unknown column %q; known are name, url, ref and group", name)
		}
	}
	if !seen {
		return nil, errors.New("line 1: no column url")
	}
	for {
		rec, err := rd.Read()
		if err == io.EOF {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := rd.FieldPos(0)
		if len(rec) > len(head) {
			return nil, fmt.Errorf("line %d: %d fields for %d columns", line, len(rec), len(head))
		}
		e := manifestEntry{line: line}
		for i, v := range rec {
			v = strings.TrimSpace(v)
			switch head[i] {
			case "name":
				e.Name = v
			case "url":
				e.URL = v
			case "ref":
				e.Ref = v
			case "group":
				e.Group = v
			}
		}
		entries = append(entries, e)
	}
}

func manifestLines(data []byte) []manifestEntry {
	var entries []manifestEntry
	n := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		n++
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' {
			entries = append(entries, manifestEntry{URL: line, line: n})
		}
	}
	return entries
}

// readManifestFile reads the manifest, which may be a link or a pipe: the user named it.
func readManifestFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifestBytes+1))
	if err == nil && len(data) > maxManifestBytes {
		err = errTooLarge(int64(len(data)), maxManifestBytes)
	}
	return data, err
}
