// Package factfile keeps the facts of one repository as a file: JSON Lines under gzip. The first line is the header, then
// comes one line for each fact with exactly one field set, in the order of [model.Facts.Sort], and the last line is the trailer
// with counts. A file without its trailer is not finished and is an error, so a worker that was killed leaves nothing that
// could be taken for the whole. The bytes depend on the facts alone: no time stamps, no machine.
//
// [Store] keeps such files under the names of their repositories, for scans in shards; [Merge] puts them together. [Cache]
// keeps them under what they were made from, so that nothing is read twice.
package factfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/retrylint/retrylint/model"
)

// Header is the first line.
type Header struct {
	Schema     int              `json:"schema"`
	Extractor  string           `json:"extractor"` // what made the facts, see [ExtractorID]
	Repository model.Repository `json:"repository"`
}

// File is a header with its facts.
type File struct {
	Header Header
	Facts  *model.Facts
}

// Limits on what is read, so that a hostile file costs no more than this.
const (
	maxLine  = 8 << 20
	maxBytes = 4 << 30
)

// line is one line; exactly one field is set.
type line struct {
	Header      *Header            `json:"header,omitempty"`
	Node        *model.Node        `json:"node,omitempty"`
	Edge        *model.Edge        `json:"edge,omitempty"`
	Layer       *model.Layer       `json:"layer,omitempty"`
	Handler     *model.Handler     `json:"handler,omitempty"`
	Route       *model.Route       `json:"route,omitempty"`
	Boundary    *model.Boundary    `json:"boundary,omitempty"`
	DeadLetter  *model.DeadLetter  `json:"deadLetter,omitempty"`
	Service     *model.Service     `json:"service,omitempty"`
	Setting     *model.Setting     `json:"setting,omitempty"`
	Suppression *model.Suppression `json:"suppression,omitempty"`
	Gap         *model.Gap         `json:"gap,omitempty"`
	Undecided   *model.Undecided   `json:"undecided,omitempty"`
	Line        *model.Line        `json:"line,omitempty"`
	Stats       *model.Stats       `json:"stats,omitempty"`
	Helper      *model.Helper      `json:"helper,omitempty"`
	Operation   *model.Operation   `json:"operation,omitempty"`
	Build       *model.Build       `json:"build,omitempty"`
	Config      *configLine        `json:"config,omitempty"`
	Notice      *string            `json:"notice,omitempty"`
	Trailer     *trailer           `json:"trailer,omitempty"`
}

// configLine is the repository's own configuration as it stands.
type configLine struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// trailer says that the file is whole.
type trailer struct {
	Facts int `json:"facts"` // lines between header and trailer
}

// Write writes a file. The facts are not changed; they are written in their canonical order whatever order they have.
func Write(w io.Writer, h Header, f *model.Facts) error {
	h.Schema, h.Repository = model.SchemaVersion, f.Repo
	sorted := clone(f)
	sorted.Sort()
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("write facts of %s: %w", f.Repo.Name, err)
	}
	buf := bufio.NewWriterSize(zip, 1<<16)
	enc := &encoder{json: json.NewEncoder(buf)}
	enc.json.SetEscapeHTML(false)
	enc.put(line{Header: &h})
	enc.facts(sorted)
	enc.put(line{Trailer: &trailer{Facts: enc.n - 1}})
	if enc.err == nil {
		enc.err = buf.Flush()
	}
	if enc.err == nil {
		enc.err = zip.Close()
	}
	if enc.err != nil {
		return fmt.Errorf("write facts of %s: %w", f.Repo.Name, enc.err)
	}
	return nil
}

type encoder struct {
	json *json.Encoder
	n    int
	err  error
}

func (e *encoder) put(l line) {
	if e.err == nil {
		e.err = e.json.Encode(l)
		e.n++
	}
}

func (e *encoder) facts(f *model.Facts) {
	if f.Stats != (model.Stats{}) {
		e.put(line{Stats: &f.Stats})
	}
	if f.Config != "" || f.ConfigPath != "" {
		e.put(line{Config: &configLine{f.ConfigPath, f.Config}})
	}
	each(f.Notices, func(x *string) { e.put(line{Notice: x}) })
	each(f.Nodes, func(x *model.Node) { e.put(line{Node: x}) })
	each(f.Edges, func(x *model.Edge) { e.put(line{Edge: x}) })
	each(f.Layers, func(x *model.Layer) { e.put(line{Layer: x}) })
	each(f.Handlers, func(x *model.Handler) { e.put(line{Handler: x}) })
	each(f.Routes, func(x *model.Route) { e.put(line{Route: x}) })
	each(f.Boundaries, func(x *model.Boundary) { e.put(line{Boundary: x}) })
	each(f.DeadLetters, func(x *model.DeadLetter) { e.put(line{DeadLetter: x}) })
	each(f.Helpers, func(x *model.Helper) { e.put(line{Helper: x}) })
	each(f.Operations, func(x *model.Operation) { e.put(line{Operation: x}) })
	each(f.Builds, func(x *model.Build) { e.put(line{Build: x}) })
	each(f.Services, func(x *model.Service) { e.put(line{Service: x}) })
	each(f.Settings, func(x *model.Setting) { e.put(line{Setting: x}) })
	each(f.Suppressions, func(x *model.Suppression) { e.put(line{Suppression: x}) })
	each(f.Gaps, func(x *model.Gap) { e.put(line{Gap: x}) })
	each(f.Undecided, func(x *model.Undecided) { e.put(line{Undecided: x}) })
	each(f.Lines, func(x *model.Line) { e.put(line{Line: x}) })
}

func each[T any](list []T, fn func(*T)) {
	for i := range list {
		fn(&list[i])
	}
}

func clone(f *model.Facts) *model.Facts {
	c := *f
	c.Nodes, c.Edges, c.Layers = slices.Clone(f.Nodes), slices.Clone(f.Edges), slices.Clone(f.Layers)
	c.Handlers, c.Routes, c.Boundaries = slices.Clone(f.Handlers), slices.Clone(f.Routes), slices.Clone(f.Boundaries)
	c.DeadLetters, c.Services, c.Settings = slices.Clone(f.DeadLetters), slices.Clone(f.Services), slices.Clone(f.Settings)
	c.Suppressions, c.Gaps, c.Undecided = slices.Clone(f.Suppressions), slices.Clone(f.Gaps), slices.Clone(f.Undecided)
	c.Lines, c.Notices, c.Helpers = slices.Clone(f.Lines), slices.Clone(f.Notices), slices.Clone(f.Helpers)
	c.Operations, c.Builds = slices.Clone(f.Operations), slices.Clone(f.Builds)
	return &c
}

// ErrUnfinished is a file without its trailer: whoever wrote it did not come to the end.
var ErrUnfinished = errors.New("the file is not finished")

// Read reads a whole file. Everything but a finished file of this schema is an error.
func Read(r io.Reader) (*File, error) {
	d, err := newDecoder(r)
	if err != nil {
		return nil, err
	}
	f := &File{Header: d.header, Facts: &model.Facts{Schema: d.header.Schema, Repo: d.header.Repository}}
	n := 0
	for {
		l, err := d.next()
		if err != nil {
			return nil, err
		}
		if l.Trailer != nil {
			if l.Trailer.Facts != n {
				return nil, fmt.Errorf("facts file: the trailer counts %d facts, %d were read", l.Trailer.Facts, n)
			}
			return f, d.end()
		}
		if !l.addTo(f.Facts) {
			return nil, fmt.Errorf("facts file: line %d holds no fact, or several", d.n)
		}
		n++
	}
}

// ReadHeader reads the first line alone; it does not tell whether the file is finished.
func ReadHeader(r io.Reader) (Header, error) {
	d, err := newDecoder(r)
	if err != nil {
		return Header{}, err
	}
	return d.header, nil
}

type decoder struct {
	lines  *bufio.Reader
	buf    []byte
	header Header
	n      int
	read   int64
}

func newDecoder(r io.Reader) (*decoder, error) {
	zip, err := gzip.NewReader(r)
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, ErrUnfinished
		}
		return nil, fmt.Errorf("facts file: %w", err)
	}
	d := &decoder{lines: bufio.NewReaderSize(zip, 1<<16)}
	l, err := d.next()
	if err != nil {
		return nil, err
	}
	switch {
	case l.Header == nil:
		return nil, errors.New("facts file: the first line is no header")
	case l.Header.Schema != model.SchemaVersion:
		return nil, fmt.Errorf("facts file of %s: schema %d is not known; this retrylint reads schema %d", l.Header.Repository.Name, l.Header.Schema, model.SchemaVersion)
	}
	d.header = *l.Header
	return d, nil
}

func (d *decoder) next() (line, error) {
	d.n++
	d.buf = d.buf[:0]
	for {
		part, err := d.lines.ReadSlice('\n')
		d.buf = append(d.buf, part...)
		d.read += int64(len(part))
		if len(d.buf) > maxLine || d.read > maxBytes {
			return line{}, fmt.Errorf("facts file: line %d is too long, or the file is too large", d.n)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return line{}, ErrUnfinished
		}
		if err != nil {
			return line{}, fmt.Errorf("facts file: line %d: %w", d.n, err)
		}
		break
	}
	dec := json.NewDecoder(bytes.NewReader(d.buf))
	dec.DisallowUnknownFields()
	var l line
	if err := dec.Decode(&l); errors.Is(err, io.EOF) {
		return line{}, fmt.Errorf("facts file: line %d is empty", d.n)
	} else if err != nil {
		return line{}, fmt.Errorf("facts file: line %d: %w", d.n, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return line{}, fmt.Errorf("facts file: something follows the fact of line %d", d.n)
	}
	return l, nil
}

// end makes sure that nothing follows the trailer, and lets gzip compare its checksum.
func (d *decoder) end() error {
	switch _, err := d.lines.ReadByte(); {
	case err == nil:
		return errors.New("facts file: something follows the trailer")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return ErrUnfinished
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("facts file: %w", err)
	}
	return nil
}

// addTo adds the one fact of a line; ok is false where there is none, or more than one.
func (l *line) addTo(f *model.Facts) (ok bool) {
	n := 0
	n += add(&f.Nodes, l.Node) + add(&f.Edges, l.Edge) + add(&f.Layers, l.Layer) + add(&f.Handlers, l.Handler) + add(&f.Routes, l.Route)
	n += add(&f.Boundaries, l.Boundary) + add(&f.DeadLetters, l.DeadLetter) + add(&f.Services, l.Service) + add(&f.Settings, l.Setting)
	n += add(&f.Suppressions, l.Suppression) + add(&f.Gaps, l.Gap) + add(&f.Undecided, l.Undecided) + add(&f.Lines, l.Line)
	n += add(&f.Notices, l.Notice) + add(&f.Helpers, l.Helper) + add(&f.Operations, l.Operation) + add(&f.Builds, l.Build)
	if l.Config != nil {
		f.ConfigPath, f.Config = l.Config.Path, l.Config.Text
		n++
	}
	if l.Stats != nil {
		f.Stats = *l.Stats
		n++
	}
	return n == 1 && l.Header == nil && l.Trailer == nil
}

func add[T any](list *[]T, v *T) int {
	if v == nil {
		return 0
	}
	*list = append(*list, *v)
	return 1
}
