package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retrylint/retrylint/analyzers/libs"
	"github.com/retrylint/retrylint/extract"
	"github.com/retrylint/retrylint/internal/guide"
	"github.com/retrylint/retrylint/report"
	"github.com/retrylint/retrylint/rules"
)

func (a *app) writeJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// columns writes rows of text in aligned columns.
func columns(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	return t.Flush()
}

type ruleJSON struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Group    string `json:"group,omitempty"`
	Summary  string `json:"summary"`
	GoVet    bool   `json:"goVet"`
	Why      string `json:"why,omitempty"`
	Fix      string `json:"fix,omitempty"`
	Bad      string `json:"bad,omitempty"`
	Good     string `json:"good,omitempty"`
}

func ruleInfo(r rules.Rule, whole bool) ruleJSON {
	out := ruleJSON{ID: r.ID, Severity: r.Severity.String(), Group: r.Group, Summary: r.Summary, GoVet: r.GoAlone}
	if whole {
		out.Why, out.Fix, out.Bad, out.Good = r.Why, r.Fix, r.Bad, r.Good
	}
	return out
}

func (a *app) listRules(format string) error {
	var infos []ruleJSON
	var rows [][]string
	for _, r := range guide.Rules() {
		infos = append(infos, ruleInfo(r, false))
		rows = append(rows, []string{r.ID, r.Severity.String(), r.Summary})
	}
	switch format {
	case "json":
		return a.writeJSON(infos)
	case "markdown":
		_, err := io.WriteString(a.stdout, guide.RulesMarkdown())
		return err
	}
	return columns(a.stdout, rows)
}

func (a *app) rulesCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "list the rules",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return a.listRules(format) },
	}
	listFormats(cmd, &format)
	return cmd
}

// listFormats adds the --format of lists.
func listFormats(cmd *cobra.Command, format *string) {
	*format = "text"
	cmd.Flags().Var(&wordFlag{format, []string{"text", "json", "markdown"}}, "format", "text, json or markdown")
}

type namedJSON struct {
	Name  string   `json:"name"`
	Title string   `json:"title,omitempty"`
	Files []string `json:"files,omitempty"`
	Doc   string   `json:"doc,omitempty"`
}

func (a *app) formatsCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "list the output formats and the configuration formats that are read",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			var lists struct {
				Output        []namedJSON `json:"output"`
				Configuration []namedJSON `json:"configuration"`
			}
			rows := [][]string{{"OUTPUT", ""}}
			for _, f := range report.All() {
				lists.Output = append(lists.Output, namedJSON{Name: f.Name, Doc: f.Doc})
				rows = append(rows, []string{"  " + f.Name, f.Doc})
			}
			rows = append(rows, []string{"CONFIGURATION", ""})
			for _, f := range extract.All() {
				lists.Configuration = append(lists.Configuration, namedJSON{Name: f.Name, Title: f.Title, Files: f.Files, Doc: f.Doc})
				rows = append(rows, []string{"  " + f.Name, f.Title + " (" + strings.Join(f.Files, ", ") + ")"})
			}
			switch format {
			case "json":
				return a.writeJSON(lists)
			case "markdown":
				_, err := io.WriteString(a.stdout, guide.FormatsMarkdown())
				return err
			}
			return columns(a.stdout, rows)
		},
	}
	listFormats(cmd, &format)
	return cmd
}

type libraryJSON struct {
	Name     string   `json:"name"`
	Path     string   `json:"path"`
	Also     []string `json:"also,omitempty"`
	Versions string   `json:"versions,omitempty"`
	Source   string   `json:"source,omitempty"`
	Doc      string   `json:"doc,omitempty"`
}

func (a *app) librariesCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "libraries",
		Short: "list the Go libraries whose retries are known",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			infos := []libraryJSON{}
			var rows [][]string
			for _, l := range libs.All() {
				infos = append(infos, libraryJSON{l.Name, l.Path, l.Also, l.Versions, l.Source, l.Doc})
				rows = append(rows, []string{l.Name, strings.TrimSpace(l.Path + " " + l.Versions)})
			}
			switch format {
			case "json":
				return a.writeJSON(infos)
			case "markdown":
				_, err := io.WriteString(a.stdout, guide.LibrariesMarkdown())
				return err
			}
			return columns(a.stdout, rows)
		},
	}
	listFormats(cmd, &format)
	return cmd
}
