package gclplugin

import (
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
)

// The plugin is asked for in the way golangci-lint asks.
func TestPlugin(t *testing.T) {
	newPlugin, err := register.GetPlugin("retrylint")
	require.NoError(t, err)
	p, err := newPlugin(nil)
	require.NoError(t, err)
	all, err := p.BuildAnalyzers()
	require.NoError(t, err)
	require.NoError(t, analysis.Validate(all))
	require.Equal(t, register.LoadModeTypesInfo, p.GetLoadMode())
}
