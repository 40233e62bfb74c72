// Package lsp is the language server: it scans the folders of an editor's workspace together, shows findings where they
// lie, says what a retry setting multiplies to, and offers to ignore or to mend.
//
// Handlers only take notes and read the last scan; scans run by themselves, one at a time, some moments after the last
// change. What buffers hold that is not saved stands for the files on disk.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/scan"
)

// Options say what the server works with.
type Options struct {
	// Paths are repositories, or folders of repositories, that are scanned together with the workspace, so that chains run
	// through them. Findings in them are not shown.
	Paths []string
	// Config reads the organisation's configuration, before each scan; nil where there is none.
	Config func() (*config.Config, error)
	// Wants reports whether a rule runs; nil wants all.
	Wants func(rule string) bool
	// Cache keeps facts of files as they are saved; nil for none.
	Cache   scan.Cache
	Version string
	// ChangeDelay and SaveDelay are how long the server waits for more after a change or a save; 0 means half a second and a
	// tenth of one.
	ChangeDelay, SaveDelay time.Duration
}

// ErrExit is returned by Serve where the client went away without asking for the shutdown first, which the protocol wants
// answered with exit status 1.
var ErrExit = errors.New("the client left without a shutdown request")

// Error codes of the protocol beside those of JSON-RPC.
const (
	codeNotInitialized   = jrpc2.Code(-32002)
	codeRequestCancelled = jrpc2.Code(-32800)
)

// server is the state of one session.
type server struct {
	opt   Options
	rpc   *jrpc2.Server
	cache *memory

	mu          sync.Mutex
	initialized bool
	shutdown    bool
	related     bool     // the client shows related places
	plain       bool     // the client shows no markdown
	folders     []folder // of the workspace
	docs        map[string]*document
	last        *snapshot
	published   map[string]string // file -> URI under which diagnostics are shown
	left        chan struct{}     // closed by the exit notification
	schedule
}

// Serve talks to a client until it leaves or the context ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	if opt.ChangeDelay == 0 {
		opt.ChangeDelay = 500 * time.Millisecond
	}
	if opt.SaveDelay == 0 {
		opt.SaveDelay = 100 * time.Millisecond
	}
	s := &server{opt: opt, cache: newMemory(opt.Cache), docs: map[string]*document{}, published: map[string]string{}, left: make(chan struct{}),
		schedule: schedule{wake: make(chan struct{}, 1)}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := newQueue(out)
	defer queue.drain(2 * time.Second)
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{AllowPush: true, DisableBuiltin: true, Concurrency: 4,
		NewContext: func() context.Context { return ctx }})
	s.rpc.Start(channel.LSP(in, queue))
	var scans sync.WaitGroup
	scans.Go(func() { s.scanAll(ctx) })
	// A reader that waits for input cannot be stopped; it ends with the process.
	ended := make(chan jrpc2.ServerStatus, 1)
	go func() { ended <- s.rpc.WaitStatus() }()
	var status jrpc2.ServerStatus
	var interrupted error
	select {
	case status = <-ended:
	case <-s.left:
	case <-ctx.Done():
		interrupted = ctx.Err()
	}
	cancel()
	scans.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case interrupted != nil:
		return interrupted
	case status.Err != nil:
		return fmt.Errorf("talk to the client: %w", status.Err)
	case !s.shutdown:
		return ErrExit
	}
	return nil
}

// methods assigns handlers.
type methods map[string]jrpc2.Handler

// Assign implements jrpc2.Assigner.
func (m methods) Assign(_ context.Context, method string) jrpc2.Handler { return m[method] }

func (s *server) methods() methods {
	return methods{
		"initialize":                          call(s, s.initialize),
		"initialized":                         note(s, func(context.Context, struct{}) { s.scanSoon(0) }),
		"shutdown":                            call(s, func(context.Context, struct{}) (any, error) { s.end(); return nil, nil }),
		"exit":                                func(context.Context, *jrpc2.Request) (any, error) { s.leave(); return nil, nil },
		"$/cancelRequest":                     note(s, func(_ context.Context, p cancelParams) { s.rpc.CancelRequest(string(p.ID)) }),
		"textDocument/didOpen":                note(s, s.didOpen),
		"textDocument/didChange":              note(s, s.didChange),
		"textDocument/didSave":                note(s, s.didSave),
		"textDocument/didClose":               note(s, s.didClose),
		"textDocument/hover":                  call(s, s.hover),
		"textDocument/codeAction":             call(s, s.codeAction),
		"workspace/didChangeWorkspaceFolders": note(s, s.didChangeFolders),
		"workspace/didChangeWatchedFiles":     note(s, func(context.Context, struct{}) { s.scanSoon(s.opt.SaveDelay) }),
	}
}

// call is a request with parameters of one type; a panic costs the request.
func call[P, R any](s *server, fn func(context.Context, P) (R, error)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (result any, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.log(messageError, "%s: internal error: %v", req.Method(), r)
				result, err = nil, jrpc2.Errorf(jrpc2.InternalError, "internal error: %v", r)
			}
		}()
		s.mu.Lock()
		ready, over := s.initialized || req.Method() == "initialize", s.shutdown
		s.mu.Unlock()
		switch {
		case !ready:
			return nil, jrpc2.Errorf(codeNotInitialized, "%s before initialize", req.Method())
		case over:
			return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "%s after shutdown", req.Method())
		}
		var p P
		if err := decode(req, &p); err != nil {
			return nil, err
		}
		r, err := fn(ctx, p)
		if err != nil && ctx.Err() != nil {
			return nil, jrpc2.Errorf(codeRequestCancelled, "cancelled")
		}
		return r, err
	}
}

// note is a notification; what is wrong with it is logged, since it has no answer.
func note[P any](s *server, fn func(context.Context, P)) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		defer func() {
			if r := recover(); r != nil {
				s.log(messageError, "%s: internal error: %v", req.Method(), r)
			}
		}()
		var p P
		if err := decode(req, &p); err != nil {
			s.log(messageError, "%s: %v", req.Method(), err)
			return nil, nil
		}
		fn(ctx, p)
		return nil, nil
	}
}

// decode reads parameters. Unknown fields are left alone, as the protocol wants.
func decode(req *jrpc2.Request, v any) error {
	if !req.HasParams() {
		return nil
	}
	var raw json.RawMessage
	if err := req.UnmarshalParams(&raw); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return jrpc2.Errorf(jrpc2.InvalidParams, "parameters that cannot be read: %v", err)
	}
	return nil
}

func (s *server) initialize(_ context.Context, p initializeParams) (*initializeResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.initialized {
		return nil, jrpc2.Errorf(jrpc2.InvalidRequest, "initialize twice")
	}
	s.initialized = true
	s.related = p.Capabilities.TextDocument.PublishDiagnostics.RelatedInformation
	formats := p.Capabilities.TextDocument.Hover.ContentFormat
	s.plain = len(formats) > 0 && formats[0] == "plaintext"
	switch {
	case len(p.WorkspaceFolders) > 0:
		for _, f := range p.WorkspaceFolders {
			s.addFolder(f.URI)
		}
	case p.RootURI != "":
		s.addFolder(p.RootURI)
	case p.RootPath != "":
		s.addFolder(uriOf(p.RootPath))
	}
	r := &initializeResult{ServerInfo: serverInfo{"retrylint", s.opt.Version}, Capabilities: serverCapabilities{
		PositionEncoding: "utf-16", TextDocumentSync: textDocumentSyncOptions{OpenClose: true, Change: 1, Save: true}, HoverProvider: true,
		CodeActionProvider: codeActionOptions{[]string{quickFix}}}}
	r.Capabilities.Workspace.WorkspaceFolders.Supported = true
	r.Capabilities.Workspace.WorkspaceFolders.ChangeNotifications = true
	return r, nil
}

// end stops the work; the process ends with the exit notification.
func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shutdown = true
	s.schedule.stop()
}

// leave ends the session.
func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.left:
	default:
		close(s.left)
	}
}

// log tells the user something in the client's log; errors are also shown where clients show them.
func (s *server) log(kind int, format string, args ...any) {
	s.send("window/logMessage", messageParams{kind, fmt.Sprintf(format, args...)})
}

// send sends a notification. A client that is gone needs none.
func (s *server) send(method string, params any) {
	_ = s.rpc.Notify(context.Background(), method, params)
}
