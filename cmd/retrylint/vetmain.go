package main

import "golang.org/x/tools/go/analysis/unitchecker"

// vetMain runs the Go rules alone over one package, as the go command asks for; it does not return.
func vetMain() { unitchecker.Main() }
