package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/diff"
	"github.com/retrylint/retrylint/internal/guide"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/model"
)

// judging is the flags that concern findings: scan, reduce and convert have them.
type judging struct {
	configFile   string
	failOnWord   string
	baselineFile string
	sinceFile    string
	date         string
	changesFile  string
	only, skip   []string
	allowPartial bool
	simulate     bool

	failOn   model.Severity
	config   *config.Config // nil without --config
	baseline *config.Baseline
	since    *model.Result // of the last run; nil without --since, or where there was none
	changes  *diff.Diff    // to be written to changesFile
}

func (j *judging) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&j.configFile, "config", "", "configuration of the organisation; it wins over those of the repositories")
	fs.StringVar(&j.failOnWord, "fail-on", "error", "severity from which findings make the exit code 1: note, warning, error, never")
	fs.StringVar(&j.baselineFile, "baseline", "", "an earlier JSON report; only what is new or has grown counts")
	fs.StringVar(&j.sinceFile, "since", "", "the JSON report of the last run: what changed is told, dates of findings are kept; a file that is not there is a first run")
	fs.StringVar(&j.date, "date", "", "day of this run (2026-01-31), which findings that are new get as firstSeen; {run} is the day on which the CronJob of RETRYLINT_RUN was due; no clock is asked")
	fs.StringVar(&j.changesFile, "changes", "", "file for what changed since the last run: .json, .md or text")
	fs.StringSliceVar(&j.only, "only", nil, "only these rules, by commas")
	fs.StringSliceVar(&j.skip, "skip", nil, "all but these rules, by commas")
	fs.BoolVar(&j.allowPartial, "allow-partial", false, "an input that could not be read does not change the exit code")
	fs.BoolVar(&j.simulate, "simulate", false, "play the seeded model for findings about missing, fresh and late keys, and say how many of 200 intents are applied twice")
	complete(cmd, "fail-on", []string{"note", "warning", "error", "never"})
	complete(cmd, "only", ruleIDs())
	complete(cmd, "skip", ruleIDs())
}

// ruleIDs are the names of all rules, that of bad suppressions included.
func ruleIDs() []string { return guide.RuleIDs() }

// check reads what the flags name.
func (a *app) check(cmd *cobra.Command, j *judging) error {
	var err error
	if j.failOn, err = failOn(j.failOnWord); err != nil {
		return err
	}
	for flag, list := range map[string]*[]string{"only": &j.only, "skip": &j.skip} {
		if *list, err = rulesOf(flag, *list); err != nil {
			return err
		}
	}
	if len(j.only) > 0 && len(j.skip) > 0 {
		return usagef("--only and --skip do not go together")
	}
	if j.configFile != "" {
		if j.config, err = a.loadConfig(j.configFile); err != nil {
			return err
		}
	}
	if j.date == "{run}" {
		minutes, err := strconv.ParseInt(runName(a.env), 10, 32)
		if err != nil {
			return usagef("--date {run} is the day on which a CronJob was due, by the number at the end of RETRYLINT_RUN, which is %q", a.env["RETRYLINT_RUN"])
		}
		j.date = time.Unix(minutes*60, 0).UTC().Format(time.DateOnly)
	}
	if j.date != "" {
		if _, err := time.Parse(time.DateOnly, j.date); err != nil {
			return usagef("--date is a day like 2026-01-31, not %q", j.date)
		}
	}
	if j.changesFile != "" && j.sinceFile == "" {
		return usagef("--changes needs --since, the report of the last run")
	}
	if j.sinceFile != "" {
		if _, err := os.Stat(j.sinceFile); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(a.stderr, "retrylint: no report at %s: this is taken for the first run\n", j.sinceFile)
		} else if j.since, err = readResult(j.sinceFile); err != nil {
			return err
		}
	}
	if j.baselineFile != "" {
		f, err := os.Open(j.baselineFile)
		if err != nil {
			return fmt.Errorf("read baseline %s: %w", j.baselineFile, reason(err))
		}
		defer f.Close()
		if j.baseline, err = config.ReadBaseline(f); err != nil {
			return fmt.Errorf("read baseline %s: %w", j.baselineFile, err)
		}
	}
	return nil
}

func rulesOf(flag string, list []string) ([]string, error) {
	known := ruleIDs()
	var out []string
	for _, id := range list {
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if !slices.Contains(known, id) {
			msg := fmt.Sprintf("--%s: there is no rule %q", flag, id)
			if s := config.Nearest(id, known); s != "" {
				msg += fmt.Sprintf(", did you mean %q?", s)
			}
			return nil, usageError{msg}
		}
		out = append(out, id)
	}
	return out, nil
}

// loadConfig reads a configuration; all its problems are printed.
func (a *app) loadConfig(file string) (*config.Config, error) {
	cfg, problems, err := parseConfig(file)
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintln(a.stderr, p)
		}
		return nil, fmt.Errorf("configuration %s has %s", file, plural(len(problems), "problem"))
	}
	return cfg, nil
}

// parseConfig reads a configuration and what is wrong with it.
func parseConfig(file string) (*config.Config, []config.Problem, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("read configuration %s: %w", file, reason(err))
	}
	cfg, problems := config.Parse(file, data)
	if len(problems) == 0 {
		problems = scan.CheckConfig(cfg)
	}
	return cfg, problems, nil
}

// keep applies the flags to findings that are already made: --only, --skip and the baseline.
func (j *judging) keep(r *model.Result) {
	if len(j.only)+len(j.skip) > 0 {
		r.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f model.FindingInfo) bool {
			if len(j.only) > 0 {
				return !slices.Contains(j.only, f.Rule)
			}
			return slices.Contains(j.skip, f.Rule)
		})
	}
	if j.baseline != nil {
		j.baseline.Apply(r)
	}
	if j.sinceFile == "" && j.date == "" {
		return
	}
	r.Findings = slices.Clone(r.Findings)
	if j.since == nil {
		diff.Since(&model.Result{}, r, j.date)
		return
	}
	j.changes = diff.Since(j.since, r, j.date)
	r.Summary.Notices = append(r.Summary.Notices, j.changes.Notices()...)
}

// writeChanges writes what changed since the last run, also where nothing has.
func (j *judging) writeChanges() error {
	if j.changesFile == "" {
		return nil
	}
	d := j.changes
	if d == nil {
		d = diff.Compare(&model.Result{}, &model.Result{})
	}
	var b bytes.Buffer
	var err error
	switch strings.ToLower(filepath.Ext(j.changesFile)) {
	case ".json":
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err = enc.Encode(d)
	case ".md":
		err = d.WriteMarkdown(&b)
	default:
		err = d.WriteText(&b)
	}
	if err == nil {
		err = os.WriteFile(j.changesFile, b.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", j.changesFile, reason(err))
	}
	return nil
}

// wants reports whether a rule runs.
func (j *judging) wants(rule string) bool {
	if len(j.only) > 0 {
		return slices.Contains(j.only, rule)
	}
	return !slices.Contains(j.skip, rule)
}

// exit is the exit code of a result that is whole. A wrong configuration in the one repository of a scan is the caller's
// mistake; in one of many it is a gap like others.
func (j *judging) exit(r *model.Result) error {
	if len(r.Repositories) == 1 && slices.ContainsFunc(r.Incomplete, func(g model.IncompleteInfo) bool { return g.Stage == scan.StageConfig }) {
		return exitError(exitUsage)
	}
	if j.failOn != model.Off {
		for _, f := range r.Findings {
			if s, _ := model.ParseSeverity(f.Severity); s >= j.failOn && config.Counts(f) {
				return exitError(exitFindings)
			}
		}
	}
	if len(r.Incomplete) > 0 && !j.allowPartial {
		return exitError(exitIncomplete)
	}
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// textOrJSON adds a --format of two words.
func textOrJSON(cmd *cobra.Command, format *string) {
	*format = "text"
	cmd.Flags().Var(&wordFlag{format, []string{"text", "json"}}, "format", "text or json")
}

// wordFlag is a flag with a fixed set of words.
type wordFlag struct {
	value *string
	words []string
}

func (w *wordFlag) String() string {
	if w.value == nil {
		return ""
	}
	return *w.value
}
func (w *wordFlag) Type() string { return strings.Join(w.words, "|") }
func (w *wordFlag) Set(s string) error {
	if !slices.Contains(w.words, s) {
		return fmt.Errorf("%q is not one of %s", s, strings.Join(w.words, ", "))
	}
	*w.value = s
	return nil
}
