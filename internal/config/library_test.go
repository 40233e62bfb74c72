package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/analyzers/libs"
)

// The form of libraries: is that of the built-in catalogue, key by key.
func TestLibraryShapeIsThatOfTheCatalogue(t *testing.T) {
	s := libraryShape()
	sameShape(t, "library", reflect.TypeFor[libs.Library](), &s)
}

func sameShape(t *testing.T, where string, typ reflect.Type, s *shape) {
	t.Helper()
	want := map[string]reflect.Type{}
	var collect func(reflect.Type)
	collect = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			switch {
			case !f.IsExported() || name == "-":
			case options == "inline":
				collect(f.Type)
			default:
				want[name] = f.Type
			}
		}
	}
	collect(typ)
	have := map[string]bool{}
	for _, f := range s.fields {
		have[f.name] = true
		w, ok := want[f.name]
		if !ok {
			t.Errorf("%s.%s: the catalogue has no such key", where, f.name)
			continue
		}
		if w.Kind() == reflect.Pointer {
			w = w.Elem()
		}
		elem := &f.shape
		if w.Kind() == reflect.Slice {
			require.Equal(t, kindList, f.shape.kind, "%s.%s", where, f.name)
			w, elem = w.Elem(), f.shape.elem
		}
		switch {
		case elem.kind == kindAny:
		case w.Kind() == reflect.Struct:
			require.Equal(t, kindObject, elem.kind, "%s.%s", where, f.name)
			sameShape(t, where+"."+f.name, w, elem)
		case w.Kind() == reflect.Bool:
			require.Equal(t, kindBool, elem.kind, "%s.%s", where, f.name)
		default:
			require.Contains(t, []kind{kindText, kindString}, elem.kind, "%s.%s", where, f.name)
		}
	}
	for name := range want {
		if !have[name] {
			t.Errorf("%s.%s is missing in the shape", where, name)
		}
	}
}

func TestLibrariesAreChecked(t *testing.T) {
	c, problems := Parse("c.yaml", []byte("version: 1\nlibraries:\n  - path: example.test/retry\n    calls: [{func: Do, runs: arg 0, atempts: \"3\"}]\n"))
	require.Len(t, problems, 1)
	require.Equal(t, `c.yaml:4:37: unknown key "atempts" in libraries[0].calls[0] (did you mean "attempts"?)`, problems[0].String())
	require.Nil(t, c.Libraries)
	c = parse(t, "version: 1\nlibraries:\n  - path: example.test/retry\n    calls: [{func: Do, runs: arg 0, attempts: 3, backoff: constant, initial: 1s}]\n")
	require.NotNil(t, c.Libraries)
}
