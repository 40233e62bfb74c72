package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// gitStore reads objects with the git program. Where git gives up in the middle, which it does at damaged objects and in
// partial clones, go-git reads the rest one by one.
type gitStore struct {
	git         string
	dir, common string
	opt         Options
}

func (s *gitStore) close() error { return nil }

func (s *gitStore) env() []string { return env(s.dir, "none") }

func (s *gitStore) resolve(ctx context.Context, ref string) (commit, tree string, err error) {
	// Names travel on standard input, where none can be taken for an option.
	out, err := runGit(ctx, s.git, s.env(), min(s.opt.GitTimeout, shortTimeout), ref+"^{commit}\n"+ref+"^{tree}\n", "cat-file", "--batch-check")
	lines := strings.Split(string(out), "\n")
	if len(lines) >= 2 {
		c, t := strings.Fields(lines[0]), strings.Fields(lines[1])
		if len(c) == 3 && len(t) == 3 && c[1] == "commit" && t[1] == "tree" {
			return c[0], t[0], nil
		}
	}
	if err != nil {
		return "", "", err
	}
	if ref == "HEAD" || hexID.MatchString(ref) {
		// A branch that names a commit which is not there is damage, an unborn branch is not.
		out, err := runGit(ctx, s.git, s.env(), min(s.opt.GitTimeout, shortTimeout), "", "rev-parse", "--verify", "--quiet", ref)
		if id := strings.TrimSpace(string(out)); err == nil && hexID.MatchString(id) {
			return "", "", fmt.Errorf("%s names commit %s, which is missing or damaged", ref, id)
		}
	}
	return "", "", errNoCommit
}

func (s *gitStore) branches(ctx context.Context) ([]string, error) {
	out, err := runGit(ctx, s.git, s.env(), min(s.opt.GitTimeout, shortTimeout), "", "for-each-ref", "--count=5", "--format=%(refname)")
	return strings.Fields(string(out)), err
}

func (s *gitStore) list(ctx context.Context, tree string, fn func(treeEntry) error) error {
	p, err := s.start(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return err
	}
	for {
		rec, err := p.until(0)
		if err == io.EOF {
			return p.finish(nil)
		}
		if err != nil {
			return p.finish(err)
		}
		meta, path, ok := strings.Cut(string(rec[:len(rec)-1]), "\t")
		f := strings.Fields(meta)
		if !ok || len(f) != 3 {
			return p.finish(fmt.Errorf("git ls-tree printed %q", rec))
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		if err != nil {
			return p.finish(fmt.Errorf("git ls-tree printed %q", rec))
		}
		if err := fn(treeEntry{path: path, mode: uint32(mode), id: f[2]}); err != nil {
			return p.stop(err)
		}
	}
}

func (s *gitStore) sizes(ctx context.Context, ids []string) ([]int64, []string, error) {
	sizes, reasons := make([]int64, len(ids)), make([]string, len(ids))
	done, err := s.batch(ctx, ids, "--batch-check", func(i int, _ *process, size int64, reason string) error {
		sizes[i], reasons[i] = size, reason
		return nil
	})
	if err != nil || done == len(ids) {
		return sizes, reasons, err
	}
	fallback, err := openGoGit(s.dir, s.common)
	if err != nil {
		return nil, nil, err
	}
	defer fallback.close()
	rest, why, err := fallback.sizes(ctx, ids[done:])
	if err != nil {
		return nil, nil, err
	}
	copy(sizes[done:], rest)
	copy(reasons[done:], why)
	return sizes, reasons, nil
}

func (s *gitStore) read(ctx context.Context, ids []string, fn func(i int, data []byte, reason string) error) error {
	done, err := s.batch(ctx, ids, "--batch", func(i int, p *process, size int64, reason string) error {
		if reason != "" {
			return s.outside(p, func() error { return fn(i, nil, reason) })
		}
		if size > s.opt.MaxFileBytes {
			// Open has left out what is too large; an object that has grown since is a lie somewhere.
			return errors.New(reasonChanged)
		}
		data := make([]byte, size)
		if err := p.full(data); err != nil {
			return err
		}
		if b, err := p.byte(); err != nil || b != '\n' {
			return errTruncated
		}
		return s.outside(p, func() error { return fn(i, data, "") })
	})
	if err != nil || done == len(ids) {
		return err
	}
	fallback, err := openGoGit(s.dir, s.common)
	if err != nil {
		for i := done; i < len(ids); i++ {
			if err := fn(i, nil, "git stopped reading, and "+err.Error()); err != nil {
				return err
			}
		}
		return nil
	}
	defer fallback.close()
	return fallback.read(ctx, ids[done:], func(i int, data []byte, reason string) error { return fn(done+i, data, reason) })
}

// consumerError carries the consumer's own error out of the batch.
type consumerError struct{ err error }

func (e consumerError) Error() string { return e.err.Error() }

// outside runs the consumer with git's clock stopped.
func (s *gitStore) outside(p *process, fn func() error) error {
	p.timer.Stop()
	defer p.timer.Reset(s.opt.GitTimeout)
	if err := fn(); err != nil {
		return consumerError{err}
	}
	return nil
}

var errTruncated = errors.New("git stopped in the middle of its answer")

// batch asks one git cat-file process for all ids and calls fn with the head of each answer. It returns how many answers
// came in full before git ended by itself. The error is the consumer's or the context's.
func (s *gitStore) batch(ctx context.Context, ids []string, mode string, fn func(i int, p *process, size int64, reason string) error) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	p, err := s.start(ctx, ids, "cat-file", mode, "--buffer")
	if err != nil {
		return 0, err
	}
	for i := range ids {
		line, err := p.until('\n')
		if err != nil {
			return i, p.gaveUp(ctx)
		}
		f := strings.Fields(string(line))
		size, reason := int64(-1), reasonMissing
		switch {
		case len(f) == 3 && f[1] == "blob":
			n, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil || n < 0 {
				return i, p.stop(fmt.Errorf("git cat-file printed %q", line))
			}
			size, reason = n, ""
		case len(f) == 3:
			n, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil || n < 0 {
				return i, p.stop(fmt.Errorf("git cat-file printed %q", line))
			}
			reason = reasonNotBlob
			if mode == "--batch" {
				if err := p.discard(n + 1); err != nil {
					return i, p.gaveUp(ctx)
				}
			}
		}
		if err := fn(i, p, size, reason); err != nil {
			var mine consumerError
			if errors.As(err, &mine) {
				return i, p.stop(mine.err)
			}
			if errors.Is(err, errTruncated) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
				return i, p.gaveUp(ctx)
			}
			return i, p.stop(err)
		}
	}
	return len(ids), p.stop(nil)
}

// A process is a running git command whose output is read as it comes. A second goroutine feeds its input; it ends when
// git does, so a reader that stops early leaves nothing behind.
type process struct {
	cmd     *exec.Cmd
	ctx     context.Context
	limited context.Context
	cancel  context.CancelFunc
	out     *bufio.Reader
	timer   *time.Timer
	timeout time.Duration
	fed     sync.WaitGroup
}

func (s *gitStore) start(ctx context.Context, input []string, args ...string) (*process, error) {
	p := &process{ctx: ctx, timeout: s.opt.GitTimeout}
	p.limited, p.cancel = context.WithCancel(ctx)
	p.cmd = gitCommand(p.limited, s.git, s.env(), args...)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.cancel()
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	var in io.WriteCloser
	if input != nil {
		if in, err = p.cmd.StdinPipe(); err != nil {
			p.cancel()
			return nil, err
		}
	}
	if err := p.cmd.Start(); err != nil {
		p.cancel()
		return nil, fmt.Errorf("start git: %w", err)
	}
	p.timer = time.AfterFunc(p.timeout, p.cancel)
	if in != nil {
		p.fed.Go(func() {
			defer in.Close()
			w := bufio.NewWriterSize(in, 32<<10)
			for _, id := range input {
				w.WriteString(id)
				if w.WriteByte('\n') != nil {
					return // git is gone; the reader will notice
				}
			}
			w.Flush()
		})
	}
	return p, nil
}

// maxRecord limits a line of git's output: the longest path that Linux can open has 4096 bytes, a tree may say more.
const maxRecord = 1 << 20

func (p *process) until(end byte) ([]byte, error) {
	p.timer.Reset(p.timeout)
	line, err := p.out.ReadSlice(end)
	if err == nil {
		return line, nil
	}
	if err != bufio.ErrBufferFull {
		if err == io.EOF && len(line) > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull && len(long) < maxRecord {
		line, err = p.out.ReadSlice(end)
		long = append(long, line...)
	}
	if err == bufio.ErrBufferFull {
		return nil, errors.New("a path is longer than a megabyte")
	}
	return long, err
}

func (p *process) full(data []byte) error {
	_, err := io.ReadFull(p.out, data)
	return err
}

func (p *process) byte() (byte, error) { return p.out.ReadByte() }

func (p *process) discard(n int64) error {
	_, err := io.CopyN(io.Discard, p.out, n)
	return err
}

// stop ends git and returns err, or the context's error.
func (p *process) stop(err error) error {
	p.timer.Stop()
	p.cancel()
	p.cmd.Wait()
	p.fed.Wait()
	if err == nil {
		return nil
	}
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	return err
}

// finish waits for git to end by itself and returns err or what git complained of.
func (p *process) finish(err error) error {
	if err != nil {
		late := p.limited.Err() != nil && p.ctx.Err() == nil
		if err = p.stop(err); late {
			err = fmt.Errorf("git was silent for %s", p.timeout)
		}
		return err
	}
	late := p.limited.Err() != nil && p.ctx.Err() == nil
	p.timer.Stop()
	werr := p.cmd.Wait()
	p.cancel()
	p.fed.Wait()
	if late {
		return fmt.Errorf("git was silent for %s", p.timeout)
	}
	return gitError(p.ctx, p.ctx, p.cmd, werr, p.timeout)
}

// gaveUp ends a batch that git left: nil means that somebody else may read the rest.
func (p *process) gaveUp(ctx context.Context) error {
	late := p.limited.Err() != nil && ctx.Err() == nil
	p.stop(nil)
	if late {
		return fmt.Errorf("git was silent for %s", p.timeout)
	}
	return ctx.Err()
}
