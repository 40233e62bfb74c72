// Package gclplugin registers the Go rules as a module plugin of golangci-lint. It stands alone, so that nobody else links it.
//
// In .custom-gcl.yml:
//
//	plugins:
//	  - module: github.com/retrylint/retrylint
//	    import: github.com/retrylint/retrylint/analyzers/gclplugin
package gclplugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/retrylint/retrylint/analyzers"
)

func init() { register.Plugin("retrylint", New) }

// Plugin is the Go rules. They have no settings: an analyzer may read only the package's own files.
type Plugin struct{}

// New makes the plugin.
func New(any) (register.LinterPlugin, error) { return Plugin{}, nil }

// BuildAnalyzers lists the rules.
func (Plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return analyzers.All(), nil }

// GetLoadMode asks for types.
func (Plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
