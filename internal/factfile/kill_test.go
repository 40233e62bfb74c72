//go:build unix

package factfile

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writerVariable makes the test's own program write into a folder until it is killed.
const writerVariable = "RETRYLINT_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		writeOn(dir)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// content is what belongs under a name, of different lengths up to some hundred kilobytes.
func content(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return bytes.Repeat(sum[:], 1+int(sum[0])*int(sum[1])/4)
}

// entryOf is one of a few names, so that they are written again and again.
func entryOf(n int) (key, file string) {
	return Key("entry", strconv.Itoa(n%40)), Name("repository-" + strconv.Itoa(n%40))
}

// writeOn writes cache entries and facts files and says of each when it is there.
func writeOn(dir string) {
	c, store := NewCache(dir+"/cache"), Folder(dir+"/facts")
	seed, _ := strconv.Atoi(os.Getenv(writerVariable + "_SEED"))
	for n := seed; ; n++ {
		key, file := entryOf(n)
		if c.Put(key, content(key)) == nil {
			fmt.Println("cache", key)
		}
		if store.Put(context.Background(), file, content(file)) == nil {
			fmt.Println("facts", file)
		}
	}
}

// TestKilledWriters kills a writer at random points, a thousand times where RETRYLINT_LONG is set. What is there is whole, and
// what was said to be there still is.
func TestKilledWriters(t *testing.T) {
	kills := 60
	if os.Getenv("RETRYLINT_LONG") != "" {
		kills = 1000
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/facts", 0o755))
	c, store := NewCache(dir+"/cache"), Folder(dir+"/facts")
	r := rand.New(rand.NewPCG(7, 8))
	there := map[string]bool{}
	inMiddle := 0
	for n := range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"="+dir, writerVariable+"_SEED="+strconv.Itoa(r.IntN(1000)))
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		// The first line says that it is at work; from there on a random time.
		first := make([]byte, 1)
		_, err = io.ReadFull(out, first)
		require.NoError(t, err)
		time.Sleep(time.Duration(r.Int64N(int64(3 * time.Millisecond))))
		require.NoError(t, cmd.Process.Kill())
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait()
		for line := range strings.Lines(string(first) + string(rest)) {
			if strings.HasSuffix(line, "\n") {
				there[strings.TrimSpace(line)] = true
			}
		}
		for i := range 40 {
			key, file := entryOf(i)
			data, ok := c.Get(key)
			require.True(t, ok || !there["cache "+key], "kill %d: an entry is lost", n)
			require.True(t, !ok || bytes.Equal(content(key), data), "kill %d: an entry is not whole", n)
			data, err := store.Get(t.Context(), file)
			require.True(t, err == nil || !there["facts "+file], "kill %d: a file is lost: %v", n, err)
			require.True(t, err != nil || bytes.Equal(content(file), data), "kill %d: a file is not whole", n)
		}
		list, err := store.List(t.Context())
		require.NoError(t, err)
		for _, name := range list {
			require.True(t, Known(name), "%s is no facts file", name)
		}
		if n%10 == 9 { // what was begun and never renamed
			inMiddle += temporary(t, dir)
			require.NoError(t, c.Trim(time.Now().Add(time.Hour)))
			_, ok := c.Get(Key("entry", "0"))
			require.False(t, ok, "trimmed")
			there = map[string]bool{}
			for i := range 40 {
				if _, file := entryOf(i); has(t, store, file) {
					there["facts "+file] = true
				}
			}
		}
	}
	require.Positive(t, inMiddle, "none was killed in the middle of a write")
	t.Logf("%d kills, of which at least %d in the middle of a write", kills, inMiddle)
}

func has(t *testing.T, s Store, name string) bool { return Has(t.Context(), s, name) }

// temporary counts the files beneath a folder that nobody renamed, and removes those of the facts.
func temporary(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	for _, sub := range []string{"/facts", "/cache"} {
		err := walk(dir+sub, func(path string) {
			if strings.Contains(path, ".tmp-") {
				n++
				if sub == "/facts" {
					os.Remove(path)
				}
			}
		})
		require.NoError(t, err)
	}
	return n
}

func walk(dir string, visit func(path string)) error {
	list, err := os.ReadDir(dir)
	for _, e := range list {
		if e.IsDir() {
			if err := walk(dir+"/"+e.Name(), visit); err != nil {
				return err
			}
			continue
		}
		visit(dir + "/" + e.Name())
	}
	return err
}
