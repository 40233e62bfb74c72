//go:build unix

package scan

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/pace"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// BenchmarkOrganisation scans an organisation of bare git repositories made from the sources of the project's dependencies,
// all its modules counted, with 20,000 generated YAML files: cold, with nothing changed, with one repository changed. Run it
// with -benchtime=1x. RETRYLINT_BENCH_DIR keeps the organisation between runs. Processor time says more than time on a machine
// that does something else as well; both are told.
func BenchmarkOrganisation(b *testing.B) {
	dir := os.Getenv("RETRYLINT_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	pace.Collector() // as the program does
	makeOrganisation(b, dir)
	repos, err := source.Discover([]string{dir}, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	cache := benchCache{factfile.NewCache(b.TempDir())}
	var cold time.Duration // processor time
	run := func(b *testing.B) time.Duration {
		start, used := time.Now(), processorTime()
		r, err := Run(b.Context(), Options{Repos: repos, Cache: cache, KeepResult: true, Jobs: 2})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		s := r.Summary
		b.ReportMetric(float64(s.Repositories), "repositories")
		b.ReportMetric(float64(s.GoLines), "lines")
		b.ReportMetric(float64(s.GoLines)/took.Minutes(), "lines/min")
		b.ReportMetric(float64(s.GoFiles+s.ConfigFiles)/took.Seconds(), "files/s")
		b.ReportMetric(took.Seconds(), "s-all")
		b.ReportMetric(peakMB(), "MB-peak")
		used = processorTime() - used
		b.ReportMetric(used.Seconds(), "s-cpu")
		b.ReportMetric(float64(s.GoLines)/used.Minutes(), "lines/cpu-min")
		if cold > 0 {
			b.ReportMetric(100*used.Seconds()/cold.Seconds(), "%-of-cold") // by processor time: wall time is as the neighbours leave it
		}
		return used
	}
	b.Run("cold", func(c *testing.B) {
		for c.Loop() {
			cache.Cache = factfile.NewCache(b.TempDir()) // the folder of b outlives this part
			cold = run(c)
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			run(b)
		}
	})
	b.Run("one-changed", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			changed := repos[len(repos)/2].Dir
			fastImport(b, changed, fmt.Sprintf("%d", i), func(add func(string, []byte)) {
				add("changed/changed.go", fmt.Appendf(nil, "package changed\n\nconst N = %d\n", time.Now().UnixNano()))
			}, true)
			run(b)
		}
	})
}

// BenchmarkShards reads the same organisation in eight shards, nothing cached, and reduces their facts: the bytes must be those
// of a single run.
func BenchmarkShards(b *testing.B) {
	dir := os.Getenv("RETRYLINT_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	pace.Collector()
	makeOrganisation(b, dir)
	repos, err := source.Discover([]string{dir}, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	text := func(r *model.Result) []byte {
		data, err := json.Marshal(r)
		if err != nil {
			b.Fatal(err)
		}
		return data
	}
	for b.Loop() {
		single, err := Run(b.Context(), Options{Repos: repos, Jobs: 2})
		if err != nil {
			b.Fatal(err)
		}
		want := text(single)
		single = nil
		store := factfile.Folder(b.TempDir())
		for shard := range 8 {
			if err := MapToStore(b.Context(), Options{Repos: repos, Jobs: 2}, store, "bench", shard, 8); err != nil {
				b.Fatal(err)
			}
		}
		facts, err := FromStore(b.Context(), store, repos)
		if err != nil {
			b.Fatal(err)
		}
		if got := text(Reduce(facts, Options{})); string(got) != string(want) {
			b.Fatalf("eight shards give %d bytes that differ from the %d of one run", len(got), len(want))
		}
		b.ReportMetric(float64(len(repos)), "repositories")
		b.ReportMetric(float64(len(want)), "bytes")
		b.ReportMetric(peakMB(), "MB-peak")
	}
}

// processorTime is that of this process and of the git processes that have ended.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

type benchCache struct{ *factfile.Cache }

func (c benchCache) Get(key string) ([]byte, bool) { return c.Cache.Get(factfile.Key("bench", key)) }
func (c benchCache) Has(key string) bool           { return c.Cache.Has(factfile.Key("bench", key)) }
func (c benchCache) Put(key string, data []byte)   { _ = c.Cache.Put(factfile.Key("bench", key), data) }

// peakMB is the most memory that this process has held, by the kernel's count; 0 where that cannot be told.
func peakMB() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

// makeOrganisation makes a bare repository of each module in the module cache that a go.mod of the project needs, and forty
// of 500 YAML files.
func makeOrganisation(b *testing.B, dir string) {
	b.Helper()
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return
	}
	mods := map[string]string{}
	goMods, err := filepath.Glob("../../*/go.mod")
	if err != nil {
		b.Fatal(err)
	}
	for _, mod := range append(goMods, "../../go.mod") {
		cmd := exec.Command("go", "list", "-m", "-e", "-json=Path,Dir,Main", "all")
		cmd.Dir = filepath.Dir(mod)
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly")
		out, err := cmd.Output()
		if err != nil {
			b.Logf("go list in %s: %v", cmd.Dir, err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
			var m struct {
				Path, Dir string
				Main      bool
			}
			if err := dec.Decode(&m); err != nil {
				b.Fatal(err)
			}
			if m.Dir != "" && !m.Main && !strings.HasPrefix(m.Path, "github.com/retrylint/") {
				mods[m.Path] = m.Dir
			}
		}
	}
	for path, src := range mods {
		repo := filepath.Join(dir, strings.ReplaceAll(path, "/", "_")+".git")
		fastImport(b, repo, path, func(add func(string, []byte)) {
			err := filepath.WalkDir(src, func(p string, e fs.DirEntry, err error) error {
				if err != nil || !e.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(p)
				rel, _ := filepath.Rel(src, p)
				if err == nil && len(data) < 8<<20 && !strings.ContainsAny(rel, "\"\n") {
					add(filepath.ToSlash(rel), data)
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}, false)
	}
	for i := range 40 {
		fastImport(b, filepath.Join(dir, fmt.Sprintf("generated-%02d.git", i)), "generated", func(add func(string, []byte)) {
			for j := range 500 {
				add(fmt.Sprintf("deploy/%03d.yaml", j), generatedYAML(i, j))
			}
		}, false)
	}
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o644); err != nil {
		b.Fatal(err)
	}
}

// generatedYAML is one of five kinds of manifests.
func generatedYAML(i, j int) []byte {
	name := fmt.Sprintf("svc-%02d-%03d", i, j)
	switch j % 5 {
	case 0:
		return fmt.Appendf(nil, "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec:\n  backoffLimit: %d\n  template:\n    spec:\n      restartPolicy: Never\n      containers: [{name: c, image: acme/%s}]\n", name, j%7, name)
	case 1:
		return fmt.Appendf(nil, "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: %s}\nspec:\n  hosts: [%s]\n  http:\n    - route: [{destination: {host: %s}}]\n      retries: {attempts: %d, perTryTimeout: 2s}\n", name, name, name, j%4)
	case 2:
		return fmt.Appendf(nil, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s}\nspec:\n  selector: {matchLabels: {app: %s}}\n  template:\n    metadata: {labels: {app: %s}}\n    spec:\n      containers:\n        - name: c\n          image: acme/%s\n          env: [{name: MAX_RETRIES, value: \"%d\"}]\n", name, name, name, name, j%6)
	case 3:
		return fmt.Appendf(nil, "apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec:\n  selector: {app: %s}\n  ports: [{port: 80}]\n", name, name)
	}
	return fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata:\n  retries: \"%d\"\n  timeout: 5s\n", name, j%9)
}

// fastImport writes one commit into a bare repository.
func fastImport(b *testing.B, repo, message string, fill func(add func(path string, data []byte)), again bool) {
	b.Helper()
	if !again {
		if out, err := exec.Command("git", "init", "-q", "--bare", "-b", "main", repo).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	cmd := exec.Command("git", "-c", "core.compression=1", "fast-import", "--quiet")
	cmd.Env = append(os.Environ(), "GIT_DIR="+repo)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(in, 1<<20)
	fmt.Fprintf(w, "commit refs/heads/main\ncommitter a <a@example.org> 1767225600 +0000\ndata %d\n%s\n", len(message), message)
	if again {
		fmt.Fprint(w, "from refs/heads/main^0\n")
	}
	fill(func(path string, data []byte) {
		fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n", path, len(data))
		w.Write(data)
		io.WriteString(w, "\n")
	})
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}
