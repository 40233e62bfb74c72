package extract

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// call is one call of curl, wget, http (HTTPie) or grpcurl in a command line, with its own retries.
//
// Source: catalogue, section L3, and runs of curl 7.88 and wget 1.21 (conformance/servers): --retry counts retries, --tries attempts,
// 20 where nothing is set and no end with 0; --max-time and --timeout hold for each try, --retry-max-time for all. wget waits 1s, 2s
// and so on up to --waitretry, 10s by default.
type call struct {
	tool    string
	method  string
	url     string
	key     string // header that carries an idempotency key
	keyText string
	body    bool
	retries int64
	endless bool             // wget --tries=0
	tries   bool             // wget was told a number of tries
	once    bool             // a wget that does not try again: BusyBox's
	unknown bool             // the number is not in the text: --retry "$RETRIES"
	also    model.Conditions // what options let it repeat beside the rest
	delay   time.Duration
	perTry  time.Duration
	overall time.Duration
	fails   bool // an answer that is an error makes the command fail
	loop    *shellLoop
	inHead  bool // it is the loop's condition
	line    int  // lines after the start of the text
}

// shellCalls finds the calls in a shell text; continued lines are joined.
func shellCalls(text string) []call {
	var out []call
	line, start := 0, 0
	var words []string
	var loops shellLoops
	flush := func() {
		if len(words) == 0 {
			return
		}
		rest := loops.command(words, start)
		words = nil
		for i, w := range rest {
			switch path.Base(w) {
			case "curl", "wget", "http", "https", "grpcurl", "kubectl":
				if c, ok := parseCall(rest[i:]); ok {
					c.line = start
					if c.loop = loops.now; c.loop != nil {
						c.inHead = c.loop.header
					}
					out = append(out, c)
				}
				return
			}
		}
	}
	var w strings.Builder
	quote := byte(0)
	has := false
	push := func() {
		if has {
			if len(words) == 0 {
				start = line
			}
			words = append(words, w.String())
			w.Reset()
			has = false
		}
	}
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case quote != 0:
			if ch == quote {
				quote = 0
			} else {
				if ch == '\\' && quote == '"' && i+1 < len(text) {
					i++
					ch = text[i]
				}
				w.WriteByte(ch)
			}
			if ch == '\n' {
				line++
			}
		case ch == '#' && !has:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case ch == '\'' || ch == '"':
			quote, has = ch, true
		case ch == '\\' && i+1 < len(text):
			i++
			if text[i] == '\n' {
				line++
			} else {
				w.WriteByte(text[i])
				has = true
			}
		case ch == '\n' || ch == ';' || ch == '|' || ch == '&' || ch == '(' || ch == ')':
			push()
			flush()
			if ch == '\n' {
				line++
			}
		case ch == ' ' || ch == '\t' || ch == '\r':
			push()
		default:
			w.WriteByte(ch)
			has = true
		}
	}
	push()
	flush()
	kept := out[:0]
	for _, c := range out {
		if c.loop != nil && !c.loop.repeats(c.inHead) {
			c.loop = nil
		}
		if c.tool != "kubectl" || c.loop != nil {
			kept = append(kept, c)
		}
	}
	return kept
}

// valued are the options that take a value, so that it is not mistaken for the URL.
var valued = map[string]bool{"-H": true, "--header": true, "-d": true, "--data": true, "--data-raw": true, "--data-binary": true, "--json": true,
	"-o": true, "--output": true, "-u": true, "--user": true, "-X": true, "--request": true, "-m": true, "--max-time": true, "--retry": true,
	"--retry-delay": true, "--retry-max-time": true, "--connect-timeout": true, "-w": true, "--write-out": true, "-F": true, "--form": true,
	"--cacert": true, "--cert": true, "--key": true, "-A": true, "--user-agent": true, "-e": true, "-b": true, "--cookie": true, "-T": true,
	"--upload-file": true, "--data-urlencode": true, "-O": true, "-t": true, "--tries": true, "--timeout": true, "--post-data": true,
	"--post-file": true, "--method": true, "--body-data": true, "--waitretry": true, "-import-path": true, "-proto": true, "-rpc-header": true, "--url": true, "-x": true, "--proxy": true}

// parseCall reads the words of one command.
func parseCall(words []string) (call, bool) {
	if len(words) < 2 {
		return call{}, false
	}
	c := call{tool: path.Base(words[0])}
	switch c.tool {
	case "kubectl":
		c.url, c.method, c.fails = "kubectl", "", true
		return c, true
	case "curl", "wget", "http", "https", "grpcurl":
	default:
		return call{}, false
	}
	if c.tool == "wget" {
		c.retries, c.delay = 19, 10*time.Second
	}
	get := false
	for i := 1; i < len(words); i++ {
		w := words[i]
		name, value, inline := w, "", false
		if strings.HasPrefix(w, "--") {
			name, value, inline = strings.Cut(w, "=")
		} else if len(w) > 2 && w[0] == '-' && strings.ContainsRune("XHdmFtTo", rune(w[1])) && c.tool != "grpcurl" {
			name, value, inline = w[:2], w[2:], true
		}
		if strings.HasPrefix(name, "-") && !inline && valued[lastShort(name)] && (c.tool != "wget" || name != "-O" || i+1 < len(words)) {
			if i+1 < len(words) {
				i++
				value = words[i]
			}
			name = lastShort(name)
		}
		switch name {
		case "-X", "--request", "--method":
			c.method = strings.ToUpper(value)
		case "-H", "--header", "-rpc-header":
			c.header(value)
		case "-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form", "--data-urlencode", "--post-data", "--post-file", "--body-data":
			c.body = true
		case "-T", "--upload-file":
			if c.tool == "curl" {
				c.method = "PUT"
			} else if d, ok := seconds(value); ok {
				c.perTry = d
			}
		case "--fail", "--fail-with-body":
			c.fails = true
		case "-G", "--get":
			get = true
		case "-I", "--head":
			c.method = "HEAD"
		case "--retry":
			n, err := strconv.ParseInt(value, 10, 64)
			c.retries, c.unknown = n, err != nil
		case "-t", "--tries":
			if c.tool != "wget" {
				break
			}
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n > 0 {
				c.retries, c.tries = n-1, true
			} else {
				c.tries, c.endless = true, n == 0 && err == nil || value == "inf"
				c.unknown = !c.endless
			}
		case "--retry-connrefused":
			c.also |= model.OnConnect
		case "--retry-all-errors":
			c.also |= model.OnConnect | model.OnReset | model.OnTimeout | model.On4xx
		case "--retry-on-http-error":
			for code := range strings.SplitSeq(value, ",") {
				c.also |= statusRange(code)
			}
		case "--retry-delay", "--waitretry":
			c.delay, _ = seconds(value)
		case "--retry-max-time":
			c.overall, _ = seconds(value)
		case "-m", "--max-time", "--timeout":
			c.perTry, _ = seconds(value)
		case "--url":
			c.url = value
		default:
			if !strings.HasPrefix(w, "-") {
				c.positional(w)
			} else if c.tool == "curl" && !strings.HasPrefix(w, "--") && strings.Contains(w, "f") {
				c.fails = true // among other short ones: -sfL
			}
		}
	}
	if c.method == "" {
		c.method = "GET"
		if c.body && !get {
			c.method = "POST"
		}
		if c.tool == "grpcurl" {
			c.method = "POST"
		}
	}
	return c, c.url != ""
}

// lastShort is the option that takes the value in a group of short ones: -sSd is -d.
func lastShort(name string) string {
	if len(name) > 2 && name[0] == '-' && name[1] != '-' && strings.Trim(name[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#") == "" {
		return "-" + name[len(name)-1:]
	}
	return name
}

func (c *call) positional(w string) {
	switch {
	case c.tool == "http" || c.tool == "https":
		if m := strings.ToUpper(w); c.url == "" && m == w && c.method == "" && !strings.ContainsAny(w, "./:") {
			c.method = m
			return
		}
		if c.url == "" {
			c.url = w
		} else if name, value, ok := strings.Cut(w, ":"); ok && !strings.Contains(name, "=") {
			c.header(name + ":" + value)
		} else if strings.Contains(w, "=") {
			c.body = true
		}
	case c.url == "" && looksLikeURL(w):
		c.url = w
	}
}

func looksLikeURL(w string) bool {
	return strings.Contains(w, "://") || strings.ContainsAny(w, ".:/$") && !strings.HasPrefix(w, "/") && !strings.ContainsAny(w, "{ '\"")
}

func (c *call) header(h string) {
	name, value, ok := strings.Cut(h, ":")
	if ok && IdempotencyHeader(strings.TrimSpace(name)) {
		c.key, c.keyText = strings.TrimSpace(name), strings.TrimSpace(value)
	}
}

func seconds(s string) (time.Duration, bool) { return doc.ParseDuration(s, time.Second) }

// IdempotencyHeader reports whether a header carries an idempotency key.
//
// Source: catalogue of dedupe windows, section 1.
func IdempotencyHeader(name string) bool {
	switch strings.ToLower(name) {
	case "idempotency-key", "x-idempotency-key", "paypal-request-id", "cko-idempotency-key", "x-qonto-idempotency-key",
		"request-idempotency-key", "nats-msg-id", "repeatability-request-id", "x-goog-gcs-idempotency-token", "upstash-deduplication-id":
		return true
	}
	return false
}

// edge makes the call an edge of a node, under its own retry layer if it has one.
func (c call) edge(self model.Name, ns string, n *doc.Node, out *Out) {
	at := out.Loc(n)
	line := c.line
	if raw := n.Raw(); strings.HasPrefix(raw, "|") || strings.HasPrefix(raw, ">") {
		line++ // a block's text begins below its mark
	}
	if line > 0 {
		at.Line += line
		if at.EndLine < at.Line {
			at.EndLine = at.Line
		}
	}
	host := model.Host(c.url, ns)
	if host.IsZero() || c.tool == "kubectl" {
		host = model.N(model.SpaceOp, self.Key+"#"+c.tool)
	}
	e := model.Edge{From: self, To: host, Kind: model.EdgeRequest, At: at, Method: c.method, Path: pathOf(c.url), Label: c.tool}
	if c.perTry > 0 {
		e.Timeout = model.For(c.perTry)
	}
	e.Key = model.Key{How: model.KeyNone, At: at}
	if c.key != "" {
		e.Key = model.Key{How: model.KeyUnknown, Sink: c.key, At: at, Text: c.keyText}
		switch {
		case unstableShell(c.keyText):
			e.Key.How, e.Key.Sources, e.Key.Born, e.Key.BornIn = model.KeyMade, model.FromRandom, at, self
		case strings.ContainsAny(c.keyText, "$"):
			e.Key.How, e.Key.Sources = model.KeyDerived, model.FromInput
		default:
			e.Key.How, e.Key.Sources = model.KeyConstant, model.FromConstant
		}
	}
	if c.tool == "kubectl" {
		e.Idempotent, e.Path, e.Kind = true, "", model.EdgeCall
	}
	if c.loop != nil {
		l := c.loop.layer(c)
		l.In, l.At = self, at
		if n := c.loop.line - c.line; n < 0 {
			l.At.Line += n
			l.At.Col, l.At.EndLine, l.At.EndCol = 1, 0, 0
		}
		e.Under = append(e.Under, out.Layer(l).ID)
	}
	if l, ok := c.layer(); ok {
		l.At, l.In = at, self
		e.Under = append(e.Under, out.Layer(l).ID)
	}
	out.Edge(e)
}

// layer is the call's own retries, ok is false where it has none.
func (c call) layer() (l model.Layer, ok bool) {
	if c.retries <= 0 && !c.endless && !c.unknown {
		return l, false
	}
	p := model.Policy{Attempts: model.Retries(c.retries), On: c.also}
	switch {
	case c.unknown:
		p.Attempts = model.Count{}
	case c.endless:
		p.Attempts = model.Unbounded()
	}
	l = model.Layer{Kind: model.KindClient}
	switch c.tool {
	case "curl":
		l.Label = "curl --retry"
		p.On |= model.OnTimeout | model.On5xx | model.On429
		p.Backoff = model.Exponential(time.Second, model.NewRatio(2, 1), 10*time.Minute)
		if c.delay > 0 {
			p.Backoff = model.Constant(c.delay)
		}
	case "wget":
		if c.once && !c.tries {
			return l, false
		}
		l.Label = "wget --tries"
		p.On |= model.OnReset | model.OnTimeout
		if !c.tries {
			l.Origin, l.DefaultBy, l.OffSwitch = model.OriginDefault, "wget: 20 tries where --tries is not set", "--tries=1"
		}
		p.Backoff = model.NoBackoff()
		if c.delay > 0 {
			p.Backoff = model.Backoff{Kind: model.BackoffLinear, Initial: model.For(min(c.delay, time.Second)), Step: model.For(time.Second), Max: model.For(c.delay),
				Jitter: model.Jitter{Kind: model.JitterNone}}
		}
	default:
		return l, false
	}
	if c.perTry > 0 {
		p.PerAttempt = model.For(c.perTry)
	}
	if c.overall > 0 {
		p.Overall = model.For(c.overall)
	}
	l.Policy = p
	return l, true
}

// unstableShell reports whether a shell word makes another value each time.
func unstableShell(s string) bool {
	return strings.Contains(s, "uuidgen") || strings.Contains(s, "$RANDOM") || strings.Contains(s, "${RANDOM") || strings.Contains(s, "random/uuid") ||
		strings.Contains(s, "$(date") || strings.Contains(s, "`date")
}

// pathOf is the path of a URL with variable parts as {}; "" where it has none.
func pathOf(raw string) string {
	i := strings.Index(raw, "://")
	rest := raw
	if i >= 0 {
		rest = raw[i+3:]
	}
	j := strings.IndexByte(rest, '/')
	if j < 0 {
		if i >= 0 {
			return "/"
		}
		return ""
	}
	p, _, _ := strings.Cut(rest[j:], "?")
	parts := strings.Split(p, "/")
	for k, s := range parts {
		if strings.ContainsAny(s, "$`{%") {
			if u, err := url.PathUnescape(s); err == nil && !strings.ContainsAny(s, "$`{") {
				parts[k] = u
				continue
			}
			parts[k] = "{}"
		}
	}
	return strings.Join(parts, "/")
}
