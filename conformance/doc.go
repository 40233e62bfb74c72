// Package conformance holds what retrylint says of a program against what the program does.
//
// A case is one edge: a real program, or a function of one, that calls a server on the loopback interface. The server fails
// and writes down each attempt with its time and its idempotency key. The same source, as it lies in its folder, is scanned by
// the command built from this repository, and the attempts and waits that it says are held against those that came.
//
// A group of cases is a package with one folder for each library or program and one test:
//
//	func TestGroup(t *testing.T) {
//		conformance.Group{Name: "retry", Title: "Retry libraries", Cases: []conformance.Case{
//			{Name: "avast/retry-go v4: Attempts(3)", Run: avastv4.Three},
//		}}.Test(t)
//	}
//
// The rows lie in rows/<group>.json and make docs/conformance.md; "go test ./... -update" writes both anew. Without the flag a
// row that differs fails the test. RETRYLINT_LONG=1 runs the cases marked Long too.
package conformance
