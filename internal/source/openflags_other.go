//go:build !unix

package source

// openFlags are empty where the system has no such flags.
const openFlags = 0
