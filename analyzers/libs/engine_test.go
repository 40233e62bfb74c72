package libs

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/model"
)

// use evaluates a call or client of a library as an expression writes it.
func use(t *testing.T, path, call, client, expr string) Result {
	t.Helper()
	return countRow{Path: path, Call: call, Client: client}.evaluate(t, expr)
}

func TestBackoffs(t *testing.T) {
	const (
		v4  = "github.com/cenkalti/backoff/v4"
		v5  = "github.com/cenkalti/backoff/v5"
		av4 = "github.com/avast/retry-go/v4"
	)
	tests := []struct {
		path, call, client, expr string
		waits                    []string // upper ends of the first waits
	}{
		{v4, "Retry", "", `Retry(op, NewExponentialBackOff())`, []string{"750ms", "1.125s"}},
		{v4, "Retry", "", `Retry(op, WithMaxRetries(with(NewExponentialBackOff(), F{InitialInterval: d("1s"), RandomizationFactor: 0, Multiplier: 2}), 3))`, []string{"1s", "2s", "4s"}},
		{v4, "Retry", "", `Retry(op, NewConstantBackOff(d("3s")))`, []string{"3s", "3s"}},
		{v4, "Retry", "", `Retry(op, &ZeroBackOff{})`, []string{"0s", "0s"}},
		{v4, "Retry", "", `Retry(op, &ExponentialBackOff{MaxInterval: d("1s")})`, []string{"0s"}}, // a literal has no first wait
		{v5, "Retry", "", `Retry(ctx, op, WithBackOff(NewConstantBackOff(d("2s"))))`, []string{"2s", "2s"}},
		{av4, "Do", "", `Do(op)`, []string{"200ms", "300ms", "500ms"}},
		{av4, "Do", "", `Do(op, DelayType(FixedDelay), Delay(d("1s")))`, []string{"1s", "1s"}},
		{av4, "Do", "", `Do(op, DelayType(BackOffDelay), Delay(d("1s")), MaxDelay(d("3s")))`, []string{"1s", "2s", "3s", "3s"}},
		{"github.com/hashicorp/go-retryablehttp", "", "Client", `NewClient()`, []string{"1s", "2s", "4s", "8s"}},
		{"github.com/sethvargo/go-retry", "Do", "", `Do(ctx, WithCappedDuration(d("3s"), WithMaxRetries(9, NewExponential(d("1s")))), f)`, []string{"1s", "2s", "3s", "3s"}},
		{"github.com/go-resty/resty/v2", "", "Client", `New().SetRetryCount(3)`, []string{"100ms", "200ms", "400ms", "800ms", "1.6s", "2s"}},
		{"github.com/eapache/go-resiliency/retrier", "Retrier.Run", "", `New([]D{d("1s"), d("5s")}, nil).Run(op)`, []string{"1s", "5s"}},
		{"github.com/eapache/go-resiliency/retrier", "Retrier.Run", "", `New(ExponentialBackoff(3, d("1s")), nil).Run(op)`, []string{"1s", "2s"}},
		{"github.com/dapr/kit/retry", "NotifyRecover", "", `NotifyRecover(op, with(DefaultConfig(), F{Policy: PolicyExponential, MaxRetries: 5}), n, r)`, []string{"750ms", "1.125s"}},
		{"github.com/dapr/kit/retry", "NotifyRecover", "", `NotifyRecover(op, DefaultConfig(), n, r)`, []string{"5s", "5s"}},
		{"github.com/dapr/kit/retry", "NotifyRecover", "", `NotifyRecover(op, WithMaxRetries(NewConstantBackOff(d("200ms")), 3), n, r)`, []string{"200ms"}},
		{"github.com/IBM/sarama", "", "SyncProducer", `NewSyncProducer(a, NewConfig())`, []string{"100ms", "100ms"}},
		{"github.com/segmentio/kafka-go", "", "Writer", `Writer{}`, []string{"100ms", "400ms", "900ms", "1s", "1s"}},
		{"github.com/hibiken/asynq", "(*Client).Enqueue", "", `c.Enqueue(NewTask(a, b))`, []string{"44s", "1m14s"}},
		{"go.temporal.io/sdk/workflow", "ExecuteActivity", "", `ExecuteActivity(WithActivityOptions(ctx, ActivityOptions{RetryPolicy: &RetryPolicy{InitialInterval: d("10ms")}}), f)`, []string{"10ms", "20ms"}},
		{"k8s.io/client-go/util/retry", "OnError", "", `OnError(DefaultBackoff, f, fn)`, []string{"11ms", "55ms", "275ms"}},
	}
	for _, x := range tests {
		r := use(t, x.path, x.call, x.client, x.expr)
		for i, want := range x.waits {
			if _, hi := r.Policy.Backoff.Gap(int64(i + 1)); hi.String() != want {
				t.Errorf("%s: wait %d is at most %s, want %s", x.expr, i+1, hi, want)
			}
		}
	}
}

// Wrappers may stand in any order, and the smallest number holds.
func TestWrappers(t *testing.T) {
	for _, expr := range []string{
		`Retry(op, WithContext(WithMaxRetries(NewConstantBackOff(d("1s")), 3), ctx))`,
		`Retry(op, WithMaxRetries(WithContext(NewConstantBackOff(d("1s")), ctx), 3))`,
		`Retry(op, WithMaxRetries(WithContext(WithMaxRetries(NewConstantBackOff(d("1s")), 8), ctx), 3))`,
		`Retry(op, WithMaxRetries(WithContext(WithMaxRetries(NewConstantBackOff(d("1s")), 3), ctx), 8))`,
	} {
		r := use(t, "github.com/cenkalti/backoff/v4", "Retry", "", expr)
		if r.Policy.Attempts.String() != "4" {
			t.Errorf("%s: %s attempts", expr, r.Policy.Attempts)
		}
		if !slices.ContainsFunc(r.Traits, func(t model.Trait) bool { return t.Kind == model.TraitStopsOnContext }) {
			t.Errorf("%s: the context is not seen", expr)
		}
		if len(r.At) == 0 {
			t.Errorf("%s: the place of the number is missing", expr)
		}
	}
}

// What nobody can read must never become a number, a bound or "no limit".
func TestUnknownStaysUnknown(t *testing.T) {
	for _, x := range []struct{ path, call, client, expr string }{
		{"github.com/cenkalti/backoff/v4", "Retry", "", `Retry(op, UNKNOWN)`},
		{"github.com/cenkalti/backoff/v4", "Retry", "", `Retry(op, myOwnBackOff())`},
		{"github.com/cenkalti/backoff/v4", "Retry", "", `Retry(op, WithContext(UNKNOWN, ctx))`},
		{"github.com/sethvargo/go-retry", "Do", "", `Do(ctx, UNKNOWN, f)`},
		{"github.com/avast/retry-go/v4", "Do", "", `Do(op, Attempts(UNKNOWN))`},
		{"github.com/hashicorp/go-retryablehttp", "", "Client", `with(NewClient(), F{RetryMax: UNKNOWN})`},
		{"k8s.io/apimachinery/pkg/util/wait", "ExponentialBackoff", "", `ExponentialBackoff(UNKNOWN, f)`},
		{"go.temporal.io/sdk/workflow", "ExecuteActivity", "", `ExecuteActivity(WithActivityOptions(ctx, UNKNOWN), f)`},
		{"github.com/aws/aws-sdk-go-v2/service/sqs", "", "Client", `NewFromConfig(LoadDefaultConfig(ctx, WithRetryMaxAttempts(UNKNOWN)))`},
	} {
		r := use(t, x.path, x.call, x.client, x.expr)
		if !r.Policy.Attempts.IsUnknown() {
			t.Errorf("%s: %s attempts", x.expr, r.Policy.Attempts)
		}
		if bounded, known := r.Policy.Bounded(); known && !bounded {
			t.Errorf("%s: known to have no bound", x.expr)
		}
	}
	// An unknown policy under a known limit on the attempts keeps the limit, and its waits are unknown.
	r := use(t, "github.com/cenkalti/backoff/v4", "Retry", "", `Retry(op, WithMaxRetries(UNKNOWN, 3))`)
	if r.Policy.Attempts.String() != "4" || r.Policy.Backoff.Kind != model.BackoffUnknown {
		t.Errorf("WithMaxRetries around an unknown policy: %s attempts, backoff %s", r.Policy.Attempts, r.Policy.Backoff.Kind)
	}
}

func TestReferences(t *testing.T) {
	s := &fakeSite{options: map[string][]Value{"Attempts": {{Set: true, IsInt: true, Int: 5, At: at(3),
		Ref: model.Ref{Name: model.N(model.SpaceEnv, "TRIES")}}}}}
	r := EvaluateCall(Lookup("github.com/avast/retry-go/v4")[0].Call("Do"), s)
	if r.Policy.Attempts.String() != "5" || len(r.Refs) != 1 {
		t.Fatalf("%s attempts, refs %+v", r.Policy.Attempts, r.Refs)
	}
	if got := r.Refs[0]; got.Field != model.FieldAttempts || got.ZeroIs != "unbounded" || got.Offset != 0 || got.At != at(3) {
		t.Errorf("ref %+v", got)
	}
	s = &fakeSite{fields: map[string]Value{"RetryMax": {Set: true, At: at(4), Ref: model.Ref{Name: model.N(model.SpaceFlag, "retries")}}}}
	r = EvaluateClient(Lookup("github.com/hashicorp/go-retryablehttp")[0].Client("Client"), "NewClient", s)
	if !r.Policy.Attempts.IsUnknown() || len(r.Refs) != 1 || r.Refs[0].Offset != 1 {
		t.Errorf("%s attempts, refs %+v", r.Policy.Attempts, r.Refs)
	}
}

func TestRanges(t *testing.T) {
	s := &fakeSite{options: map[string][]Value{"Attempts": {{Set: true, IsInt: true, Lo: 2, Hi: 5, Int: 5}}}}
	do := Lookup("github.com/avast/retry-go/v4")[0].Call("Do")
	if r := EvaluateCall(do, s); r.Policy.Attempts.String() != "2..5" {
		t.Errorf("2 or 5: %s", r.Policy.Attempts)
	}
	s.options["Attempts"][0].Lo = 0 // one of the values means "without end"
	if r := EvaluateCall(do, s); !r.Policy.Attempts.IsUnbounded() {
		t.Errorf("0 or 5: %s", r.Policy.Attempts)
	}
}

func TestVersions(t *testing.T) {
	do := Lookup("github.com/avast/retry-go/v4")[0].Call("Do")
	first := func(version string) string {
		_, hi := EvaluateCall(do, &fakeSite{version: version, options: map[string][]Value{"DelayType": {{Set: true, Name: "BackOffDelay"}}}}).Policy.Backoff.Gap(1)
		return hi.String()
	}
	if got := first("v4.6.1"); got != "200ms" {
		t.Errorf("v4.6.1: first wait %s", got)
	}
	if got := first("v4.7.0"); got != "100ms" {
		t.Errorf("v4.7.0: first wait %s", got)
	}
	sqs := Lookup("github.com/aws/aws-sdk-go-v2/service/sqs")[0].Client("Client")
	s := &fakeSite{modules: map[string]string{"github.com/aws/aws-sdk-go-v2": "v1.40.0"}}
	if d, _ := EvaluateClient(sqs, "NewFromConfig", s).Policy.Backoff.Initial.Duration(); d != 2*time.Second {
		t.Errorf("aws v1.40: %s", d)
	}
	for _, c := range []struct {
		v, r string
		want bool
	}{{"v1.2.3", ">= v1.2", true}, {"v1.2.3", "< v1.2", false}, {"v4.6.1", ">= v4, < v4.7", true}, {"v2.7.0+incompatible", "< v3", true}, {"1.2.3", "= v1.2.3", true}, {"v1", "nonsense", false}} {
		if got := inRange(c.v, c.r); got != c.want {
			t.Errorf("inRange(%s, %s) = %t", c.v, c.r, got)
		}
	}
}

func TestServiceConfig(t *testing.T) {
	client := func(expr string) Result { return use(t, "google.golang.org/grpc", "", "ClientConn", expr) }
	cfg := `"{'methodConfig':[{'name':[{}],'timeout':'3s','retryPolicy':{'maxAttempts':%,'initialBackoff':'0.1s','maxBackoff':'1s','backoffMultiplier':2,'retryableStatusCodes':['UNAVAILABLE']}}]}"`
	with := func(n, more string) Result {
		s := strings.NewReplacer("'", `\"`, "%", n).Replace(cfg)
		lit, _ := siteOf(t, "NewClient(a)", false)
		text := strings.NewReplacer(`\"`, `"`).Replace(strings.Trim(s, `"`))
		lit.options["WithDefaultServiceConfig"] = []Value{{Set: true, IsStr: true, Str: text, At: at(2)}}
		if more != "" {
			lit.options["WithMaxCallAttempts"] = []Value{literal(more)}
		}
		return EvaluateClient(Lookup("google.golang.org/grpc")[0].Client("ClientConn"), "NewClient", lit)
	}
	if r := client("NewClient(a)"); r.Policy.Attempts.String() != "1" || r.Origin != model.OriginDefault {
		t.Errorf("no service config: %s %s", r.Policy.Attempts, r.Origin)
	}
	for _, c := range []struct{ n, more, want string }{{"4", "", "4"}, {"10", "", "5"}, {"10", "8", "8"}, {"10", "1", "5"}, {"1", "", "1"}} {
		if r := with(c.n, c.more); r.Policy.Attempts.String() != c.want {
			t.Errorf("maxAttempts %s, WithMaxCallAttempts %q: %s attempts, want %s", c.n, c.more, r.Policy.Attempts, c.want)
		}
	}
	r := with("4", "")
	if d, _ := r.Policy.Overall.Duration(); d != 3*time.Second || r.Policy.On&model.OnUnavailable == 0 || r.Origin != model.OriginExplicit {
		t.Errorf("overall %s, on %s, origin %s", r.Policy.Overall, r.Policy.On, r.Origin)
	}
	lit, _ := siteOf(t, "NewClient(a)", false)
	lit.options["WithDefaultServiceConfig"] = []Value{{Set: true}}
	if r := EvaluateClient(Lookup("google.golang.org/grpc")[0].Client("ClientConn"), "NewClient", lit); !r.Policy.Attempts.IsUnknown() {
		t.Errorf("unknown service config: %s", r.Policy.Attempts)
	}
}

// A service config has an entry for each method, one for a service, or one for all; the nearest holds.
func TestServiceConfigOf(t *testing.T) {
	const config = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":2}},{"name":[{"service":"a.S"}],"retryPolicy":{"maxAttempts":4}},
		{"name":[{"service":"a.S","method":"Get"}]}]}`
	for method, want := range map[string]struct {
		attempts string
		worst    bool
	}{"/a.S/Put": {"4", true}, "/S/Put": {"4", true}, "/a.S/Get": {"", false}, "/b.S/Get": {"2", false}, "/T/Get": {"2", false}} {
		one, worst, ok := ServiceConfigOf(config, method)
		if !ok || worst != want.worst || !strings.Contains(one, `"maxAttempts":`+want.attempts) == (want.attempts != "") {
			t.Errorf("%s: %s, worst %t, ok %t", method, one, worst, ok)
		}
	}
	if _, _, ok := ServiceConfigOf(`{"methodConfig":[{"name":[{"service":"a.S"}],"retryPolicy":{"maxAttempts":4}}]}`, "/b.T/Get"); ok {
		t.Error("a config of one service is not about another")
	}
	if one, worst, ok := ServiceConfigOf("{{ .config }}", "/b.T/Get"); one != "{{ .config }}" || !worst || !ok {
		t.Error("a text that is no config stays what it is")
	}
}

// The producer traits depend on settings; a setting that cannot be read gives no trait.
func TestProducerTraits(t *testing.T) {
	for expr, want := range map[string]bool{
		`NewSyncProducer(a, NewConfig())`:                                        true,
		`NewSyncProducer(a, with(NewConfig(), F{Producer.Idempotent: true}))`:    false,
		`NewSyncProducer(a, with(NewConfig(), F{Producer.Idempotent: false}))`:   true,
		`NewSyncProducer(a, with(NewConfig(), F{Producer.Idempotent: UNKNOWN}))`: false,
	} {
		r := use(t, "github.com/IBM/sarama", "", "SyncProducer", expr)
		if got := slices.ContainsFunc(r.Traits, func(t model.Trait) bool { return t.Kind == model.TraitNotIdempotentSend }); got != want {
			t.Errorf("%s: trait %t", expr, got)
		}
	}
}

func TestContinue(t *testing.T) {
	start := &fakeSite{fields: map[string]Value{"<receiver>": {Set: true, Name: "Exponential", Site: &fakeSite{options: map[string][]Value{"WithMaxRetries": {num(3)}}}}}}
	s := &fakeSite{args: []Value{{Set: true, Name: "Start", Site: start}}}
	if r := EvaluateCall(Lookup("github.com/lestrrat-go/backoff/v2")[0].Call("Continue"), s); r.Policy.Attempts.String() != "4" {
		t.Errorf("%s attempts", r.Policy.Attempts)
	}
}

func TestLookup(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/stripe/stripe-go/v82":                  "stripe-go",
		"github.com/stripe/stripe-go/v76/paymentintent":    "stripe-go",
		"github.com/stripe/stripe-go/v76/checkout/session": "stripe-go",
		"github.com/stripe/stripe-go/v70/charge":           "stripe-go up to v70",
		"github.com/aws/aws-sdk-go-v2/service/sqs":         "aws-sdk-go-v2 SQS",
		"github.com/aws/aws-sdk-go-v2/service/cloudwatch":  "aws-sdk-go-v2",
		"github.com/cenkalti/backoff/v4":                   "cenkalti/backoff v4",
		"example.org/nothing":                              "",
	} {
		got := ""
		if l := Lookup(path); len(l) > 0 {
			got = l[0].Name
		}
		if got != want {
			t.Errorf("Lookup(%s) = %q, want %q", path, got, want)
		}
	}
	l := Lookup("github.com/avast/retry-go/v5")[0]
	for _, n := range []string{"(*Retrier).Do", "Retrier.Do", "(*RetrierWithData[T]).Do"} {
		if l.Call(n) == nil {
			t.Errorf("Call(%s) is nil", n)
		}
	}
	sqs := Lookup("github.com/aws/aws-sdk-go-v2/service/sqs")[0]
	if s := sqs.Send("Client", "ReceiveMessage"); s == nil || !s.Idempotent {
		t.Error("ReceiveMessage is not idempotent")
	}
	if s := sqs.Send("Client", "SendMessage"); s == nil || s.Idempotent || s.Kind != "publish" {
		t.Error("SendMessage is no publish")
	}
	if s := sqs.Send("Client", "ListQueues"); s == nil || !s.Idempotent {
		t.Error("ListQueues is not idempotent")
	}
}

func TestTerms(t *testing.T) {
	for _, bad := range []string{"arg", "arg x", "field", "option", "1 +", "min(1)", "polls(1, 2", "else 3", "3 else", "frob 1", "arg 1 [0]", "arg 1 [0 maybe]", "len 3", "option A.x", "arg 1 if", "arg 1 if 3",
		strings.Repeat("min(", 40) + "1" + strings.Repeat(", 1)", 40)} {
		if _, err := parseTerm(bad); err == nil {
			t.Errorf("%q parses", bad)
		}
	}
}

func TestParseYAML(t *testing.T) {
	list, err := ParseYAML([]byte(`
- name: our retry
  path: example.org/x/retry
  calls:
    - func: Do
      runs: arg 1
      attempts: option Tries + 1 else 4
      zeroIs: one
      initial: 1s
      backoff: constant
`))
	if err != nil {
		t.Fatal(err)
	}
	set := With(list)
	c := set.Lookup("example.org/x/retry")[0].Call("Do")
	if r := EvaluateCall(c, &fakeSite{options: map[string][]Value{"Tries": {num(2)}}}); r.Policy.Attempts.String() != "3" {
		t.Errorf("%s attempts", r.Policy.Attempts)
	}
	if r := EvaluateCall(c, &fakeSite{}); r.Policy.Attempts.String() != "4" || r.Origin != model.OriginDefault {
		t.Errorf("%s attempts, %s", r.Policy.Attempts, r.Origin)
	}
	if len(Lookup("example.org/x/retry")) != 0 {
		t.Error("With changed the built-in libraries")
	}
	if len(set.Lookup("github.com/cenkalti/backoff/v4")) == 0 {
		t.Error("With lost the built-in libraries")
	}
	for _, bad := range []string{
		"- name: x\n  calls: [{func: Do}]\n",                     // no path
		"- path: a/b\n  calls: [{func: Do, attempts: frob}]\n",   // no term
		"- path: a/b\n  calls: [{func: Do, attempt: '3'}]\n",     // no field
		"- path: a/b\n  calls: [{func: Do, jitter: lots}]\n",     // no word
		"- path: a/b\n  calls: [{runs: arg 0}]\n",                // no func
		"- path: a/b\n  versions: newest\n",                      // no range
		"- path: a/b\n  calls: [{func: Do, on: 'everything'}]\n", // no condition
		"- path: a/b\n---\n- path: c/d\n",                        // two documents
		"- path: a/*/b\n",                                        // a pattern in the middle
	} {
		if _, err := ParseYAML([]byte(bad)); err == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
	if list, err := ParseYAML(nil); err != nil || list != nil {
		t.Errorf("empty: %v, %v", list, err)
	}
}

func FuzzTerm(f *testing.F) {
	for _, l := range All() {
		for _, c := range l.Calls {
			f.Add(c.Attempts)
		}
	}
	s := &fakeSite{args: []Value{num(3)}}
	f.Fuzz(func(t *testing.T, text string) {
		q := scope{site: s}.eval(text)
		_, _ = q.count(), q.limit()
	})
}

func TestDoc(t *testing.T) {
	doc := Doc()
	for _, l := range All() {
		if !strings.Contains(doc, "\n## "+l.Name+"\n") || !strings.Contains(doc, l.Source) {
			t.Errorf("%s is not documented", l.Name)
		}
	}
	for i, line := range strings.Split(doc, "\n") {
		if strings.HasPrefix(line, "| ") && strings.Count(strings.ReplaceAll(line, "\\|", ""), "|") != 8 && strings.Count(strings.ReplaceAll(line, "\\|", ""), "|") != 6 {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
	if doc != Doc() {
		t.Error("not deterministic")
	}
}
