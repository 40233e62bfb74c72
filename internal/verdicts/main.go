package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "verdicts:", err)
		os.Exit(2)
	}
}

// repository is one line of the list.
type repository struct {
	name   string // owner/name, or a folder's name
	commit string
}

// folder is the name that its checkout and its findings have.
func (r repository) folder() string { return r.name[strings.LastIndexByte(r.name, '/')+1:] }

func run(args []string, out, errs io.Writer) error {
	fs := flag.NewFlagSet("verdicts", flag.ContinueOnError)
	fs.SetOutput(errs)
	checkouts := fs.String("checkouts", "", "folder with a checkout of each repository")
	list := fs.String("list", "internal/verdicts/repositories.txt", "repositories and commits, or all")
	file := fs.String("verdicts", "internal/verdicts/verdicts.tsv", "what a reader thought")
	scans := fs.String("scans", "", "folder of scans, which are kept (default a temporary one)")
	bin := fs.String("bin", "bin/retrylint", "the linter")
	seed := fs.Uint64("seed", 8, "seed of the draw")
	perRule := fs.Int("per-rule", 12, "findings to draw of each rule")
	errors := fs.Int("errors", 50, "findings to draw of those with severity error")
	if err := fs.Parse(args); err != nil {
		return err
	}
	repos, err := repositories(*list, *checkouts)
	if err != nil {
		return err
	}
	if *scans == "" {
		if *scans, err = os.MkdirTemp("", "verdicts"); err != nil {
			return err
		}
		defer os.RemoveAll(*scans)
	}
	var all []scanned
	for _, r := range repos {
		s, err := scan(r, *bin, *checkouts, *scans)
		if err != nil {
			fmt.Fprintf(errs, "%s: %v\n", r.name, err)
			continue
		}
		all = append(all, s)
	}
	known, err := readVerdicts(*file)
	if err != nil {
		return err
	}
	report(out, all, known, draw{seed: *seed, perRule: *perRule, errors: *errors})
	return nil
}

// repositories reads the list; "all" takes every folder of the checkouts.
func repositories(list, checkouts string) ([]repository, error) {
	if list == "all" {
		dirs, err := os.ReadDir(checkouts)
		if err != nil {
			return nil, err
		}
		var out []repository
		for _, d := range dirs {
			if d.IsDir() {
				out = append(out, repository{name: d.Name()})
			}
		}
		return out, nil
	}
	b, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var out []repository
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) != 2 {
			return nil, fmt.Errorf("%s: %q is not a repository and its commit", list, strings.TrimSpace(line))
		}
		out = append(out, repository{f[0], f[1]})
	}
	return out, nil
}

// scan runs the linter over one checkout, or reads the scan that is there.
func scan(r repository, bin, checkouts, scans string) (scanned, error) {
	file := filepath.Join(scans, r.folder()+".json")
	if _, err := os.Stat(file); err != nil {
		dir := filepath.Join(checkouts, r.folder())
		if _, err := os.Stat(dir); err != nil {
			return scanned{}, fmt.Errorf("no checkout: %w", err)
		}
		cmd := exec.Command(bin, "scan", "--no-progress", "--cache", "off", "--fail-on", "never", "--allow-partial", "--format", "json", "--output", file, dir)
		if msg, err := cmd.CombinedOutput(); err != nil {
			os.Remove(file)
			return scanned{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(msg)))
		}
	}
	s, err := readScan(file)
	s.repo = r
	if err == nil && r.commit != "" && s.commit != "" && !strings.HasPrefix(s.commit, r.commit) {
		return s, fmt.Errorf("the scan is of %s, the list says %s", s.commit, r.commit)
	}
	s.repo.commit = cmp.Or(r.commit, s.commit)
	return s, err
}
