package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/model"
	"github.com/retrylint/retrylint/report"
)

// target is one output: a format and a file; "" and "-" are standard output.
type target struct {
	format string
	file   string
	temp   *os.File // open while the output is being written
	direct bool     // temp is the file itself: a device or a pipe, which is never replaced
}

func (t *target) stdout() bool { return t.file == "" || t.file == "-" }

// outputs collects --format and --output, which belong together in pairs: an --output is of the --format before it, or else
// of the one that follows.
type outputs struct {
	targets []*target
	pending string
	color   string
	verbose bool
}

type formatFlag struct{ o *outputs }

func (f formatFlag) String() string { return "" }
func (f formatFlag) Type() string   { return "FORMAT" }
func (f formatFlag) Set(name string) error {
	if _, ok := report.Find(name); !ok {
		if n := config.Nearest(name, formatNames()); n != "" {
			return fmt.Errorf("there is no such format, did you mean %q?", n)
		}
		return errors.New("there is no such format; 'retrylint formats' lists them")
	}
	f.o.targets = append(f.o.targets, &target{format: name, file: f.o.pending})
	f.o.pending = ""
	return nil
}

type outputFlag struct{ o *outputs }

func (f outputFlag) String() string { return "" }
func (f outputFlag) Type() string   { return "FILE" }
func (f outputFlag) Set(file string) error {
	if file == "" {
		return errors.New("the name of a file is missing")
	}
	if n := len(f.o.targets); n > 0 && f.o.targets[n-1].file == "" {
		f.o.targets[n-1].file = file
		return nil
	}
	if f.o.pending != "" {
		return fmt.Errorf("%q has no --format of its own", f.o.pending)
	}
	f.o.pending = file
	return nil
}

func formatNames() []string {
	var names []string
	for _, f := range report.All() {
		names = append(names, f.Name)
	}
	return names
}

// flags registers the flags that concern output.
func (o *outputs) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Var(formatFlag{o}, "format", "output format, repeatable: "+strings.Join(formatNames(), ", "))
	fs.Var(outputFlag{o}, "output", "file of the --format before it instead of standard output; {repository} in the name makes one file for each")
	fs.StringVar(&o.color, "color", "auto", "colours in text: auto, always, never")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "say more: what could not be decided and where")
	complete(cmd, "format", formatNames())
	complete(cmd, "color", []string{"auto", "always", "never"})
}

// complete offers words for a flag to the shell.
func complete(cmd *cobra.Command, flag string, words []string) {
	// The only error is a flag that is not there, and then nothing is offered.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// byEnding are formats that a file's ending names.
var byEnding = map[string]string{".json": "json", ".sarif": "sarif", ".html": "html", ".md": "markdown"}

// check completes the pairs. A lone --output goes by its ending.
func (o *outputs) check(fallback string) error {
	switch o.color {
	case "auto", "always", "never":
	default:
		return usagef("--color is auto, always or never, not %q", o.color)
	}
	if o.pending != "" {
		format := byEnding[strings.ToLower(filepath.Ext(o.pending))]
		if _, ok := report.Find(format); !ok || len(o.targets) > 0 {
			return usagef("--output %s has no --format of its own", o.pending)
		}
		o.targets = append(o.targets, &target{format: format, file: o.pending})
		o.pending = ""
	}
	if len(o.targets) == 0 {
		o.targets = []*target{{format: fallback}}
	}
	seen := map[string]string{}
	for _, t := range o.targets {
		key := filepath.Clean(t.file)
		if t.stdout() {
			key = "-"
		}
		if other, ok := seen[key]; ok {
			if key == "-" {
				return usagef("formats %s and %s both go to standard output; give one an --output", other, t.format)
			}
			return usagef("formats %s and %s both go to %s", other, t.format, t.file)
		}
		seen[key] = t.format
	}
	return nil
}

// open makes the temporary files, so that an output that cannot be written is known before the work is done.
func (o *outputs) open() error {
	for _, t := range o.targets {
		if t.stdout() {
			continue
		}
		if info, err := os.Stat(t.file); err == nil && info.IsDir() {
			o.discard()
			return fmt.Errorf("write %s: it is a folder", t.file)
		}
		f, direct, err := openOutput(t.file)
		if err != nil {
			o.discard()
			return fmt.Errorf("write %s: %w", t.file, reason(err))
		}
		t.temp, t.direct = f, direct
	}
	return nil
}

// openOutput opens what is written in place of a file: a temporary one next to it, to be renamed when it is whole; or with
// direct set the file itself, where it is a device or a pipe (/dev/stdout, /dev/null), which must not be replaced.
func openOutput(file string) (f *os.File, direct bool, err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		return f, true, err
	}
	file = behindLinks(file)
	f, err = os.CreateTemp(filepath.Dir(file), "."+strings.ReplaceAll(filepath.Base(file), "*", "_")+".*")
	return f, false, err
}

// behindLinks is the file that a link leads to, so that the file is replaced and the link stays.
func behindLinks(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return file
}

// closeOutput makes what openOutput opened the file.
func closeOutput(f *os.File, direct bool, file string) error {
	if direct {
		return f.Close()
	}
	if err := f.Chmod(modeOf(file)); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), behindLinks(file))
}

// discard removes temporary files that did not become outputs.
func (o *outputs) discard() {
	for _, t := range o.targets {
		if t.temp != nil {
			t.temp.Close()
			if !t.direct {
				os.Remove(t.temp.Name())
			}
			t.temp = nil
		}
	}
}

// write writes all outputs, files first. A reader of standard output that went away is not an error.
func (a *app) write(o *outputs, r *model.Result, source func(repo, path string, line int) string) error {
	defer o.discard()
	for _, t := range o.targets {
		if t.stdout() {
			continue
		}
		if err := a.writeFile(o, t, r, source); err != nil {
			return fmt.Errorf("write %s: %w", t.file, reason(err))
		}
	}
	for _, t := range o.targets {
		if !t.stdout() {
			continue
		}
		w := bufio.NewWriter(a.stdout)
		err := a.render(o, t, w, r, source)
		if err == nil {
			err = w.Flush()
		}
		if err != nil && !isBrokenPipe(err) {
			return fmt.Errorf("write to standard output: %w", err)
		}
	}
	return nil
}

func (a *app) render(o *outputs, t *target, w io.Writer, r *model.Result, source func(repo, path string, line int) string) error {
	f, _ := report.Find(t.format)
	opt := report.Options{Verbose: o.verbose, Source: source}
	if t.stdout() {
		opt.Color, opt.Width = a.colors(o.color), a.width()
	} else {
		opt.Color = o.color == "always"
	}
	return f.Write(w, r, opt)
}

func (a *app) writeFile(o *outputs, t *target, r *model.Result, source func(repo, path string, line int) string) error {
	if strings.Contains(t.file, "{repository}") {
		for _, part := range splitByRepository(r) {
			one := *t
			one.file = strings.ReplaceAll(t.file, "{repository}", safeFileName(part.Repositories[0].Name))
			one.temp = nil
			single := outputs{targets: []*target{&one}, color: o.color, verbose: o.verbose}
			if err := single.open(); err != nil {
				return err
			}
			err := a.writeFile(&single, &one, part, source)
			single.discard()
			if err != nil {
				return err
			}
		}
		return nil
	}
	w := bufio.NewWriter(t.temp)
	if err := a.render(o, t, w, r, source); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := closeOutput(t.temp, t.direct, t.file); err != nil {
		return err
	}
	t.temp = nil
	return nil
}

// modeOf is the mode of the file that is replaced, or else that of new files; a temporary file has a narrower one.
func modeOf(file string) fs.FileMode {
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		return info.Mode().Perm()
	}
	return 0o644
}

// splitByRepository gives each repository its own findings; layers, chains and windows stay whole, since findings point at them.
func splitByRepository(r *model.Result) []*model.Result {
	var out []*model.Result
	for _, repo := range r.Repositories {
		part := *r
		part.Repositories = []model.RepositoryInfo{repo}
		part.Findings, part.Incomplete = []model.FindingInfo{}, []model.IncompleteInfo{}
		for _, f := range r.Findings {
			if f.Repository == repo.Name {
				part.Findings = append(part.Findings, f)
			}
		}
		for _, g := range r.Incomplete {
			if g.Repository == repo.Name {
				part.Incomplete = append(part.Incomplete, g)
			}
		}
		out = append(out, &part)
	}
	return out
}

func safeFileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == ':' || r < ' ' {
			return '-'
		}
		return r
	}, s)
}

// reason leaves out the temporary name that the system's error has.
func reason(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

// colors decides about colours on standard output: NO_COLOR and a dumb terminal switch them off, --color decides first.
func (a *app) colors(flag string) bool {
	switch flag {
	case "always":
		return true
	case "never":
		return false
	}
	if a.env["NO_COLOR"] != "" || a.env["TERM"] == "dumb" {
		return false
	}
	return isTerminal(a.stdout)
}

// width is the width of the terminal, or 0.
func (a *app) width() int {
	if n, err := strconv.Atoi(a.env["COLUMNS"]); err == nil && n > 0 {
		return n
	}
	if f, ok := a.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	return 0
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// failOn is the severity from which findings set the exit code; model.Off is never.
func failOn(word string) (model.Severity, error) {
	if word == "never" {
		return model.Off, nil
	}
	s, ok := model.ParseSeverity(word)
	if !ok || s == model.Off {
		msg := fmt.Sprintf("--fail-on is note, warning, error or never, not %q", word)
		if n := config.Nearest(word, []string{"note", "warning", "error", "never"}); n != "" {
			msg += fmt.Sprintf(", did you mean %q?", n)
		}
		return 0, usageError{msg}
	}
	return s, nil
}
