package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// scanned is what one scan says.
type scanned struct {
	repo     repository
	commit   string
	findings []model.FindingInfo
	loops    model.LoopCounts
}

func readScan(file string) (scanned, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return scanned{}, err
	}
	var r model.Result
	if err := json.Unmarshal(b, &r); err != nil {
		return scanned{}, fmt.Errorf("%s: %w", file, err)
	}
	s := scanned{findings: r.Findings, loops: r.Summary.Loops}
	if len(r.Repositories) == 1 {
		s.commit = r.Repositories[0].Commit
	}
	return s, nil
}

// place is what a verdict is about. The commit is that of the list, so that a line is a fixed place.
type place struct {
	repo, commit, rule, path string
	line                     int
}

func placeOf(r repository, f model.FindingInfo) place {
	return place{r.name, short(r.commit), f.Rule, f.Path, f.Line}
}

func short(commit string) string { return commit[:min(12, len(commit))] }

// opinion is what a reader thought of a finding.
type opinion struct {
	fingerprint string
	verdict     string // right, wrong, debatable
	reason      string
}

// readVerdicts reads the table of opinions; a file that is not there holds none.
func readVerdicts(file string) (map[place]opinion, error) {
	out := map[place]opinion{}
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		if n == 1 || strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 8 {
			return nil, fmt.Errorf("%s:%d: %d columns, not 8", file, n, len(f))
		}
		at, err := strconv.Atoi(f[4])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		switch f[6] {
		case "right", "wrong", "debatable":
		default:
			return nil, fmt.Errorf("%s:%d: verdict %q is not right, wrong or debatable", file, n, f[6])
		}
		p := place{f[0], f[1], f[2], f[3], at}
		if _, twice := out[p]; twice {
			return nil, fmt.Errorf("%s:%d: a second verdict on the same finding", file, n)
		}
		out[p] = opinion{f[5], f[6], f[7]}
	}
	return out, nil
}
