package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/model"
)

func (a *app) undecidedCmd() *cobra.Command {
	var from, format, kind string
	cmd := &cobra.Command{
		Use:   "undecided [PATH ...]",
		Short: "list what a scan could not decide, and what would settle it",
		Long:  "undecided lists, with its place, each attempt count, target, setting and loop about which the scan could not say anything, and\nwhat could be written into " + "the configuration to settle it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if from != "" && len(args) > 0 {
				return usagef("undecided takes --from or paths, not both")
			}
			r, err := a.undecidedResult(cmd.Context(), from, args)
			if err != nil {
				return err
			}
			u := r.Undecided
			u.Where = slices.DeleteFunc(slices.Clone(u.Where), func(p model.UndecidedPlace) bool { return kind != "" && p.Kind != kind })
			if format == "json" {
				return a.writeJSON(u)
			}
			return a.writeUndecided(u, kind)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "JSON of a scan made with -v")
	cmd.Flags().Var(&wordFlag{&kind, []string{"attempts", "targets", "settings", "loops", "rules"}}, "kind", "only attempts, targets, settings, loops or rules")
	textOrJSON(cmd, &format)
	return cmd
}

func (a *app) writeUndecided(u model.UndecidedInfo, kind string) error {
	for _, p := range u.Where {
		fmt.Fprintf(a.stdout, "%s: %s: %s\n", p.Location(), p.Kind, p.What)
		if p.Declare != "" {
			fmt.Fprintf(a.stdout, "    %s\n", p.Declare)
		}
	}
	total := u.Attempts + u.Targets + u.Settings + u.Loops + u.Rules
	if total > 0 && len(u.Where) == 0 && kind == "" {
		fmt.Fprintln(a.stdout, "The scan was made without -v, so the places are not known.")
	}
	_, err := fmt.Fprintf(a.stdout, "undecided: %s, %s, %s, %s, %s\n", plural(u.Attempts, "attempt count"),
		plural(u.Targets, "target"), plural(u.Settings, "setting"), plural(u.Loops, "loop"), plural(u.Rules, "rule"))
	return err
}
