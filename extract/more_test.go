package extract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// TestMore holds files against want comments, as TestExamples does, for what is too rare for an example in the documentation.
func TestMore(t *testing.T) {
	for _, c := range []struct{ name, format, text string }{
		{"templates in place, in containers and in manifests", "argo-workflows", `
-- wf.yaml --
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: settle, namespace: pay}
spec:
  entrypoint: main
  templates:
    - name: main
      dag:
        tasks:
          - name: a
            inline:
              retryStrategy: {limit: 2}           # want layer "attempts=3"
              http:
                url: http://ledger.pay/entries    # want edge "POST host:ledger.pay /entries key=made"
                method: post
                headers:
                  - {name: Idempotency-Key, value: "{{workflow.name}}-{{retries}}"}
          - name: b
            templateRef: {name: shared, template: post, clusterScope: true}   # want edge "step:clusterworkflowtemplate/pay/shared#post"
          - name: c
            template: pods
            retryStrategy: {limit: 1}             # want layer "attempts=2"
    - name: pods
      containerSet:
        retryStrategy: {retries: 3, duration: 5s} # want layer "attempts=3 initial=5s"
        containers:
          - {name: main, image: "registry.test/pay/settle:1"}
    - name: job
      resource:
        action: create
        manifest: |
          apiVersion: batch/v1
          kind: Job
          metadata: {name: x}
          spec:
            backoffLimit: 4                       # want layer "attempts=5"
            template: {spec: {restartPolicy: Never, containers: [{name: x, image: y}]}}
    - name: derived
      http:
        url: http://ledger.pay/a                  # want edge "key=derived"
        headers: [{name: Idempotency-Key, value: "{{inputs.parameters.id}}"}]
    - name: constant
      http:
        url: http://ledger.pay/b                  # want edge "key=constant timeout=9s"
        timeoutSeconds: 9
        headers: [{name: Idempotency-Key, value: "batch"}]
`},
		{"deliveries of a topic and machines", "cloudformation", `
-- template.yaml --
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Topic:
    Type: AWS::SNS::Topic
    Properties: {TopicName: orders}
  Hook:
    Type: AWS::SNS::Subscription
    Properties:
      Protocol: https
      TopicArn: !Ref Topic
      Endpoint: https://shop.example/hooks   # want edge "POST host:shop.example /hooks"
      DeliveryPolicy:
        healthyRetryPolicy: {numRetries: 9, minDelayTarget: 1, maxDelayTarget: 60}   # want layer "attempts=10 initial=1s max=1m"
  Plain:
    Type: AWS::SNS::Subscription
    Properties:                                # want layer "attempts=4 initial=20s origin=default low=true"
      Protocol: https
      TopicArn: !Ref Topic
      Endpoint: https://other.example/hooks
  Machine:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      Definition:
        StartAt: A
        States:
          A:
            Type: Task
            Resource: arn:aws:states:::lambda:invoke
            Retry: [{ErrorEquals: [States.ALL], MaxAttempts: 6, IntervalSeconds: 2, BackoffRate: 2}]   # want layer "attempts=7 initial=2s"
            End: true
`},
		{"subscriptions, sequences, sources and defaults", "knative-eventing", `
-- k.yaml --
apiVersion: messaging.knative.dev/v1
kind: Subscription
metadata: {name: s, namespace: pay}
spec:
  channel: {apiVersion: messaging.knative.dev/v1, kind: Channel, name: orders}
  subscriber: {uri: http://ledger.pay/entries}
  delivery:
    retry: 4                                    # want layer "attempts=5"
    backoffPolicy: linear
    backoffDelay: PT2S
---
apiVersion: flows.knative.dev/v1
kind: Sequence
metadata: {name: q, namespace: pay}
spec:
  steps:
    - uri: http://a.pay
      delivery: {retry: 2, backoffDelay: PT1S}  # want layer "attempts=3"
    - uri: http://b.pay
---
apiVersion: flows.knative.dev/v1
kind: Parallel
metadata: {name: p, namespace: pay}
spec:
  branches:
    - subscriber: {uri: http://a.pay}
      delivery: {retry: 1, backoffDelay: PT1S}  # want layer "attempts=2"
---
apiVersion: sources.knative.dev/v1
kind: KafkaSource
metadata: {name: src, namespace: pay}
spec:
  topics: [orders]
  sink: {uri: http://ledger.pay}
  delivery: {retry: 7, backoffDelay: PT1S}      # want layer "attempts=8"
---
apiVersion: messaging.knative.dev/v1
kind: Channel
metadata: {name: orders, namespace: pay}
spec:
  delivery: {retry: 3, backoffDelay: PT1S}      # want layer "attempts=4"
`},
		{"the older form of policies", "kuma", `
-- retry.yaml --
type: Retry
mesh: default
name: web-to-ledger
sources: [{match: {kuma.io/service: web}}]
destinations: [{match: {kuma.io/service: ledger_pay_svc_8080}}]
conf:
  http:
    numRetries: 4                               # want layer "attempts=5 perAttempt=200ms"
    perTryTimeout: 200ms
    backOff: {baseInterval: 20ms, maxInterval: 1s}
  grpc:
    numRetries: 2                               # want layer "attempts=3"
    retryOn: [unavailable, resource_exhausted]
`},
		{"kinds of locations", "nginx", `
-- nginx.conf --
http {
  upstream ledger { server a.pay:80; server b.pay:80; server c.pay:80; }
  server {
    listen 80;
    location = /exact { proxy_pass http://ledger; proxy_next_upstream error timeout http_503; }   # want layer "attempts=3"
    location ^~ /files/ { proxy_pass http://ledger; proxy_next_upstream error timeout http_503; }  # want layer "attempts=3"
    location ~ \.php$ { proxy_pass http://ledger; proxy_next_upstream error timeout http_503; }    # want layer "attempts=3"
    location @fallback { proxy_pass http://ledger; proxy_next_upstream error timeout http_503; }   # want layer "attempts=3"
  }
}
`},
	} {
		t.Run(c.format+": "+c.name, func(t *testing.T) { checkArchive(t, txtar.Parse([]byte(c.text)), c.format) })
	}
}

// A word in a configuration says which failures are repeated; one that is missed would make a layer look harmless, or alike another.
func TestConditionsByTheirWords(t *testing.T) {
	node := func(s string) *doc.Node {
		return doc.Parse("x.yaml", []byte("x: "+s+"\n"), doc.Limits{}).Docs[0].Root.Get("x")
	}
	for word, want := range map[string]model.Conditions{
		"UNAVAILABLE": model.OnUnavailable, "14": model.OnUnavailable, "unavailable": model.OnUnavailable, "RESOURCE_EXHAUSTED": model.On429, "8": model.On429,
		"ABORTED": model.OnConflict, "10": model.OnConflict, "DEADLINE_EXCEEDED": model.OnTimeout, "4": model.OnTimeout, "NOT_FOUND": model.On4xx, "3": model.On4xx,
		"INTERNAL": model.OnRPCOther, "13": model.OnRPCOther,
	} {
		require.Equal(t, want, grpcCondition(node(word)), word)
	}
	for word, want := range map[string]model.Conditions{
		"BAD_GATEWAY": model.OnGateway, "INTERNAL_SERVER_ERROR,TOO_MANY_REQUESTS": model.On500 | model.On429, "REQUEST_TIMEOUT": model.OnTimeout,
		" CONFLICT ": model.OnConflict, "503": model.OnGateway, "500": model.On500, "429": model.On429, "NOT_FOUND": model.On4xx,
	} {
		require.Equal(t, want, springStatuses(word), word)
	}
	for word, want := range map[string]model.Conditions{
		"5xx": model.On5xx, "gateway-error": model.OnGateway, "unavailable": model.OnUnavailable, "resource-exhausted": model.On429, "internal": model.OnRPCOther,
		"cancelled": model.OnRPCOther, "503": model.OnGateway, "500-504": model.On5xx,
	} {
		require.Equal(t, want, linkerdCondition(word), word)
	}
	for _, c := range []struct {
		words []string
		want  model.Conditions
	}{
		{nil, model.OnConnect}, {[]string{"none"}, 0}, {[]string{"conn-failure", "503"}, model.OnConnect | model.OnGateway}, {[]string{"0rtt-rejected"}, model.OnConnect},
		{[]string{"empty-response"}, model.OnReset}, {[]string{"response-timeout"}, model.OnTimeout}, {[]string{"junk-response"}, model.OnGateway},
		{[]string{"all-retryable-errors"}, model.OnConnect | model.OnReset | model.OnTimeout | model.On5xx}, {[]string{"500"}, model.On500},
	} {
		require.Equal(t, c.want, haproxyConditions(c.words), "%v", c.words)
	}
	for word, want := range map[string]time.Duration{"SECONDS": time.Second, "minutes": time.Minute, "HOURS": time.Hour, "MICROS": time.Microsecond, "NANOS": time.Nanosecond,
		"MILLIS": time.Millisecond, "": time.Millisecond} {
		require.Equal(t, want, chronoUnit(node(word)), word)
	}
	for text, want := range map[string]bool{"k-$(uuidgen)": true, "$RANDOM": true, "${RANDOM}": true, "$(date +%s)": true, "`date`": true, "/proc/sys/kernel/random/uuid": true,
		"order-$ID": false, "updated": false} {
		require.Equal(t, want, unstableShell(text), text)
	}
}
