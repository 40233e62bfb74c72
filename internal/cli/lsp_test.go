package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
)

// The language server is tested as editors use it: a process, and a client that frames and parses messages by itself.

type lspPosition struct{ Line, Character int }

type lspRange struct{ Start, End lspPosition }

type lspDiagnostic struct {
	Range              lspRange
	Severity           int
	Code               string
	Source             string
	Message            string
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range lspRange
		}
		Message string
	}
}

type lspMessage struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

type lspClient struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser

	mu          sync.Mutex
	changed     *sync.Cond
	replies     map[int]lspMessage
	diagnostics map[string][]lspDiagnostic // the last of each URI
	published   map[string]int             // how many times
	log         []string
	gone        bool
	next        int
}

func startLSP(t *testing.T, args ...string) *lspClient {
	t.Helper()
	c := &lspClient{t: t, cmd: program(t, append([]string{"lsp"}, args...)...), replies: map[int]lspMessage{},
		diagnostics: map[string][]lspDiagnostic{}, published: map[string]int{}}
	c.changed = sync.NewCond(&c.mu)
	c.cmd.Env = append(c.cmd.Env, "XDG_CACHE_HOME="+t.TempDir())
	var err error
	c.in, err = c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	c.cmd.Stderr = os.Stderr
	require.NoError(t, c.cmd.Start())
	go c.read(out)
	return c
}

func (c *lspClient) read(out io.Reader) {
	defer func() {
		c.mu.Lock()
		c.gone = true
		c.changed.Broadcast()
		c.mu.Unlock()
	}()
	r := bufio.NewReader(out)
	for {
		length := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line == "\r\n" {
				break
			}
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			if strings.EqualFold(name, "Content-Length") {
				length, _ = strconv.Atoi(value)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m lspMessage
		if err := json.Unmarshal(body, &m); err != nil {
			c.t.Errorf("not a message: %q", body)
			return
		}
		c.mu.Lock()
		switch {
		case m.Method == "" && m.ID != nil:
			c.replies[*m.ID] = m
		case m.Method == "textDocument/publishDiagnostics":
			var p struct {
				URI         string
				Diagnostics []lspDiagnostic
			}
			if json.Unmarshal(m.Params, &p) != nil || p.Diagnostics == nil {
				c.t.Errorf("diagnostics that are no list: %s", m.Params)
			}
			c.diagnostics[p.URI] = p.Diagnostics
			c.published[p.URI]++
		case m.Method == "window/logMessage":
			c.log = append(c.log, string(m.Params))
		}
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

func (c *lspClient) send(v any) {
	c.t.Helper()
	data, err := json.Marshal(v)
	require.NoError(c.t, err)
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	require.NoError(c.t, err)
}

func (c *lspClient) notify(method string, params any) {
	c.t.Helper()
	c.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// wait waits until a condition holds; it is called with the lock held.
func (c *lspClient) wait(what string, ok func() bool) {
	c.t.Helper()
	late := time.AfterFunc(20*time.Second, func() {
		c.mu.Lock()
		c.gone = true
		c.changed.Broadcast()
		c.mu.Unlock()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !ok() {
		if c.gone {
			c.t.Fatalf("waited in vain for %s; log: %s; diagnostics: %+v", what, c.log, c.diagnostics)
		}
		c.changed.Wait()
	}
}

// call sends a request and returns its reply.
func (c *lspClient) call(method string, params any) lspMessage {
	c.t.Helper()
	c.next++
	id := c.next
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	var m lspMessage
	c.wait("the reply to "+method, func() bool { r, ok := c.replies[id]; m = r; return ok })
	return m
}

func (c *lspClient) result(method string, params, into any) {
	c.t.Helper()
	m := c.call(method, params)
	require.Nil(c.t, m.Error, "%s: %+v", method, m.Error)
	require.NoError(c.t, json.Unmarshal(m.Result, into))
}

func (c *lspClient) initialize(dirs ...string) {
	c.t.Helper()
	var folders []map[string]string
	for _, d := range dirs {
		folders = append(folders, map[string]string{"uri": fileURI(d), "name": filepath.Base(d)})
	}
	var r struct{ Capabilities map[string]any }
	c.result("initialize", map[string]any{"processId": os.Getpid(), "workspaceFolders": folders, "capabilities": map[string]any{
		"textDocument": map[string]any{"publishDiagnostics": map[string]any{"relatedInformation": true}}}}, &r)
	require.Equal(c.t, "utf-16", r.Capabilities["positionEncoding"])
	require.Equal(c.t, true, r.Capabilities["hoverProvider"])
	c.notify("initialized", map[string]any{})
}

func (c *lspClient) open(file string) (uri, text string) {
	c.t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(c.t, err)
	uri = fileURI(file)
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "x", "version": 1, "text": string(data)}})
	return uri, string(data)
}

func (c *lspClient) change(uri, text string) {
	c.t.Helper()
	c.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2},
		"contentChanges": []map[string]any{{"text": text}}})
}

// find waits for a diagnostic of a rule.
func (c *lspClient) find(uri, rule string) lspDiagnostic {
	c.t.Helper()
	var found lspDiagnostic
	c.wait(rule+" in "+uri, func() bool {
		for _, d := range c.diagnostics[uri] {
			if d.Code == rule {
				found = d
				return true
			}
		}
		return false
	})
	return found
}

// lose waits until a rule says nothing more about a file.
func (c *lspClient) lose(uri, rule string) {
	c.t.Helper()
	c.wait("the end of "+rule+" in "+uri, func() bool {
		for _, d := range c.diagnostics[uri] {
			if d.Code == rule {
				return false
			}
		}
		return true
	})
}

func (c *lspClient) hover(uri string, at lspPosition) string {
	c.t.Helper()
	var h *struct{ Contents struct{ Kind, Value string } }
	c.result("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": positionJSON(at)}, &h)
	if h == nil {
		return ""
	}
	require.Equal(c.t, "markdown", h.Contents.Kind)
	return h.Contents.Value
}

type lspAction struct {
	Title, Kind string
	Edit        struct {
		Changes map[string][]struct {
			Range   lspRange
			NewText string
		}
	}
}

func (c *lspClient) actions(uri string, d lspDiagnostic) []lspAction {
	c.t.Helper()
	var out []lspAction
	c.result("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"range":   map[string]any{"start": positionJSON(d.Range.Start), "end": positionJSON(d.Range.End)},
		"context": map[string]any{"diagnostics": []any{}}}, &out)
	return out
}

// leave ends the session and returns the exit status.
func (c *lspClient) leave(shutdown bool) int {
	c.t.Helper()
	if shutdown {
		require.Nil(c.t, c.call("shutdown", nil).Error)
	}
	c.notify("exit", nil)
	var exit *exec.ExitError
	if err := c.cmd.Wait(); err != nil {
		require.True(c.t, errors.As(err, &exit), "%v", err)
	}
	return c.cmd.ProcessState.ExitCode()
}

func positionJSON(p lspPosition) map[string]int {
	return map[string]int{"line": p.Line, "character": p.Character}
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// cut is the text of a range, counted in UTF-16 as a client does.
func cut(text string, r lspRange) string {
	lines := strings.Split(text, "\n")
	if r.Start.Line != r.End.Line {
		return lines[r.Start.Line]
	}
	u := utf16.Encode([]rune(lines[r.Start.Line]))
	return string(utf16.Decode(u[r.Start.Character:r.End.Character]))
}

// payments is a copy of the demo organisation.
func payments(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../testdata/payments")))
	return dir
}

func repositoriesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func TestLanguageServer(t *testing.T) {
	dir := payments(t)
	c := startLSP(t, "--stdio")
	require.Equal(t, -32002, c.call("textDocument/hover", map[string]any{}).Error.Code, "before initialize")
	c.initialize(repositoriesIn(t, dir)...)

	ledger := filepath.Join(dir, "ledger/main.go")
	uri, text := c.open(ledger)
	d := c.find(uri, "window-too-short")
	require.Equal(t, 1, d.Severity)
	require.Equal(t, "retrylint", d.Source)
	require.Equal(t, "remember", cut(text, d.Range))
	require.Contains(t, d.Message, "fix: ")
	var related []string
	for _, r := range d.RelatedInformation {
		related = append(related, filepath.Base(r.Location.URI))
	}
	require.Contains(t, related, "settle.yaml", "the chain's layers in other repositories")

	// Hover over the setting of another repository: its chain, product, paths and the window at its end.
	settle, settleText := c.open(filepath.Join(dir, "scheduler/settle.yaml"))
	stacked := c.find(settle, "stacked-retries")
	require.Equal(t, `"2"`, cut(settleText, stacked.Range))
	h := c.hover(settle, stacked.Range.Start)
	for _, want := range []string{"**27 attempts** from CronWorkflow settle", "3 x 3 x 3", "Argo retryStrategy: 3 attempts, 1h apart", "settle-service/main.go:31",
		"| automatic | 2h6m36s |", "Window 24h", "short by"} {
		require.Contains(t, h, want)
	}
	require.Contains(t, c.hover(uri, d.Range.Start), "dedupe window 24h")
	services, servicesText := c.open(filepath.Join(dir, "scheduler/deploy/services.yaml"))
	lines := strings.Split(servicesText, "\n")
	line := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "GATEWAY_ATTEMPTS") })
	require.Contains(t, c.hover(services, lspPosition{line, strings.Index(lines[line], `"3"`)}), "27 attempts", "where the setting of a layer is")
	require.Empty(t, c.hover(uri, lspPosition{0, 0}))
	require.Empty(t, c.hover(uri, lspPosition{99999, 5}))
	require.Empty(t, c.hover("untitled:Untitled-1", lspPosition{0, 0}))

	// What is typed counts before it is saved.
	c.change(uri, strings.Replace(text, "24 * time.Hour", "24 * 30 * time.Hour", 1))
	c.lose(uri, "window-too-short")
	c.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	c.find(uri, "window-too-short")

	require.Equal(t, -32601, c.call("textDocument/definition", map[string]any{}).Error.Code)
	require.Equal(t, -32602, c.call("textDocument/hover", map[string]any{"position": "here"}).Error.Code)
	require.Equal(t, 0, c.leave(true))
}

func TestLanguageServerActions(t *testing.T) {
	dir := payments(t)
	c := startLSP(t)
	c.initialize(repositoriesIn(t, dir)...)
	for _, test := range []struct{ file, rule, comment string }{
		{"payout-gateway/ledger.go", "no-jitter", "\t//retrylint:ignore no-jitter -- "},
		{"scheduler/settle.yaml", "stacked-retries", "# retrylint:ignore stacked-retries -- "},
	} {
		uri, text := c.open(filepath.Join(dir, test.file))
		d := c.find(uri, test.rule)
		actions := c.actions(uri, d)
		require.Len(t, actions, 1)
		require.Equal(t, "quickfix", actions[0].Kind)
		edits := actions[0].Edit.Changes[uri]
		require.Len(t, edits, 1)
		require.Contains(t, edits[0].NewText, test.comment)
		require.Equal(t, lspRange{lspPosition{d.Range.Start.Line, 0}, lspPosition{d.Range.Start.Line, 0}}, edits[0].Range)
		lines := strings.SplitAfter(text, "\n")
		n := edits[0].Range.Start.Line
		lines[n] = edits[0].NewText + lines[n]
		c.change(uri, strings.Join(lines, ""))
		c.lose(uri, test.rule)
		c.mu.Lock()
		for _, left := range c.diagnostics[uri] {
			require.NotEqual(t, "suppression", left.Code, "the comment counts")
		}
		c.mu.Unlock()
	}
	require.Equal(t, 1, c.leave(false), "exit without shutdown")
}

func TestLanguageServerAlone(t *testing.T) {
	dir := payments(t)
	odd := filepath.Join(dir, "odd names (1) é", "ledger")
	require.NoError(t, os.MkdirAll(filepath.Dir(odd), 0o755))
	require.NoError(t, os.Rename(filepath.Join(dir, "ledger"), odd))
	source, err := os.ReadFile(filepath.Join(odd, "main.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(odd, "main.go"), []byte(strings.Replace(string(source), "const remember", "/* é😀 */ const remember", 1)), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(odd, ".retrylint.yaml"), []byte("version: 1\nsafetyfactor: 3\n"), 0o644))

	// One repository is open, the others are named on the command line; a wrong configuration is shown where it is wrong.
	c := startLSP(t, filepath.Join(dir, "scheduler"), filepath.Join(dir, "settle-service"), filepath.Join(dir, "payout-gateway"))
	c.initialize(odd)
	uri, text := c.open(filepath.Join(odd, "main.go"))
	d := c.find(uri, "window-too-short")
	require.Equal(t, "remember", cut(text, d.Range), "columns are UTF-16")
	require.Contains(t, c.hover(uri, d.Range.End), "27 attempts")
	wrong := c.find(fileURI(filepath.Join(odd, ".retrylint.yaml")), "config")
	require.Equal(t, 1, wrong.Range.Start.Line)
	require.Contains(t, wrong.Message, "safetyFactor")
	c.mu.Lock()
	for u := range c.diagnostics {
		require.True(t, strings.HasPrefix(u, fileURI(odd)), "%s lies outside of the workspace", u)
	}
	c.mu.Unlock()
	require.NoError(t, c.in.Close())
	_ = c.cmd.Wait()
	require.Equal(t, 1, c.cmd.ProcessState.ExitCode(), "the client went away without a word")
}

func TestLanguageServerUsage(t *testing.T) {
	out, err := program(t, "lsp", "--config", "missing.yaml").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "missing.yaml")
	out, err = program(t, "lsp", "no/such/folder").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "no such folder")
}
