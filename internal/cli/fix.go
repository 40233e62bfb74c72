package cli

import (
	"fmt"

	"github.com/retrylint/retrylint/internal/mend"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// fixFiles makes the safe changes of a result in the work trees that were scanned. Those of a commit, and of repositories that
// were fetched, stay as they are.
func (a *app) fixFiles(req request, result *model.Result) error {
	repos, err := repositories(req.Paths, req.Manifest)
	if err != nil {
		return err
	}
	dirs := map[string]string{}
	for _, r := range repos {
		if r.Dir != "" && r.Ref == "" && r.Kind != source.Bare {
			dirs[r.Name] = r.Dir
		}
	}
	plan, err := mend.Of(result, func(name string) string { return dirs[name] })
	if err != nil {
		return err
	}
	if err := plan.Write(); err != nil {
		return err
	}
	for _, f := range plan.Files {
		fmt.Fprintf(a.stderr, "retrylint: mended %s\n", f.Name)
	}
	fmt.Fprintf(a.stderr, "retrylint: findings mended: %d\n", plan.Mended)
	if plan.Skipped > 0 {
		fmt.Fprintf(a.stderr, "retrylint: %d more touch the same lines: run again for them\n", plan.Skipped)
	}
	return nil
}
