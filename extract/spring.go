package extract

import (
	"strings"
	"time"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// relaxed finds a Spring property whatever the case, dashes and camel case of its parts, and however they are split over maps.
func relaxed(n *doc.Node, dotted string) *doc.Node {
	parts := strings.Split(dotted, ".")
	for i := len(parts); i > 0; i-- {
		v := fold(n, strings.Join(parts[:i], "."))
		if i < len(parts) && v.Exists() {
			v = relaxed(v, strings.Join(parts[i:], "."))
		}
		if v.Exists() {
			return v
		}
	}
	return n.Get(dotted)
}

var springFiles = []string{"application*.yml", "application*.yaml", "application*.properties", "bootstrap*.yml", "bootstrap*.yaml", "bootstrap*.properties", "config/*.yml"}

func hasProperty(dotted ...string) func(string, *doc.Document) bool {
	return func(_ string, d *doc.Document) bool {
		for _, k := range dotted {
			if relaxed(d.Root, k).Exists() {
				return true
			}
			for _, key := range d.Root.Keys() {
				if strings.HasPrefix(key, k+".") {
					return true
				}
			}
		}
		return false
	}
}

// springNode is the node for a part of a Spring application's configuration.
func springNode(out *Out, part string) model.Name {
	return model.N(model.SpaceConfig, out.Repo+"/"+out.Path+"#"+part)
}

var _ = add(Format{
	Name:  "spring-kafka",
	Title: "Spring Boot: Kafka",
	Files: springFiles,
	Match: hasProperty("spring.kafka"),
	Read: overridable(springName, func(d *doc.Document, out *Out) {
		k := relaxed(d.Root, "spring.kafka")
		p := fold(k, "producer")
		if p.Exists() {
			kafkaProducer(func(key string) *doc.Node {
				own := fold(p, key)
				if key == "retries" || key == "acks" {
					if own.Exists() {
						return own
					}
				}
				return exists(property(fold(p, "properties"), key), property(fold(k, "properties"), key), own)
			}, p, springNode(out, "spring.kafka.producer"), out)
		}
		t := relaxed(k, "retry.topic")
		if on, _ := fold(t, "enabled").Bool(); on {
			l := model.Layer{Kind: model.KindQueue, In: springNode(out, "spring.kafka.retry.topic"), Whole: true, Label: "Spring Kafka retry topics", Policy: model.Policy{On: model.OnError}}
			out.count(&l, fold(t, "attempts"), t, counting{absent: model.Exactly(3), by: "Spring Kafka: attempts is 3 where it is not set", off: "spring.kafka.retry.topic.enabled: false", zero: refused, negative: refused})
			l.Policy.Backoff = springBackoff(&l, out, springWaits{exists(relaxed(t, "backoff.delay"), fold(t, "delay")), exists(relaxed(t, "backoff.multiplier"), fold(t, "multiplier")),
				exists(relaxed(t, "backoff.max-delay"), fold(t, "max-delay")), time.Second, 30 * time.Second})
			out.Layer(l)
		}
	}),
	Keys: append([]Key{{"spring.kafka.retry.topic.attempts", "attempts", "3, only with enabled: true", "refused", "refused"}}, kafkaKeys...),
	Doc: `The producer's keys stand under spring.kafka.producer (retries, acks) and its properties. Retry topics count attempts. The error handler of a
listener makes 10 attempts without a wait where code says nothing. ` + kafkaDoc,
	Example: `
-- application.yml --
spring:
  kafka:
    producer:
      acks: "1"
      retries: 10 # want layer "attempts=11 initial=300ms overall=1m producer-no-idempotence kind=producer"
      properties:
        enable.idempotence: false
        delivery.timeout.ms: 60000
        retry.backoff.ms: 300
    retry:
      topic:
        enabled: true
        attempts: 4 # want layer "attempts=4 initial=2s"
        backoff: {delay: 2s}
-- application-prod.properties --
spring.kafka.producer.retries=0 # want layer "attempts=1"
`,
})

type springWaits struct {
	delay, multiplier, max *doc.Node
	initial, most          time.Duration // where they are not set
}

func springBackoff(l *model.Layer, out *Out, w springWaits) model.Backoff {
	b := model.Backoff{Kind: model.BackoffConstant, Jitter: model.Jitter{Kind: model.JitterNone}}
	b.Initial = limitOr(out.span(l, w.delay, model.FieldInitial, time.Millisecond), w.delay, model.For(w.initial))
	if f, ok := w.multiplier.Float(); ok && f > 1 {
		b.Kind, b.Factor = model.BackoffExponential, model.RatioOf(f)
		b.Max = limitOr(out.span(l, w.max, model.FieldMax, time.Millisecond), w.max, model.For(w.most))
		if w.most == 0 && !w.max.Exists() {
			b.Max = model.NoLimit()
		}
	} else if w.multiplier.Exists() && !ok {
		b.Kind = model.BackoffUnknown
	}
	return b
}

var _ = add(Format{
	Name:  "spring-rabbitmq",
	Title: "Spring Boot: RabbitMQ listeners and template",
	Files: springFiles,
	Match: hasProperty("spring.rabbitmq"),
	Read: overridable(springName, func(d *doc.Document, out *Out) {
		for _, part := range []string{"listener.simple", "listener.direct", "listener", "template"} { // "listener" alone is Spring Boot 1
			r := relaxed(d.Root, "spring.rabbitmq."+part+".retry")
			if !r.Exists() {
				continue
			}
			on := fold(r, "enabled")
			if v, known := on.Bool(); !known || !v {
				continue
			}
			l := model.Layer{Kind: model.KindQueue, In: springNode(out, "spring.rabbitmq."+part), Whole: true, Label: "Spring RabbitMQ " + part + " retry", Policy: model.Policy{On: model.OnError}}
			if part == "template" {
				l.Kind = model.KindProducer
			}
			retries, attempts := fold(r, "max-retries"), fold(r, "max-attempts")
			switch {
			case retries.Exists():
				out.count(&l, retries, r, counting{offset: 1, negative: refused})
			case attempts.Exists():
				out.count(&l, attempts, r, counting{zero: refused, negative: refused})
			default:
				// The same default of 3 is attempts up to Spring Boot 3 and retries since 4.
				out.count(&l, attempts, r, counting{absent: model.Between(3, 4), by: "Spring Boot: 3 attempts (3) or 3 retries (4) where no number is set", off: "enabled: false"})
			}
			l.Policy.Backoff = springBackoff(&l, out, springWaits{fold(r, "initial-interval"), fold(r, "multiplier"), fold(r, "max-interval"), time.Second, 10 * time.Second})
			out.Layer(l)
		}
	}),
	Keys: []Key{
		{"spring.rabbitmq.listener.simple.retry.max-attempts", "attempts (Spring Boot up to 3)", "off; 3 with enabled: true", "refused", "refused"},
		{"spring.rabbitmq.listener.simple.retry.max-retries", "retries (Spring Boot 4)", "off; 3 with enabled: true", "1 attempt", "refused"},
		{"….retry.initial-interval", "first wait; a number is milliseconds", "1s", "", ""},
		{"….retry.multiplier", "growth", "1.0", "", ""},
		{"….retry.max-interval", "longest wait", "10s", "", ""},
	},
	Doc: `Off unless enabled. max-attempts counts attempts, its successor max-retries counts retries. After the last attempt the message is rejected: it goes to
the dead-letter exchange, or is lost. Source: catalogue, F2.`,
	Example: `
-- application.yml --
spring:
  rabbitmq:
    listener:
      simple:
        retry:
          enabled: true
          max-attempts: 3 # want layer "attempts=3 initial=500ms factor=2 max=10s"
          initial-interval: 500
          multiplier: 2
    template:
      retry: {enabled: true, maxRetries: 3} # want layer "attempts=4"
-- application-off.yml --
spring.rabbitmq.listener.direct.retry.max-attempts: 9
spring.rabbitmq.listener.simple:
  retry: # want layer "attempts=3..4 origin=default"
    enabled: true
`,
})

var _ = add(Format{
	Name:  "spring-cloud-stream",
	Title: "Spring Cloud Stream",
	Files: springFiles,
	Match: hasProperty("spring.cloud.stream.bindings", "spring.cloud.stream.default"),
	Read: overridable(springName, func(d *doc.Document, out *Out) {
		for _, e := range relaxed(d.Root, "spring.cloud.stream.bindings").Entries() {
			c := fold(e.Value, "consumer")
			if !fold(c, "max-attempts").Exists() && !fold(c, "back-off-initial-interval").Exists() {
				continue
			}
			self := springNode(out, "spring.cloud.stream.bindings."+e.Key)
			l := model.Layer{Kind: model.KindQueue, In: self, Whole: true, Label: "Spring Cloud Stream consumer", Policy: model.Policy{On: model.OnError}}
			out.count(&l, fold(c, "max-attempts"), c, counting{absent: model.Exactly(3), by: "Spring Cloud Stream: maxAttempts is 3 where it is not set", off: "maxAttempts: 1", zero: refused, negative: refused})
			initial, most, factor := fold(c, "back-off-initial-interval"), fold(c, "back-off-max-interval"), fold(c, "back-off-multiplier")
			b := model.Exponential(time.Second, model.NewRatio(2, 1), 10*time.Second)
			b.Initial = limitOr(out.span(&l, initial, model.FieldInitial, time.Millisecond), initial, b.Initial)
			b.Max = limitOr(out.span(&l, most, model.FieldMax, time.Millisecond), most, b.Max)
			if f, ok := factor.Float(); ok && f >= 1 {
				b.Factor = model.RatioOf(f)
			}
			l.Policy.Backoff = b
			out.Layer(l)
		}
		for _, binder := range []string{"kafka", "rabbit"} {
			for _, e := range relaxed(d.Root, "spring.cloud.stream."+binder+".bindings").Entries() {
				c := fold(e.Value, "consumer")
				for _, key := range []string{"enable-dlq", "auto-bind-dlq"} {
					if on, _ := fold(c, key).Bool(); on {
						out.DeadLetter(model.DeadLetter{Of: springNode(out, "spring.cloud.stream.bindings."+e.Key), Name: plain(fold(c, "dlq-name")), At: out.Loc(fold(c, key)), Origin: model.OriginExplicit})
					}
				}
			}
		}
	}),
	Keys: []Key{
		{"spring.cloud.stream.bindings.*.consumer.maxAttempts", "attempts", "3", "refused", "refused"},
		{"….consumer.backOffInitialInterval", "first wait, milliseconds", "1000", "", ""},
		{"….consumer.backOffMaxInterval", "longest wait, milliseconds", "10000", "", ""},
		{"….consumer.backOffMultiplier", "growth", "2.0", "", ""},
	},
	Doc: `A binding's consumer is called maxAttempts times for each delivery; the container's error handler and the broker deliver again on top of it.
Source: catalogue, F4.`,
	Example: `
-- application.yaml --
spring:
  cloud:
    stream:
      bindings:
        bills-in-0:
          destination: bills
          consumer:
            max-attempts: 5 # want layer "attempts=5 initial=2s factor=2 max=10s"
            backOffInitialInterval: 2000
      kafka:
        bindings:
          bills-in-0:
            consumer: {enableDlq: true, dlqName: bills-dead} # want deadletter "bills-dead"
`,
})

var _ = add(Format{
	Name:  "resilience4j",
	Title: "Resilience4j retries",
	Files: append([]string{"resilience4j*.yml", "resilience4j*.yaml", "resilience4j*.properties"}, springFiles...),
	Match: hasProperty("resilience4j.retry"),
	Read: overridable(springName, func(d *doc.Document, out *Out) {
		r := relaxed(d.Root, "resilience4j.retry")
		configs := fold(r, "configs")
		for _, group := range []*doc.Node{exists(fold(r, "instances"), fold(r, "backends"))} {
			for _, e := range group.Entries() {
				base := configs.Get(plain(fold(e.Value, "base-config")))
				if !base.Exists() {
					base = configs.Get("default")
				}
				resilience4j(e.Key, e.Value, base, out)
			}
		}
		if !fold(r, "instances").Exists() && !fold(r, "backends").Exists() {
			for _, e := range configs.Entries() {
				resilience4j(e.Key, e.Value, nil, out)
			}
		}
	}),
	Keys: []Key{
		{"max-attempts", "attempts", "3, Resilience4j", "refused", "refused"},
		{"wait-duration", "wait; a number is milliseconds", "500ms, Resilience4j", "", ""},
		{"exponential-backoff-multiplier", "growth, with enable-exponential-backoff", "1.5", "", ""},
		{"exponential-max-wait-duration", "longest wait", "none", "", ""},
		{"randomized-wait-factor", "jitter either way, with enable-randomized-wait", "0.5", "", ""},
	},
	Doc: `An instance's max-attempts counts attempts. What an instance does not set comes from its base-config or configs.default. The caller is the method with
@Retry(name); each retry passes the circuit breaker, limiter and time limiter inside it. Source: catalogue, F1.`,
	Example: `
-- application.yml --
resilience4j:
  retry:
    configs:
      default: {maxAttempts: 5, waitDuration: 200} # want layer "attempts=5 initial=200ms"
    instances:
      ledger:
        base-config: default
      rates:
        max-attempts: 4 # want layer "attempts=4 backoff=exponential initial=1s factor=2 max=8s jitter=proportional"
        wait-duration: 1s
        enable-exponential-backoff: true
        exponential-backoff-multiplier: 2
        exponential-max-wait-duration: 8s
        enable-randomized-wait: true
-- resilience4j.properties --
resilience4j.retry.instances.mail.waitDuration=2s # want layer "attempts=3 origin=default initial=2s"
`,
})

func resilience4j(name string, r, base *doc.Node, out *Out) {
	get := func(key string) *doc.Node {
		if v := fold(r, key); v.Exists() || base == nil {
			return v
		}
		return fold(base, key).Or(fold(r, key))
	}
	l := model.Layer{Kind: model.KindLibrary, In: springNode(out, "resilience4j.retry."+name), Whole: true, Label: "Resilience4j retry " + name, Policy: model.Policy{On: model.OnError}}
	out.count(&l, exists(get("max-attempts"), get("max-retry-attempts")), r, counting{absent: model.Exactly(3), by: "Resilience4j: max-attempts is 3 where it is not set", off: "max-attempts: 1", zero: refused, negative: refused})
	wait := get("wait-duration")
	b := model.Backoff{Kind: model.BackoffConstant, Initial: limitOr(out.span(&l, wait, model.FieldInitial, time.Millisecond), wait, model.For(500*time.Millisecond)), Jitter: model.Jitter{Kind: model.JitterNone}}
	if on, _ := get("enable-exponential-backoff").Bool(); on {
		b.Kind, b.Factor, b.Max = model.BackoffExponential, model.NewRatio(3, 2), model.NoLimit()
		if f, ok := get("exponential-backoff-multiplier").Float(); ok && f >= 1 {
			b.Factor = model.RatioOf(f)
		}
		if m := get("exponential-max-wait-duration"); m.Exists() {
			b.Max = out.span(&l, m, model.FieldMax, time.Millisecond)
		}
	}
	if on, _ := get("enable-randomized-wait").Bool(); on {
		b.Jitter = model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 2)}
		if f, ok := get("randomized-wait-factor").Float(); ok && f >= 0 && f <= 1 {
			b.Jitter.Factor = model.RatioOf(f)
		}
	}
	l.Policy.Backoff = b
	if n := exists(get("retry-exceptions"), get("ignore-exceptions"), get("retry-exception-predicate")); n.Exists() {
		l.Traits = append(l.Traits, model.Trait{Kind: model.TraitFiltersPermanent, At: out.Loc(n), Detail: n.Key()})
	}
	out.Layer(l)
}

var _ = add(Format{
	Name:  "microprofile",
	Title: "MicroProfile Fault Tolerance, Quarkus, SmallRye",
	Files: []string{"microprofile-config*.properties", "application*.properties", "application*.yml", "application*.yaml"},
	Match: func(_ string, d *doc.Document) bool {
		found := relaxed(d.Root, "quarkus.fault-tolerance").Exists()
		d.Root.Walk(func(n *doc.Node) bool {
			found = found || strings.HasSuffix(n.Key(), "Retry/maxRetries") || strings.HasSuffix(n.Key(), "Retry/delay") || strings.HasSuffix(n.Key(), "Retry/maxDuration")
			return !found
		})
		return found
	},
	Read: readMicroProfile,
	Keys: []Key{
		{"CLASS/METHOD/Retry/maxRetries, quarkus.fault-tolerance.\"…\".retry.max-retries", "retries", "3, MicroProfile", "1 attempt", "no end (-1)"},
		{"Retry/delay", "wait, milliseconds", "0, MicroProfile", "", ""},
		{"Retry/jitter", "either way, milliseconds", "200, MicroProfile", "", ""},
		{"Retry/maxDuration", "limit over all attempts, milliseconds", "180000, MicroProfile", "none", ""},
		{"Timeout/value", "limit of one attempt, milliseconds", "1000, with @Timeout", "", ""},
	},
	Doc: `Sets the numbers of @Retry annotations: of a method, of a class or of all. maxRetries counts retries. The annotation itself is in code.
Source: catalogue, F5.`,
	Example: `
-- microprofile-config.properties --
com.example.Ledger/post/Retry/maxRetries=4 # want layer "attempts=5 initial=500ms overall=3m"
com.example.Ledger/post/Retry/delay=500
Retry/maxRetries=-1 # want layer "count=unbounded overall=20s"
Retry/maxDuration=20
Retry/durationUnit=SECONDS
-- application.properties --
quarkus.fault-tolerance."com.example.Rates/get".retry.max-retries=0 # want layer "attempts=1"
`,
})

func readMicroProfile(d *doc.Document, out *Out) {
	type group struct{ count, delay, jitter, overall, unit, delayUnit *doc.Node }
	groups, order := map[string]*group{}, []string{}
	d.Root.Walk(func(n *doc.Node) bool {
		owner, leaf, ok := cutLast(n.Key(), "Retry/")
		if !ok || n.Kind() == doc.Map {
			return true
		}
		full := owner
		for p := n.Parent(); p != nil; p = p.Parent() {
			full = p.Key() + "." + full
		}
		g := groups[full]
		if g == nil {
			g = &group{}
			groups[full] = g
			order = append(order, full)
		}
		switch leaf {
		case "maxRetries":
			g.count = n
		case "delay":
			g.delay = n
		case "jitter":
			g.jitter = n
		case "maxDuration":
			g.overall = n
		case "durationUnit":
			g.unit = n
		case "delayUnit":
			g.delayUnit = n
		}
		return true
	})
	// The class in quotes may be split at its dots.
	relaxed(d.Root, "quarkus.fault-tolerance").Walk(func(r *doc.Node) bool {
		if r.Key() != "retry" || r.Kind() != doc.Map {
			return true
		}
		name := ""
		for p := r.Parent(); p != nil && p.Key() != "fault-tolerance" && p.Key() != "quarkus.fault-tolerance"; p = p.Parent() {
			name = strings.Trim(p.Key(), "\"") + "." + name
		}
		groups[name] = &group{count: fold(r, "max-retries"), delay: fold(r, "delay"), jitter: fold(r, "jitter"), overall: fold(r, "max-duration")}
		order = append(order, name)
		return false
	})
	for _, name := range order {
		g := groups[name]
		l := model.Layer{Kind: model.KindLibrary, In: springNode(out, strings.Trim(name, "./")+"/Retry"), Whole: true, Label: "MicroProfile Retry", Policy: model.Policy{On: model.OnError}}
		in := g.count
		for _, n := range []*doc.Node{g.delay, g.jitter, g.overall} {
			if in == nil || !in.Exists() {
				in = n
			}
		}
		out.count(&l, g.count, in, counting{offset: 1, absent: model.Exactly(4), by: "MicroProfile: maxRetries is 3 where it is not set", off: "Retry/maxRetries=0", negative: endless})
		unit := chronoUnit(g.unit)
		l.Policy.Overall = positive(limitOr(out.span(&l, g.overall, model.FieldOverall, unit), g.overall, model.For(3*time.Minute)))
		wait := limitOr(out.span(&l, g.delay, model.FieldInitial, chronoUnit(g.delayUnit)), g.delay, model.For(0))
		l.Policy.Backoff = model.Backoff{Kind: model.BackoffConstant, Initial: wait, Jitter: model.Jitter{Kind: model.JitterSome}}
		out.Layer(l)
	}
}

func chronoUnit(n *doc.Node) time.Duration {
	switch strings.ToUpper(n.Str()) {
	case "SECONDS":
		return time.Second
	case "MINUTES":
		return time.Minute
	case "HOURS":
		return time.Hour
	case "MICROS":
		return time.Microsecond
	case "NANOS":
		return time.Nanosecond
	}
	return time.Millisecond
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 || i > 0 && s[i-1] != '/' {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
