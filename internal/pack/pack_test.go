package pack

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// random fills memory of any type, unexported fields included.
func random(r *rand.Rand, v reflect.Value, depth int) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			random(r, v.Field(i), depth+1)
		}
	case reflect.Slice:
		if n := r.IntN(5) - 1; n >= 0 && depth < 8 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				random(r, v.Index(i), depth+1)
			}
		}
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			random(r, v.Elem(), depth+1)
		}
	case reflect.String:
		v.SetString([]string{"", "a", "b", "x y", "ü→\u2028", "\xff not UTF-8", "line\nbreak", fmt.Sprint(r.Int())}[r.IntN(8)])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64() >> r.IntN(64) * []int64{-1, 0, 1}[r.IntN(3)])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float64:
		v.SetFloat(r.NormFloat64())
	default:
		panic("no generator for " + v.Type().String())
	}
}

func roundTrip[T any](t *testing.T, seeds uint64) {
	t.Helper()
	for seed := range seeds {
		v := new(T)
		random(rand.New(rand.NewPCG(seed, 7)), reflect.ValueOf(v).Elem(), 0)
		data := Write("k", v)
		got, err := Read[T]("k", data)
		require.NoError(t, err)
		require.True(t, reflect.DeepEqual(v, got), "seed %d", seed)
		require.Equal(t, data, Write("k", got), "the same bytes again")
		_, err = Read[T]("other", data)
		require.ErrorIs(t, err, ErrDamaged)
	}
}

func TestReadOfWriteIsTheSame(t *testing.T) {
	roundTrip[model.Facts](t, 60)
	roundTrip[model.Result](t, 60)
	roundTrip[struct {
		A float64
		B *[]string
		C []*int
		D [][]byte
		E time.Duration
		F int8
	}](t, 300)
}

func TestEveryDamagedByteIsFound(t *testing.T) {
	f := &model.Facts{Repo: model.Repository{Name: "pay"}, Nodes: []model.Node{{Name: model.N(model.SpaceEnv, "X"), Label: "x"}}}
	data := Write("k", f)
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			_, err := Read[model.Facts]("k", bad)
			require.ErrorIs(t, err, ErrDamaged, "byte %d", i)
		}
		_, err := Read[model.Facts]("k", data[:i])
		require.ErrorIs(t, err, ErrDamaged, "cut at %d", i)
	}
	_, err := Read[model.Facts]("k", append(bytes.Clone(data), 0))
	require.ErrorIs(t, err, ErrDamaged)
}

// TestOtherStructureIsRefused stands for a build whose types differ.
func TestOtherStructureIsRefused(t *testing.T) {
	type before struct{ A, B int }
	type after struct{ B, A int }
	_, err := Read[after]("k", Write("k", &before{1, 2}))
	require.ErrorIs(t, err, ErrDamaged)
	type again struct{ A, B int }
	got, err := Read[again]("k", Write("k", &before{1, 2}))
	require.NoError(t, err)
	require.Equal(t, &again{1, 2}, got)
}

func TestWhatCannotBePacked(t *testing.T) {
	type loop struct{ Next *loop }
	require.Panics(t, func() { Write("k", &loop{}) })
	require.Panics(t, func() { Write("k", &map[string]int{}) })
}
