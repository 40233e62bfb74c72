package factfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// random fills a value with anything that the model allows.
func random(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case model.Count:
		all := []model.Count{{}, model.Exactly(0), model.Exactly(3), model.Between(2, 5), model.Unbounded(), model.AtLeast(3)}
		v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		return
	case model.Limit:
		all := []model.Limit{{}, model.NoLimit(), model.For(0), model.For(time.Duration(r.Int64()))}
		v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		return
	case model.Ratio:
		all := []model.Ratio{{}, model.NewRatio(1, 3), model.NewRatio(2, 1), model.NewRatio(0, 1)}
		v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		return
	case model.Window:
		all := []model.Window{{}, model.Permanent(), model.WindowFor(0), model.WindowFor(time.Duration(r.Int64()))}
		v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		return
	case model.Name:
		all := []model.Name{{}, model.N(model.SpaceFunc, "a.b/c.(*T).M$1"), model.N(model.SpaceHandler, "r|d|POST /x:y"), model.N(model.SpaceEnv, "X")}
		v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			random(r, v.Field(i), depth+1)
		}
		if l, ok := v.Interface().(model.Location); ok && l.IsZero() {
			v.SetZero() // a location without path and line is no place and is not written
		}
	case reflect.Slice:
		if n := r.IntN(3); n > 0 && depth < 6 {
			s := reflect.MakeSlice(v.Type(), n, n)
			for i := range n {
				random(r, s.Index(i), depth+1)
			}
			v.Set(s)
		}
	case reflect.String:
		all := []string{"", "a", "b", "x y", "ü→\u2028", "<a href=\"&\">", "line\nbreak", "\\"}
		v.SetString(all[r.IntN(len(all))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(r.IntN(5)) - 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		v.SetUint(uint64(r.IntN(3)))
	default:
		panic(fmt.Sprintf("no generator for %s", v.Type()))
	}
}

func randomFacts(seed uint64, name, commit string) *model.Facts {
	f := &model.Facts{}
	random(rand.New(rand.NewPCG(seed, 1)), reflect.ValueOf(f).Elem(), 0)
	f.Schema, f.Repo.Name, f.Repo.Commit = model.SchemaVersion, name, commit
	return f
}

// sameFacts names the first field that differs; whole facts are too long to read.
func sameFacts(t testing.TB, want, got *model.Facts) {
	t.Helper()
	a, b := reflect.ValueOf(want).Elem(), reflect.ValueOf(got).Elem()
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			t.Fatalf("%s: want\n%+v\ngot\n%+v", a.Type().Field(i).Name, x, y)
		}
	}
}

func write(t testing.TB, h Header, f *model.Facts) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, h, f))
	return b.Bytes()
}

func TestReadOfWriteIsTheSame(t *testing.T) {
	for seed := range uint64(300) {
		f := randomFacts(seed, "pay", "c1")
		data := write(t, Header{Extractor: "v1"}, f)
		got, err := Read(bytes.NewReader(data))
		require.NoError(t, err)
		want := clone(f)
		want.Sort()
		sameFacts(t, want, got.Facts)
		require.Equal(t, "v1", got.Header.Extractor)
		require.Equal(t, f.Repo, got.Header.Repository)
		h, err := ReadHeader(bytes.NewReader(data))
		require.NoError(t, err)
		require.Equal(t, got.Header, h)
	}
}

func TestBytesDoNotDependOnOrder(t *testing.T) {
	for seed := range uint64(50) {
		f := randomFacts(seed, "pay", "c1")
		f.Sort() // equal elements in one order, since a stable sort keeps it
		g := clone(f)
		r := rand.New(rand.NewPCG(seed, 2))
		distinctShuffle(r, g.Settings, func(a, b model.Setting) bool {
			return a.Name == b.Name && a.At == b.At && a.For == b.For && a.Value == b.Value
		})
		distinctShuffle(r, g.Lines, func(a, b model.Line) bool { return a.Path == b.Path && a.Line == b.Line })
		require.Equal(t, write(t, Header{}, f), write(t, Header{}, g), "seed %d", seed)
	}
}

// distinctShuffle shuffles a list unless it has elements that sorting cannot tell apart.
func distinctShuffle[T any](r *rand.Rand, list []T, same func(a, b T) bool) {
	for i := range list {
		for j := range i {
			if same(list[i], list[j]) {
				return
			}
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func TestWriteLeavesFactsAlone(t *testing.T) {
	f := randomFacts(7, "pay", "c1")
	before := clone(f)
	write(t, Header{}, f)
	sameFacts(t, before, f)
}

// lines unpacks a file, so that a test can change its text.
func lines(t testing.TB, data []byte) []string {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	text, err := io.ReadAll(zip)
	require.NoError(t, err)
	all := strings.SplitAfter(string(text), "\n")
	return all[:len(all)-1]
}

func pack(text ...string) []byte {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	io.WriteString(zip, strings.Join(text, ""))
	zip.Close()
	return b.Bytes()
}

func TestUnfinishedFilesAreErrors(t *testing.T) {
	data := write(t, Header{}, randomFacts(3, "pay", "c1"))
	all := lines(t, data)
	require.Greater(t, len(all), 3)
	for n := range len(all) {
		_, err := Read(bytes.NewReader(pack(all[:n]...)))
		require.ErrorIs(t, err, ErrUnfinished, "%d lines", n)
	}
	for n := range len(data) - 1 {
		_, err := Read(bytes.NewReader(data[:n]))
		require.Error(t, err, "cut at byte %d", n)
	}
}

func TestEveryDamagedByteIsFound(t *testing.T) {
	f := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: "pay"}, Nodes: []model.Node{{Name: model.N(model.SpaceEnv, "X"), Label: "some text to be packed, some text"}}}
	data := write(t, Header{}, f)
	for i := range data {
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(data)
			bad[i] ^= bit
			got, err := Read(bytes.NewReader(bad))
			if err == nil {
				require.True(t, reflect.DeepEqual(f, got.Facts), "byte %d changed the facts without an error", i)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	all := lines(t, write(t, Header{}, &model.Facts{Repo: model.Repository{Name: "pay"}, Nodes: []model.Node{{Label: "x"}}}))
	require.Len(t, all, 3)
	for name, tt := range map[string]struct {
		in   []byte
		want string
	}{
		"nothing":          {nil, "not finished"},
		"not gzip":         {[]byte("{\"header\": {}}"), "gzip: invalid header"},
		"no header":        {pack(all[1:]...), "the first line is no header"},
		"other schema":     {pack(strings.Replace(all[0], `"schema":1`, `"schema":9`, 1), all[1], all[2]), "schema 9 is not known"},
		"unknown fact":     {pack(all[0], `{"verdict":{}}`+"\n", all[2]), "line 2"},
		"empty line":       {pack(all[0], "{}\n", all[2]), "line 2 holds no fact"},
		"two facts":        {pack(all[0], `{"node":{},"gap":{}}`+"\n", all[2]), "line 2 holds no fact, or several"},
		"wrong count":      {pack(all[0], all[1], all[1], all[2]), "the trailer counts 1 facts, 2 were read"},
		"after the end":    {pack(all[0], all[1], all[2], all[1]), "something follows the trailer"},
		"two on a line":    {pack(all[0], strings.TrimSpace(all[1])+all[1], all[2]), "something follows the fact of line 2"},
		"a second header":  {pack(all[0], all[0], all[2]), "line 2 holds no fact"},
		"a line too long":  {pack(all[0], `{"node":{"label":"`+strings.Repeat("x", maxLine)), "line 2 is too long"},
		"a broken trailer": {pack(all[0], all[1], `{"trailer":{"facts":`), "not finished"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(bytes.NewReader(tt.in))
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestMerge(t *testing.T) {
	file := func(seed uint64, name, commit string) *File {
		f := randomFacts(seed, name, commit)
		return &File{Header: Header{Schema: 1, Extractor: "v1", Repository: f.Repo}, Facts: f}
	}
	a, b, c := file(1, "a", "1"), file(2, "b", "1"), file(3, "c", "1")
	again := file(1, "a", "1")
	want, err := Merge(a, b, c)
	require.NoError(t, err)
	require.Equal(t, []*File{a, b, c}, want)
	for _, order := range [][]*File{{c, b, a}, {b, again, c, a}, {a, a, b, b, c, c}} {
		got, err := Merge(order...)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	left, err := Merge(a, b)
	require.NoError(t, err)
	right, err := Merge(again, c)
	require.NoError(t, err)
	both, err := Merge(append(left, right...)...)
	require.NoError(t, err)
	require.Equal(t, want, both)

	_, err = Merge(a, b, file(1, "a", "2"))
	require.EqualError(t, err, "merge facts: repository a is there at two commits, 1 and 2")
	_, other := Merge(file(1, "a", "2"), a, b)
	require.Equal(t, err, other, "the error does not depend on the order")
	_, err = Merge(a, file(9, "a", "1"))
	require.ErrorContains(t, err, "with facts that differ")
	newer := file(1, "a", "1")
	newer.Header.Extractor = "v2"
	_, err = Merge(a, newer)
	require.ErrorContains(t, err, "read by two versions, v1 and v2")
}

func TestFolder(t *testing.T) {
	ctx := t.Context()
	dir := filepath.Join(t.TempDir(), "new", "facts")
	s, err := Open("file://" + filepath.ToSlash(dir))
	require.NoError(t, err)
	names, err := s.List(ctx)
	require.NoError(t, err)
	require.Empty(t, names)
	f := randomFacts(5, "team/Pay", "c1")
	require.NoError(t, Save(ctx, s, Header{Extractor: "v1"}, f))
	require.NoError(t, Save(ctx, s, Header{Extractor: "v1"}, f), "twice is harmless")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".tmp-123"), []byte("killed"), 0o644))
	names, err = s.List(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{Name("team/Pay")}, names, "temporary files are not listed")
	got, err := Load(ctx, s, "team/Pay")
	require.NoError(t, err)
	require.Equal(t, "team/Pay", got.Header.Repository.Name)
	_, err = Load(ctx, s, "other")
	require.ErrorIs(t, err, fs.ErrNotExist)
	for _, bad := range []string{"", "..", "../x" + suffix, `..\x` + suffix, "a/b" + suffix, "x"} {
		_, err := s.Get(ctx, bad)
		require.Error(t, err, bad)
		require.Error(t, s.Put(ctx, bad, nil), bad)
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	require.ErrorIs(t, Save(cancelled, s, Header{}, f), context.Canceled)
}

func TestOpenRefuses(t *testing.T) {
	for in, want := range map[string]string{"s3://bucket/x": "keeps facts in a folder", "file://host/x": "three slashes", "": "empty", "file://%zz": "facts at"} {
		_, err := Open(in)
		require.ErrorContains(t, err, want, in)
	}
	s, err := Open("a/folder")
	require.NoError(t, err)
	require.Equal(t, Folder("a/folder"), s)
}

func TestNamesAreApart(t *testing.T) {
	seen := map[string]string{}
	for _, n := range []string{"a/b", "a b", "a+b", "a%2Fb", "A/b", "a/B", ".", "..", "x", ".x", strings.Repeat("x", 300), strings.Repeat("x", 301), "ü", "a:b", "a*"} {
		f := strings.ToLower(Name(n))
		require.Empty(t, seen[f], "%q and %q", n, seen[f])
		seen[f] = n
		require.NoError(t, checkName(Name(n)))
		require.Less(t, len(f), 200)
		require.False(t, strings.HasPrefix(f, "."), f)
	}
}

func TestCache(t *testing.T) {
	dir := t.TempDir()
	c := NewCache(dir)
	key, other := Key("v1", "pay", "tree"), Key("v1", "pay", "tree2")
	require.NotEqual(t, Key("ab", "c"), Key("a", "bc"))
	_, ok := c.Get(key)
	require.False(t, ok)
	require.False(t, c.Has(key))
	require.NoError(t, c.Put(key, []byte("facts")))
	got, ok := c.Get(key)
	require.True(t, ok)
	require.Equal(t, "facts", string(got))
	require.True(t, c.Has(key))
	require.False(t, c.Has(other))
	require.NoError(t, c.Put(key, []byte("others")))
	got, _ = c.Get(key)
	require.Equal(t, "others", string(got))
	_, ok = c.Get("../../etc/passwd")
	require.False(t, ok)
	require.False(t, c.Has("../../etc/passwd"))
	require.Error(t, c.Put("short", nil))

	var none *Cache
	require.NoError(t, none.Put(key, nil))
	_, ok = none.Get(key)
	require.False(t, ok)
	require.False(t, none.Has(key))
}

func TestCacheTrim(t *testing.T) {
	dir := t.TempDir()
	c := NewCache(dir)
	old, fresh, asked := Key("old"), Key("fresh"), Key("asked")
	month := time.Now().Add(-30 * 24 * time.Hour)
	for _, key := range []string{old, fresh, asked} {
		require.NoError(t, c.Put(key, []byte("x")))
		if key != fresh {
			sub, name := c.path(key)
			require.NoError(t, os.Chtimes(filepath.Join(sub, name), month, month))
		}
	}
	require.True(t, c.Has(asked), "who asks for an entry has use for it")
	strange := filepath.Join(dir, "not-ours")
	require.NoError(t, os.WriteFile(strange, nil, 0o644))
	require.NoError(t, os.Chtimes(strange, month, month))
	require.NoError(t, c.Trim(month.Add(time.Hour)))
	_, ok := c.Get(old)
	require.False(t, ok)
	for _, key := range []string{fresh, asked} {
		_, ok = c.Get(key)
		require.True(t, ok)
	}
	require.FileExists(t, strange)
	require.NoError(t, NewCache(filepath.Join(dir, "missing")).Trim(month))
}

func TestExtractorID(t *testing.T) {
	require.Equal(t, "v1.2.3", ExtractorID("v1.2.3"))
	require.True(t, strings.HasPrefix(ExtractorID(""), "devel-"))
	require.Equal(t, ExtractorID(""), ExtractorID("devel"))
	require.True(t, strings.HasPrefix(ExtractorID("v0.0.0-20260101+dirty"), "devel-"))
}

func FuzzRead(f *testing.F) {
	data := write(f, Header{Extractor: "v1"}, randomFacts(3, "pay", "c1"))
	text := strings.Join(lines(f, data), "")
	f.Add([]byte(text))
	f.Add([]byte(`{"header":{"schema":1,"repository":{"name":"x"}}}` + "\n" + `{"trailer":{"facts":0}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Read(bytes.NewReader(pack(string(text))))
		if err != nil {
			return
		}
		// What was read can be written, and reads the same again.
		data := write(t, file.Header, file.Facts)
		again, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("written facts cannot be read: %v", err)
		}
		if !bytes.Equal(data, write(t, again.Header, again.Facts)) {
			t.Fatal("written facts differ when they are written again")
		}
	})
}

func FuzzReadBytes(f *testing.F) {
	f.Add(write(f, Header{}, randomFacts(3, "pay", "c1")))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Read(bytes.NewReader(data)); err == nil {
			if _, err := ReadHeader(bytes.NewReader(data)); err != nil {
				t.Fatal(err)
			}
		} else if errors.Is(err, io.EOF) {
			t.Fatal("a bare io.EOF")
		}
	})
}
