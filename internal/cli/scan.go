package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
)

// request is what the scan command asks of the pipeline.
type request struct {
	Paths     []string
	Manifest  string // file
	Config    *config.Config
	Wants     func(rule string) bool
	NewFrom   string // revision
	Shard     int    // 0 .. Shards-1
	Shards    int    // 0: not sharded
	Facts     string // folder or URL of facts files
	Jobs      int
	Cache     string   // folder; "off"; "" the user's
	Home      bool     // whoever runs the program has a home, hence a cache folder
	FullTypes bool     // load Go code with the go command
	Orgs      *listing // organisations at hosts, and the secrets
	Balance   string   // facts of an earlier run, by which shards get equal work
	Verbose   bool     // list what could not be decided
	Fix       bool     // make the safe changes that findings carry
	Event     func(event)
}

// event is one step of a scan, for progress.
type event struct {
	Done, Total int    // repositories
	Started     string // repository that is begun
	Repository  string // that was finished
	Failed      string // why it could not be read; "" where it could
	Notice      string // something to say that is nobody's fault
}

// scanUsage is returned by a scan for mistakes of the caller: a path that does not exist.
type scanUsage struct{ error }

func (a *app) scanCmd() *cobra.Command {
	var out outputs
	var j judging
	var req request
	var orgs listing
	var shard, types, logFormat string
	var noProgress, list bool
	cmd := &cobra.Command{
		Use:   "scan [flags] [PATH|URL|ORGANISATION ...]",
		Short: "scan repositories together, assemble chains, report",
		Long: `scan reads repositories together, links what they say into chains, and reports.

A PATH is a repository, a folder that holds many (each sub-folder with a .git; where none has one, the folder is one
repository), or a bare repository. A URL (https, ssh, file) is cloned. github:ORG, gitlab:GROUP and
gitea:https://HOST/ORG are all repositories of an organisation. All inputs of one call form one organisation:
chains run across them. Without a PATH the current folder is scanned. No code of a scanned repository is run.

Exit codes: 0 nothing at or above --fail-on; 1 findings at or above it; 2 wrong usage or configuration; 3 the scan is
incomplete and nothing at or above --fail-on was found; 130 interrupted, with what was found so far printed.`,
		Example: "  retrylint scan .\n  retrylint scan --format sarif --output retrylint.sarif --format text ../payments ../ledger\n  retrylint scan --manifest repositories.yaml --shard 0/8 --facts s3-mount/facts",
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if req.Paths, err = orgs.check(a, args); err != nil {
				return err
			}
			if len(req.Paths)+len(orgs.Targets) == 0 && req.Manifest == "" {
				req.Paths = []string{"."}
			}
			if err := out.check("text"); err != nil {
				return err
			}
			if err := a.check(cmd, &j); err != nil {
				return err
			}
			if err := a.parseShard(shard, &req); err != nil {
				return err
			}
			if req.Fix && (req.NewFrom != "" || req.Shards > 0) {
				return usagef("--fix goes with a plain scan, not with --new-from or --shard")
			}
			if req.Shards > 0 && req.Facts == "" {
				return usagef("--shard needs --facts, the place where the facts of all shards meet")
			}
			if req.Jobs < 1 {
				return usagef("--jobs is at least 1, not %d", req.Jobs)
			}
			req.FullTypes = types == "full"
			req.Home, req.Orgs = a.hasHome(), &orgs
			if req.Facts, err = a.inRun(req.Facts); err != nil {
				return err
			}
			req.Config, req.Wants, req.Verbose = j.config, j.wants, out.verbose
			if list {
				return a.listOnly(cmd.Context(), req)
			}
			return a.runScan(cmd.Context(), &out, &j, req, a.progress(noProgress, logFormat, out.verbose))
		},
	}
	fs := cmd.Flags()
	out.flags(cmd)
	j.flags(cmd)
	fs.StringVar(&req.Manifest, "manifest", "", "list of repositories: YAML, CSV or one URL a line")
	fs.StringVar(&req.NewFrom, "new-from", "", "only what changes since this revision bring counts")
	fs.StringVar(&shard, "shard", "", "I/N: only the I-th of N parts of the repositories, I from 0, or index for the number that a Kubernetes Job gives; needs --facts")
	fs.StringVar(&req.Balance, "balance", "", "folder or URL with the facts of an earlier run: shards get equal work by its sizes")
	fs.BoolVar(&list, "list", false, "settle which repositories the shards read, in --facts, and read none")
	orgs.flags(cmd)
	fs.StringVar(&req.Facts, "facts", "", "folder or URL that keeps the facts of each repository; what is there is not read again")
	fs.IntVarP(&req.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "repositories read at the same time")
	fs.StringVar(&req.Cache, "cache", "", "folder or URL of saved results, or off (default the user's cache folder)")
	fs.BoolVar(&req.Fix, "fix", false, "make the changes that are safe (a key is made before the loop, a body in it), in work trees; the report is of the code before them")
	fs.BoolVar(&noProgress, "no-progress", false, "no progress on standard error")
	types, logFormat = "tolerant", "text"
	fs.Var(&wordFlag{&types, []string{"tolerant", "full"}}, "types", "tolerant reads Go code without a build; full runs the go command, so only where the code is trusted")
	fs.Var(&wordFlag{&logFormat, []string{"text", "json"}}, "log-format", "form of the lines on standard error")
	return cmd
}

// hasHome reports whether the environment says where the user's cache folder is.
func (a *app) hasHome() bool {
	return a.env["HOME"] != "" || a.env["XDG_CACHE_HOME"] != "" || a.env["LocalAppData"] != ""
}

// parseShard reads I/N.
func (a *app) parseShard(s string, req *request) error {
	if s == "" {
		if req.Balance != "" {
			return usagef("--balance is for --shard")
		}
		return nil
	}
	i, n, ok := strings.Cut(s, "/")
	if i == "index" {
		if i = a.env["JOB_COMPLETION_INDEX"]; i == "" {
			return usagef("--shard index/N takes its number from JOB_COMPLETION_INDEX, which an Indexed Job sets and which is empty here")
		}
	}
	k, err1 := strconv.Atoi(i)
	b, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || k < 0 || b < 1 || k >= b {
		return usagef("--shard is I/N with I from 0 to N-1, not %q", strings.Replace(s, "index", i, 1))
	}
	req.Shard, req.Shards = k, b
	return nil
}

// inRun puts the name of the run into a location. RETRYLINT_RUN is any word, or the name of a Job that a CronJob has made, of
// which the number at the end is taken: it says when the Job was due, so CronJobs of one schedule meet in one place.
func (a *app) inRun(location string) (string, error) {
	if !strings.Contains(location, "{run}") {
		return location, nil
	}
	run := runName(a.env)
	if run == "" {
		return "", usagef("{run} in --facts stands for RETRYLINT_RUN, which is empty here")
	}
	return strings.ReplaceAll(location, "{run}", run), nil
}

// runName is the name of the run. A CronJob's controller ends the names of Jobs with minutes since 1970.
func runName(env map[string]string) string {
	run := env["RETRYLINT_RUN"]
	if i := strings.LastIndexByte(run, '-'); i >= 0 && len(run)-i > 8 {
		if _, err := strconv.ParseUint(run[i+1:], 10, 64); err == nil {
			return run[i+1:]
		}
	}
	return run
}

// runScan scans, writes and says how to exit.
func (a *app) runScan(ctx context.Context, out *outputs, j *judging, req request, p *progress) error {
	if err := out.open(); err != nil {
		return err
	}
	defer out.discard()
	req.Event = p.event
	result, err := a.scan(ctx, req)
	p.stop()
	interrupted := ctx.Err() != nil
	var usage scanUsage
	switch {
	case errors.As(err, &usage):
		return usageError{usage.Error()}
	case err != nil && !(interrupted && result != nil):
		return err
	}
	if result == nil {
		if interrupted {
			return exitError(exitInterrupted)
		}
		// A shard: its facts are written, and reduce judges them, gaps included.
		for _, f := range p.failures {
			fmt.Fprintf(a.stderr, "retrylint: not read: %s: %s\n", f.Repository, f.Failed)
		}
		return nil
	}
	if req.Fix && !interrupted {
		if err := a.fixFiles(req, result); err != nil {
			return err
		}
	}
	return a.finish(ctx, out, j, result)
}

// finish writes a result and says how to exit.
func (a *app) finish(ctx context.Context, out *outputs, j *judging, result *model.Result) error {
	j.keep(result)
	if j.simulate {
		playFindings(result)
	}
	if err := a.write(out, result, nil); err != nil {
		return err
	}
	if err := j.writeChanges(); err != nil {
		return err
	}
	a.sayIncomplete(result, out)
	if ctx.Err() != nil {
		fmt.Fprintln(a.stderr, "retrylint: interrupted; what was found so far is printed")
		return exitError(exitInterrupted)
	}
	return j.exit(result)
}

// sayIncomplete names on standard error each input that could not be read, where the report on standard output does not.
func (a *app) sayIncomplete(r *model.Result, out *outputs) {
	for _, t := range out.targets {
		if t.stdout() && t.format == "text" {
			return
		}
	}
	const most = 20
	for i, g := range r.Incomplete {
		if i == most && len(r.Incomplete) > most+1 && !out.verbose {
			fmt.Fprintf(a.stderr, "retrylint: not read: %d more (-v names them)\n", len(r.Incomplete)-most)
			break
		}
		fmt.Fprintf(a.stderr, "retrylint: not read: %s\n", incompleteLine(g))
	}
}

func incompleteLine(g model.IncompleteInfo) string {
	where := g.Repository
	if g.Path != "" {
		where = strings.TrimPrefix(where+"/"+g.Path, "/")
	}
	if g.Line > 0 {
		where += ":" + strconv.Itoa(g.Line)
	}
	return fmt.Sprintf("%s (%s): %s", where, g.Stage, g.Reason)
}
