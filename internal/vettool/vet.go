// Package vettool is what the go command sees of this program: a tool that runs the Go rules over one package at a time.
package vettool

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/retrylint/retrylint/analyzers"
	"github.com/retrylint/retrylint/internal/identity"
)

// Speaks reports whether the go command speaks: it asks a vet tool for its identity, for its flags, or hands it one
// package as a .cfg file. That is known before any flag of ours is parsed.
func Speaks(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// Main runs the Go rules alone over one package, as the go command asks for; it does not return.
func Main() {
	if os.Args[1] == "-V=full" {
		identity.Answer()
	}
	unitchecker.Main(analyzers.All()...)
}
