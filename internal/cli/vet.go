package cli

import "strings"

// vetProtocol reports whether the go command speaks: it asks a vet tool for its identity, for its flags, or hands it one
// package as a .cfg file. That is known before any flag of ours is parsed.
func vetProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}
