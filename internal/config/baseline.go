package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/retrylint/retrylint/model"
)

// The states of a finding against a baseline.
const (
	StateNew       = "new"       // not in the baseline, or its chain has grown
	StateUnchanged = "unchanged" // in the baseline
	StateAbsent    = "absent"    // in the baseline, no longer found
)

// maxBaseline bounds what is read of a baseline.
const maxBaseline = 1 << 30

// Baseline is an earlier result.
type Baseline struct{ result model.Result }

// ReadBaseline reads the JSON of an earlier scan. A file of another version, or one that is something else, is an error.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	b := &Baseline{}
	dec := json.NewDecoder(io.LimitReader(r, maxBaseline))
	if err := dec.Decode(&b.result); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("the file is empty or cut off")
		}
		return nil, fmt.Errorf("not the JSON of a scan: %w", err)
	}
	switch v := b.result.Version; {
	case v == 0:
		return nil, errors.New("not the JSON of a scan: it has no version")
	case v != 1:
		return nil, fmt.Errorf("it has version %d, this retrylint reads version 1", v)
	}
	return b, nil
}

// NewBaseline is an earlier result that is at hand.
func NewBaseline(r *model.Result) *Baseline { return &Baseline{result: *r} }

// Result is the earlier result as read.
func (b *Baseline) Result() *model.Result { return &b.result }

// Apply marks the findings of r as new or unchanged, and adds those of the baseline that are gone as absent. A finding whose
// chain makes more attempts than it did counts as new: a known fault that has become worse is not a known fault.
func (b *Baseline) Apply(r *model.Result) {
	old := make(map[string][]model.FindingInfo)
	for _, f := range b.result.Findings {
		if f.Baseline != StateAbsent {
			old[f.Fingerprint] = append(old[f.Fingerprint], f)
		}
	}
	before, now := attemptsOf(&b.result), attemptsOf(r)
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Baseline == StateAbsent {
			continue
		}
		same := old[f.Fingerprint]
		if f.Fingerprint == "" || len(same) == 0 {
			f.Baseline = StateNew
			continue
		}
		f.Baseline = StateUnchanged
		if f.Rule == "stacked-retries" && now[f.Chain] > before[same[0].Chain] {
			f.Baseline = StateNew
		}
		old[f.Fingerprint] = same[1:]
	}
	scanned := make(map[string]bool)
	for _, repo := range r.Repositories {
		scanned[repo.Name] = true
	}
	for _, f := range b.result.Findings {
		rest := old[f.Fingerprint]
		if f.Baseline == StateAbsent || len(rest) == 0 || !scanned[f.Repository] {
			continue
		}
		old[f.Fingerprint] = rest[1:]
		f = rest[0]
		f.Baseline, f.Chain, f.Layer = StateAbsent, "", ""
		r.Findings = append(r.Findings, f)
	}
	slices.SortStableFunc(r.Findings, func(a, b model.FindingInfo) int {
		return a.Location().Compare(b.Location())
	})
}

// attemptsOf ranks the attempts of each chain; unbounded is above everything, unknown below.
func attemptsOf(r *model.Result) map[string]int64 {
	m := make(map[string]int64, len(r.Chains))
	for _, c := range r.Chains {
		m[c.ID] = rank(c.Attempts)
	}
	return m
}

func rank(n model.Number) int64 {
	if n == "unbounded" {
		return 1<<63 - 1
	}
	i, _ := strconv.ParseInt(string(n), 10, 64)
	return i
}

// Counts reports whether a finding counts towards the exit code: it is neither suppressed nor known from a baseline.
func Counts(f model.FindingInfo) bool {
	return f.Suppressed == nil && f.Baseline != StateUnchanged && f.Baseline != StateAbsent
}
