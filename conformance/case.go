package conformance

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Case is one edge.
type Case struct {
	Name string // unique in its group: "avast/retry-go v4: Attempts(3)"
	// Run is the program: it calls what answers at addr until it gives up. Its error does not matter. Where it is a function of
	// a package that is scanned, Repos and Entry may be left out: they are its folder and its name.
	Run func(ctx context.Context, addr string) error

	// What the prediction is read from.
	Repos []string // folders beneath the group's that are scanned together, each a repository
	Flags []string // further flags of the scan
	Entry string   // the name of the chain's entry
	Layer string   // instead of a chain: a layer by its function, "file" or "file:line"

	// What it meets.
	Server Server // by default HTTP(Answer{}), which always answers 503

	// How it is measured.
	Runs  int           // runs; 0: one, or ten where the waits are a matter of chance
	Stop  int           // the run is ended at this attempt, because more would take too long or would never end
	Limit time.Duration // of one run; 0: a minute
	Long  bool          // runs with RETRYLINT_LONG=1 alone
	Setup func() (undo func())

	// What is to be expected beside an exact match, and why.
	Over    string // more attempts are said than come
	Time    string // the waits are not held against the measured ones, or are longer
	Unknown string // the linter says "unknown"
	Unseen  string // the linter sees no layer where there is one
	Off     bool   // the linter sees no layer, and there is none: one attempt
	Keys    string // what becomes of idempotency keys: "same", "new each time", "none"; "": not looked at
	// Heeds is whether the program waits as long as the server's Retry-After asks; nil: not looked at.
	Heeds *bool
}

type recordKey struct{}

// RecordOf is the record of the run, for programs that count by themselves.
func RecordOf(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// Yes and No are for [Case.Heeds].
var (
	yes, no = true, false
	Yes, No = &yes, &no
)

// fill sets what is left out. dir is the group's folder.
func (c *Case) fill(dir string) error {
	if c.Server.Start == nil {
		c.Server = HTTP(Answer{})
	}
	if c.Limit == 0 {
		c.Limit = time.Minute
	}
	full := runtime.FuncForPC(reflect.ValueOf(c.Run).Pointer()).Name() // path/of/package.Name
	slash := strings.LastIndex(full, "/")
	folder, name, _ := strings.Cut(full[slash+1:], ".")
	if strings.Contains(name, ".") { // a closure of the table
		if len(c.Repos) == 0 || c.Entry == "" && c.Layer == "" {
			return fmt.Errorf("case %s: Repos and Entry or Layer are needed", c.Name)
		}
	}
	if len(c.Repos) == 0 {
		c.Repos = []string{folder}
	}
	if c.Entry == "" {
		c.Entry = name
	}
	for i, r := range c.Repos {
		c.Repos[i] = filepath.Join(dir, r)
	}
	return nil
}

// predict reads the prediction.
func (c *Case) predict() (Prediction, *Scan, error) {
	s, err := ScanOf(c.Repos, c.Flags...)
	if err != nil {
		return Prediction{}, nil, err
	}
	var p Prediction
	if c.Layer != "" {
		p, err = s.LayerOf(c.Layer)
	} else {
		if p, err = s.ChainOf(c.Entry); err != nil {
			if l, none := s.LayerOf(c.Entry); none == nil {
				p, err = l, nil // what it sends is not seen, what repeats is
			}
		}
		if err != nil && c.Unseen != "" {
			return Prediction{}, s, nil
		}
		if err != nil && c.Off {
			return Prediction{Min: 1, Max: 1}, s, nil
		}
	}
	return p, s, err
}

// run runs the program once; end is how long it took from the first attempt to its return.
func (c *Case) run(ctx context.Context) (rec *Record, end time.Duration, err error) {
	rec = &Record{}
	addr, stop, err := c.Server.Start(rec)
	if err != nil {
		return nil, 0, err
	}
	defer stop()
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, recordKey{}, rec), c.Limit)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		_ = c.Run(ctx, addr)
	}()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			all := rec.Attempts()
			if len(all) > 0 {
				end = time.Since(all[0].At)
			}
			if ctx.Err() == context.DeadlineExceeded {
				err = fmt.Errorf("still running after %s and %d attempts", c.Limit, len(all))
			}
			return rec, end, err
		case <-tick.C:
			if c.Stop > 0 && len(rec.Attempts()) >= c.Stop {
				cancel()
				// A program that does not look at its context is left behind: its server is gone.
				select {
				case <-done:
				case <-time.After(10 * time.Millisecond):
				}
				return rec, 0, err
			}
			if ctx.Err() != nil {
				select {
				case <-done:
				case <-time.After(time.Second):
				}
				return rec, 0, fmt.Errorf("still running after %s and %d attempts", c.Limit, len(rec.Attempts()))
			}
		}
	}
}
