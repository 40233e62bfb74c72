package loops

import (
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/loops/keyeach"
	"github.com/retrylint/retrylint/conformance/loops/keynone"
	"github.com/retrylint/retrylint/conformance/loops/keyonce"
	"github.com/retrylint/retrylint/conformance/loops/loop"
	"github.com/retrylint/retrylint/conformance/loops/status"
	"github.com/retrylint/retrylint/conformance/loops/timeout"
)

func TestLoops(t *testing.T) {
	hangs := conformance.HTTP(conformance.Answer{Hang: 5 * time.Second})
	throttles := conformance.HTTP(conformance.Answer{Status: 429, RetryAfter: time.Second})
	conformance.Group{Name: "loops", Title: "Loops written by hand", Cases: []conformance.Case{
		{Name: "for with a counter, constant wait", Run: loop.Counted},
		{Name: "for with a counter, fails twice", Run: loop.Counted, Server: conformance.HTTP(conformance.Answer{Times: 2})},
		{Name: "for range over a number", Run: loop.RangeInt},
		{Name: "shifted wait", Run: loop.Shifted},
		{Name: "doubled wait", Run: loop.Doubled},
		{Name: "doubled and capped wait", Run: loop.Capped},
		{Name: "wait by math.Pow", Run: loop.Power},
		{Name: "growing by a step", Run: loop.Linear},
		{Name: "i <= retries", Run: loop.AtMost},
		{Name: "counts down", Run: loop.Down},
		{Name: "one attempt before the loop", Run: loop.First},
		{Name: "until a time", Run: loop.UntilTime},
		{Name: "time since the start", Run: loop.Since},
		{Name: "select with time.After", Run: loop.Selected},
		{Name: "timer", Run: loop.Timer},
		{Name: "ticker", Run: loop.Ticked},
		{Name: "deadline of its own context", Run: loop.Deadline},
		{Name: "caller's context alone", Run: loop.Endless, Stop: 20},
		{Name: "recursion", Run: loop.Recursive},
		{Name: "goto", Run: loop.Goto},
		{Name: "labelled break", Run: loop.Labelled},
		{Name: "list of waits", Run: loop.List},
		{Name: "list of waits and a last attempt", Run: loop.ListThenLast},
		{Name: "random time added", Run: loop.Jittered},
		{Name: "full jitter", Run: loop.FullJitter},
		{Name: "no wait", Run: loop.Busy},
		{Name: "loop in a loop", Run: loop.Nested},
		{Name: "helper", Run: loop.Helper},
		{Name: "helper, other numbers", Run: loop.OtherHelper},
		{Name: "generic helper", Run: loop.Generic},
		{Name: "numbers of a struct", Run: loop.Configured, Unknown: "The number is counted up after it was copied."},
		{Name: "numbers of a package variable", Run: loop.Defaults, Unknown: "Somewhere in the package the field is counted up."},
		{Name: "ends at 4xx, 400", Run: status.Permanent, Server: conformance.HTTP(conformance.Answer{Status: 400}), Over: "An answer that ends the loop was given; the linter says the worst."},
		{Name: "ends at 4xx, 503", Run: status.Permanent},
		{Name: "reads Retry-After", Run: status.Heeds, Server: throttles, Heeds: conformance.Yes, Time: "The server says how long to wait."},
		{Name: "time limit of the client", Run: timeout.Client, Server: hangs},
		{Name: "time limit of each attempt", Run: timeout.Each, Server: hangs},
		{Name: "key made once", Run: keyonce.Pay, Keys: "same"},
		{Name: "key made in each attempt", Run: keyeach.Pay, Keys: "new each time"},
		{Name: "no key", Run: keynone.Pay, Keys: "none"},
	}}.Test(t)
}
