package doc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextsInsideValuesKeepTheirPlaces(t *testing.T) {
	root := Parse("cm.yaml", []byte(`data:
  app.properties: |
    # head
    a.retries=3

    b=4
  x.json: '{"a": 1}'
  y.yaml: "a:\n  b: 1\n"
  z.ini: |-

      [s]
      k = {{ .Values.x }}
  n: 3
`), Limits{}).Docs[0].Root.Get("data")
	f := root.Get("app.properties").ParseAs(Properties, Limits{})
	require.Equal(t, "cm.yaml", f.Path)
	require.Equal(t, Pos{4, 15, 4, 16}, f.Docs[0].Root.Get("a.retries").Pos())
	require.Equal(t, Pos{6, 5, 6, 6}, f.Docs[0].Root.Get("b").KeyPos())
	require.Equal(t, 3, f.Comments[0].Pos.Line)
	require.Len(t, f.Docs[0].Root.Get("a.retries").Comments(), 1)

	require.Equal(t, Pos{7, 18, 7, 19}, root.Get("x.json").ParseAs(JSON, Limits{}).Docs[0].Root.Get("a").Pos())
	require.Equal(t, 8, root.Get("y.yaml").ParseAs(YAML, Limits{}).Docs[0].Root.Path("a.b").Pos().Line)

	ini := root.Get("z.ini").ParseAs(INI, Limits{})
	require.Empty(t, ini.Errs)
	require.Equal(t, Pos{12, 11, 12, 26}, ini.Docs[0].Root.Path("s.k").Pos())
	require.Equal(t, Unknown, ini.Docs[0].Root.Path("s.k").Kind())

	// Blank lines are shorter than the indentation of the others.
	f = Parse("a.yaml", []byte("a: |+\n      k: 1\n\n\n"), Limits{})
	checkPlacesIn(t, f.Docs[0].Root.Get("a").ParseAs(INI, Limits{}), f.Text())

	bad := root.Get("x.json").ParseAs(TOML, Limits{})
	require.Equal(t, 7, bad.Errs[0].Pos.Line)
	require.Empty(t, root.Get("none").ParseAs(JSON, Limits{}).Docs)
	require.Empty(t, root.ParseAs(JSON, Limits{}).Docs)

	hcl := ParseAs(HCL, "m.tf", []byte("a = <<EOT\n{\"n\": 4}\nEOT\n"), Limits{}).Docs[0].Root.Get("a")
	require.Equal(t, Pos{2, 7, 2, 8}, hcl.ParseAs(JSON, Limits{}).Docs[0].Root.Get("n").Pos())
}

func ExampleParse() {
	file := Parse("job.yaml", []byte("kind: Job\nspec:\n  backoffLimit: 2 # three attempts\n"), Limits{})
	spec := file.Docs[0].Root.Get("spec")
	limit := spec.Get("backoffLimit").Or(spec)
	retries, known := limit.Int()
	fmt.Println(limit.KeyPos(), retries, known, limit.Comments()[0].Text)
	fmt.Println(spec.Path("template.spec.restartPolicy").Str("default"), spec.Path("template.spec").Pos())
	// Output:
	// 3:3 2 true three attempts
	// default 2:1
}
