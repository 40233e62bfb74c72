package cli

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/internal/config"
	"github.com/retrylint/retrylint/internal/diff"
	"github.com/retrylint/retrylint/model"
)

// growth says in words how chains became worse from one result to the next.
func growth(before, after *model.Result) []string {
	var out []string
	for _, c := range diff.Compare(before, after).Chains {
		if c.What == "attempts" {
			out = append(out, "this change takes "+c.Name+" from "+c.Before+" to "+c.After+" attempts")
		}
	}
	return out
}

func (a *app) diffCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "say what changed between two scans: layers, chains, windows, findings",
		Long:  "diff holds two JSON reports of scan against each other and lists the layers, chains and dedupe windows that appeared,\nvanished, grew or shrank, and the findings that came and went.",
		Args:  exactly(2, "two JSON reports"),
		RunE: func(_ *cobra.Command, args []string) error {
			before, err := readResult(args[0])
			if err != nil {
				return err
			}
			after, err := readResult(args[1])
			if err != nil {
				return err
			}
			d := diff.Compare(before, after)
			switch format {
			case "json":
				enc := json.NewEncoder(a.stdout)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", "  ")
				return enc.Encode(d)
			case "markdown":
				return d.WriteMarkdown(a.stdout)
			}
			return d.WriteText(a.stdout)
		},
	}
	format = "text"
	cmd.Flags().Var(&wordFlag{&format, []string{"text", "json", "markdown"}}, "format", "text, json or markdown")
	return cmd
}

// readResult reads the JSON of a scan.
func readResult(file string) (*model.Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, reason(err))
	}
	defer f.Close()
	b, err := config.ReadBaseline(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return b.Result(), nil
}
