//go:build unix

package scan

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/internal/source"
)

// BenchmarkManifests reads, links and judges one repository of 10,000 YAML files: those that lie in the modules which the
// project needs (or below RETRYLINT_BENCH_YAML), copied under changed names until there are enough. Run it with -benchtime=1x.
func BenchmarkManifests(b *testing.B) {
	const want, largest = 10_000, 64 << 10
	var originals []string
	for _, dir := range yamlFolders(b) {
		_ = filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil
			}
			ext, base := filepath.Ext(p), filepath.Base(p)
			if ext != ".yaml" && ext != ".yml" || base == "Chart.yaml" || strings.HasPrefix(strings.ToLower(base), "kustomization") {
				return nil // what renders has a benchmark of its own
			}
			if info, err := e.Info(); err == nil && info.Size() > 0 && info.Size() <= largest {
				originals = append(originals, p)
			}
			return nil
		})
	}
	if len(originals) < 100 {
		b.Skipf("%d YAML files in the module cache are too few", len(originals))
	}
	slices.Sort(originals)
	dir, size := b.TempDir(), 0
	for i := range want {
		data, err := os.ReadFile(originals[i%len(originals)])
		if err != nil {
			b.Fatal(err)
		}
		data = objectName.ReplaceAll(data, fmt.Appendf(nil, "${1}${2}-%d", i/len(originals)))
		size += len(data)
		p := filepath.Join(dir, fmt.Sprintf("team-%02d", i%40), fmt.Sprintf("%05d-%s", i, filepath.Base(originals[i%len(originals)])))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(p, data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	repos, err := source.Discover([]string{dir}, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		start, used := time.Now(), processorTime()
		facts, err := MapAll(b.Context(), Options{Repos: repos})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds(), "s-map")
		r := Reduce(facts, Options{})
		b.ReportMetric(time.Since(start).Seconds(), "s-all")
		b.ReportMetric((processorTime() - used).Seconds(), "s-cpu") // wall time is as the neighbours leave it
		b.ReportMetric(float64(r.Summary.ConfigFiles), "files")
		b.ReportMetric(float64(len(r.Layers)), "layers")
		b.ReportMetric(float64(len(originals)), "originals")
	}
}

// objectName is the name of an object of a manifest.
var objectName = regexp.MustCompile(`(?m)^(  name: )([a-z0-9][a-z0-9.-]*)$`)

// yamlFolders are where real YAML files lie.
func yamlFolders(b *testing.B) []string {
	if dir := os.Getenv("RETRYLINT_BENCH_YAML"); dir != "" {
		return []string{dir}
	}
	cmd := exec.Command("go", "list", "-m", "-e", "-f", "{{if not .Main}}{{.Dir}}{{end}}", "all")
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	if err != nil {
		b.Skipf("go list: %v", err)
	}
	return strings.Fields(string(out))
}
