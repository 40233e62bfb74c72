package servers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

// site is a running copy of folders of this package: their files are those that are scanned, with addresses in place of names.
type site struct {
	ctx   context.Context
	dir   string
	addr  map[string]string // "ledger.example.test:8080" -> "127.0.0.1:41234"
	procs []*process
	after []func() // once all processes have ended
	own   bool     // the programs' sources hold addresses of this site
}

// name matches what is replaced by an address.
var name = regexp.MustCompile(`[a-z0-9-]+\.(example\.test|pay\.svc)(:[0-9]+)?`)

// open copies folders. What is called ledger.example.test stands at the address of the case's server; every other name gets a
// port that is free now.
func open(ctx context.Context, addr string, folders ...string) *site {
	addr = strings.TrimPrefix(addr, "http://")
	return openAs(ctx, func(n string) string {
		if strings.HasPrefix(n, "ledger.") {
			return addr
		}
		return free()
	}, folders...)
}

// openAs copies folders; address gives each name an address, "" leaves it as it is.
func openAs(ctx context.Context, address func(name string) string, folders ...string) *site {
	dir, err := os.MkdirTemp("", "conformance")
	must(err)
	must(os.Chmod(dir, 0o755)) // servers give up their rights
	s := &site{ctx: ctx, dir: dir, addr: map[string]string{}}
	for _, from := range folders {
		if !filepath.IsAbs(from) {
			from = filepath.Join(here(), from)
		}
		must(filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(filepath.Dir(from), p)
			if len(folders) == 1 {
				rel, err = filepath.Rel(from, p)
			}
			if err != nil {
				return err
			}
			s.write(rel, name.ReplaceAllStringFunc(string(b), func(n string) string {
				if _, ok := s.addr[n]; !ok {
					s.addr[n] = address(n)
				}
				return cmp.Or(s.addr[n], n)
			}))
			return nil
		}))
	}
	return s
}

// close ends what was started and removes the folder.
func (s *site) close() {
	for i := len(s.procs) - 1; i >= 0; i-- {
		s.procs[i].kill()
	}
	for _, f := range s.after {
		f()
	}
	_ = os.RemoveAll(s.dir)
}

// here is the folder of this package.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// must panics: the frame makes a failed case of it.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) read(name string) string {
	b, err := os.ReadFile(s.path(name))
	must(err)
	return string(b)
}

func (s *site) write(name, text string) {
	f := s.path(name)
	must(os.MkdirAll(filepath.Dir(f), 0o755))
	must(os.WriteFile(f, []byte(text), 0o644))
}

// free is an address of the loopback interface at which nobody listens.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer l.Close()
	return l.Addr().String()
}

// process is a program that runs until the site is closed.
type process struct {
	cmd  *exec.Cmd
	out  buffer
	done chan struct{}
}

// buffer is what a program printed.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start runs a program in the site's folder, with further environment as "NAME=value". It and its children are killed when the
// site is closed or the test's process ends.
func (s *site) start(env []string, argv ...string) *process {
	p := &process{cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{})}
	p.cmd.Dir = s.dir
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	s.launch(p)
	return p
}

// launch starts a process that the site ends.
func (s *site) launch(p *process) {
	p.cmd.WaitDelay = time.Second
	must(p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	s.procs = append(s.procs, p)
}

func (p *process) kill() {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // masters end their children
		select {
		case <-p.done:
		case <-time.After(300 * time.Millisecond):
		}
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// serve starts a program and waits until it accepts connections at the address.
func (s *site) serve(addr string, argv ...string) *process {
	p := s.start(nil, argv...)
	p.await(addr, 20*time.Second)
	return p
}

func (p *process) await(addr string, within time.Duration) {
	for end := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-p.done:
			panic(fmt.Sprintf("%s ended:\n%s", p.cmd.Path, p.out.String()))
		default:
		}
		if time.Now().After(end) {
			panic(fmt.Sprintf("nobody listens at %s:\n%s", addr, p.out.String()))
		}
	}
}

// build builds a Go program of the site; what it imports is what this module requires. The same source is built once.
func (s *site) build(folder, pkg string) string {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version(), pkg)
	for _, f := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(conformance.Module(), f))
		must(err)
		s.write(filepath.Join("build", f), string(b))
		sum.Write(b)
	}
	must(filepath.WalkDir(s.path(folder), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".go") {
			return err
		}
		b, err := os.ReadFile(p)
		fmt.Fprintf(sum, "%q", b)
		return err
	}))
	out := filepath.Join(conformance.Module(), "bin", "programs", fmt.Sprintf("%x", sum.Sum(nil)[:12]))
	one, _ := builds.LoadOrStore(out, &sync.Mutex{})
	one.(*sync.Mutex).Lock()
	defer one.(*sync.Mutex).Unlock()
	if _, err := os.Stat(out); err == nil {
		return out
	}
	made := s.path("bin-" + filepath.Base(folder))
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-modfile", s.path("build/go.mod"), "-o", made, pkg)
	cmd.Dir = s.path(folder)
	if b, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("go build %s: %v\n%s", folder, err, b))
	}
	if s.own {
		return made
	}
	b, err := os.ReadFile(made)
	must(err)
	must(os.MkdirAll(filepath.Dir(out), 0o755))
	tmp := out + "-" + filepath.Base(s.dir)
	must(os.WriteFile(tmp, b, 0o755))
	must(os.Rename(tmp, out))
	return out
}

var builds sync.Map // path -> *sync.Mutex

// value finds the value of an environment variable in a Kubernetes manifest or a unit of systemd.
func value(text, name string) string {
	m := regexp.MustCompile(`\b` + name + `(?:, value: "|=)([^"\n]*)`).FindStringSubmatch(text)
	if m == nil {
		panic("no value of " + name)
	}
	return m[1]
}

// run runs a program to its end and gives what it printed. Its exit code is no error: what it calls fails.
func (s *site) run(argv ...string) string {
	cmd := exec.CommandContext(s.ctx, argv[0], argv[1:]...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok && s.ctx.Err() == nil {
		panic(fmt.Sprintf("%s: %v", strings.Join(argv, " "), err))
	}
	return string(out)
}

// needs skips the test where a program is missing. .ci/packages lists what brings them.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// The servers that most cases meet.
var (
	fails     = conformance.HTTP(conformance.Answer{})
	drops     = conformance.HTTP(conformance.Answer{Drop: true})
	twice     = conformance.HTTP(conformance.Answer{Times: 2})
	throttles = conformance.HTTP(conformance.Answer{Status: 429, RetryAfter: time.Second})
)

func hangs(d time.Duration) conformance.Server { return conformance.HTTP(conformance.Answer{Hang: d}) }
