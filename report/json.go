package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "json",
	Doc:   "the whole result as one object, version 1, in a stable order",
	Write: writeJSON,
})

func writeJSON(w io.Writer, r *model.Result, _ Options) error {
	enc := json.NewEncoder(escaping{w})
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// escaping writes JSON with escapes for the characters that encoding/json leaves as they are and that a terminal would obey.
// The values stay the same. Each call must bring whole characters, as those of an encoder do.
type escaping struct{ w io.Writer }

func (e escaping) Write(p []byte) (int, error) {
	var out bytes.Buffer
	done := 0
	for i := 0; i < len(p); {
		if p[i] < 0x7f { // what is below and not allowed in strings has been escaped
			i++
			continue
		}
		r, size := utf8.DecodeRune(p[i:])
		if obeyed(r) {
			out.Write(p[done:i])
			fmt.Fprintf(&out, "\\u%04x", r)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return e.w.Write(p)
	}
	out.Write(p[done:])
	if _, err := e.w.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
