package engine

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/engine/temporalwf"
)

// in runs a workflow in Temporal's test environment, which skips its waits.
func in(wf func(workflow.Context, string) error) func(context.Context, string) error {
	return func(ctx context.Context, addr string) error {
		var s testsuite.WorkflowTestSuite
		s.SetLogger(quiet{})
		env := s.NewTestWorkflowEnvironment()
		env.SetTestTimeout(20 * time.Second)
		env.RegisterActivity(temporalwf.Post)
		env.ExecuteWorkflow(wf, addr)
		return env.GetWorkflowError()
	}
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

func TestEngines(t *testing.T) {
	const skipped = "The test environment skips the waits."
	wf := func(name, entry string, run func(workflow.Context, string) error) conformance.Case {
		return conformance.Case{Name: name, Run: in(run), Repos: []string{"temporalwf"}, Entry: entry, Time: skipped}
	}
	endless := wf("Temporal activity: nothing set", "Default", temporalwf.Default)
	endless.Over = "The test environment ends an activity after ten attempts; a server does not."
	conformance.Group{Name: "engine", Title: "Workflow engines", Cases: []conformance.Case{
		wf("Temporal activity: MaximumAttempts 4", "Four", temporalwf.Four),
		wf("Temporal activity: MaximumAttempts 1", "One", temporalwf.One),
		endless,
	}}.Test(t)
}
