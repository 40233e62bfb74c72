package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "write, check and describe the configuration",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	cmd.AddCommand(a.configInitCmd(), a.configVerifyCmd(), a.configSchemaCmd())
	return cmd
}

func (a *app) configSchemaCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "print the JSON schema of the configuration, for editors",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			data, err := config.Schema(ruleIDs())
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(data)
			return err
		},
	}
}

func (a *app) configVerifyCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [FILE ...]",
		Short: "check configurations, with line and suggestion",
		Long:  "verify checks configuration files (" + config.FileName + " of the current folder where none is named) and prints each mistake with its\nline and what was probably meant. Exit code 2 where there are mistakes.",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{config.FileName}
			}
			var failed error
			for _, file := range args {
				if _, err := a.loadConfig(file); err != nil {
					if failed != nil {
						fmt.Fprintf(a.stderr, "retrylint: %s\n", failed)
					}
					failed = err
					continue
				}
				fmt.Fprintf(a.stdout, "%s: ok\n", file)
			}
			return failed
		},
	}
}

func (a *app) configInitCmd() *cobra.Command {
	var from, output string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [PATH ...]",
		Short: "propose a configuration from what a scan could not see",
		Long: `init scans the given repositories (the current folder where none is named), or reads the JSON of a scan made with -v, and
writes a configuration in which everything that could not be decided is proposed as a comment, ready to be filled in. An
existing file is not overwritten without --force.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if from != "" && len(args) > 0 {
				return usagef("config init takes --from or paths, not both")
			}
			if _, err := os.Lstat(output); err == nil && output != "-" && !force {
				return usagef("%s exists; --force overwrites it, --output - prints", output)
			} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("write %s: %w", output, reason(err))
			}
			r, err := a.undecidedResult(cmd.Context(), from, args)
			if err != nil {
				return err
			}
			data := config.Propose(r)
			if output == "-" {
				_, err := a.stdout.Write(data)
				return err
			}
			if err := writeWhole(output, data); err != nil {
				return fmt.Errorf("write %s: %w", output, reason(err))
			}
			fmt.Fprintf(a.stdout, "wrote %s\n", output)
			return nil
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "JSON of a scan made with -v")
	cmd.Flags().StringVar(&output, "output", config.FileName, "file to write; - prints")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite an existing file")
	return cmd
}

// undecidedResult is a result that lists what could not be decided: read from a file, or by a scan.
func (a *app) undecidedResult(ctx context.Context, from string, paths []string) (*model.Result, error) {
	if from != "" {
		return readResult(from)
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	r, err := a.scan(ctx, request{Paths: paths, Jobs: runtime.GOMAXPROCS(0), Verbose: true, Home: a.hasHome(), Orgs: &listing{Tokens: tokens(a.env)}})
	var usage scanUsage
	if errors.As(err, &usage) {
		return nil, usageError{usage.Error()}
	}
	return r, err
}

// writeWhole writes a file under a temporary name and renames it.
func writeWhole(file string, data []byte) error {
	f, direct, err := openOutput(file)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = closeOutput(f, direct, file)
	}
	if err != nil {
		f.Close()
		if !direct {
			os.Remove(f.Name())
		}
	}
	return err
}
