// Package analyzers holds the Go extractor in go/analysis form, and one thin analyzer for each rule that Go code alone can
// decide. The same code runs in scans over tolerantly loaded packages and under go vet over packages that a build loaded.
package analyzers
