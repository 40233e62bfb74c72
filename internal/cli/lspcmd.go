package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/lsp"
	"github.com/retrylint/retrylint/internal/scan"
)

func (a *app) lspCmd() *cobra.Command {
	var configFile string
	var j judging
	cmd := &cobra.Command{
		Use:   "lsp [flags] [PATH ...]",
		Short: "language server for editors, on standard input and output",
		Long: `lsp is a language server: it speaks the Language Server Protocol on standard input and output, and is started by an editor.
It scans the folders of the workspace together, when they are opened and after each change or save, and shows findings
where they lie, with the chain behind a retry setting on hover, and an action that ignores a finding with a comment.

A PATH is a repository, or a folder of repositories, that is scanned together with the workspace, so that chains run
through it: the services that call this one, the services that it calls. A scan runs no code and uses no network.`,
		Example: "  retrylint lsp\n  retrylint lsp --config ../org/retrylint.yaml ../gateway ../ledger",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.check(cmd, &j); err != nil {
				return err
			}
			opt := lsp.Options{Paths: args, Wants: j.wants, Version: toolVersion()}
			if configFile != "" {
				read := func() (*config.Config, error) { return readConfig(configFile) }
				if _, err := read(); err != nil {
					return err
				}
				opt.Config = read
			}
			if _, err := repositories(args, ""); err != nil {
				var usage scanUsage
				if errors.As(err, &usage) {
					return usageError{usage.Error()}
				}
				return err
			}
			if cache, err := openCache(cmd.Context(), request{Home: a.hasHome()}); err == nil && cache != nil {
				opt.Cache = scan.Cache(cache)
				defer cache.trim()
			}
			err := lsp.Serve(cmd.Context(), a.stdin, a.stdout, opt)
			if errors.Is(err, lsp.ErrExit) {
				return exitError(exitFindings) // status 1, as the protocol has it
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&configFile, "config", "", "configuration of the organisation; it wins over those of the repositories")
	fs.StringSliceVar(&j.only, "only", nil, "only these rules, by commas")
	fs.StringSliceVar(&j.skip, "skip", nil, "all but these rules, by commas")
	fs.Bool("stdio", true, "standard input and output, which is the only way there is; editors give it")
	complete(cmd, "only", ruleIDs())
	complete(cmd, "skip", ruleIDs())
	j.failOnWord = "never"
	return cmd
}

// readConfig reads a configuration; the first of its problems is the error.
func readConfig(file string) (*config.Config, error) {
	cfg, problems, err := parseConfig(file)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("configuration %s has %s, the first: %s", file, plural(len(problems), "problem"), problems[0])
	}
	return cfg, nil
}
