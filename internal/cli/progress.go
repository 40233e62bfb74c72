package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progress shows how far a scan is: a bar on a terminal, lines where they are asked for, nothing in CI.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	asJSON  bool
	verbose bool
	bars    *mpb.Progress // nil: no bar
	bar     *mpb.Bar
	label   atomic.Pointer[string] // beside the bar; the bar's own goroutine reads it
	// failures are the repositories that could not be read.
	failures []event
}

// progress chooses the form.
func (a *app) progress(off bool, logFormat string, verbose bool) *progress {
	p := &progress{w: a.stderr, asJSON: logFormat == "json", verbose: verbose}
	if !off && !p.asJSON && !verbose && isTerminal(a.stderr) && a.env["CI"] == "" && a.env["TERM"] != "dumb" {
		width := 80
		if f, ok := a.stderr.(*os.File); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				width = w
			}
		}
		p.bars = mpb.New(mpb.WithOutput(a.stderr), mpb.WithWidth(min(width/3, 30)))
	}
	return p
}

// event takes one step; it may be called from several goroutines.
func (p *progress) event(e event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Failed != "" {
		p.failures = append(p.failures, e)
	}
	switch {
	case p.bars != nil:
		p.draw(e)
	case p.asJSON && e.Started == "":
		line, _ := json.Marshal(struct {
			Done       int    `json:"done"`
			Total      int    `json:"total"`
			Repository string `json:"repository,omitempty"`
			Failed     string `json:"failed,omitempty"`
			Notice     string `json:"notice,omitempty"`
		}{e.Done, e.Total, e.Repository, e.Failed, e.Notice})
		fmt.Fprintf(p.w, "%s\n", line)
	case e.Started != "":
	case e.Notice != "":
		fmt.Fprintf(p.w, "retrylint: %s\n", e.Notice)
	case p.verbose && e.Failed != "":
		fmt.Fprintf(p.w, "[%d/%d] %s: %s\n", e.Done, e.Total, e.Repository, e.Failed)
	case p.verbose && e.Repository != "":
		fmt.Fprintf(p.w, "[%d/%d] %s\n", e.Done, e.Total, e.Repository)
	}
}

func (p *progress) draw(e event) {
	if p.bar == nil {
		p.bar = p.bars.AddBar(int64(e.Total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.CountersNoUnit("%d of %d ")),
			mpb.AppendDecorators(decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO), ""), decor.Any(func(decor.Statistics) string {
				if s := p.label.Load(); s != nil {
					return *s
				}
				return ""
			})))
	}
	if e.Started != "" || e.Failed != "" {
		s := "  " + cmp.Or(e.Started, e.Repository)
		if len(p.failures) > 0 {
			s += fmt.Sprintf("  (%d failed)", len(p.failures))
		}
		p.label.Store(&s)
	}
	if e.Notice != "" {
		fmt.Fprintf(p.bars, "retrylint: %s\n", e.Notice)
	}
	p.bar.SetTotal(int64(e.Total), false)
	p.bar.SetCurrent(int64(e.Done))
}

// stop takes the bar away.
func (p *progress) stop() {
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(true)
	}
	p.bars.Wait()
}
