package analyzers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
)

// What a reader of other people's code found wrong, each as small as it gets.

func factsOf(t *testing.T, mod string, files map[string]string) *model.Facts {
	t.Helper()
	in := []gosrc.File{{Path: "go.mod", Data: []byte("module example.test/shop\n\ngo 1.24\n" + mod)}}
	for p, src := range files {
		in = append(in, gosrc.File{Path: p, Data: []byte(src)})
	}
	slices.SortFunc(in, func(a, b gosrc.File) int { return strings.Compare(a.Path, b.Path) })
	return extractFiles(in)
}

func edgeTo(f *model.Facts, to string) *model.Edge {
	for i := range f.Edges {
		if strings.HasSuffix(f.Edges[i].To.Key, to) {
			return &f.Edges[i]
		}
	}
	return nil
}

// Each of several functions of one name is a function by itself.
func TestInitialisersOfOneName(t *testing.T) {
	src := func(n string) string {
		return "package shop\n\nimport \"net/http\"\n\nvar _ = suite(func() {\n\t_, _ = http.Get(\"http://" + n + ".test/\")\n})\n\nfunc init() {\n\t_, _ = http.Get(\"http://init-" + n + ".test/\")\n}\n"
	}
	f := factsOf(t, "", map[string]string{"a.go": src("a"), "b.go": src("b"), "c.go": "package shop\n\nfunc suite(f func()) bool { f(); return true }\n"})
	from := map[string]bool{}
	for _, e := range f.Edges {
		if e.Kind == model.EdgeRequest {
			require.False(t, from[e.From.Key], "%s sends more than one", e.From.Key)
			from[e.From.Key] = true
		}
	}
	require.Len(t, from, 4)
}

// A file that imports what only tests use is there for tests.
func TestFilesForTests(t *testing.T) {
	const loop = "\nfunc Get(url string) error {\n\tvar err error\n\tfor range 3 {\n\t\tif _, err = http.Get(url); err == nil {\n\t\t\treturn nil\n\t\t}\n\t}\n\treturn err\n}\n"
	f := factsOf(t, "", map[string]string{
		"real/a.go":  "package real\n\nimport \"net/http\"\n" + loop,
		"e2e/a.go":   "package e2e\n\nimport (\n\t\"net/http\"\n\n\t. \"github.com/onsi/ginkgo/v2\"\n)\n\nvar _ = Describe(\"x\", nil)\n" + loop,
		"suite/a.go": "package suite\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n)\n\nfunc Run(t *testing.T) {}\n" + loop,
	})
	require.Len(t, f.Layers, 1)
	require.Equal(t, "real/a.go", f.Layers[0].At.Path)
}

// What stands in for the real thing in tests is not what runs.
func TestStandInsAreNoAlternatives(t *testing.T) {
	const code = `package shop

import "net/http"

type Ledger interface{ Post() error }

type httpLedger struct{}

func (httpLedger) Post() error { _, err := http.Post("http://ledger.test/x", "", nil); return err }

type fakeLedger struct{}

func (fakeLedger) Post() error { _, err := http.Post("http://fake.test/x", "", nil); return err }

func Pay(l Ledger) error {
	var err error
	for range 3 {
		if err = l.Post(); err == nil {
			return nil
		}
	}
	return err
}
`
	f := factsOf(t, "", map[string]string{"a.go": code})
	e := edgeTo(f, "Ledger.Post")
	require.NotNil(t, e)
	require.Len(t, e.Alternatives, 1)
	require.Contains(t, e.Alternatives[0].Key, "httpLedger")
}

// The options that a helper hands on are those of its callers.
func TestOptionsHandedOn(t *testing.T) {
	const code = `package shop

import (
	"context"
	"net/http"

	"github.com/cenkalti/backoff/v5"
)

func try(ctx context.Context, op func() error, opts ...backoff.RetryOption) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, op() }, opts...)
	return err
}

func get() error { _, err := http.Get("http://a.test/"); return err }

func A(ctx context.Context) error { return try(ctx, get, backoff.WithMaxTries(7)) }

func B(ctx context.Context) error {
	opts := []backoff.RetryOption{backoff.WithMaxTries(9), backoff.WithMaxElapsedTime(0)}
	return try(ctx, get, opts...)
}
`
	f := factsOf(t, "\nrequire github.com/cenkalti/backoff/v5 v5.0.3\n", map[string]string{"a.go": code})
	got := map[int]string{}
	for _, l := range f.Layers {
		got[l.At.Line] = l.Policy.Attempts.String()
	}
	require.Equal(t, "7", got[17], "%v", got)
	require.Equal(t, "9", got[21], "%v", got)
}

const failing = `package shop

import (
	"log"
	"net/http"
	"sync"
	"time"
)

type client struct{ wg sync.WaitGroup }

func ping() error  { _, err := http.Get("http://ping.test/"); return err }
func start() error { _, err := http.Post("http://start.test/", "", nil); return err }
func tell() error  { _, err := http.Post("http://tell.test/", "", nil); return err }
func note()        { _, _ = http.Post("http://note.test/", "", nil) }
func work() error  { _, err := http.Post("http://work.test/", "", nil); return err }

// Connect goes on where the ping failed; a start that fails is the end.
func (c *client) Connect() error {
	var err error
	for range 3 {
		if err = ping(); err == nil {
			return nil
		}
		if err := start(); err != nil {
			return err
		}
		note()
		_ = tell()
		c.wg.Go(func() {
			if err := work(); err != nil {
				log.Print(err)
			}
		})
		time.Sleep(time.Second)
	}
	return err
}
`

// A loop repeats some of its calls for the sake of others, and some calls do not tell of a failure at all.
func TestWhoseFailureRepeats(t *testing.T) {
	f := factsOf(t, "", map[string]string{"a.go": failing})
	require.Len(t, f.Layers, 1)
	for _, name := range []string{"ping", "start", "tell", "note"} {
		e := edgeTo(f, "shop."+name)
		require.NotNil(t, e, name)
		require.Equal(t, []string{f.Layers[0].ID}, e.Under, name)
		require.Equal(t, name == "start", len(e.Ends) == 1, name)
		require.Equal(t, name == "note" || name == "tell", e.Quiet, name)
	}
	require.True(t, edgeTo(f, "Connect$1").Blind)
}

// A message that is the same each time is one intent, with one key.
func TestConstantKeyOfAConstantMessage(t *testing.T) {
	const code = `package shop

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

func Announce(ctx context.Context, js jetstream.JetStream) error {
	_, err := js.Publish(ctx, "SHOP.open", []byte("open"), jetstream.WithMsgID("shop-open"))
	return err
}

func Order(ctx context.Context, js jetstream.JetStream, doc []byte) error {
	_, err := js.Publish(ctx, "SHOP.order", doc, jetstream.WithMsgID("shop-order"))
	return err
}
`
	f := factsOf(t, "\nrequire github.com/nats-io/nats.go v1.48.0\n", map[string]string{"a.go": code})
	how := map[int]model.KeyHow{}
	for _, e := range f.Edges {
		if e.Key.Sink != "" {
			how[e.At.Line] = e.Key.How
		}
	}
	require.Equal(t, map[int]model.KeyHow{10: model.KeyNatural, 15: model.KeyConstant}, how)
}

// A loop that goes on only after a lost lock, or for the owner that the answer names, repeats after nothing else.
func TestLoopsThatYield(t *testing.T) {
	const code = `package shop

import (
	"errors"
	"net/http"
)

var ErrConflict = errors.New("conflict")

type ownershipLostError struct{ owner string }

func (ownershipLostError) Error() string { return "lost" }

func update() error            { _, err := http.Get("http://a.test/"); return err }
func ask(where string) error   { _, err := http.Get("http://" + where); return err }

func A() error {
	for attempt := 0; attempt < 5; attempt++ {
		err := update()
		if err == ErrConflict {
			continue
		}
		return err
	}
	return nil
}

func B(where string) error {
	for {
		err := ask(where)
		if lost, ok := err.(*ownershipLostError); ok {
			where = lost.owner
			continue
		}
		return err
	}
}

func C() error {
	for attempt := 0; attempt < 5; attempt++ {
		err := update()
		if err != nil {
			continue
		}
		return nil
	}
	return nil
}
`
	f := factsOf(t, "", map[string]string{"a.go": strings.Replace(code, "func (ownership", "func (*ownership", 1)})
	on := map[int]model.Conditions{}
	for _, l := range f.Layers {
		on[l.At.Line] = l.Policy.On
	}
	require.Equal(t, model.OnConflict, on[18])
	require.NotEqual(t, model.OnConflict, on[39])
	if c, ok := on[29]; ok {
		require.Equal(t, model.OnConflict, c)
	}
}

// A client that comes on a way out of sight is one of those that the programs make which hold the code.
func TestClientsOfOtherPrograms(t *testing.T) {
	program := func(imports, run string) string {
		return "package main\n\nimport (\n\t\"go.temporal.io/sdk/client\"\n" + imports + ")\n\nfunc main() {\n\tc, err := client.Dial(client.Options{})\n\tif err != nil {\n\t\tpanic(err)\n\t}\n" + run + "}\n"
	}
	const memo = `package memo

import (
	"context"

	"go.temporal.io/sdk/client"
)

func Describe(ctx context.Context) error {
	c, _ := ctx.Value("client").(client.Client)
	_, err := c.DescribeWorkflowExecution(ctx, "id", "")
	return err
}
`
	f := factsOf(t, "\nrequire go.temporal.io/sdk v1.38.0\n", map[string]string{
		"memo/memo.go":        memo,
		"memo/worker/main.go": program("\n\t\"example.test/shop/memo\"\n", "\tdefer c.Close()\n\t_ = memo.Describe(nil)\n"),
		"another/main.go":     program("", "\tdefer c.Close()\n\t_, _ = c.DescribeWorkflowExecution(nil, \"id\", \"\")\n"),
	})
	e := edgeTo(f, "DescribeWorkflowExecution")
	require.NotNil(t, e)
	for _, e := range f.Edges {
		if e.At.Path != "memo/memo.go" || len(e.Under) == 0 {
			continue
		}
		for _, l := range f.Layers {
			if l.ID == e.Under[0] {
				require.Equal(t, "memo/worker/main.go", l.At.Path)
				return
			}
		}
	}
	t.Fatal("no layer")
}

// An error that is given back as a permanent one ends the retry around.
func TestPermanentErrorsEndTheRetry(t *testing.T) {
	const code = `package shop

import (
	"context"
	"errors"
	"net/http"

	"github.com/cenkalti/backoff/v4"
)

func get() error { _, err := http.Get("http://a.test/"); return err }
func put() error { _, err := http.Post("http://b.test/", "", nil); return err }

func Poll(ctx context.Context) error {
	return backoff.Retry(func() error {
		err := get()
		if err != nil {
			return backoff.Permanent(err)
		}
		if err := put(); err != nil {
			return err
		}
		return errors.New("not yet")
	}, backoff.NewExponentialBackOff())
}
`
	f := factsOf(t, "\nrequire github.com/cenkalti/backoff/v4 v4.3.0\n", map[string]string{"a.go": code})
	require.Len(t, f.Layers, 1)
	require.Equal(t, []string{f.Layers[0].ID}, edgeTo(f, "shop.get").Ends)
	require.Empty(t, edgeTo(f, "shop.put").Ends)
}
