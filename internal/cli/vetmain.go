package cli

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/internal/factfile"
)

// vetMain runs the Go rules alone over one package, as the go command asks for; it does not return.
func vetMain() {
	if os.Args[1] == "-V=full" {
		vetVersion()
	}
	unitchecker.Main(analyzers.All()...)
}

// vetVersion answers -V=full in the form that the go command wants. It is asked before every run and must be quick:
// hashing the whole executable, as is usual, takes longer than everything else.
func vetVersion() {
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0]
	}
	fmt.Printf("%s version devel comments-go-here buildID=%s\n", name, factfile.BuildID())
	os.Exit(0)
}
