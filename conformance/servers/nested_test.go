package servers

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

// haproxy starts HAProxy with a configuration of one bind.
func (s *site) haproxy(conf string) {
	s.serve(regexp.MustCompile(`bind (\S+)`).FindStringSubmatch(s.read(conf))[1], "haproxy", "-db", "-f", s.path(conf))
}

// service builds and starts a Go program of a folder with the environment of its deploy.yaml, listening where others look for it.
func (s *site) service(folder, listen string) {
	bin := s.build(folder, ".")
	manifest := s.read(folder + "/deploy.yaml")
	p := s.start([]string{"LISTEN=" + listen, "LEDGER_URL=" + value(manifest, "LEDGER_URL")}, bin)
	p.await(listen, 20*time.Second)
}

func TestNested(t *testing.T) {
	t.Parallel()
	needs(t, "nginx", "haproxy", "curl", "unshare", "/lib/systemd/systemd")
	needsRoot(t)
	var cases []conformance.Case
	add := func(name, entry, folder, repos string, run func(s *site)) *conformance.Case {
		var dirs []string
		for _, r := range strings.Fields(repos) {
			dirs = append(dirs, "nested/"+folder+"/"+r)
		}
		cases = append(cases, conformance.Case{Name: name, Repos: append([]string(nil), dirs...), Entry: entry, Server: fails,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, dirs...)
				defer s.close()
				run(s)
				return nil
			}})
		return &cases[len(cases)-1]
	}
	const cron = "cron 0 2 * * *"
	add("curl over HAProxy", cron, "curl-haproxy", "cron proxy", func(s *site) {
		s.haproxy("proxy/haproxy.cfg")
		s.tick("cron/nightly.crontab")
	})
	edge := func(s *site) {
		s.nginx("edge/nginx.conf")
		s.tick("cron/nightly.crontab")
	}
	add("curl over nginx, GET", cron, "curl-nginx-get", "cron edge", edge)
	add("curl over nginx that takes servers out", cron, "curl-nginx-marked", "cron edge", edge).Over = "nginx asks no server for 10s that failed once (max_fails), so that later attempts reach none."
	add("curl over nginx, POST, which nginx does not repeat", cron, "curl-nginx-post", "cron edge", edge)
	add("curl over nginx over HAProxy", cron, "nginx-haproxy", "cron edge proxy", func(s *site) {
		s.haproxy("proxy/haproxy.cfg")
		edge(s)
	})
	add("curl over nginx over a loop in Go", cron, "curl-nginx-go", "cron edge settle", func(s *site) {
		s.service("settle", s.addr["settle.pay.svc:8080"])
		edge(s)
	}).Keys = "same"
	add("a unit of systemd over retry-go over nginx", "unit settle", "systemd-go-nginx", "job settle edge", func(s *site) {
		bin := s.build("settle", "./cmd/settle")
		s.nginx("edge/nginx.conf")
		s.write("job/settle.service", strings.Replace(s.read("job/settle.service"), "/usr/local/bin/settle", bin, 1))
		s.systemd("job", "settle.service")
		quiet(s.ctx, 2*time.Second)
	}).Time = "starting a process takes time of its own, which no setting says."
	conformance.Group{Name: "nested", Title: "Layers over layers, across processes", Cases: cases}.Test(t)
}
