package analyzers

import (
	"fmt"
	"go/ast"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/extract/gosrc"
	"github.com/retrylint/retrylint/model"
)

// loadUnits runs the extractor over a small repository and gives its packages by import path.
func loadUnits(t *testing.T, files map[string]string) map[string]*unit {
	t.Helper()
	var list []gosrc.File
	for path, text := range files {
		list = append(list, gosrc.File{Path: path, Data: []byte(text)})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	res := gosrc.Load(t.Context(), list, gosrc.Options{})
	require.Empty(t, res.Problems)
	panicHook = func(g model.Gap, stack []byte) { t.Errorf("%s\n%s", g.Reason, stack) }
	t.Cleanup(func() { panicHook = nil })
	out := map[string]*unit{}
	shared := NewRepo()
	var visit func(p *gosrc.Package)
	visit = func(p *gosrc.Package) {
		if out[p.Path] != nil {
			return
		}
		for _, q := range p.Imports {
			visit(q)
		}
		u := newUnit(Input{Fset: p.Fset, Files: p.Files, Generated: p.Generated, Pkg: p.Types, Info: p.Info, Path: p.Path, Module: p.Module,
			ModuleDir: p.ModuleDir, Dir: p.Dir, Repo: "r", Versions: p.ModuleVersions, Shared: shared})
		out[p.Path] = u
		u.run()
	}
	for _, p := range res.Packages {
		visit(p)
	}
	return out
}

const originHead = `package p

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	mrand "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.org/ids"
	"github.com/google/uuid"
	"github.com/rs/xid"
	"github.com/oklog/ulid/v2"
)

var (
	_ = bytes.NewReader
	_ = context.Background
	_ = rand.Read
	_ = sha256.New
	_ = base64.StdEncoding
	_ = hex.EncodeToString
	_ = json.Marshal
	_ = fmt.Sprint
	_ = mrand.Int
	_ = http.MethodPost
	_ = os.Getenv
	_ = strconv.Itoa
	_ = strings.Join
	_ sync.Once
	_ = time.Now
	_ = ids.New
	_ = uuid.New
	_ = xid.New
	_ = ulid.Make
)

func sink(any) {}
func do() error {
	resp, err := http.Get("http://a.example")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
`

// Each source calls sink once; want is what goes in, and the line text of each birth.
var originCases = []struct {
	name, src, want string
}{
	{"constant", `func f() { sink("a") }`, "a constant"},
	{"named constant", "const k = `x`\nfunc f() { sink(k) }", "a constant"},
	{"parameter", `func F(order string) { sink(order) }`, "an input"},
	{"prefix and parameter", `func F(order string) { sink("pay-" + order) }`, "an input, a constant"},
	{"uuid", `func f() { sink(uuid.NewString()) }`, "randomness; born sink(uuid.NewString())"},
	{"uuid method", `func f() { sink(uuid.New().String()) }`, "randomness; born sink(uuid.New().String())"},
	{"must", `func f() { sink(uuid.Must(uuid.NewV7()).String()) }`, "randomness; born sink(uuid.Must(uuid.NewV7()).String())"},
	{"local", "func f() {\nk := uuid.NewString()\nsink(k) }", "randomness; born k := uuid.NewString()"},
	{"two results", "func f() {\nk, err := uuid.NewV7()\nif err != nil { return }\nsink(k.String()) }", "randomness; born k, err := uuid.NewV7()"},
	{"uuid from name", `func F(order string) { sink(uuid.NewSHA1(uuid.NameSpaceURL, []byte(order)).String()) }`, "an input"},
	{"xid", `func f() { sink(xid.New().String()) }`, "randomness; born sink(xid.New().String())"},
	{"ulid", `func f() { sink(ulid.Make().String()) }`, "randomness; born sink(ulid.Make().String())"},
	{"clock", `func f() { sink(strconv.FormatInt(time.Now().UnixNano(), 10)) }`, "the clock, a constant; born sink(strconv.FormatInt(time.Now().UnixNano(), 10))"},
	{"sprintf", `func F(order string) { sink(fmt.Sprintf("%s-%d", order, time.Now().Unix())) }`, "the clock, an input, a constant; born sink(fmt.Sprintf"},
	{"day", `func F(m string) { sink(m + time.Now().UTC().Format("2006-01-02")) }`, "an input"},
	{"hour bucket", `func F(m string) { sink(m + time.Now().Truncate(time.Hour).String()) }`, "an input"},
	{"rand bytes", "func f() {\nb := make([]byte, 16)\nrand.Read(b)\nsink(hex.EncodeToString(b)) }", "randomness; born rand.Read(b)"},
	{"rand array", "func f() {\nvar b [16]byte\nrand.Read(b[:])\nsink(hex.EncodeToString(b[:])) }", "randomness; born rand.Read(b[:])"},
	{"math rand", `func F(o string) { sink(o + strconv.Itoa(mrand.IntN(1000))) }`, "randomness, an input; born sink(o + strconv"},
	{"hash of payload", "func F(body []byte) {\nsum := sha256.Sum256(body)\nsink(hex.EncodeToString(sum[:])) }", "an input"},
	{"hash writer", "func F(body []byte) {\nh := sha256.New()\nh.Write(body)\nsink(hex.EncodeToString(h.Sum(nil))) }", "an input"},
	{"hash with clock", "func F(body []byte) {\nh := sha256.New()\nh.Write(body)\nh.Write([]byte(time.Now().String()))\nsink(hex.EncodeToString(h.Sum(nil))) }", "the clock, an input; born h.Write([]byte(time.Now()"},
	{"builder", "func F(o string) {\nvar b strings.Builder\nb.WriteString(o)\nfmt.Fprintf(&b, `-%d`, time.Now().UnixMilli())\nsink(b.String()) }", "the clock, an input, a constant; born fmt.Fprintf"},
	{"helper", "func newKey() string { return uuid.NewString() }\nfunc f() {\nk := newKey()\nsink(k) }", "randomness; born k := newKey()"},
	{"helper of helper", "func a() string { return uuid.NewString() }\nfunc b(p string) string { return p + a() }\nfunc f() {\nsink(b(`x`)) }", "randomness, a constant; born sink(b("},
	{"derived helper", "func key(o string) string { return `k-` + o }\nfunc F(o string) { sink(key(o)) }", "an input, a constant"},
	{"helper with error", "func newKey() (string, error) {\nb := make([]byte, 8)\nif _, err := rand.Read(b); err != nil { return ``, err }\nreturn hex.EncodeToString(b), nil }\nfunc f() {\nk, err := newKey()\n_ = err\nsink(k) }", "randomness; born k, err := newKey()"},
	{"fallback", "func f(r *http.Request) {\nk := r.Header.Get(`Idempotency-Key`)\nif k == `` {\nk = uuid.NewString() }\nsink(k) }", "an input"},
	{"all fresh alternatives", "func f() {\nid, err := uuid.NewV7()\nif err != nil { id = uuid.New() }\nsink(id.String()) }", "randomness; born id, err := uuid.NewV7(); id = uuid.New()"},
	{"global", "var g = uuid.NewString()\nfunc f() { sink(g) }", "a value made once per process"},
	{"closure in a package variable", "var send = func() {\nsink(uuid.NewString()) }", "randomness; born sink(uuid"},
	{"initialiser", "func mk(k string) string { sink(k); return k }\nvar g = mk(xid.New().String())", "randomness; born var g = mk"},
	{"hostname", "func f() {\nh, _ := os.Hostname()\nsink(h) }", "a value made once per process"},
	{"struct literal", "type in struct{ Key string }\nfunc f() {\nx := in{Key: uuid.NewString()}\nsink(x.Key) }", "randomness; born x := in{Key"},
	{"struct assignment", "type in struct{ Key string }\nfunc f() {\nvar x in\nx.Key = uuid.NewString()\nsink(x.Key) }", "randomness; born x.Key = uuid"},
	{"constructor", "type c struct{ key string }\nfunc newC() *c {\nreturn &c{key: uuid.NewString()} }\nfunc (x *c) send() { sink(x.key) }", "an input; born return &c{key"},
	{"argument struct", "type in struct{ Key string }\nfunc send(x in) { sink(x.Key) }\nfunc f() {\nsend(in{Key: uuid.NewString()}) }", "an input; born send(in{Key"},
	{"caller", "func send(k string) { sink(k) }\nfunc f() {\nsend(uuid.NewString()) }", "randomness; born send(uuid"},
	{"two callers", "func send(k string) { sink(k) }\nfunc f() {\nsend(uuid.NewString()) }\nfunc G(o string) { send(o) }", "an input; born send(uuid"},
	{"closure", "func f() {\nk := uuid.NewString()\nop := func() { sink(k) }\nop() }", "randomness; born k := uuid"},
	{"closure inside", "func f() {\nop := func() {\nsink(uuid.NewString()) }\nop() }", "randomness; born sink(uuid"},
	{"function variable", "var newID = uuid.NewString\nfunc f() {\nsink(newID()) }", "randomness; born sink(newID())"},
	{"function field", "type c struct{ id func() string }\nfunc newC() *c { return &c{id: func() string { return uuid.NewString() }} }\nfunc (x *c) f() {\nsink(x.id()) }", "randomness; born sink(x.id())"},
	{"foreign generator", "func f() {\nsink(ids.NewID()) }", "randomness; born sink(ids.NewID())"},
	{"foreign derivation", "func F(o string) {\nsink(ids.For(o)) }", "an input"},
	{"foreign look-up", "func F(ctx context.Context, s ids.Store, o string) {\nk, _ := s.KeyFor(ctx, o)\nsink(k) }", "an input"},
	{"counter", "func f() {\nfor n := 0; n < 3; n++ {\nsink(`k-` + strconv.Itoa(n))\nif do() == nil { return } } }", "the attempt number, a constant; born sink("},
	{"made once in loop", "func f() {\nvar k string\nfor n := 0; n < 3; n++ {\nif k == `` { k = uuid.NewString() }\nsink(k)\nif do() == nil { return } } }", "randomness; born if k == "},
	{"random letters", "const letters = `abc`\nfunc rs(n int) string {\nb := make([]byte, n)\nfor i := range b { b[i] = letters[mrand.IntN(len(letters))] }\nreturn string(b) }\nfunc f() {\nsink(`x-` + rs(5)) }", "randomness, an input, a constant; born sink(`x-` + rs(5))"},
	{"map literal", "func F(o string) {\nb, _ := json.Marshal(map[string]any{`o`: o, `at`: time.Now()})\nsum := sha256.Sum256(b)\nsink(base64.StdEncoding.EncodeToString(sum[:])) }", "the clock, an input, a constant; born b, _ := json.Marshal"},
	{"named result", "func k() (s string) {\ns = uuid.NewString()\nreturn }\nfunc f() {\nsink(k()) }", "randomness; born sink(k())"},
	{"pointer", "func ptr[T any](v T) *T { return &v }\nfunc f() {\nsink(ptr(uuid.NewString())) }", "randomness; born sink(ptr("},
	{"recursion", "func a(n int) string { if n > 0 { return a(n - 1) }\nreturn uuid.NewString() }\nfunc f() {\nsink(a(3)) }", "randomness; born sink(a(3))"},
	{"plus assign", "func F(o string) {\nk := o\nk += uuid.NewString()\nsink(k) }", "randomness, an input; born k += uuid"},
	{"stored row", "func F(row interface{ Scan(...any) error }) {\nvar k string\n_ = row.Scan(&k)\nsink(k) }", "a stored value"},
	{"join", "func F(a, b string) { sink(strings.Join([]string{a, b, xid.New().String()}, `-`)) }", "randomness, an input, a constant; born func F(a, b"},
	{"header of request", "func f(r *http.Request) { sink(r.Header.Get(`X-Event-Id`)) }", "an input"},
	{"attempt of a job", "func F(j ids.Job) {\nsink(j.ID + strconv.Itoa(j.Attempt)) }", "the attempt number, an input; born sink(j.ID"},
	{"receipt handle", "func F(m ids.Message) {\nsink(m.ReceiptHandle) }", "a delivery id; born sink(m.Rec"},
}

func TestOrigin(t *testing.T) {
	for _, c := range originCases {
		t.Run(c.name, func(t *testing.T) {
			src := originHead + c.src + "\n"
			u := loadUnits(t, map[string]string{"go.mod": "module example.test/p\n", "p.go": src})["example.test/p"]
			var arg ast.Expr
			var in *fn
			for _, s := range u.sites {
				if id, ok := s.call.Fun.(*ast.Ident); ok && id.Name == "sink" {
					arg, in = s.call.Args[0], s.in
				}
			}
			require.NotNil(t, arg)
			o := u.origin(arg, in)
			got := strings.Join(o.sources.Words(), ", ")
			lines := strings.Split(src, "\n")
			sort.Slice(o.births, func(i, j int) bool { return o.births[i].node.Pos() < o.births[j].node.Pos() })
			var born []string
			for _, b := range o.births {
				born = append(born, strings.TrimSpace(lines[u.fset.Position(b.node.Pos()).Line-1]))
			}
			want, wantBorn, _ := strings.Cut(c.want, "; born ")
			require.Equal(t, want, got, "sources; births %q", born)
			var wants []string
			if wantBorn != "" {
				wants = strings.Split(wantBorn, "; ")
			}
			require.Len(t, born, len(wants), fmt.Sprint(born))
			for i, w := range wants {
				require.Contains(t, born[i], w)
			}
		})
	}
}
