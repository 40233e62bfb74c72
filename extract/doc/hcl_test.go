package doc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHCLPlaces(t *testing.T) {
	golden(t, HCL, `# head
resource "aws_sqs_queue" "q" {
  name    = "orders" // line
  retries = 3
  delay   = 60 * 5
  arn     = aws_sns_topic.t.arn
  tag     = "${var.env}-q"
  neg     = -1.5
  none    = null
  policy  = jsonencode({ maxReceiveCount = 4, "a b" = [true, var.x] })
  text    = <<EOT
two
lines
EOT
  redrive { n = 1 }
  redrive { n = 2 }
}
`, `
doc 0 from line 1
@1:1 map@1:1-18:1
  resource@2:1 ["aws_sqs_queue" "q"] map@2:1-17:2
    name@3:3 scalar@3:13-3:21 "orders" string
    retries@4:3 scalar@4:13-4:14 "3"
    delay@5:3 scalar@5:13-5:19 "300"
    arn@6:3 unknown@6:13-6:32 "aws_sns_topic.t.arn"
    tag@7:3 unknown@7:13-7:27 "${var.env}-q"
    neg@8:3 scalar@8:13-8:17 "-1.5"
    none@9:3 null@9:13-9:17
    policy@10:3 map@10:24-10:70
      maxReceiveCount@10:26 scalar@10:44-10:45 "4"
      a b@10:47 list@10:55-10:68
        @10:56 scalar@10:56-10:60 "true"
        @10:62 unknown@10:62-10:67 "var.x"
    text@11:3 scalar@11:13-14:4 "two\nlines\n" string
    redrive@15:3 list@15:3-16:20
      redrive@15:3 map@15:3-15:20
        n@15:13 scalar@15:17-15:18 "1"
      redrive@16:3 map@16:3-16:20
        n@16:13 scalar@16:17-16:18 "2"
comment 1:1 "head"
comment 3:22 "line"
`)
	root := ParseAs(HCL, "x", []byte("job \"j\" {\n group \"g\" {\n}\n}\n"), Limits{}).Docs[0].Root
	require.Equal(t, "j", root.Get("job").Label(0))
	require.Equal(t, []string{"g"}, root.Path("job.group").Labels())
	require.Len(t, root.Get("job").Many(), 1)
}

func TestHCLBroken(t *testing.T) {
	f := ParseAs(HCL, "x", []byte("a = 1\nb = \nc = 3\n"), Limits{})
	require.NotEmpty(t, f.Errs)
	require.Equal(t, 2, f.Errs[0].Pos.Line)
	require.Equal(t, "1", f.Docs[0].Root.Get("a").Str())
	for _, in := range []string{
		"a = " + strings.Repeat("[", 500_000), "a = " + strings.Repeat("!", 500_000), "a = " + strings.Repeat("x ? (y) : ", 100_000) + "1",
		"a = " + strings.Repeat(`["}",`, 100_000), "a = x" + strings.Repeat("[*]", 100_000), "a = \"" + strings.Repeat(`%{if x}`, 100_000),
		strings.Repeat("a {\n", 100_000), "a = \"" + strings.Repeat(`${"`, 100_000), "a = " + strings.Repeat("[)", 100_000),
	} {
		f := ParseAs(HCL, "x", []byte(in), Limits{})
		require.NotEmpty(t, f.Errs, in[:20])
	}
}
