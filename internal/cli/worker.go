package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
)

// queued is the flags of both ends of a queue.
type queued struct {
	url   string
	opt   QueueOptions
	facts string
	cache string
	orgs  listing
}

func (q *queued) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&q.url, "queue", "", "address of the queue: nats://HOST:4222")
	fs.StringVar(&q.opt.Name, "scan-name", "scan", "name of the scan, which keeps several apart in one queue")
	fs.StringVar(&q.facts, "facts", "", "folder or URL for the facts; {run} in it is $RETRYLINT_RUN")
	fs.DurationVar(&q.opt.AckWait, "ack-wait", 2*time.Minute, "silence after which another worker gets a repository; workers give signs of life three times as often")
	fs.IntVar(&q.opt.Attempts, "attempts", 3, "how often a repository is handed out, the first time included, before it becomes a dead letter")
	fs.DurationVar(&q.opt.Dedupe, "dedupe", 2*time.Hour, "how long the queue remembers what was put in, so that enqueue may run again")
}

func (q *queued) open(ctx context.Context, a *app) (Queue, factfile.Store, error) {
	if q.url == "" || q.facts == "" {
		return nil, nil, usagef("--queue and --facts are needed")
	}
	if q.opt.Name == "" || strings.ContainsFunc(q.opt.Name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) {
		return nil, nil, usagef("--scan-name is made of letters, digits, - and _, not %q", q.opt.Name)
	}
	if q.opt.AckWait < time.Second || q.opt.Attempts < 1 || q.opt.Dedupe < time.Second {
		return nil, nil, usagef("--ack-wait and --dedupe are at least 1s, --attempts at least 1")
	}
	var err error
	if q.facts, err = a.inRun(q.facts); err != nil {
		return nil, nil, err
	}
	store, err := openFacts(ctx, q.facts)
	if err != nil {
		return nil, nil, err
	}
	queue, err := build.OpenQueue(ctx, q.url, q.opt)
	return queue, store, err
}

// task is one message: a repository.
type task struct {
	Name  string `json:"name"`
	URL   string `json:"url,omitempty"`
	Dir   string `json:"dir,omitempty"` // only where workers share a file system
	Ref   string `json:"ref,omitempty"`
	Group string `json:"group,omitempty"`
	Head  string `json:"head,omitempty"`
	Tree  string `json:"tree,omitempty"`
}

func (t task) repo() source.Repo {
	r := source.Repo{Name: t.Name, URL: t.URL, Dir: t.Dir, Ref: t.Ref, Group: t.Group, Head: t.Head, HeadTree: t.Tree}
	if t.URL != "" {
		r.Kind = source.Remote
	}
	return r
}

func (a *app) enqueueCmd() *cobra.Command {
	var q queued
	var manifest string
	cmd := &cobra.Command{
		Use:   "enqueue [flags] [PATH|URL|ORGANISATION ...]",
		Short: "put repositories into a queue for workers",
		Long: `enqueue puts one message for each repository into a queue. Running it again within --dedupe adds nothing twice, so an
enqueue that was cut off is simply run again. What the facts hold already is left out.`,
		Example: "  retrylint enqueue --queue nats://nats:4222 --facts s3://bucket/facts github:acme\n  retrylint worker --queue nats://nats:4222 --facts s3://bucket/facts\n  retrylint reduce --facts s3://bucket/facts",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			paths, err := q.orgs.check(a, args)
			if err != nil {
				return err
			}
			if len(paths)+len(q.orgs.Targets) == 0 && manifest == "" {
				return usagef("enqueue needs repositories: paths, URLs, an organisation, or --manifest")
			}
			repos, err := repositories(paths, manifest)
			if err != nil {
				return usageError{err.Error()}
			}
			queue, store, err := q.open(ctx, a)
			if err != nil {
				return err
			}
			defer queue.Close()
			req := request{Orgs: &q.orgs, Event: func(e event) { fmt.Fprintf(a.stderr, "retrylint: %s\n", e.Notice) }}
			if repos, err = withOrganisations(ctx, repos, req, store); err != nil {
				return err
			}
			if repos, err = scan.SettlePlan(ctx, store, repos); err != nil {
				return err
			}
			for _, r := range repos {
				data, err := json.Marshal(task{r.Name, r.URL, r.Dir, r.Ref, r.Group, r.Head, r.HeadTree})
				if err != nil {
					return err
				}
				if err := queue.Publish(ctx, factfile.Key(q.opt.Name, q.facts, string(data)), data); err != nil {
					return err
				}
			}
			fmt.Fprintf(a.stderr, "retrylint: %d repositories are in the queue\n", len(repos))
			return nil
		},
	}
	q.flags(cmd)
	q.orgs.flags(cmd)
	cmd.Flags().StringVar(&manifest, "manifest", "", "list of repositories: YAML, CSV or one URL a line")
	return cmd
}

func (a *app) workerCmd() *cobra.Command {
	var q queued
	var jobs int
	var idle time.Duration
	var config string
	cmd := &cobra.Command{
		Use:   "worker [flags]",
		Short: "read repositories from a queue and keep their facts",
		Long: `worker takes repositories from a queue until none is left, and keeps the facts of each. A repository is done when its
facts are stored; only then it leaves the queue. One whose worker is killed goes to another worker. One that cannot be
read, or that its workers did not survive, is handed out --attempts times in all and then becomes a dead letter, with a
gap among the facts, so that reduce names it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if _, err := q.orgs.check(a, nil); err != nil {
				return err
			}
			if jobs < 1 || idle <= 0 {
				return usagef("--jobs is at least 1 and --idle is longer than nothing")
			}
			opt := scan.Options{Version: toolVersion()}
			if config != "" {
				var err error
				if opt.Config, err = a.loadConfig(config); err != nil {
					return err
				}
			}
			q.orgs.fetchTokens(&opt.Source)
			cache, err := openCache(ctx, request{Cache: q.cache, Home: a.hasHome()})
			if err != nil {
				return err
			}
			if cache != nil {
				opt.Cache = cache
			}
			queue, store, err := q.open(ctx, a)
			if err != nil {
				return err
			}
			defer queue.Close()
			w := &worker{app: a, queue: queue, store: store, opt: opt, q: q.opt, idle: idle, extractor: factfile.ExtractorID(toolVersion())}
			group, ctx := errgroup.WithContext(ctx)
			for range jobs {
				group.Go(func() error { return w.run(ctx) })
			}
			err = group.Wait()
			cache.trim()
			return err
		},
	}
	q.flags(cmd)
	fs := cmd.Flags()
	fs.IntVarP(&jobs, "jobs", "j", runtime.GOMAXPROCS(0), "repositories read at the same time")
	fs.DurationVar(&idle, "idle", 10*time.Second, "how long the queue must be empty before the worker ends")
	fs.StringVar(&q.cache, "cache", "", "folder or URL of saved results, or off")
	fs.StringVar(&config, "config", "", "configuration of the organisation")
	fs.StringVar(&q.orgs.tokensFile, "tokens", "", "file of secrets for hosts: lines of HOST SECRET, or HOST USER SECRET")
	return cmd
}

// worker reads repositories from a queue.
type worker struct {
	app       *app
	queue     Queue
	store     factfile.Store
	opt       scan.Options
	q         QueueOptions
	idle      time.Duration
	extractor string
	mu        sync.Mutex // of what is said
}

// run works until the queue stays empty.
func (w *worker) run(ctx context.Context) error {
	for {
		m, err := w.queue.Next(ctx, w.idle)
		if err != nil {
			return err
		}
		if m != nil {
			if err := w.handle(ctx, m); err != nil {
				return err
			}
			continue
		}
		// Repositories in the hands of others may come back, if these die.
		n, err := w.queue.Pending(ctx)
		if err != nil || n == 0 {
			return err
		}
	}
}

// handle reads one repository. An error ends the worker; the message then comes back to another one.
func (w *worker) handle(ctx context.Context, m Message) error {
	var t task
	if err := json.Unmarshal(m.Data(), &t); err != nil || t.Name == "" {
		return m.Dead(ctx, "not a repository")
	}
	// A repository that kills its workers is not given another one to kill.
	if m.Attempt() > w.q.Attempts {
		return w.bury(ctx, m, t, fmt.Sprintf("given up after %d attempts: its workers died or fell silent", w.q.Attempts))
	}
	stop := alive(ctx, m, w.q.AckWait/3)
	failed, err := scan.MapOneToStore(ctx, t.repo(), w.opt, w.store, w.extractor)
	stop()
	switch {
	case ctx.Err() != nil:
		_ = m.Again(0) // best effort: otherwise it comes back after the ack wait
		return ctx.Err()
	case err != nil:
		_ = m.Again(time.Second)
		return err
	case failed == nil:
		w.say("done: %s", t.Name)
		return m.Done(ctx)
	case m.Attempt() >= w.q.Attempts:
		return w.bury(ctx, m, t, openReasonOf(failed))
	}
	w.say("attempt %d of %d: %s: %s", m.Attempt(), w.q.Attempts, t.Name, openReasonOf(failed))
	return m.Again(againAfter(m.Attempt()))
}

// bury stores the gap first, so that a dead letter is never the only trace.
func (w *worker) bury(ctx context.Context, m Message, t task, reason string) error {
	if err := scan.StoreGap(ctx, t.repo(), w.store, w.extractor, reason); err != nil {
		return err
	}
	w.say("dead letter: %s: %s", t.Name, reason)
	return m.Dead(ctx, reason)
}

func (w *worker) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(w.app.stderr, "retrylint: "+format+"\n", args...)
}

func openReasonOf(err error) string {
	if open := new(source.OpenError); errors.As(err, &open) {
		return open.Reason
	}
	return err.Error()
}

// againAfter is the wait before a repository is handed out again: 5 s, 10 s, 20 s, at most a minute. The queue spreads the
// repositories over workers, so there is no herd to be jittered apart.
func againAfter(attempt int) time.Duration {
	return min(5*time.Second<<min(attempt-1, 10), time.Minute)
}

// alive gives signs of life until it is stopped.
func alive(ctx context.Context, m Message, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = m.Alive() // one that is lost is followed by two more
			}
		}
	}()
	return func() { cancel(); <-done }
}
