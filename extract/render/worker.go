package render

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// workerVariable makes any program that links this package a worker.
const workerVariable = "RETRYLINT_RENDER_WORKER"

// jobTime is for one environment; a usual one takes some milliseconds.
var jobTime = 20 * time.Second

// workerMemory is the heap of a worker; beyond it the worker ends itself.
const workerMemory = 768 << 20

// exits of the child.
const (
	exitMemory = 70 + iota
	exitProtocol
)

// job is one environment to be rendered.
type job struct {
	Kind   string      // "helm" or "kustomize"
	Dir    string      // of the chart or kustomization
	Values []jobValues // laid over the chart's own, the last one winning
}

// jobValues are values from a file, as YAML, or single ones as "name=value".
type jobValues struct {
	File string
	Data []byte
	Set  []string
}

// answer is what became of a job.
type answer struct {
	Err     string
	ErrPath string // file with the fault, where it is known
	ErrLine int
	Faults  []fault  // templates that do not render
	Missing []string // charts that are not in the repository, files that an overlay names and that are not there
	Texts   []rendered
	Marks   []mark
}

// rendered is one text with the marks in force: from each span's offset on, the text comes from that mark's place.
type rendered struct {
	Path  string
	Name  string // as the engine names the template: "pay/charts/redis/templates/job.yaml"
	Text  string
	Spans []span
}

type span struct {
	At   int // offset in the text
	Mark int // index among the marks; -1 is none
}

func init() {
	// A package's init, so that every program that scans can be its own worker, test binaries included, without having to
	// know of it.
	if os.Getenv(workerVariable) == "" {
		return
	}
	os.Exit(work(os.Stdin, os.Stdout))
}

// work answers jobs until its input ends.
func work(in io.Reader, out io.Writer) int {
	os.Clearenv() // no PATH: kustomize would call git
	http.DefaultTransport = refuse{}
	debug.SetMemoryLimit(workerMemory / 2)
	go watchMemory()
	dec, w := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	enc := gob.NewEncoder(w)
	var files map[string][]byte
	marks := &markers{}
	if dec.Decode(&files) != nil {
		return exitProtocol
	}
	for {
		var j job
		if err := dec.Decode(&j); err != nil {
			if errors.Is(err, io.EOF) {
				return 0
			}
			return exitProtocol
		}
		if enc.Encode(runJob(files, j, marks)) != nil || w.Flush() != nil {
			return exitProtocol
		}
	}
}

func runJob(files map[string][]byte, j job, marks *markers) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{Err: fmt.Sprintf("the library failed: %v", p)}
		}
	}()
	if j.Kind == "helm" {
		return renderChart(files, j, marks.of(j.Dir))
	}
	return renderOverlay(files, j)
}

// watchMemory ends the process when the heap has grown too large. The library cannot be told to stop.
func watchMemory() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for range time.Tick(3 * time.Millisecond) {
		if metrics.Read(sample); sample[0].Value.Uint64() > workerMemory {
			os.Exit(exitMemory)
		}
	}
}

// refuse is a network that is not there.
type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network while rendering")
}

// child is a worker as its parent sees it.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *gob.Encoder
	dec *gob.Decoder
}

// startChild starts a worker and gives it the files.
func startChild(files map[string][]byte) (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program to start: %w", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{workerVariable + "=1", "GOTRACEBACK=none"}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a renderer: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a renderer: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a renderer: %w", err)
	}
	c := &child{cmd: cmd, in: in, dec: gob.NewDecoder(io.LimitReader(bufio.NewReader(out), 1<<31))}
	w := bufio.NewWriter(in)
	c.enc = gob.NewEncoder(flushing{w})
	if err := c.enc.Encode(files); err != nil {
		c.stop()
		return nil, fmt.Errorf("give files to the renderer: %w", err)
	}
	return c, nil
}

type flushing struct{ w *bufio.Writer }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.w.Flush()
	}
	return n, err
}

// do has one job done. After an error the child is of no more use.
func (c *child) do(ctx context.Context, j job) (answer, error) {
	type result struct {
		a   answer
		err error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		if r.err = c.enc.Encode(j); r.err == nil {
			r.err = c.dec.Decode(&r.a)
		}
		done <- r
	}()
	timer := time.NewTimer(jobTime)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.err != nil {
			return answer{}, errors.New(c.why())
		}
		return r.a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-timer.C:
		return answer{}, fmt.Errorf("rendering took longer than %s and was stopped", jobTime)
	}
}

// why says what ended the child.
func (c *child) why() string {
	_ = c.in.Close()
	_ = c.cmd.Wait()
	if c.cmd.ProcessState.ExitCode() == exitMemory {
		return fmt.Sprintf("rendering needed more than %d MiB of memory and was stopped", workerMemory>>20)
	}
	return "rendering ended without an answer"
}

func (c *child) stop() {
	_ = c.in.Close()
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}
