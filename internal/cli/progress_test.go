package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

var steps = []event{
	{Total: 2, Started: "pay"},
	{Done: 1, Total: 2, Repository: "pay"},
	{Done: 2, Total: 2, Repository: "edge", Failed: "no such repository"},
	{Done: 2, Total: 2, Notice: "nothing to read"},
}

func TestProgressForms(t *testing.T) {
	for _, tt := range []struct {
		name, format string
		verbose      bool
		want         string
	}{
		{"quiet", "text", false, "retrylint: nothing to read\n"},
		{"verbose", "text", true, "[1/2] pay\n[2/2] edge: no such repository\nretrylint: nothing to read\n"},
		{"json", "json", false, `{"done":1,"total":2,"repository":"pay"}
{"done":2,"total":2,"repository":"edge","failed":"no such repository"}
{"done":2,"total":2,"notice":"nothing to read"}
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var errs bytes.Buffer
			a := &app{stderr: &errs}
			p := a.progress(false, tt.format, tt.verbose)
			require.Nil(t, p.bars, "no bar where there is no terminal")
			for _, e := range steps {
				p.event(e)
			}
			p.stop()
			require.Equal(t, tt.want, errs.String())
			require.Len(t, p.failures, 1)
		})
	}
}
