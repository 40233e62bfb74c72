package doc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNginxPlaces(t *testing.T) {
	golden(t, Nginx, `# head
events {}
http {
  upstream api { server 10.0.0.1:80 max_fails=3; server 10.0.0.2:80; }
  server {
    listen 80; # port
    location ~ "^/a{2}" {
      proxy_next_upstream error timeout
        non_idempotent;
      proxy_next_upstream_tries 3;
      proxy_pass http://${host};
      internal;
    }
    location / {}
  }
}
`, `
doc 0 from line 1
@1:1 map@1:1-17:1
  events@2:1 map@2:1-2:10
  http@3:1 map@3:1-16:2
    upstream@4:3 ["api"] map@4:3-4:71
      server@4:18 list@4:18-4:68
        server@4:18 ["10.0.0.1:80" "max_fails=3"] scalar@4:25-4:48 "10.0.0.1:80 max_fails=3" string
        server@4:50 ["10.0.0.2:80"] scalar@4:57-4:68 "10.0.0.2:80" string
    server@5:3 map@5:3-15:4
      listen@6:5 ["80"] scalar@6:12-6:14 "80"
      location@7:5 list@7:5-14:18
        location@7:5 ["~" "^/a{2}"] map@7:5-13:6
          proxy_next_upstream@8:7 ["error" "timeout" "non_idempotent"] scalar@8:27-9:23 "error timeout non_idempotent" string
          proxy_next_upstream_tries@10:7 ["3"] scalar@10:33-10:34 "3"
          proxy_pass@11:7 ["http://${host}"] scalar@11:18-11:32 "http://${host}" string
          internal@12:7 null@12:7-12:15
        location@14:5 ["/"] map@14:5-14:18
comment 1:1 "head"
comment 6:16 "port"
`)
	for _, in := range []string{"a {", "}", "a", "a { b }", ";", "{", "a 'b"} {
		require.NotEmpty(t, ParseAs(Nginx, "x", []byte(in), Limits{}).Errs, in)
	}
}

func TestHAProxyPlaces(t *testing.T) {
	golden(t, HAProxy, `defaults
  retries 3 # three
  timeout connect 5s
  option redispatch 1
  no option httpclose
backend ledger
  server a 10.0.0.1:80 check
  server b 10.0.0.2:80
`, `
doc 0 from line 1
@1:1 map@1:1-9:1
  defaults@1:1 map@1:1-5:22
    retries@2:3 ["3"] scalar@2:11-2:12 "3"
    timeout connect@3:3 ["5s"] scalar@3:19-3:21 "5s" string
    option redispatch@4:3 ["1"] scalar@4:21-4:22 "1"
    no option httpclose@5:3 null@5:3-5:22
  backend@6:1 ["ledger"] map@6:1-8:23
    server@7:3 list@7:3-8:23
      server@7:3 ["a" "10.0.0.1:80" "check"] scalar@7:10-7:29 "a 10.0.0.1:80 check" string
      server@8:3 ["b" "10.0.0.2:80"] scalar@8:10-8:23 "b 10.0.0.2:80" string
comment 2:13 "three"
`)
	require.NotEmpty(t, ParseAs(HAProxy, "x", []byte("retries 3\n"), Limits{}).Errs)
}

func TestFluentPlaces(t *testing.T) {
	golden(t, FluentBit, `@INCLUDE x.conf
[OUTPUT]
    Name http
    Retry_Limit 5
[OUTPUT]
    Match *
`, `
doc 0 from line 1
@1:1 map@1:1-7:1
  @INCLUDE@1:1 scalar@1:10-1:16 "x.conf" string
  OUTPUT@2:2 list@2:2-6:12
    OUTPUT@2:2 map@2:2-4:18
      Name@3:5 scalar@3:10-3:14 "http" string
      Retry_Limit@4:5 scalar@4:17-4:18 "5"
    OUTPUT@5:2 map@5:2-6:12
      Match@6:5 scalar@6:11-6:12 "*" string
`)
	golden(t, Fluentd, `<match app.**>
  @type http
  <buffer>
    retry_wait 1s
  </buffer>
</match>
</x>
`, `
doc 0 from line 1
@1:1 map@1:1-8:1
  match@1:2 ["app.**"] map@1:2-6:9
    @type@2:3 scalar@2:9-2:13 "http" string
    buffer@3:4 map@3:4-5:12
      retry_wait@4:5 scalar@4:16-4:18 "1s" string
error 7:1: </x> without its beginning
`)
}

func TestLinesPlaces(t *testing.T) {
	golden(t, Lines, "# head\nMAILTO=x\n*/5 * * * * curl http://a\n", `
doc 0 from line 1
@1:1 list@1:1-4:1
  @2:1 scalar@2:1-2:9 "MAILTO=x" string
  @3:1 scalar@3:1-3:26 "*/5 * * * * curl http://a" string
comment 1:1 "head"
`)
}

func TestConfFilesTellTheirSyntax(t *testing.T) {
	for in, want := range map[string]Syntax{
		"# c\n[program:x]\nstartretries=3\n": INI, "[SERVICE]\n    Flush 1\n": FluentBit, "<source>\n  @type tail\n</source>\n": Fluentd,
		"[[inputs.cpu]]\n": TOML, "[agent]\n  interval = \"10s\"\n": INI, "{\n\"a\": 1}": JSON, "upstream a {\n  server b;\n}\n": Nginx,
		"worker_processes 1;\n": Nginx, "a.b=1\n": Properties, "global\n  maxconn 3\n": HAProxy,
		"akka {\n  loglevel = \"INFO\"\n}\n": NoSyntax, "hello world\n": NoSyntax, "": NoSyntax,
		"uid = a\n[module]\npath = /x\n": INI, "import os\nx = 1\n": NoSyntax, "<?xml version=\"1.0\"?>\n<a>\n</a>\n": NoSyntax, "<confdir:x>\n": NoSyntax, "\x00\x01": NoSyntax,
	} {
		f := Parse("x.conf", []byte(in), Limits{})
		require.Equal(t, want, f.Syntax, in)
		require.Empty(t, f.Errs, in)
		require.Equal(t, want != NoSyntax, len(f.Docs) == 1, in)
		checkPlaces(t, f)
	}
	for name, want := range map[string]Syntax{
		"etc/nginx.conf": Nginx, "haproxy.cfg": HAProxy, "supervisord.conf": INI, "fluent-bit.conf": FluentBit, "telegraf.conf": TOML, "crontab": Lines,
		"a.service.d/10-restart.conf": Systemd, "conf.d/x.conf": Conf,
	} {
		got, ok := SyntaxOf(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
}
