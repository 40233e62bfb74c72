package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/window"
	"github.com/retrylint/retrylint/model"
)

func (a *app) windowCmd() *cobra.Command {
	var layers, paths []string
	var windowText, factor, attempt, rate, format, color string
	rowBytes := int64(window.DefaultRowBytes)
	cmd := &cobra.Command{
		Use:   "window [flags]",
		Short: "the calculator: layers, paths, factor, window -> attempts, delays, verdict",
		Long: `window says what nested layers of retries make of one intent, how late a duplicate can come, and whether a dedupe window
holds that long. Without flags it works the example of the documentation: three layers of three attempts against a window
of 24 hours.

A layer is name:attempts:wait, innermost first. attempts are total calls, the first included. wait is 2s, 1s..30s x2
(doubling up to 30s), 1s x2, a list 1s,5s,10s, or none. The long form is name:attempts=5,initial=1s,factor=2,max=30s,
jitter=full,timeout=5s,deadline=15m,budget=hard|gate-before|gate-after,gap=end|start.

A path is name:delay[:after-automatic][:then-automatic]; "none" leaves the automatic path alone. Without --path a dead
letter is replayed 24h after the automatic path gives up, and an operator reruns after 72h.`,
		Example: "  retrylint window\n  retrylint window --layer \"http client:3:2s\" --layer \"job:7:10s..6m x2\" --window 7d --rate 50000/day\n  retrylint window --layer \"client:attempts=5,initial=1s,factor=2,max=30s,jitter=full,timeout=5s\" --attempt 5s --path none",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := windowInput(layers, paths, windowText, factor, attempt, rate, rowBytes)
			if err != nil {
				return usageError{err.Error()}
			}
			r := window.Calculate(in)
			if format == "json" {
				return r.WriteJSON(a.stdout)
			}
			return r.WriteText(a.stdout, a.colors(color))
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&layers, "layer", nil, "a layer, innermost first: name:attempts:wait (repeatable)")
	fs.StringArrayVar(&paths, "path", nil, "a way by which a duplicate can come: name:delay[:after-automatic][:then-automatic] (repeatable), or none")
	fs.StringVar(&windowText, "window", "24h", "how long a key is remembered: a duration, permanent or unknown")
	fs.StringVar(&factor, "factor", "2", "safety factor")
	fs.StringVar(&attempt, "attempt", "0", "longest duration of one innermost attempt; 0 counts the waits alone")
	fs.StringVar(&rate, "rate", "", "intents in a time, such as 50000/day: what the required window costs")
	fs.Int64Var(&rowBytes, "row-bytes", rowBytes, "bytes of one remembered key")
	color = "auto"
	fs.Var(&wordFlag{&color, []string{"auto", "always", "never"}}, "color", "colours: auto, always or never")
	textOrJSON(cmd, &format)
	return cmd
}

func windowInput(layers, paths []string, windowText, factor, attempt, rate string, rowBytes int64) (window.Input, error) {
	in := window.WorkedExample()
	in.RowBytes = rowBytes
	if rowBytes < 1 {
		return in, fmt.Errorf("--row-bytes is at least 1, not %d", rowBytes)
	}
	if len(layers) > 0 {
		in.Layers = nil
	}
	for _, s := range layers {
		l, err := window.ParseLayer(s)
		if err != nil {
			return in, err
		}
		in.Layers = append(in.Layers, l)
	}
	if len(paths) > 0 {
		in.Paths = nil
	}
	for _, s := range paths {
		if s == "none" && len(paths) == 1 {
			break
		}
		p, err := window.ParsePath(s)
		if err != nil {
			return in, err
		}
		in.Paths = append(in.Paths, p)
	}
	switch windowText {
	case "permanent":
		in.Window = model.Permanent()
	case "unknown":
		in.Window = model.Window{}
	default:
		d, err := config.ParseDuration(windowText)
		if err != nil {
			return in, fmt.Errorf("--window: %w", err)
		}
		in.Window = model.WindowFor(d)
	}
	f, err := model.ParseRatio(factor)
	if err != nil || f.Cmp(model.NewRatio(1, 1)) < 0 {
		return in, fmt.Errorf("--factor is a number of at least 1, not %q", factor)
	}
	in.Factor = f
	d, err := config.ParseDuration(attempt)
	if err != nil {
		return in, fmt.Errorf("--attempt: %w", err)
	}
	in.Attempt = model.For(d)
	if rate != "" {
		r, err := window.ParseRate(rate)
		if err != nil {
			return in, err
		}
		in.Rate = &r
	}
	return in, nil
}
