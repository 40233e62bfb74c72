// Package pace sets how often the memory of a scan is collected.
package pace

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go's collector lets the heap grow by as much again as is alive. A scan of a large repository holds its syntax and types
// for its whole length (120 MB for 165,000 lines), so that would be as much memory for nothing; and a small scan would
// collect dozens of times on its way to the first megabytes. The pace below is slow as long as the heap is small and brisk
// once it is not.
const (
	smallHeap   = 64 << 20 // bytes that may be used before it is worth to collect
	brisk       = 33       // percent of what is alive, from there on: some percent more processor time than at 50 for a tenth less memory
	startFactor = 1600     // 64 MB: the smallest heap is 4 MB at 100 percent
)

// Collector sets the pace and adapts it after each collection. Whoever sets GOGC or GOMEMLIMIT decides instead.
func Collector() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if _, set := os.LookupEnv(name); set {
			return
		}
	}
	debug.SetGCPercent(startFactor)
	watchCollector(startFactor)
}

// collected dies with the next collection.
type collected struct{ _ *byte }

func watchCollector(percent int) {
	runtime.AddCleanup(&collected{new(byte)}, func(percent int) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() != metrics.KindUint64 {
			return
		}
		if next := collectorPercent(live[0].Value.Uint64()); next != percent {
			debug.SetGCPercent(next)
			percent = next
		}
		watchCollector(percent)
	}, percent)
}

// collectorPercent is the growth after which to collect again where so many bytes are alive.
func collectorPercent(live uint64) int {
	if live == 0 {
		return startFactor
	}
	if live >= smallHeap {
		return brisk
	}
	return min(max(int((smallHeap-live)*100/live), brisk), startFactor)
}
