package conformance

import "testing"

// The document and the rows are written together; an edit of one alone is found here.
func TestDocument(t *testing.T) {
	if *update {
		t.Skip("the groups write it")
	}
	if err := CheckDocument(); err != nil {
		t.Error(err)
	}
}
