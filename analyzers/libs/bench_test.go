package libs

import "testing"

// Stubs are generated once per process; their size bounds what a scan pays for them.
func TestStubsSize(t *testing.T) {
	total := 0
	for _, s := range Stubs() {
		total += len(s)
	}
	if total > 4<<20 {
		t.Errorf("stubs have %d bytes", total)
	}
	t.Logf("%d stubs, %d bytes, %d libraries", len(Stubs()), total, len(All()))
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		Lookup("github.com/stripe/stripe-go/v82/charge")
	}
}

func BenchmarkEvaluate(b *testing.B) {
	s := &fakeSite{options: map[string][]Value{"Attempts": {num(3)}}}
	c := Lookup("github.com/avast/retry-go/v4")[0].Call("Do")
	for b.Loop() {
		EvaluateCall(c, s)
	}
}
