package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

func (a *app) convertCmd() *cobra.Command {
	var out outputs
	var j judging
	var from string
	cmd := &cobra.Command{
		Use:     "convert --from scan.json",
		Short:   "turn the JSON of one scan into any other format",
		Example: "  retrylint convert --from scan.json --format html --output report.html",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				return usagef("convert needs --from FILE, the JSON of a scan (- is standard input)")
			}
			if err := out.check("text"); err != nil {
				return err
			}
			if err := a.check(cmd, &j); err != nil {
				return err
			}
			var r *model.Result
			if from == "-" {
				b, err := config.ReadBaseline(a.stdin)
				if err != nil {
					return fmt.Errorf("read standard input: %w", err)
				}
				r = b.Result()
			} else {
				var err error
				if r, err = readResult(from); err != nil {
					return err
				}
			}
			if err := out.open(); err != nil {
				return err
			}
			j.severities(r)
			return a.finish(cmd.Context(), &out, &j, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&from, "from", "", "JSON of a scan")
	out.flags(cmd)
	j.flags(cmd)
	return cmd
}

// severities applies the severities of --config to findings that are already made. What the configuration says of paths
// and thresholds needs the scan, or reduce.
func (j *judging) severities(r *model.Result) {
	if j.config == nil {
		return
	}
	kept := r.Findings[:0:0]
	for _, f := range r.Findings {
		if s, ok := j.config.Severity(f.Rule); ok {
			if s == model.Off {
				continue
			}
			f.Severity = s.String()
		}
		kept = append(kept, f)
	}
	r.Findings = kept
}
