//go:build !unix

package gosrc

import "time"

// processTime stands for the processor time that this program has used.
func processTime() time.Duration { return time.Since(started) }
