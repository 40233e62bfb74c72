package lsp

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

func TestUnits(t *testing.T) {
	line := "aé😀b\xffc"
	// Bytes before: a 1, é 2, 😀 4, b 1, one that is no UTF-8, c 1.
	for _, c := range []struct{ bytes, units int }{{0, 0}, {1, 1}, {3, 2}, {7, 4}, {8, 5}, {9, 6}, {10, 7}} {
		require.Equal(t, c.units, units(line, c.bytes), "%d bytes", c.bytes)
		require.Equal(t, c.bytes, bytesOf(line, c.units), "%d units", c.units)
	}
	require.Equal(t, 2, units(line, 5), "the middle of a character is its beginning")
	require.Equal(t, 3, bytesOf(line, 3), "so is the middle of a pair")
	require.Equal(t, 7, units(line, 99))
	require.Equal(t, len(line), bytesOf(line, 99))
}

func TestSpan(t *testing.T) {
	x := newText("  limit: \"2\"  \r\n\r\nlast")
	r := func(a, b, c, d int) textRange { return textRange{position{a, b}, position{c, d}} }
	require.Equal(t, r(0, 9, 0, 12), x.span(1, 10, 1, 13))
	require.Equal(t, r(0, 9, 0, 12), x.span(1, 10, 0, 0), "without an end to the end of the line's text")
	require.Equal(t, r(0, 2, 0, 12), x.span(1, 0, 0, 0), "without a column all of the line's text")
	require.Equal(t, r(0, 2, 2, 4), x.span(1, 3, 3, 5))
	require.Equal(t, r(7, 0, 7, 0), x.span(8, 0, 0, 0), "a line that is no more")
	require.Equal(t, r(4, 6, 4, 6), (*text)(nil).span(5, 7, 0, 0), "a file that cannot be read")
}

func TestSplice(t *testing.T) {
	require.Equal(t, "a\nX\nc", splice("a\n😀b\nc", textRange{position{1, 0}, position{1, 3}}, "X"))
	require.Equal(t, "a\nbX", splice("a\nb", textRange{position{9, 9}, position{9, 9}}, "X"))
	require.Equal(t, "aX\nb", splice("a\nb", textRange{position{0, 1}, position{0, 0}}, "X"), "an end before its start")
}

func TestURIs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b (1) é#?.go")
	back, ok := pathOf(uriOf(file))
	require.True(t, ok)
	require.Equal(t, file, back)
	for _, uri := range []string{"untitled:Untitled-1", "git:/a/b.go", "file://host/share/a.go", "", "%zz", "file:"} {
		_, ok := pathOf(uri)
		require.False(t, ok, uri)
	}
}

func TestPlainText(t *testing.T) {
	require.Equal(t, "27 attempts from a_b at x.go:3\n| path | delay |\n| automatic | 2h |",
		plainText("**27 attempts** from a\\_b at [x.go:3](file:///x.go#L3)\n| path | delay |\n|---|---|\n| automatic | 2h |"))
	require.Equal(t, "\\[x\\](y) \\<b\\> \\`z", escape("[x](y)\n<b>\x00 `z"))
	require.Equal(t, "````yaml\na ```\n````", fence("a ```\n"))
}

func TestCommentMark(t *testing.T) {
	for file, want := range map[string]string{"a/b.go": "//", "k/job.yaml": "# ", "config.toml": "# ", "app.ini": "# ", "package.json": "",
		"main.tf": "# ", "picture.png": "", "haproxy.cfg": "# "} {
		require.Equal(t, want, commentMark(file), file)
	}
}

// quiet is a server with one scan behind it and no client.
func quiet(t *testing.T, file string, f model.FindingInfo) *server {
	t.Helper()
	dir := realPath(filepath.Dir(file))
	f.Place.Repository, f.Place.Path = "r", filepath.Base(file)
	for i := range f.Fix {
		f.Fix[i].Repository, f.Fix[i].Path = "r", filepath.Base(file)
	}
	r := &model.Result{Findings: []model.FindingInfo{f}}
	s := &server{docs: map[string]*document{}, cache: newMemory(nil), schedule: schedule{wake: make(chan struct{}, 1)}}
	s.last = newSnapshot(r, []source.Repo{{Name: "r", Dir: dir, Kind: source.Plain}}, nil, nil, nil)
	return s
}

func TestFix(t *testing.T) {
	file := realPath(filepath.Join(t.TempDir(), "a.go"))
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nvar é, x = 1, 2\n"), 0o644))
	s := quiet(t, file, model.FindingInfo{Rule: "no-timeout", Help: "Set a limit. Any will do.", Place: model.Place{Line: 3, Column: 5},
		Fix: []model.EditInfo{{Place: model.Place{Line: 3, Column: 9, EndLine: 3, EndColumn: 10}, New: "y"}}})
	ask := func() []codeAction {
		at := textRange{position{2, 4}, position{2, 5}}
		out, err := s.codeAction(t.Context(), codeActionParams{TextDocument: textDocumentIdentifier{URI: uriOf(file)}, Range: at})
		require.NoError(t, err)
		return out
	}
	got := ask()
	require.Len(t, got, 2)
	require.Equal(t, "Fix: Set a limit", got[0].Title)
	require.True(t, got[0].IsPreferred)
	require.Equal(t, map[string][]textEdit{uriOf(file): {{textRange{position{2, 7}, position{2, 8}}, "y"}}}, got[0].Edit.Changes)
	require.Equal(t, "Ignore no-timeout here, with a reason", got[1].Title)

	// A buffer that was changed elsewhere can still be told to ignore, but edits made for another text are not offered.
	s.docs[file] = &document{uri: uriOf(file), text: "package a\n\nvar é, x = 1, 2\n\nvar z int\n"}
	got = ask()
	require.Len(t, got, 1)
	require.Contains(t, got[0].Title, "Ignore")
	s.docs[file].text = "package a\n\nvar other int\n"
	require.Empty(t, ask(), "the line is another one")
	delete(s.docs, file)
	out, err := s.codeAction(t.Context(), codeActionParams{TextDocument: textDocumentIdentifier{URI: uriOf(file)}, Range: textRange{position{0, 0}, position{0, 0}}})
	require.NoError(t, err)
	require.Empty(t, out, "elsewhere")
}

func TestScheduleCancelsYoungScans(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := schedule{wake: make(chan struct{}, 1), cancel: cancel, started: time.Now().Add(-2 * slow)}
	s.at(time.Now())
	require.NoError(t, ctx.Err(), "a scan that has run for long comes to its end")
	s.started = time.Now()
	s.at(time.Now())
	require.Error(t, ctx.Err())
	s.stop()
	s.at(time.Now())
	require.True(t, s.due.IsZero(), "after shutdown nothing begins")
}

func TestMemory(t *testing.T) {
	below := newMemory(nil)
	m := newMemory(below)
	f := []byte("facts")
	m.Put("unsaved", f)
	_, ok := below.Get("unsaved")
	require.False(t, ok, "what is not saved is not kept")
	m.saves(true)
	m.Put("saved", f)
	_, ok = below.Get("saved")
	require.True(t, ok)
	a, ok := m.Get("unsaved")
	require.True(t, ok)
	require.Equal(t, "facts", string(a))
	require.True(t, m.Has("unsaved"))
	require.False(t, m.Has("other"))
	m.size = memoryBytes + 1
	m.Put("new", f)
	_, ok = m.files["saved"]
	require.False(t, ok, "the oldest goes")
	_, ok = m.Get("new")
	require.True(t, ok)
}

func TestQueue(t *testing.T) {
	r, w := io.Pipe()
	q := newQueue(w)
	for range 100 { // nobody reads yet
		_, err := q.Write(make([]byte, 1000))
		require.NoError(t, err)
	}
	read := make(chan int)
	go func() {
		data, _ := io.ReadAll(r)
		read <- len(data)
	}()
	q.drain(time.Minute)
	require.NoError(t, w.Close())
	require.Equal(t, 100_000, <-read)
	_, err := q.Write([]byte("x"))
	require.ErrorIs(t, err, io.ErrClosedPipe)

	r, w = io.Pipe()
	q = newQueue(w)
	require.NoError(t, r.CloseWithError(errors.New("gone")))
	require.Eventually(t, func() bool { _, err := q.Write([]byte("x")); return err != nil }, time.Minute, time.Millisecond)
}
