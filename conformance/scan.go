package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// Place is where something stands in a scanned repository.
type Place struct {
	Repository string `json:"repository"`
	Path       string `json:"path"`
	Line       int    `json:"line"`
}

// Number is a count of the JSON: a number, "unbounded" or "unknown".
type Number string

// UnmarshalJSON reads both forms.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number(strings.Trim(string(b), `"`))
	return nil
}

// Layer is a layer of the scan's JSON, as far as it is read here.
type Layer struct {
	ID string `json:"id"`
	Place
	Kind              string  `json:"kind"`
	Label             string  `json:"label"`
	Function          string  `json:"function"`
	Attempts          Number  `json:"attempts"`
	AttemptsMin       Number  `json:"attemptsMin"`
	Backoff           Backoff `json:"backoff"`
	PerAttemptTimeout string  `json:"perAttemptTimeout"`
	Deadline          string  `json:"deadline"`
	Gap               string  `json:"gap"`
	Budget            string  `json:"budget"`
	WaitsAfterLast    bool    `json:"waitsAfterLast"`
	Origin            string  `json:"origin"`
	Factor            bool    `json:"factor"`
}

// Backoff is the waits of a layer.
type Backoff struct {
	Kind         string   `json:"kind"`
	Initial      string   `json:"initial"`
	Multiplier   string   `json:"multiplier"`
	Max          string   `json:"max"`
	Jitter       string   `json:"jitter"`
	List         []string `json:"list"`
	Step         string   `json:"step"`
	Degree       int      `json:"degree"`
	Shift        int64    `json:"shift"`
	Doublings    int64    `json:"doublings"`
	JitterFactor string   `json:"jitterFactor"`
	JitterExtra  string   `json:"jitterExtra"`
	CapsSum      bool     `json:"capsSum"`
}

// End is an end of a chain.
type End struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Place
}

// Chain is a chain of the scan's JSON, as far as it is read here.
type Chain struct {
	ID                 string   `json:"id"`
	Entry              End      `json:"entry"`
	Effect             End      `json:"effect"`
	Layers             []string `json:"layers"`
	Attempts           Number   `json:"attempts"`
	AttemptsMin        Number   `json:"attemptsMin"`
	AutomaticDelay     string   `json:"automaticDelay"`
	AutomaticWorstCase string   `json:"automaticWorstCase"`
	RequiredWindow     string   `json:"requiredWindow"`
	Windows            []struct {
		ID      string `json:"id"`
		Verdict string `json:"verdict"`
	} `json:"windows"`
}

// Finding is a finding of the scan's JSON, as far as it is read here.
type Finding struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	Layer   string `json:"layer"`
	Chain   string `json:"chain"`
	Place
}

// Scan is the JSON of one scan.
type Scan struct {
	Layers     []Layer           `json:"layers"`
	Chains     []Chain           `json:"chains"`
	Findings   []Finding         `json:"findings"`
	Incomplete []json.RawMessage `json:"incomplete"`
}

// Module is the folder of this module, from which the command's source is found too.
func Module() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// Command is the retrylint command built from this repository, or that of RETRYLINT_BIN.
var Command = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("RETRYLINT_BIN"); bin != "" {
		return bin, nil
	}
	dir := filepath.Join(Module(), "bin")
	unlock, err := lock(dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	bin := filepath.Join(dir, "retrylint")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "./cmd/retrylint")
	cmd.Dir = filepath.Dir(Module())
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return bin, nil
})

// lock makes the folder and keeps other test processes out of it until unlock is called.
func lock(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

var scans sync.Map // joined folders -> func() (*Scan, error)

// ScanOf scans folders together, each as a repository of its own, with the go.mod that rules them. Flags follow "scan".
func ScanOf(folders []string, flags ...string) (*Scan, error) {
	once, _ := scans.LoadOrStore(strings.Join(append(folders, flags...), "\x00"), sync.OnceValues(func() (*Scan, error) {
		return scan(folders, flags)
	}))
	return once.(func() (*Scan, error))()
}

func scan(folders, flags []string) (*Scan, error) {
	bin, err := Command()
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	args := append([]string{"scan", "--format", "json", "--fail-on", "never", "--no-progress", "--cache", "off"}, flags...)
	for _, from := range folders {
		to := filepath.Join(tmp, filepath.Base(from))
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return nil, err
		}
		if mod := modFile(from); mod != "" {
			b, err := os.ReadFile(mod)
			if err != nil {
				return nil, err
			}
			b = named(b, mod, from)
			if err := os.WriteFile(filepath.Join(to, "go.mod"), b, 0o644); err != nil {
				return nil, err
			}
		}
		args = append(args, to)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(bin, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("retrylint %s: %w\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	var s Scan
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		return nil, err
	}
	if len(s.Incomplete) > 0 {
		return nil, fmt.Errorf("the scan is incomplete: %s", s.Incomplete)
	}
	return &s, nil
}

// named is a go.mod with the path of the folder, which is beneath the module's, as its module.
func named(b []byte, mod, folder string) []byte {
	sub, err := filepath.Rel(filepath.Dir(mod), folder)
	if err != nil || sub == "." {
		return b
	}
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	return append([]byte(string(first)+"/"+filepath.ToSlash(sub)+"\n"), rest...)
}

// modFile is the nearest go.mod at or above a folder that holds Go, "" where there is none.
func modFile(dir string) string {
	if list, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(list) == 0 {
		return ""
	}
	for {
		f := filepath.Join(dir, "go.mod")
		if _, err := os.Stat(f); err == nil {
			return f
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
