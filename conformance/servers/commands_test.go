package servers

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

// command is the command of a crontab's only line.
func (s *site) command(crontab string) string {
	return strings.SplitN(strings.TrimSpace(s.read(crontab)), " ", 6)[5]
}

// tick runs the command of a crontab's only line once, as cron would.
func (s *site) tick(crontab string) { s.run("sh", "-c", s.command(crontab)) }

func TestCommands(t *testing.T) {
	t.Parallel()
	needs(t, "curl", "wget")
	needsRoot(t)
	var cases []conformance.Case
	add := func(name, folder string, server conformance.Server) *conformance.Case {
		folder = "commands/" + folder
		cases = append(cases, conformance.Case{Name: name, Repos: []string{folder}, Entry: "cron 0 2 * * *", Server: server,
			Run: func(ctx context.Context, addr string) error {
				s := open(ctx, addr, folder)
				defer s.close()
				s.tick("nightly.crontab")
				return nil
			}})
		return &cases[len(cases)-1]
	}
	const status = "curl repeats answers of 408, 429 and 5xx and time-outs only, unless told otherwise."
	add("curl --retry 2", "curl-2", fails)
	add("curl --retry 2, fails twice", "curl-2", twice)
	add("curl --retry 2, 429", "curl-2", throttles).Time = "the server's Retry-After takes the place of curl's own wait."
	add("curl --retry 2, connection dropped", "curl-2", drops).Over = status
	add("curl --retry-delay 1, 429", "curl-delay", throttles).Heeds = conformance.Yes
	add("curl --retry 3 --retry-delay 1", "curl-delay", fails)
	add("curl --retry 9 --retry-max-time 2", "curl-max-time", fails)
	add("curl --max-time 0.3", "curl-timeout", hangs(2*time.Second))
	add("curl --retry-connrefused", "curl-connrefused", refuses)
	add("curl --retry-delay 1, connection refused", "curl-delay", refuses).Over = status
	add("curl --retry-all-errors, connection dropped", "curl-all", drops)
	add("curl --retry-all-errors, connection refused", "curl-all", refuses)
	add("curl --retry-all-errors, 400", "curl-all", conformance.HTTP(conformance.Answer{Status: 400}))
	add("curl --retry 2, a key made by the shell", "curl-key", fails).Keys = "same"
	add("curl --retry 2, no key", "curl-nokey", fails).Keys = "none"
	const broken = "wget repeats broken connections and time-outs only, unless told otherwise."
	add("wget, nothing set, connection dropped", "wget", drops).Stop = 4
	add("wget, nothing set, 503", "wget", fails).Over = broken
	add("wget --tries=3 --waitretry=1, connection dropped", "wget-3", drops)
	add("wget --tries=3, connection refused", "wget-3", refuses).Over = broken
	add("wget --timeout=1 -t 2", "wget-timeout", hangs(5*time.Second))
	add("wget --retry-on-http-error=503", "wget-status", fails)
	add("wget --retry-connrefused", "wget-connrefused", refuses)
	conformance.Group{Name: "commands", Title: "curl and wget", Cases: cases}.Test(t)
}
