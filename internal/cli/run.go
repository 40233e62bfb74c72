package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

// The exit codes of the contract.
const (
	exitOK          = 0   // nothing at or above --fail-on
	exitFindings    = 1   // findings at or above it
	exitUsage       = 2   // wrong usage or configuration
	exitIncomplete  = 3   // an input could not be read, and nothing at or above --fail-on was found
	exitInterrupted = 130 // with what was found so far printed
)

// app is one run of the program: its streams, its environment, and the one thing that tests replace.
type app struct {
	env    map[string]string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	// scan does the work of the scan command.
	scan func(ctx context.Context, req request) (*model.Result, error)
}

// exitError ends a command with a code; what there was to say has been said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usageError is the caller's mistake: exit 2 with the message and a hint where help is.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// run is the whole program; env has the form of os.Environ.
func run(ctx context.Context, args, env []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{env: envMap(env), stdin: stdin, stdout: stdout, stderr: stderr, scan: runScan}
	return a.run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var exit exitError
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return int(exit)
	case isBrokenPipe(err):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "retrylint: %s\nRun '%s --help' for usage.\n", err, cmd.CommandPath())
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintln(a.stderr, "retrylint: interrupted")
		return exitInterrupted
	}
	// What is left are files that cannot be read or written and configurations that are wrong.
	fmt.Fprintf(a.stderr, "retrylint: %s\n", err)
	return exitUsage
}

// root is the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "retrylint",
		Short:         "finds retries that multiply across layers, services and repositories",
		Long:          "retrylint finds every layer that retries, links the layers of all repositories into chains, and says what one business\nintent becomes when each of them has taken its turn: how many attempts, over how long, and whether keys and dedupe\nwindows hold that long.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.Version = toolVersion()
	root.SetVersionTemplate("retrylint {{.Version}}\n")
	root.AddCommand(a.commands()...)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// commands are the sub-commands, one file each.
func (a *app) commands() []*cobra.Command {
	all := []*cobra.Command{
		a.scanCmd(),
		a.explainCmd(),
		a.windowCmd(),
		a.simulateCmd(),
		a.reduceCmd(),
		a.convertCmd(),
		a.diffCmd(),
		a.graphCmd(),
		a.undecidedCmd(),
		a.configCmd(),
		a.rulesCmd(),
		a.formatsCmd(),
		a.librariesCmd(),
		a.lspCmd(),
		a.manCmd(),
		a.versionCmd(),
	}
	if build.OpenQueue != nil {
		all = append(all, a.enqueueCmd(), a.workerCmd())
	}
	return all
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if s := config.Nearest(name, names); s != "" {
		return usagef("unknown command %q, did you mean %q?", name, s)
	}
	return usagef("unknown command %q", name)
}

// flagError adds the name that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "unknown flag: --"); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if s := config.Nearest(name, names); s != "" {
			msg += fmt.Sprintf(", did you mean --%s?", s)
		}
	}
	return usageError{msg}
}

func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

func envMap(env []string) map[string]string {
	m := make(map[string]string, len(env))
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok {
			m[k] = v
		}
	}
	return m
}

// noArgs is cobra.NoArgs as a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// atMost is cobra.MaximumNArgs as a usage error.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("%s takes at most %d argument(s), got %d", cmd.CommandPath(), n, len(args))
		}
		return nil
	}
}

// exactly is cobra.ExactArgs as a usage error; what names the arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}
