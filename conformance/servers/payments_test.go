package servers

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
)

// scaled is what the worked example of testdata/payments says, a thousand times as fast.
var scaled = strings.NewReplacer(
	`duration: "1h"`, `duration: "3600ms"`,
	"betweenRounds = time.Minute", "betweenRounds = 60 * time.Millisecond",
	"pause: 2 * time.Second", "pause: 2 * time.Millisecond",
	"two seconds apart", "two milliseconds apart",
	"remember = 24 * time.Hour", "remember = 86400 * time.Millisecond",
)

// The folder payments is testdata/payments but for its times; -update writes it.
func TestPaymentsAreTheWorkedExample(t *testing.T) {
	from := filepath.Join(here(), "..", "..", "testdata", "payments")
	err := filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		want, to := []byte(scaled.Replace(string(b))), filepath.Join(here(), "payments", rel)
		if flag.Lookup("update").Value.String() == "true" {
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, want, 0o644)
		}
		if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, want) {
			t.Errorf("payments/%s is not that of testdata (%v): go test -update", rel, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// argo repeats the http template of a workflow as its retryStrategy says. It stands in for Argo's controller.
func (s *site) argo(workflow, url string) {
	text := s.read(workflow)
	find := func(re string) string { return regexp.MustCompile(re).FindStringSubmatch(text)[1] }
	retries, err := strconv.Atoi(find(`limit: "(\d+)"`))
	must(err)
	wait, err := time.ParseDuration(find(`duration: "([^"]+)"`))
	must(err)
	for i := 0; i <= retries; i++ {
		if i > 0 {
			time.Sleep(wait)
		}
		req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, url, strings.NewReader("1"))
		must(err)
		req.Header.Set("Idempotency-Key", "settle-1")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode < 300 {
			return
		}
	}
}

// rewrite replaces text in a file of the site, which has to be there.
func (s *site) rewrite(file, old, new string) {
	text := s.read(file)
	if !strings.Contains(text, old) {
		panic(file + " has no " + old)
	}
	s.write(file, strings.ReplaceAll(text, old, new))
}

// payments starts the services of the worked example in front of a ledger; it is the address of the first one.
func (s *site) payments(ledger string) string {
	gateway, settle := free(), free()
	s.own = true
	s.rewrite("payout-gateway/main.go", `"http://ledger.pay.svc:8080"`, strconv.Quote(ledger))
	s.rewrite("payout-gateway/main.go", `":8080"`, strconv.Quote(gateway))
	s.rewrite("settle-service/main.go", `":8080"`, strconv.Quote(settle))
	s.start(nil, s.build("payout-gateway", ".")).await(gateway, 20*time.Second)
	attempts := value(s.read("scheduler/deploy/services.yaml"), "GATEWAY_ATTEMPTS")
	s.start([]string{"GATEWAY_URL=http://" + gateway, "GATEWAY_ATTEMPTS=" + attempts}, s.build("settle-service", ".")).await(settle, 20*time.Second)
	return settle
}

func TestPayments(t *testing.T) {
	t.Parallel()
	var dirs []string
	for _, r := range []string{"scheduler", "settle-service", "payout-gateway", "ledger"} {
		dirs = append(dirs, "payments/"+r)
	}
	run := func(ctx context.Context, addr string) error {
		s := openAs(ctx, func(string) string { return "" }, dirs...)
		defer s.close()
		s.argo("scheduler/settle.yaml", "http://"+s.payments(addr)+"/batches")
		return nil
	}
	conformance.Group{Name: "payments", Title: "The worked example", Text: "testdata/payments, a thousand times as fast: Argo's strategy, played by a loop of the test, " +
		"over settle-service over payout-gateway, both real processes, over a ledger that always fails.", Cases: []conformance.Case{
		{Name: "the nightly settlement", Repos: append([]string(nil), dirs...), Entry: "CronWorkflow settle", Run: run, Keys: "same"},
		{Name: "the nightly settlement, the ledger recovers at the 14th attempt", Repos: append([]string(nil), dirs...), Entry: "CronWorkflow settle", Run: run,
			Server: conformance.HTTP(conformance.Answer{Times: 13})},
	}}.Test(t)
}
