package cli

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/guide"
)

// fingerprintWord is what a fingerprint, or its beginning, looks like.
var fingerprintWord = regexp.MustCompile(`^[0-9a-f]{6,}$`)

func (a *app) explainCmd() *cobra.Command {
	var format, color, from string
	cmd := &cobra.Command{
		Use:   "explain [RULE | FINGERPRINT --from scan.json]",
		Short: "what a rule means, a bad and a good example, how to fix, how to suppress",
		Long: `explain says what a rule means, with a bad and a good example, what to do, and how to silence it. Without a rule it lists
all of them. Given the fingerprint of a finding (its first six digits or more) and the JSON of the scan, it goes through the
arithmetic of the finding's chain step by step.`,
		Example: "  retrylint explain stacked-retries\n  retrylint explain 3f9ac1 --from scan.json",
		Args:    atMost(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleIDs(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && from == "":
				return a.listRules(format)
			case from != "" && len(args) == 0:
				return usagef("explain --from needs the fingerprint of a finding")
			case from != "":
				return a.explainFinding(from, args[0])
			}
			r, ok := guide.Rule(args[0])
			switch {
			case !ok && fingerprintWord.MatchString(args[0]):
				return usagef("to explain the finding %s give the scan's JSON: --from scan.json", args[0])
			case !ok:
				msg := fmt.Sprintf("there is no rule %q", args[0])
				if n := config.Nearest(args[0], ruleIDs()); n != "" {
					msg += fmt.Sprintf(", did you mean %q?", n)
				}
				return usageError{msg}
			case format == "markdown":
				_, err := io.WriteString(a.stdout, guide.RuleMarkdown(r))
				return err
			case format == "json":
				return a.writeJSON(ruleInfo(r, true))
			}
			return guide.WriteRule(a.stdout, r, a.colors(color), a.width())
		},
	}
	format, color = "text", "auto"
	cmd.Flags().Var(&wordFlag{&format, []string{"text", "markdown", "json"}}, "format", "text, markdown or json")
	cmd.Flags().Var(&wordFlag{&color, []string{"auto", "always", "never"}}, "color", "colours: auto, always or never")
	cmd.Flags().StringVar(&from, "from", "", "JSON of the scan that has the finding")
	return cmd
}

func (a *app) explainFinding(from, id string) error {
	r, err := readResult(from)
	if err != nil {
		return err
	}
	f, err := guide.Find(r, strings.ToLower(id))
	if err != nil {
		return usageError{err.Error()}
	}
	return guide.WriteFinding(a.stdout, r, f, cmp.Or(a.width(), 100))
}
