package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

func (a *app) reduceCmd() *cobra.Command {
	var out outputs
	var j judging
	var location, manifest string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "reduce [flags] [FACTS ...]",
		Short: "chains, rules and reports from the facts of sharded scans",
		Long: `reduce links the facts that the shards of a scan have written, and judges and reports them as one organisation.

FACTS are facts files or folders of them; --facts names the place that the shards were given. A repository that the shards
were to read and that is not there is named as missing, and the exit code is 3.`,
		Example: "  retrylint scan --manifest m.yaml --shard 0/2 --facts facts\n  retrylint scan --manifest m.yaml --shard 1/2 --facts facts\n  retrylint reduce --facts facts",
		RunE: func(cmd *cobra.Command, args []string) error {
			if location != "" {
				var err error
				if location, err = a.inRun(location); err != nil {
					return err
				}
				args = append(args, location)
			}
			if wait > 0 && len(args) != 1 {
				return usagef("--wait waits at one place, the one of --facts")
			}
			if len(args) == 0 {
				return usagef("reduce needs facts: files, folders, or --facts")
			}
			if err := out.check("text"); err != nil {
				return err
			}
			if err := a.check(cmd, &j); err != nil {
				return err
			}
			if err := out.open(); err != nil {
				return err
			}
			defer out.discard()
			var expected []source.Repo
			if manifest != "" {
				var err error
				if expected, err = repositories(nil, manifest); err != nil {
					return err
				}
			}
			if wait > 0 {
				if err := a.waitForShards(cmd.Context(), args[0], wait); err != nil {
					return err
				}
			}
			facts, err := readFacts(cmd.Context(), args, expected)
			if err != nil {
				return err
			}
			r := scan.Reduce(facts, scan.Options{Config: j.config, Wants: j.wants, Verbose: out.verbose, Version: toolVersion()})
			return a.finish(cmd.Context(), &out, &j, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&location, "facts", "", "folder or URL with the facts of the shards")
	fs.DurationVar(&wait, "wait", 0, "how long to wait for the facts of all planned repositories; what is missing then is named")
	fs.StringVar(&manifest, "manifest", "", "list of the repositories that must be there")
	out.flags(cmd)
	j.flags(cmd)
	return cmd
}

// waitForShards waits until the facts of all planned repositories are there, or until the time is up, which is no error: the
// result then names what is missing.
func (a *app) waitForShards(ctx context.Context, location string, limit time.Duration) error {
	store, err := openFacts(ctx, location)
	if err != nil {
		return err
	}
	end := time.Now().Add(limit)
	pause, said := time.Second, -1
	for {
		unread, all, err := scan.Unread(ctx, store)
		if err != nil {
			return err
		}
		left := time.Until(end)
		if all || left <= 0 {
			return nil
		}
		if unread != said {
			said = unread
			what := plural(unread, "repository")
			switch {
			case unread == 0:
				what = "the list of repositories"
			case unread > 1:
				what = fmt.Sprintf("%d repositories", unread)
			}
			fmt.Fprintf(a.stderr, "retrylint: waiting for %s\n", what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, left)):
		}
		pause = min(pause*3/2, 30*time.Second)
	}
}

// readFacts reads facts files and folders of them as one store.
func readFacts(ctx context.Context, args []string, expected []source.Repo) ([]*model.Facts, error) {
	if len(args) == 1 {
		// One store is read as it is, file by file.
		if info, err := os.Stat(args[0]); err != nil && strings.Contains(args[0], "://") || err == nil && info.IsDir() {
			store, err := openFacts(ctx, args[0])
			if err != nil {
				return nil, err
			}
			if names, err := store.List(ctx); err != nil {
				return nil, err
			} else if len(names) == 0 {
				return nil, fmt.Errorf("read facts: %s holds no facts", args[0])
			}
			return scan.FromStore(ctx, store, expected)
		}
	}
	s := &manyFacts{files: make(map[string][]byte)}
	for _, arg := range args {
		if info, err := os.Stat(arg); err == nil && !info.IsDir() {
			data, err := os.ReadFile(arg)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", arg, reason(err))
			}
			if _, err := factfile.ReadHeader(bytes.NewReader(data)); err != nil {
				return nil, fmt.Errorf("read %s: %w", arg, err)
			}
			s.add(filepath.Base(arg), data)
			continue
		} else if err != nil && !strings.Contains(arg, "://") {
			return nil, fmt.Errorf("read facts: %s: %w", arg, reason(err))
		}
		store, err := openFacts(ctx, arg)
		if err != nil {
			return nil, err
		}
		names, err := store.List(ctx)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("read facts: %s holds no facts", arg)
		}
		for _, n := range names {
			data, err := store.Get(ctx, n)
			if err != nil {
				return nil, err
			}
			s.add(n, data)
		}
	}
	return scan.FromStore(ctx, s, expected)
}

// manyFacts is what several places hold together. The same name with other bytes gets a name of its own, so that Merge
// sees both.
type manyFacts struct {
	names []string
	files map[string][]byte
}

func (s *manyFacts) add(name string, data []byte) {
	for n := 1; ; n++ {
		key := name
		if n > 1 {
			key = fmt.Sprintf("%d-%s", n, name)
		}
		old, taken := s.files[key]
		if taken && bytes.Equal(old, data) {
			return
		}
		if !taken {
			s.names, s.files[key] = append(s.names, key), data
			return
		}
	}
}

// List implements factfile.Store.
func (s *manyFacts) List(context.Context) ([]string, error) { return s.names, nil }

// Get implements factfile.Store.
func (s *manyFacts) Get(_ context.Context, name string) ([]byte, error) { return s.files[name], nil }

// Put implements factfile.Store; nothing is written here.
func (s *manyFacts) Put(context.Context, string, []byte) error { return nil }
