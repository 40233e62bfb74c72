//go:build unix

package source

import "syscall"

// openFlags keep a file that was exchanged for a link or a pipe from being followed or waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
