package loops

import (
	"testing"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/loops/loop"
)

func TestLoops(t *testing.T) {
	conformance.Group{Name: "loops", Title: "Loops written by hand", Cases: []conformance.Case{
		{Name: "for with a counter, constant wait", Run: loop.Counted},
		{Name: "for range over a number", Run: loop.RangeInt},
	}}.Test(t)
}
