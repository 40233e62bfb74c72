// Package identity tells which build of the program runs, and answers the go command when it asks for that.
//
// The go command asks a vet tool for its identity ("-V=full") before every run. The answer is given from this package's
// init function: the program links libraries that only a scan needs (Helm, Kustomize and the Kubernetes types below them),
// whose initialisation takes longer than the answer may. Packages are initialised as soon as their imports are, those with
// the lesser path first (Go specification, program initialization), so a package with few imports comes before nearly
// all others. TestVetComesFirst holds that; where it does not hold, the answer is only slower.
package identity

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"strconv"
	"sync"
)

func init() {
	if len(os.Args) == 2 && os.Args[1] == "-V=full" {
		Answer()
	}
}

// Answer writes the identity in the form that the go command wants, and ends the program. Hashing the whole executable,
// as is usual, takes longer than everything else.
func Answer() {
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0]
	}
	if _, err := os.Stdout.WriteString(name + " version devel comments-go-here buildID=" + ID() + "\n"); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// ID identifies the running executable by its content: 32 hexadecimal digits. Where the Go linker has left its own
// build id it costs a fraction of a millisecond, or else the whole file is hashed.
var ID = sync.OnceValue(func() string {
	name, err := os.Executable()
	if err != nil {
		return "unknown-" + strconv.Itoa(os.Getpid())
	}
	if id := goBuildID(name); len(id) > 0 {
		return digits(id)
	}
	f, err := os.Open(name)
	if err != nil {
		return "unknown-" + strconv.Itoa(os.Getpid())
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown-" + strconv.Itoa(os.Getpid())
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
})

func digits(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// goBuildID reads the note that the Go linker writes; its last part is a hash over the whole file. Empty where there is
// none, or where it says too little.
func goBuildID(name string) []byte {
	f, err := elf.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil || s.Size > 4096 {
		return nil
	}
	data, err := s.Data()
	if err != nil || bytes.Count(data, []byte("/")) < 3 {
		return nil // action ids and content ids are parted by slashes
	}
	return data
}
