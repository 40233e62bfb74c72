package lsp

import (
	"io"
	"sync"
	"time"
)

// queue is a writer that never waits for the reader: a client that writes before it reads must not stop the server from
// reading.
type queue struct {
	mu     sync.Mutex
	buf    []byte
	closed bool
	err    error
	more   chan struct{}
	done   chan struct{}
}

func newQueue(w io.Writer) *queue {
	q := &queue{more: make(chan struct{}, 1), done: make(chan struct{})}
	go q.run(w)
	return q
}

func (q *queue) run(w io.Writer) {
	defer close(q.done)
	for range q.more {
		for {
			q.mu.Lock()
			data, closed := q.buf, q.closed
			q.buf = nil
			q.mu.Unlock()
			if len(data) == 0 {
				if closed {
					return
				}
				break
			}
			if _, err := w.Write(data); err != nil {
				q.mu.Lock()
				q.err, q.buf = err, nil
				q.mu.Unlock()
				return
			}
		}
	}
}

// Write implements io.Writer; it keeps a copy. After a write that failed it returns that error.
func (q *queue) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.err != nil:
		return 0, q.err
	case q.closed:
		return 0, io.ErrClosedPipe
	}
	q.buf = append(q.buf, p...)
	q.tell()
	return len(p), nil
}

// Close implements io.Closer; what was written is still sent.
func (q *queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.tell()
	return nil
}

func (q *queue) tell() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// drain closes and waits until all is sent, at most so long.
func (q *queue) drain(most time.Duration) {
	_ = q.Close()
	select {
	case <-q.done:
	case <-time.After(most):
	}
}
