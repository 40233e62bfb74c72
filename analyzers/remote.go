package analyzers

import (
	"go/ast"
	"go/types"
	"strings"
)

// The strengths of a call's claim to leave the process: 0 none, 1 it may (a foreign function that returns an error, an
// interface), 2 it does (HTTP, SQL, a process, a function handed in to be run).
const (
	remoteNo   = 0
	remoteMay  = 1
	remoteSure = 2
)

func (u *unit) strengthOf(k callee, c *ast.CallExpr, depth int) int8 {
	if g := k.to; g != nil {
		return g.unit.mayFail(g, depth+1)
	}
	if g := u.shared.fnOf(k.fun); g != nil {
		return g.unit.mayFail(g, depth+1)
	}
	if k.fun == nil && k.obj != nil {
		if _, ok := k.obj.(*types.Var); ok {
			if depth > 0 {
				return remoteMay
			}
			return remoteSure // a function that was handed in
		}
	}
	if k.fun == nil && k.name == "" {
		return remoteMay
	}
	if use, ok := u.library(k); ok && (use.call != nil && (strings.HasPrefix(use.call.Runs, "arg") || use.call.Send != nil) || use.send != nil) {
		return remoteSure // a retry library around an operation, a client that sends: what it could not mend fails here
	}
	return foreignStrength(k)
}

// foreignStrength judges a function outside the repository by where it lives and what it is called.
func foreignStrength(k callee) int8 {
	p := k.pkg
	if p == "" {
		p, _, _ = strings.Cut(k.name, ".(")
	}
	switch p {
	case "net/http":
		switch k.sel {
		case "Do", "Get", "Post", "Head", "PostForm", "RoundTrip", "ReadResponse":
			return remoteSure
		}
		return remoteNo
	case "database/sql":
		switch k.sel {
		case "Scan", "Close", "Next", "Err", "Columns", "Rollback", "RowsAffected", "LastInsertId", "Open":
			return remoteNo
		}
		return remoteSure
	case "net":
		if strings.HasPrefix(k.sel, "Dial") || strings.HasPrefix(k.sel, "Lookup") {
			return remoteSure
		}
		return remoteNo
	case "os/exec":
		if isWord(k.sel, "Run", "Output", "CombinedOutput", "Start") {
			return remoteSure
		}
		return remoteNo
	case "net/smtp", "net/rpc", "crypto/tls":
		if isWord(k.sel, "SendMail", "Call", "Dial", "DialHTTP", "Handshake", "HandshakeContext") {
			return remoteSure
		}
		return remoteNo
	case "io":
		if isWord(k.sel, "ReadAll", "Copy") {
			return remoteNo
		}
	}
	if isStdPath(p) {
		return remoteNo
	}
	for _, w := range localPackages {
		if strings.Contains(p, w) && !ofClient(k) {
			return remoteNo
		}
	}
	if isWord(k.sel, "Close", "Error", "String", "Unmarshal", "Marshal", "Parse", "MustParse", "Decode", "Encode", "Validate", "Unlock", "Lock", "Errorf", "Wrap", "Wrapf", "New", "Add", "Debug", "Info", "Warn", "Log") {
		return remoteNo
	}
	return remoteMay
}

// ofClient reports whether a method is one of a client by its type's name: generated clients lie among the messages that they send.
func ofClient(k callee) bool {
	t := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(k.name, "."+k.sel), "()"), ")")
	return k.recv != nil && strings.HasSuffix(t, "Client")
}

// localPackages are foreign packages that do nothing beyond the process.
var localPackages = []string{
	"/yaml", "/json", "protobuf", "/proto", "/errors", "/uuid", "/zap", "/logrus", "/zerolog", "/klog", "/logr", "log15", "/multierr", "/errgroup",
	"/strfmt", "/cobra", "/pflag", "/viper", "/testify", "/go-kit/log", "/promslog", "/client_golang", "/common/model", "/labels", "/atomic", "/sync",
	"/color", "/tablewriter", "/semver", "/mapstructure", "/copier", "/deepcopy", "/decimal", "golang.org/x/sys", "golang.org/x/text", "golang.org/x/exp",
	"/jsoniter", "/msgpack", "/toml", "/ini", "/xxhash", "/murmur", "/snappy", "/compress", "/lz4", "/zstd", "apimachinery/pkg/api/resource", "pkg/labels",
	"pkg/fields", "/govalidator", "/validator", "/participle", "/antlr", "/backoff", "/retry", "/fsnotify", "/bbolt", "/roaring", "/mmap",
}

// isStdPath reports whether an import path is one of the standard library.
func isStdPath(p string) bool {
	if p == "" {
		return false
	}
	elem, _, _ := strings.Cut(p, "/")
	return !strings.Contains(elem, ".") && stdRoots[elem]
}

var stdRoots = wordSet("archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak C")

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// mayFail is the strength of the strongest call within a function of the repository.
func (u *unit) mayFail(f *fn, depth int) int8 {
	if v, ok := u.remote[f]; ok {
		return v
	}
	if depth > 12 {
		return remoteMay
	}
	if f.body == nil {
		if f.decl != nil {
			return remoteNo // assembly
		}
		return remoteMay
	}
	u.remote[f] = remoteNo // for recursion
	best := int8(remoteNo)
	for _, c := range f.calls {
		k := u.callee(c.expr)
		if k.conv || c.spawn && k.to != nil && false {
			continue
		}
		if s := u.strengthOf(k, c.expr, depth); s > best {
			best = s
		}
		if best == remoteSure {
			break
		}
	}
	u.remote[f] = best
	return best
}
