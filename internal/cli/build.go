// Package cli is the command line: flags, sub-commands, exit codes. It is a package of its own so that two programs can
// have it, the linter and the one in fleet/ that adds buckets and queues.
package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/pace"
	"github.com/retrylint/retrylint/internal/vettool"
)

// Build is what a program adds to the command line. The zero value is the linter as most people have it.
type Build struct {
	// Version is the release; "" takes what the Go toolchain knows of the module.
	Version string
	// OpenFacts opens a place for facts; nil knows folders and file:// URLs.
	OpenFacts func(ctx context.Context, location string) (factfile.Store, error)
	// OpenQueue connects to a queue; nil leaves the commands that need one out.
	OpenQueue func(ctx context.Context, url string, opt QueueOptions) (Queue, error)
}

// build is that of the running program.
var build Build

// Main runs the program with the arguments, environment and streams of the process. It does not return.
func Main(b Build) {
	build = b
	pace.Collector()
	if vettool.Speaks(os.Args[1:]) {
		vettool.Main()
	}
	// A reader that goes away (a pager, head) is no reason to die half way through: writes then fail with an error.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second interrupt ends the program at once, but not the twin of the first: whoever forwards signals to a whole group
	// of processes often sends each of them two.
	context.AfterFunc(ctx, func() {
		time.Sleep(time.Second)
		stop()
	})
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// openFacts opens a place for facts.
func openFacts(ctx context.Context, location string) (factfile.Store, error) {
	if build.OpenFacts != nil {
		return build.OpenFacts(ctx, location)
	}
	return factfile.Open(location)
}
