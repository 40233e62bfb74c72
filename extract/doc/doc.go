// Package doc turns the bytes of a configuration file into one tree, whatever the syntax: mappings, lists and scalars,
// each with its place in the file and its comments; several documents per file. All that is awkward about a syntax
// (anchors, templates, tabs, encodings, dotted keys) stays in here, so that a format reads trees and never bytes.
//
// A file is never refused whole for one fault: what could not be read is in File.Errs, the rest is in File.Docs. Parse
// does not panic, does no I/O, and its memory and depth are bounded by Limits. A File and its nodes are read-only after
// Parse returns, so they may be shared between goroutines.
//
// Positions count lines and columns from 1, columns in bytes. They refer to the text after decoding: a byte order mark
// is not counted, and UTF-16 is read as the UTF-8 it becomes.
//
// Two choices that a caller should know:
//   - A key that stands twice in one mapping is an Error, and its last value is kept (in templated YAML it is no Error,
//     since the two mostly stand in different branches, and the value is Unknown where the two differ).
//   - Whatever depends on a template, a variable or a reference is of kind Unknown and keeps its text. It is never
//     taken for absent, hence never for the format's default.
//
// To add a syntax, write one file with a function that fills a builder and register it: var _ = addReader(reader{…}).
package doc

import (
	"fmt"
	"path"
	"sort"
	"strings"
)

// Pos is a place in a file: 1-based line, 1-based column in bytes. EndLine and EndCol are the exclusive end of the
// value, 0 where it is not known. The zero Pos is no place.
type Pos struct{ Line, Col, EndLine, EndCol int }

// IsValid reports whether p is a place at all.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String is "line:col", or "-" for no place.
func (p Pos) String() string {
	if !p.IsValid() {
		return "-"
	}
	return fmt.Sprintf("%d:%d", p.Line, p.Col)
}

// Syntax is the notation a file is written in.
type Syntax uint8

// The notations. NoSyntax is what a file is that nobody here reads.
const (
	NoSyntax   Syntax = iota
	YAML              // YAML 1.1 and 1.2, also with Helm, Jinja or ERB templates
	JSON              // JSON, with comments and trailing commas
	TOML              // TOML 1.0
	INI               // sections of key = value
	Properties        // Java properties, dotted keys split
	Env               // NAME=value lines, keys not split
	HCL               // HashiCorp configuration language 2, literals only
	Systemd           // systemd units: INI in which a repeated key makes a list
	Nginx             // nginx directives and blocks
	HAProxy           // HAProxy sections
	FluentBit         // Fluent Bit's classic mode: sections of "Key Value", the same section several times
	Fluentd           // Fluentd: directives and <blocks>
	Lines             // one list item a line (crontab and its like)
	SQL               // SQL: the statements that delete rows, see readSQL
	Proto             // .proto files: package and services, see readProto
	Starlark          // Bazel's BUILD files: the calls at the top
	Dockerfile        // one list item an instruction
	Shell             // shell scripts: one text
	Bicep             // Azure's Bicep: resources, parameters, variables
	Conf              // a *.conf or *.cfg file, whose content tells which of the above it is
)

var syntaxNames = [...]string{"none", "yaml", "json", "toml", "ini", "properties", "env", "hcl", "systemd", "nginx", "haproxy", "fluentbit", "fluentd", "lines", "sql", "proto", "starlark", "dockerfile", "shell", "bicep", "conf"}

// String is the notation's name in lower case.
func (s Syntax) String() string {
	if int(s) < len(syntaxNames) {
		return syntaxNames[s]
	}
	return fmt.Sprintf("syntax(%d)", uint8(s))
}

// Document is one document of a file. YAML files may hold several; all other syntaxes have one.
type Document struct {
	Root      *Node
	Syntax    Syntax
	Index     int // from 0; documents that could not be read are counted but not listed
	StartLine int // first line of the document, after its "---"
}

// Comment is one comment, without its marker and outer white space. A block comment over several lines is one Comment.
type Comment struct {
	Pos  Pos // of the marker
	Text string

	own bool // nothing but white space stands before it on its line
}

// Own reports whether the comment has its line for itself, so that it speaks of the line below.
func (c Comment) Own() bool { return c.own }

// Error is something in a file that could not be read. It is a gap in what is known, not a finding.
type Error struct {
	Pos Pos
	Msg string
}

// Error is "line:col: message".
func (e Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// File is what Parse makes of a file.
type File struct {
	Path      string
	Syntax    Syntax
	Docs      []*Document
	Comments  []Comment // of the whole file, in order
	Errs      []Error
	Templated bool // the file is a template (Helm, Jinja, ERB), not merely one with expressions inside quotes

	text string
}

// Text is the file's decoded text, to which all positions refer. It is empty for a file that was refused whole.
func (f *File) Text() string { return f.text }

// Limits bound what one file may cost. Zero fields mean the default.
type Limits struct {
	MaxBytes          int64 // size of the file; default 8 MiB
	MaxDepth          int   // nesting of mappings and lists; default 100
	MaxAliasExpansion int   // nodes that YAML aliases and merge keys may add; default 20,000
	MaxNodes          int   // values of the whole file; default 500,000
}

func (l Limits) filled() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = 8 << 20
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = 100
	}
	if l.MaxAliasExpansion <= 0 {
		l.MaxAliasExpansion = 20_000
	}
	if l.MaxNodes <= 0 {
		l.MaxNodes = 500_000
	}
	return l
}

// A reader is one syntax: the files it reads and how. Exts hold the dot.
type reader struct {
	Syntax Syntax
	Names  []string // patterns as of path.Match on the base name
	Exts   []string // of the base name
	Read   func(*builder)
}

var (
	readers    = map[Syntax]reader{}
	byExt      = map[string]Syntax{}
	byPatterns []pattern
)

type pattern struct {
	glob   string
	syntax Syntax
}

// addReader registers a syntax. It is called from package-level variables only, hence before any Parse.
func addReader(r reader) struct{} {
	readers[r.Syntax] = r
	for _, e := range r.Exts {
		byExt[e] = r.Syntax
	}
	for _, n := range r.Names {
		byPatterns = append(byPatterns, pattern{n, r.Syntax})
	}
	// The order of variables' initialisation must not decide between two patterns.
	sort.Slice(byPatterns, func(i, j int) bool { return byPatterns[i].glob < byPatterns[j].glob })
	return struct{}{}
}

// templateExts are what template files carry behind the extension of the syntax they make.
var templateExts = []string{".tpl", ".tmpl", ".gotmpl", ".tftpl", ".j2", ".jinja", ".jinja2", ".erb"}

// SyntaxOf tells the syntax of a file from its name. A template's extension behind the syntax's own is looked through
// ("values.yaml.gotmpl" is YAML). For *.conf and *.cfg it is mostly Conf; the File that Parse returns has the syntax that was found.
func SyntaxOf(file string) (Syntax, bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	for _, e := range templateExts {
		if cut, ok := strings.CutSuffix(base, e); ok && strings.Contains(cut, ".") {
			base = cut
			break
		}
	}
	// Drop-ins of systemd units: app.service.d/10-restart.conf.
	if dir := path.Ext(strings.TrimSuffix(path.Dir(strings.ReplaceAll(file, `\`, "/")), ".d")); path.Ext(base) == ".conf" && byExt[dir] == Systemd {
		return Systemd, true
	}
	for _, p := range byPatterns {
		if ok, _ := path.Match(p.glob, base); ok {
			return p.syntax, true
		}
	}
	if s, ok := byExt[path.Ext(base)]; ok {
		return s, true
	}
	return NoSyntax, false
}

// Parse reads a file in the syntax its name tells. It never panics; for a name that tells none the File has an Error
// and no documents. Zero fields of lim mean the default.
func Parse(file string, data []byte, lim Limits) *File {
	s, ok := SyntaxOf(file)
	if !ok {
		return &File{Path: file, Errs: []Error{{Pos{Line: 1, Col: 1}, "unknown kind of file"}}}
	}
	return ParseAs(s, file, data, lim)
}

// ParseAs is Parse with the syntax given by the caller, for names that mislead. A text inside another file's value is
// better read by Node.ParseAs, which keeps its places.
func ParseAs(syntax Syntax, file string, data []byte, lim Limits) *File {
	f := &File{Path: file, Syntax: syntax}
	lim = lim.filled()
	start := Pos{Line: 1, Col: 1}
	if int64(len(data)) > lim.MaxBytes {
		f.Errs = append(f.Errs, Error{start, fmt.Sprintf("file of %d bytes is larger than the limit of %d", len(data), lim.MaxBytes)})
		return f
	}
	text, err := decodeText(data)
	if err != nil {
		f.Errs = append(f.Errs, Error{start, err.Error()})
		return f
	}
	f.read(newSource(text), lim)
	return f
}

// read fills f from a text.
func (f *File) read(src *source, lim Limits) {
	var start Pos
	start.Line, start.Col = src.place(0)
	r, ok := readers[f.Syntax]
	if !ok {
		f.Errs = append(f.Errs, Error{start, "no reader for syntax " + f.Syntax.String()})
		return
	}
	f.text = src.text
	src.file = f.Path
	b := &builder{file: f, src: src, lim: lim}
	defer func() {
		// A fault in here or in a library costs this file and no other.
		if p := recover(); p != nil {
			f.Docs = nil
			f.Errs = append(f.Errs, Error{start, fmt.Sprintf("%s could not be read: %v", r.Syntax, p)})
		}
	}()
	r.Read(b)
	b.finish()
}
