package cli

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "write the manual pages into a folder",
		Args:  exactly(1, "a folder for the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return fmt.Errorf("write manual pages: %w", reason(err))
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			// A fixed date: the same program writes the same pages.
			date := time.Unix(0, 0).UTC()
			if err := doc.GenManTree(root, &doc.GenManHeader{Title: "RETRYLINT", Section: "1", Source: "retrylint " + toolVersion(), Manual: "retrylint", Date: &date}, args[0]); err != nil {
				return fmt.Errorf("write manual pages: %w", reason(err))
			}
			return nil
		},
	}
}
