package report

import (
	"encoding/json"
	"io"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "json",
	Doc:   "the whole result as one object, version 1, in a stable order",
	Write: writeJSON,
})

func writeJSON(w io.Writer, r *model.Result, _ Options) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
