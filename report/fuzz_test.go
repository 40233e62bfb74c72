package report

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// FuzzReports: whatever JSON convert is given, every format comes out whole: no panic, valid SARIF, well-formed JSON and XML,
// and no control character that a terminal obeys.
func FuzzReports(f *testing.F) {
	for _, r := range []*model.Result{richResult(), hostileResult(), emptyResult(), singleResult()} {
		text, err := json.Marshal(r)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"version":1,"findings":[{"rule":"","severity":"x","line":-3,"column":-1,"endLine":-9,"path":"../..","chain":"c","fix":[{"line":-1,"new":"x"}],"related":[{"line":-2,"path":"a"}]}],"chains":[{"id":"c","hops":[{}],"layers":["no"],"windows":[{"id":"no"}],"attempts":"unknown","paths":[{"delay":"-5h"}]}],"incomplete":[{"line":-1}]}`))
	var schema *jsonschema.Schema
	f.Fuzz(func(t *testing.T, text []byte) {
		var r model.Result
		if json.Unmarshal(text, &r) != nil || len(text) > 1<<20 {
			t.Skip()
		}
		if schema == nil {
			schema = sarifValidator(t)
		}
		for _, format := range All() {
			out, err := written(format, &r, Options{Verbose: true, Width: 40})
			require.NoError(t, err, format.Name)
			require.True(t, utf8.ValidString(out), format.Name)
			if format.Name != "json" {
				require.False(t, controls.MatchString(out), format.Name)
			}
			switch format.Name {
			case "sarif", "sarif-github":
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
				require.NoError(t, err)
				require.NoError(t, schema.Validate(v), format.Name)
			case "gitlab", "rdjson":
				require.True(t, json.Valid([]byte(out)), format.Name)
			case "junit", "checkstyle":
				d := xml.NewDecoder(strings.NewReader(out))
				for {
					if _, err := d.Token(); err != nil {
						require.ErrorIs(t, err, io.EOF, format.Name)
						break
					}
				}
			}
		}
	})
}
