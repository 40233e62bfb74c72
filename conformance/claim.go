package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// Holds is the verdict on a claim that is as the linter says.
const Holds = "holds"

// Claim is what a rule says of keys and dedupe memories, held against what becomes of one intent.
type Claim struct {
	Name  string
	Repos []string // folders beneath the group's, or absolute ones, that are scanned together
	Flags []string
	Rule  string // the rule in question
	Found bool   // whether it has to find something
	// Run plays the intent and counts its effects; harmed is whether it was carried out twice or lost.
	Run  func(ctx context.Context) (effects string, harmed bool)
	Long bool
}

// Claims is a section of the document about claims.
type Claims struct {
	Name, Title, Text string
	Claims            []Claim
}

// Test runs the claims and holds them against the scans and their rows.
func (g Claims) Test(t *testing.T) {
	_, file, _, _ := runtime.Caller(1)
	dir := filepath.Dir(file)
	old, err := readTable(g.Name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	type result struct {
		row Row
		err error
	}
	results := make([]result, len(g.Claims))
	slots := make(chan struct{}, 4)
	var wait sync.WaitGroup
	for i, c := range g.Claims {
		if c.Long && !Long() {
			continue
		}
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i].row, results[i].err = c.check(t.Context(), dir)
		})
	}
	wait.Wait()
	fresh := table{Title: g.Title, Text: g.Text, Claims: true}
	for i, c := range g.Claims {
		at := slices.IndexFunc(old.Rows, func(r Row) bool { return r.Case == c.Name })
		if c.Long && !Long() {
			if at < 0 {
				t.Errorf("%s: no row in rows/%s.json: RETRYLINT_LONG=1 go test -update", c.Name, g.Name)
				continue
			}
			fresh.Rows = append(fresh.Rows, old.Rows[at])
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			r := results[i]
			if r.err != nil {
				t.Error(r.err)
				return
			}
			fresh.Rows = append(fresh.Rows, r.row)
			if !*update && (at < 0 || old.Rows[at] != r.row) {
				t.Errorf("%+v is not what rows/%s.json says (go test -update writes it)", r.row, g.Name)
			}
		})
	}
	if *update && !t.Failed() {
		if err := writeTable(g.Name, fresh); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(old.Rows) > len(fresh.Rows) && !t.Failed() {
		t.Errorf("rows/%s.json has rows of claims that are no more", g.Name)
	}
}

func (c *Claim) check(ctx context.Context, dir string) (row Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	repos := slices.Clone(c.Repos)
	for i, r := range repos {
		if !filepath.IsAbs(r) {
			repos[i] = filepath.Join(dir, r)
		}
	}
	s, err := ScanOf(repos, c.Flags...)
	if err != nil {
		return row, err
	}
	row = Row{Case: c.Name, Said: "no " + c.Rule, Verdict: Holds}
	if c.Found {
		row.Said = c.Rule
	}
	if s.Has(c.Rule, "") != c.Found {
		return row, fmt.Errorf("%s found: %t", c.Rule, !c.Found)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	effects, harmed := c.Run(ctx)
	row.Counted = effects
	if harmed != c.Found {
		return row, fmt.Errorf("%s found: %t, but %s", c.Rule, c.Found, effects)
	}
	return row, nil
}
