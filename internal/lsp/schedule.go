package lsp

import (
	"context"
	"time"
)

// slow is the time of a scan from which changes wait for a save, and from which a running scan is let to its end: otherwise a
// large workspace would never see one.
const slow = 3 * time.Second

// schedule says when the next scan begins.
type schedule struct {
	wake    chan struct{}
	due     time.Time // zero: nothing to do
	started time.Time // of the running scan; zero: none
	cancel  context.CancelFunc
	took    time.Duration // by the last whole scan
	stopped bool
}

// at asks for a scan, later than any asked for before. A running scan that is young makes way.
func (s *schedule) at(t time.Time) {
	if s.stopped {
		return
	}
	s.due = t
	if s.cancel != nil && time.Since(s.started) < slow {
		s.cancel()
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *schedule) stop() {
	s.stopped, s.due = true, time.Time{}
	if s.cancel != nil {
		s.cancel()
	}
}

// scanSoon asks for a scan after a delay.
func (s *server) scanSoon(delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at(time.Now().Add(delay))
}

// scanAfterChange asks for a scan of what is not saved yet, where scans are quick.
func (s *server) scanAfterChange() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.took > slow || s.cancel != nil && time.Since(s.started) >= slow {
		return
	}
	s.at(time.Now().Add(s.opt.ChangeDelay))
}

// scanAll runs scans, one at a time, until the context ends.
func (s *server) scanAll(ctx context.Context) {
	for {
		s.mu.Lock()
		due := s.due
		s.mu.Unlock()
		var timer <-chan time.Time
		if !due.IsZero() {
			timer = time.After(time.Until(due))
		}
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			continue // when it is due may have changed
		case <-timer:
		}
		s.mu.Lock()
		if s.due.IsZero() || time.Until(s.due) > 0 {
			s.mu.Unlock()
			continue
		}
		s.due, s.started = time.Time{}, time.Now()
		var once context.Context
		once, s.cancel = context.WithCancel(ctx)
		s.mu.Unlock()
		whole := s.scan(once)
		s.mu.Lock()
		s.cancel()
		s.cancel = nil
		if whole {
			s.took = time.Since(s.started)
		}
		s.mu.Unlock()
	}
}
