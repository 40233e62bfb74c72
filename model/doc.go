// Package model is the vocabulary that extractors, linker, rules and reports share, with its arithmetic.
//
// Unknown is the zero value of every quantity, so a forgotten field can never look safe. Attempts always means the
// total number of executions, the first one included; retries are the rest. The package imports only the standard
// library, does no I/O and reads no clock.
package model
