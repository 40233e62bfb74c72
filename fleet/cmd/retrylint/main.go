// Command retrylint of the module fleet is the linter with what many machines need: facts in buckets, and workers that
// take repositories from a queue.
package main

import (
	"github.com/retrylint/retrylint/fleet/bucket"
	"github.com/retrylint/retrylint/fleet/queue"
	"github.com/retrylint/retrylint/internal/cli"
)

// version is set by release builds.
var version string

func main() {
	cli.Main(cli.Build{Version: version, OpenFacts: bucket.Open, OpenQueue: queue.Open})
}
