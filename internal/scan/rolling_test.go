package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

func allLines(n int) map[int]bool {
	m := map[int]bool{}
	for i := range n {
		m[i+1] = true
	}
	return m
}

// TestRollingHashVector is a vector that was taken from the upload action's own algorithm.
func TestRollingHashVector(t *testing.T) {
	want := map[int]string{1: "5b5422080533d9df:1", 2: "a717ae11b0a11c44:1", 3: "2e4c02888828836a:1"}
	for _, text := range []string{"package a\n\nfunc x() {}\n", "package a\r\n\r\nfunc x() {}\r\n", "package a\r\rfunc x() {}\r", "package\ta\n  \nfunc x()   {}\n"} {
		got := rollingHashes([]byte(text), allLines(3))
		require.Equal(t, want, got, "%q", text)
	}
	require.Len(t, rollingHashes([]byte("package a\n\nfunc x() {}\n"), map[int]bool{2: true}), 1)
	require.Equal(t, "1", strings.Split(rollingHashes(nil, allLines(1))[1], ":")[1], "an empty file has one line")
}

// TestRollingHashAgainstTheSum holds the rolling form against the sum, line by line, on random text.
func TestRollingHashAgainstTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var b strings.Builder
		for range r.IntN(600) {
			b.WriteString([]string{"a", "xy", " ", "\t", "\n", "\r\n", "é", "\U0001F600", "retry := 3", "\n\n"}[r.IntN(10)])
		}
		text := b.String()
		flat := strings.NewReplacer("\r\n", "\n", " ", "", "\t", "").Replace(text)
		lines := strings.SplitAfter(flat, "\n")
		var rest []uint16
		seen := map[string]int{}
		want := map[int]string{}
		for i := range lines {
			rest = utf16.Encode([]rune(strings.Join(lines[i:], "")))
			rest = append(rest, 65535)
			rest = append(rest, make([]uint16, 100)...)
			var h uint64
			for _, u := range rest[:100] {
				h = h*37 + uint64(u)
			}
			key := fmt.Sprintf("%x", h)
			seen[key]++
			want[i+1] = fmt.Sprintf("%s:%d", key, seen[key])
		}
		require.Equal(t, want, rollingHashes([]byte(text), allLines(len(lines))))
	}
}
