package pace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The goal of a small heap is 64 MB whatever is alive; a large one grows by a third.
func TestCollectorPercent(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 1600}, {1 << 20, 1600}, {8 << 20, 700}, {32 << 20, 100}, {60 << 20, 33}, {64 << 20, 33}, {1 << 30, 33}} {
		require.Equal(t, c.want, collectorPercent(c.live), c.live)
	}
}
