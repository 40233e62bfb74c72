// Command retrylint tells what one business intent becomes when every layer that retries has taken its turn.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if vetProtocol(os.Args[1:]) {
		vetMain()
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
