// Command retrylint tells what one business intent becomes when every layer that retries has taken its turn.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if vetProtocol(os.Args[1:]) {
		vetMain()
	}
	// A reader that goes away (a pager, head) is no reason to die half way through: writes then fail with an error.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
