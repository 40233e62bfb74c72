//go:build unix

package source

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, so that the end of git is the end of its transport helpers too,
// and an interrupt at the terminal reaches them only through the context.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
