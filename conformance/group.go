package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the rows and docs/conformance.md anew")

// Group is the cases of one package and one section of the document.
type Group struct {
	Name  string // of the file rows/<name>.json
	Title string
	Text  string // a paragraph under the title
	Cases []Case
	// At is how many cases run at a time; 0: eight. They mostly wait.
	At int
}

// table is the file of a group's rows.
type table struct {
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	// Claims: the rows are about keys and windows, not about attempts.
	Claims bool  `json:"claims,omitempty"`
	Rows   []Row `json:"rows"`
}

// Long reports whether the long cases run too.
func Long() bool { return os.Getenv("RETRYLINT_LONG") != "" }

// Test runs the cases, holds each against its prediction and its row, and with -update writes the rows and the document.
func (g Group) Test(t *testing.T) {
	_, file, _, _ := runtime.Caller(1)
	dir := filepath.Dir(file)
	old, err := readTable(g.Name)
	if err != nil && !(errors.Is(err, os.ErrNotExist) && *update) {
		t.Fatal(err)
	}
	rows := make([]Row, len(g.Cases))
	slots := make(chan struct{}, cmp.Or(g.At, 8))
	var wait sync.WaitGroup
	results := make([]error, len(g.Cases))
	for i := range g.Cases {
		c := &g.Cases[i]
		if err := c.fill(dir); err != nil {
			t.Fatal(err)
		}
		if c.Long && !Long() {
			continue
		}
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rows[i], results[i] = c.measure(t.Context())
		})
	}
	wait.Wait()
	fresh := table{Title: g.Title, Text: g.Text}
	for i := range g.Cases {
		c := &g.Cases[i]
		at := slices.IndexFunc(old.Rows, func(r Row) bool { return r.Case == c.Name })
		if c.Long && !Long() {
			if at >= 0 {
				fresh.Rows = append(fresh.Rows, old.Rows[at])
			} else {
				t.Errorf("%s: no row in rows/%s.json: RETRYLINT_LONG=1 go test -update", c.Name, g.Name)
			}
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			row := rows[i]
			if err := results[i]; err != nil {
				t.Errorf("%v\n%s: said %s, counted %s, waits %s, took %s", err, repoNames(c.Repos), row.Said, row.Counted, row.Waits, row.Took)
				if at >= 0 {
					fresh.Rows = append(fresh.Rows, old.Rows[at])
				}
				return
			}
			if at >= 0 {
				diff := row.differs(old.Rows[at])
				if diff == "" {
					row = old.Rows[at]
				} else if !*update {
					t.Errorf("%s (go test -update writes it anew)", diff)
				}
			} else if !*update {
				t.Errorf("no row in rows/%s.json (go test -update writes it)", g.Name)
			}
			fresh.Rows = append(fresh.Rows, row)
		})
	}
	if *update {
		if err := writeTable(g.Name, fresh); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(old.Rows) > len(fresh.Rows) {
		t.Errorf("rows/%s.json has rows of cases that are no more", g.Name)
	}
}

// measure runs a case as often as it needs. A run that came out too slow is made again, twice at most: the machine may have
// had other work.
func (c *Case) measure(ctx context.Context) (Row, error) {
	p, s, err := c.predict()
	if err != nil {
		return Row{}, err
	}
	runs := c.Runs
	if runs == 0 {
		runs = 1
		if p.Jitter() && c.Time == "" {
			runs = 10
		}
	}
	if c.Setup != nil {
		defer c.Setup()()
	}
	var row Row
	for try := 0; ; try++ {
		var m measured
		for range runs {
			rec, end, err := c.run(ctx)
			if err != nil {
				return row, err
			}
			m.add(rec, end)
		}
		var late bool
		row, late, err = c.judge(p, s, &m)
		if err == nil && c.Heeds != nil {
			err = c.heed(p, s, &m, time.Second)
		}
		if err == nil || !late || try == 2 {
			return row, err
		}
	}
}

func rowsFile(name string) string { return filepath.Join(Module(), "rows", name+".json") }

func readTable(name string) (table, error) {
	var t table
	b, err := os.ReadFile(rowsFile(name))
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal(b, &t)
}

func writeTable(name string, t table) error {
	unlock, err := lock(filepath.Join(Module(), "bin"))
	if err != nil {
		return err
	}
	defer unlock()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(t); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(rowsFile(name)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(rowsFile(name), b.Bytes(), 0o644); err != nil {
		return err
	}
	doc, err := Document()
	if err != nil {
		return err
	}
	return os.WriteFile(documentFile(), []byte(doc), 0o644)
}
