package gosrc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const stubRetry = `package retry

import "time"

type Option func(*config)
type config struct{}
func Attempts(n uint) Option { return nil }
func Delay(d time.Duration) Option { return nil }
func Do(f func() error, opts ...Option) error { return nil }
type Retrier struct{}
func New(opts ...Option) *Retrier { return nil }
func (r *Retrier) Do(f func() error) error { return nil }
`

func TestCallees(t *testing.T) {
	stubs := map[string]string{
		"example.org/stub/retry":  stubRetry,
		"example.org/stub/base":   "package base\ntype Client struct{}\nfunc (Client) Get() error { return nil }\n",
		"example.org/stub/facade": "package facade\nimport \"example.org/stub/base\"\nfunc New() base.Client { return base.Client{} }\n",
		"example.org/stub/faulty": "package faulty\nfunc Good() {}\nvar x int = undefined\n",
		"example.org/stub/broken": "package broken\nfunc {",
		"errors":                  "package errors\nfunc Stubbed() {}\n",
	}
	tests := []struct {
		name string
		repo string
		pkg  string
		want []string
	}{
		{"methods of the standard library", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("net/http"; "time"; "context")
func f(ctx context.Context) error {
	c := &http.Client{Timeout: 3 * time.Second}
	req, err := http.NewRequestWithContext(ctx, "GET", "", nil)
	_, err = c.Do(req)
	time.Sleep(time.Second)
	return ctx.Err()
}
`, "example.org/a", []string{"net/http.NewRequestWithContext", "(*net/http.Client).Do", "time.Sleep", "(context.Context).Err"}},

		{"packages of the repository", `
-- go.mod --
module example.org/a
-- cmd/run/main.go --
package main
import "example.org/a/lib"
func main() { lib.New().Go() }
-- lib/lib.go --
package lib
import "example.org/a/lib/deep"
func New() *deep.T { return nil }
-- lib/deep/deep.go --
package deep
type T struct{}
func (*T) Go() {}
`, "example.org/a/cmd/run", []string{"(*example.org/a/lib/deep.T).Go", "example.org/a/lib.New"}},

		{"missing packages are known by path", `
-- go.mod --
module example.org/a
-- a.go --
package a
import (
	"github.com/foo/go-retry"
	named "github.com/foo/bar"
	"gopkg.in/yaml.v3"
	"github.com/foo/baz/v4"
	"github.com/json-iterator/go"
	"k8s.io/api/autoscaling/v2"
	"github.com/eclipse/paho.mqtt.golang"
)
func f() {
	retry.Do()
	named.Do()
	yaml.Marshal()
	baz.New().Run()
	jsoniter.Marshal()
	v2.Scale()
	mqtt.New()
}
`, "example.org/a", []string{"weak github.com/foo/go-retry.Do", "weak github.com/foo/bar.Do", "weak gopkg.in/yaml.v3.Marshal",
			"? baz.New().Run", "weak github.com/foo/baz/v4.New", "weak github.com/json-iterator/go.Marshal",
			"weak k8s.io/api/autoscaling/v2.Scale", "weak github.com/eclipse/paho.mqtt.golang.New"}},

		{"stubs", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("example.org/stub/retry"; "errors"; "example.org/stub/facade")
func f() error {
	retry.Do(func() error { return nil }, retry.Attempts(3))
	retry.New().Do(nil)
	facade.New().Get()
	return errors.New("")
}
`, "example.org/a", []string{"example.org/stub/retry.Do", "example.org/stub/retry.Attempts",
			"(*example.org/stub/retry.Retrier).Do", "example.org/stub/retry.New",
			"(example.org/stub/base.Client).Get", "example.org/stub/facade.New", "errors.New"}},

		{"faulty and broken stubs", `
-- go.mod --
module example.org/a
-- a.go --
package a
import ("example.org/stub/faulty"; "example.org/stub/broken")
func f() { faulty.Good(); broken.Do() }
`, "example.org/a", []string{"example.org/stub/faulty.Good", "weak example.org/stub/broken.Do"}},

		{"the repository's own package before a stub", `
-- go.mod --
module example.org/stub/retry
-- retry.go --
package retry
func Own() {}
-- cmd/main.go --
package main
import "example.org/stub/retry"
func main() { retry.Own() }
`, "example.org/stub/retry/cmd", []string{"example.org/stub/retry.Own"}},

		{"generics", `
-- go.mod --
module example.org/a
go 1.21
-- a.go --
package a
type List[T any] struct { v []T }
func (l *List[T]) Each(f func(T) error) {}
func Map[T, U any](l *List[T], f func(T) U) *List[U] { return nil }
func f() { Map(&List[int]{}, func(int) string { return "" }).Each(nil) }
`, "example.org/a", []string{"(*example.org/a.List[T]).Each", "example.org/a.Map"}},

		{"dot imports and cgo", `
-- go.mod --
module example.org/a
-- a.go --
package a
// #include <stdlib.h>
import "C"
import (
	. "time"
	. "example.org/missing"
)
func f() { Sleep(Second); C.free(nil); Unknown(); f() }
`, "example.org/a", []string{"time.Sleep", "weak C.free", "? Unknown", "example.org/a.f"}},

		{"newer go directive", `
-- go.mod --
module example.org/a
go 1.999.3
-- a.go --
package a
import "time"
func f() { for range 3 { time.Sleep(1) } }
`, "example.org/a", []string{"time.Sleep"}},

		{"syntax errors", `
-- go.mod --
module example.org/a
-- a.go --
package a
import "time"
func f() { time.Sleep(1); x := ; }
func g( { }
func h() { time.Now() }
`, "example.org/a", []string{"time.Sleep", "time.Now"}},

		{"type errors", `
-- go.mod --
module example.org/a
-- a.go --
package a
import "time"
func f() int { time.Sleep("x"); undefined(); var x Missing; x.Do(); time.Nothing(); return "" }
func main() {}
func main() { time.Now() }
`, "example.org/a", []string{"time.Sleep", "? undefined", "? x.Do", "weak time.Nothing", "time.Now"}},

		{"replaced by a folder", `
-- go.mod --
module example.org/a
require example.org/other/mod v1.0.0
replace example.org/other/mod => ./third/mod
-- a.go --
package a
import "example.org/other/mod/sub"
func f() { sub.Do() }
-- third/mod/go.mod --
module example.org/fork
-- third/mod/sub/sub.go --
package sub
func Do() {}
`, "example.org/a", []string{"example.org/fork/sub.Do"}},

		{"two modules of one path", `
-- one/go.mod --
module demo
-- one/main.go --
package main
import "demo/lib"
func main() { lib.One() }
-- one/lib/lib.go --
package lib
func One() {}
-- two/go.mod --
module demo
-- two/lib/lib.go --
package lib
func Two() {}
`, "demo", []string{"demo/lib.One"}},

		{"no module", `
-- main.go --
package main
import ("./lib"; "log")
func main() { lib.Do(); log.Println() }
-- lib/lib.go --
package lib
func Do() {}
-- log/log.go --
package log
func Println() {}
`, "main", []string{"lib.Do", "log.Println"}},

		{"no module, from a workspace", `
-- main.go --
package main
import ("github.com/me/app/lib"; "github.com/me/app/lib/deep"; "github.com/other/deep/lib"; "github.com/pkg/lib")
func main() { lib.Do(); deep.Do() }
-- lib/lib.go --
package lib
import "github.com/me/app/errors"
func Do() { errors.New() }
-- lib/deep/deep.go --
package deep
func Do() {}
-- errors/errors.go --
package errors
func New() {}
`, "github.com/me/app", []string{"github.com/me/app/lib.Do", "github.com/me/app/lib/deep.Do"}},

		{"no module, no common path", `
-- main.go --
package main
import ("github.com/one/two/lib"; other "github.com/three/four/lib")
func main() { lib.Do(); other.Do() }
-- lib/lib.go --
package lib
func Do() {}
`, "main", []string{"weak github.com/one/two/lib.Do", "weak github.com/three/four/lib.Do"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			res := load(tt.repo, Options{Stubs: stubs})
			require.Equal(t, tt.want, callees(pkgOf(t, res, tt.pkg)))
			for _, p := range res.Packages {
				require.NotNil(t, p.Types)
				require.True(t, p.Types.Complete())
				require.Len(t, p.FileNames, len(p.Files))
				require.Len(t, p.Generated, len(p.Files))
			}
		})
	}
}
