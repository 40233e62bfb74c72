package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// toolVersion is the release, or what the build knows of its module.
func toolVersion() string {
	if build.Version != "" {
		return build.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

func (a *app) versionCmd() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			info := struct {
				Name    string `json:"name"`
				Version string `json:"version"`
				Go      string `json:"go"`
			}{"retrylint", toolVersion(), runtime.Version()}
			if format == "json" {
				return json.NewEncoder(a.stdout).Encode(info)
			}
			_, err := fmt.Fprintf(a.stdout, "retrylint %s (%s)\n", info.Version, info.Go)
			return err
		},
	}
	textOrJSON(cmd, &format)
	return cmd
}
