package doc

import (
	"os"
	"testing"
)

// BenchmarkYAML reads manifests of about a kilobyte; the time for 10,000 of them is 10,000 times ns/op.
func BenchmarkYAML(b *testing.B)     { bench(b, "testdata/seeds/job.yaml") }
func BenchmarkTemplate(b *testing.B) { bench(b, "testdata/seeds/chart.yaml") }
func BenchmarkJSON(b *testing.B)     { bench(b, "testdata/seeds/grpc.json") }
func BenchmarkHCL(b *testing.B)      { bench(b, "testdata/seeds/queue.tf") }
func BenchmarkProperties(b *testing.B) {
	bench(b, "testdata/seeds/application.properties")
}

func bench(b *testing.B, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(file, data, Limits{})
	}
}
