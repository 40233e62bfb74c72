// Command retrylint tells what one business intent becomes when every layer that retries has taken its turn.
package main

import "github.com/retrylint/retrylint/internal/cli"

// version is set by release builds.
var version string

func main() { cli.Main(cli.Build{Version: version}) }
