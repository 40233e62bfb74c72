package factfile

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
)

// ExtractorID names what makes facts: the release, or for a development build the identity of the executable, so that facts
// of another build are never taken for its own.
func ExtractorID(version string) string {
	if version != "" && version != "devel" && !strings.Contains(version, "dirty") {
		return version
	}
	return "devel-" + BuildID()
}

// BuildID identifies the running executable by its content: 32 hexadecimal digits. Where the Go linker has left its own
// build id it costs a fraction of a millisecond, or else the whole file is hashed.
var BuildID = sync.OnceValue(func() string {
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
