package kube

import (
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/kube/kuberest"
	"github.com/retrylint/retrylint/conformance/sdk/kube/kubewait"
)

func TestKube(t *testing.T) {
	throttles := conformance.HTTP(conformance.Answer{Status: 429, RetryAfter: time.Second})
	conformance.Group{Name: "kube", Title: "Kubernetes clients", Cases: []conformance.Case{
		{Name: "wait.ExponentialBackoff: Steps 4", Run: kubewait.Four},
		{Name: "wait.ExponentialBackoff: Steps 0", Run: kubewait.Zero},
		{Name: "wait.ExponentialBackoff: Steps 10, Cap", Run: kubewait.Capped},
		{Name: "wait.ExponentialBackoff: Jitter", Run: kubewait.Jittered},
		{Name: "retry.OnError: DefaultRetry", Run: kubewait.OnError},
		{Name: "retry.OnError: DefaultBackoff", Run: kubewait.OnErrorBackoff},
		{Name: "retry.RetryOnConflict, conflict", Run: kubewait.Conflict},
		{Name: "retry.RetryOnConflict, another error", Run: kubewait.NoConflict, Over: "Only conflicts are repeated, which the layer says."},
		{Name: "rest.Request: nothing set, throttled", Run: kuberest.Default, Server: throttles, Stop: 3, Time: "The server says how long to wait."},
		{Name: "rest.Request: MaxRetries(2), throttled", Run: kuberest.Two, Server: throttles, Time: "The server says how long to wait."},
		{Name: "rest.Request: MaxRetries(0), throttled", Run: kuberest.Zero, Server: throttles},
		{Name: "rest.Request: MaxRetries(2), 503 without Retry-After", Run: kuberest.Two, Over: "Only answers with Retry-After are repeated."},
	}}.Test(t)
}
