package conformance

import (
	"os"
	"testing"
)

// The document and the rows are written together; an edit of one alone is found here.
func TestDocument(t *testing.T) {
	if *update {
		unlock, err := lock(Module() + "/bin")
		if err != nil {
			t.Fatal(err)
		}
		defer unlock()
		doc, err := Document()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(documentFile(), []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := CheckDocument(); err != nil {
		t.Error(err)
	}
}
