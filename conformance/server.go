package conformance

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// Server starts what a program talks to; it adds each attempt to the record. The address goes to the case's Run.
type Server struct {
	Name  string // for the table: "503", "429, Retry-After 1s"
	Start func(r *Record) (addr string, stop func(), err error)
}

// Answer is what an HTTP server answers.
type Answer struct {
	Status     int           // 503 where it is 0
	Times      int           // so many attempts fail, later ones are answered with 200; 0: all fail
	RetryAfter time.Duration // sent as Retry-After in whole seconds
	Hang       time.Duration // waits so long before it answers
	Drop       bool          // closes the connection without an answer
	Body       string
	Type       string // content type of the body
}

func (a Answer) name() string {
	out := strconv.Itoa(cmp.Or(a.Status, http.StatusServiceUnavailable))
	switch {
	case a.Drop:
		out = "drops the connection"
	case a.Hang > 0:
		out = "hangs"
	}
	if a.RetryAfter > 0 {
		out += ", Retry-After " + a.RetryAfter.String()
	}
	if a.Times > 0 {
		out += ", " + strconv.Itoa(a.Times) + " times"
	}
	return out
}

// HTTP is a server that gives one answer to whatever is asked; the address is its URL.
func HTTP(a Answer) Server {
	return Handler(a.name(), func(n int, w http.ResponseWriter, r *http.Request) { a.give(n, w, r) })
}

// Handler is an HTTP server of one's own; n is the number of the attempt. The address is its URL.
func Handler(name string, h func(n int, w http.ResponseWriter, r *http.Request)) Server {
	return Server{Name: name, Start: func(rec *Record) (string, func(), error) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := rec.Add(cmp.Or(r.Header.Get("Idempotency-Key"), r.Header.Get("X-Idempotency-Key")))
			_, _ = io.Copy(io.Discard, r.Body)
			h(n, w, r)
		}))
		s.Config.ErrorLog = nil
		return s.URL, func() { s.CloseClientConnections(); s.Close() }, nil
	}}
}

func (a Answer) give(n int, w http.ResponseWriter, r *http.Request) {
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	if a.Times > 0 && n > a.Times {
		w.WriteHeader(http.StatusOK)
		return
	}
	if a.Hang > 0 {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(a.Hang):
		}
	}
	if a.Drop {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = c.Close()
		}
		return
	}
	if a.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(a.RetryAfter/time.Second)))
	}
	w.WriteHeader(cmp.Or(a.Status, http.StatusServiceUnavailable))
	_, _ = io.WriteString(w, a.Body)
}

// Listener is a TCP server that hands each connection to serve, which adds what it takes for an attempt. The address is
// host:port.
func Listener(name string, serve func(c net.Conn, r *Record)) Server {
	return Server{Name: name, Start: func(rec *Record) (string, func(), error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					serve(c, rec)
				}()
			}
		}()
		return l.Addr().String(), func() { _ = l.Close() }, nil
	}}
}

// Nothing is no server: the case's Run adds the attempts itself, through the record that [RecordOf] finds in its context.
var Nothing = Server{Name: "", Start: func(*Record) (string, func(), error) { return "", func() {}, nil }}
