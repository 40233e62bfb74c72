// Package notretry holds loops that look like retries and are none.
package notretry

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

type api interface {
	List(ctx context.Context, token string) (items []string, next string, err error)
	Get(ctx context.Context, id string) (string, error)
	Status(ctx context.Context) (string, error)
	Send(ctx context.Context, item string) error
	Receive(ctx context.Context) (string, error)
	Reconcile(ctx context.Context) error
	Ready() bool
}

func accept(l net.Listener) error {
	for {
		c, err := l.Accept()
		if err != nil {
			var ne net.Error
			if errors.As(err, &ne) && ne.Timeout() {
				time.Sleep(10 * time.Millisecond)
				continue
			}
			return err
		}
		go c.Close()
	}
}

func each(ctx context.Context, a api, ids []string) (string, error) {
	for _, id := range ids {
		s, err := a.Get(ctx, id)
		if err != nil {
			log.Print(err)
			continue
		}
		return s, nil
	}
	return "", io.EOF
}

func failover(ctx context.Context, hosts []string) (net.Conn, error) {
	var last error
	for i := 0; i < len(hosts); i++ {
		c, err := net.Dial("tcp", hosts[i])
		if err == nil {
			return c, nil
		}
		last = err
	}
	return nil, last
}

func pages(ctx context.Context, a api) (out []string, err error) {
	token := ""
	for {
		items, next, err := a.List(ctx, token)
		if err != nil {
			return nil, err
		}
		out = append(out, items...)
		if next == "" {
			return out, nil
		}
		token = next
	}
}

func consume(ctx context.Context, a api) error {
	for ctx.Err() == nil {
		m, err := a.Receive(ctx)
		if err != nil {
			log.Print(err)
			time.Sleep(time.Second)
			continue
		}
		if err := a.Send(ctx, m); err != nil {
			log.Print(err)
		}
	}
	return ctx.Err()
}

func consumeChannel(ctx context.Context, a api, in <-chan string) {
	for m := range in {
		if err := a.Send(ctx, m); err != nil {
			log.Print(err)
			continue
		}
	}
}

func untilReady(ctx context.Context, a api) error {
	for {
		s, err := a.Status(ctx)
		if err != nil {
			return err
		}
		if s == "ready" {
			return nil
		}
		time.Sleep(time.Second)
	}
}

func untilTrue(ctx context.Context, a api) error {
	for !a.Ready() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	return nil
}

func periodic(ctx context.Context, a api) {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := a.Reconcile(ctx); err != nil {
				log.Print(err)
			}
		}
	}
}

func forever(ctx context.Context, a api) {
	for {
		if err := a.Reconcile(ctx); err != nil {
			log.Print(err)
		}
		time.Sleep(time.Minute)
	}
}

func events(ctx context.Context, a api, in <-chan string, errs <-chan error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-errs:
			return err
		case m := <-in:
			if err := a.Send(ctx, m); err != nil {
				log.Print(err)
				continue
			}
		}
	}
}

func lines(r io.Reader) (n int, err error) {
	s := bufio.NewScanner(r)
	for s.Scan() {
		n++
	}
	return n, s.Err()
}

func decode(r io.Reader) error {
	d := json.NewDecoder(r)
	for {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func readFull(r io.Reader, buf []byte) error {
	for len(buf) > 0 {
		n, err := r.Read(buf)
		if err != nil {
			return err
		}
		buf = buf[n:]
	}
	return nil
}

func swap(v *atomic.Int64, d int64) {
	for {
		old := v.Load()
		if v.CompareAndSwap(old, old+d) {
			return
		}
	}
}

func interrupted(fd int, b []byte) (int, error) {
	for {
		n, err := syscall.Read(fd, b)
		if err == syscall.EINTR {
			continue
		}
		return n, err
	}
}

func freeName(dir string) (*os.File, error) {
	for i := 0; i < 10000; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s/%d", dir, i), os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		return f, err
	}
	return nil, os.ErrExist
}

func freeID(ctx context.Context, a api) (string, error) {
	for i := 0; i < 100; i++ {
		id := fmt.Sprintf("item-%d", i)
		if _, err := a.Get(ctx, id); err != nil {
			return id, nil
		}
	}
	return "", io.EOF
}

func parse(s string) (out []string) {
	for len(s) > 0 {
		head, rest, ok := strings.Cut(s, ",")
		if !ok {
			break
		}
		out = append(out, head)
		s = rest
	}
	return out
}

func walkUp(dir string) (string, error) {
	for {
		if _, err := os.Stat(dir + "/go.mod"); err == nil {
			return dir, nil
		}
		i := strings.LastIndexByte(dir, '/')
		if i <= 0 {
			return "", os.ErrNotExist
		}
		dir = dir[:i]
	}
}

func sum(xs []int) (n int, err error) {
	for i := 0; i < 3; i++ {
		if n, err = add(xs); err == nil {
			return n, nil
		}
	}
	return n, err
}

func add(xs []int) (n int, err error) {
	for _, x := range xs {
		n += x
	}
	return n, nil
}

func allOf(ctx context.Context, a api, ids []string) error {
	var errs []error
	for _, id := range ids {
		if _, err := a.Get(ctx, id); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func firstPort() (net.Listener, error) {
	port := 8000
	for {
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err == nil {
			return l, nil
		}
		port++
	}
}

func redirects(ctx context.Context, a api, at string) (string, error) {
	for i := 0; i < 10; i++ {
		next, err := a.Get(ctx, at)
		if err != nil {
			return at, nil
		}
		at = next
	}
	return at, nil
}

func writeAll(w io.Writer, b []byte) error {
	for len(b) > 0 {
		n, err := w.Write(b)
		if err != nil && err != io.ErrShortWrite {
			return err
		}
		b = b[n:]
	}
	return nil
}

func workers(ctx context.Context, a api) {
	for i := 0; i < 4; i++ {
		go func() {
			if err := a.Reconcile(ctx); err != nil {
				log.Print(err)
			}
		}()
	}
}

// Each call of itself asks for the next page.
func pagesByRecursion(ctx context.Context, a api, token string, all []string) ([]string, error) {
	items, next, err := a.List(ctx, token)
	if err != nil {
		return all, err
	}
	all = append(all, items...)
	if next == "" {
		return all, nil
	}
	return pagesByRecursion(ctx, a, next, all)
}

// Each call of itself asks for something else.
func parent(ctx context.Context, a api, name string) (string, error) {
	v, err := a.Get(ctx, name)
	if err != nil && strings.Contains(name, ".") {
		_, after, _ := strings.Cut(name, ".")
		return parent(ctx, a, after)
	}
	return v, err
}

type node struct {
	id    string
	left  *node
	right *node
}

func walk(ctx context.Context, a api, n *node) error {
	if n == nil {
		return nil
	}
	if err := a.Send(ctx, n.id); err != nil {
		return err
	}
	if n.left != nil {
		if err := walk(ctx, a, n.left); err != nil {
			return err
		}
	}
	return walk(ctx, a, n.right)
}

// Another server is asked where the first one failed, until there are no more.
func other(ctx context.Context, a api, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", errors.New("none left")
	}
	v, err := a.Get(ctx, ids[0])
	if err != nil {
		return other(ctx, a, ids[1:])
	}
	return v, nil
}
