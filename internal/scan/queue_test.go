package scan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/internal/source"
	"github.com/retrylint/retrylint/model"
)

// scanFolders scans one repository for each first element of the paths.
func scanFolders(t *testing.T, files map[string]string) *model.Result {
	t.Helper()
	dir := t.TempDir()
	repos := map[string]bool{}
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
		first, _, _ := strings.Cut(name, "/")
		repos[filepath.Join(dir, first)] = true
	}
	var args []string
	for r := range repos {
		args = append(args, r)
	}
	found, err := source.Discover(args, source.Options{})
	require.NoError(t, err)
	res, err := scan.Run(t.Context(), scan.Options{Repos: found})
	require.NoError(t, err)
	return res
}

const queueTerraform = `
variable "max_receive" { default = 5 }
resource "aws_sqs_queue" "dead" { name = "invoices-dead" }
resource "aws_sqs_queue" "invoices" {
  name                       = "invoices"
  visibility_timeout_seconds = 30
  redrive_policy = jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead.arn
    maxReceiveCount     = var.max_receive
  })
}
`

const queueWorker = `package main

import (
	"bytes"
	"context"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
	"github.com/hashicorp/go-retryablehttp"
)

type worker struct {
	sqs  *sqs.Client
	bank *retryablehttp.Client
}

func (w *worker) run(ctx context.Context) {
	for {
		out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(QUEUE)})
		if err != nil {
			return
		}
		for _, m := range out.Messages {
			if w.invoice(ctx, *m.Body) == nil {
				w.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{ReceiptHandle: m.ReceiptHandle})
			}
		}
	}
}

func (w *worker) invoice(ctx context.Context, order string) error {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, "https://api.bank.example/v1/charges", bytes.NewReader([]byte(order)))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", uuid.NewString())
	resp, err := w.bank.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func main() {
	bank := retryablehttp.NewClient()
	bank.RetryMax = 3
	w := &worker{sqs: sqs.New(sqs.Options{}), bank: bank}
	_ = os.Args
	w.run(context.Background())
}
`

// A worker's client retries beneath the redelivery of a queue that Terraform describes elsewhere; the queue's address stands in
// the code, or in a variable that a Deployment sets.
func TestQueueAroundWorker(t *testing.T) {
	deployment := `
apiVersion: apps/v1
kind: Deployment
metadata: {name: billing, namespace: pay}
spec:
  template:
    spec:
      containers:
      - name: billing
        image: registry.example/billing:1
        env:
        - {name: INVOICE_QUEUE_URL, value: "https://sqs.eu-west-1.amazonaws.com/123456789012/invoices"}
`
	for name, queue := range map[string]string{
		"constant": `"https://sqs.eu-west-1.amazonaws.com/123456789012/invoices"`,
		"setting":  `os.Getenv("INVOICE_QUEUE_URL")`,
	} {
		t.Run(name, func(t *testing.T) {
			res := scanFolders(t, map[string]string{
				"infra/main.tf":        queueTerraform,
				"deploy/billing.yaml":  deployment,
				"billing/go.mod":       "module example.test/billing\n\ngo 1.26\n",
				"billing/main.go":      strings.ReplaceAll(queueWorker, "QUEUE", queue),
				"billing/unrelated.go": "package main\n",
			})
			var chain *model.ChainInfo
			for i := range res.Chains {
				if c := &res.Chains[i]; c.Attempts == "20" {
					chain = c
				}
			}
			require.NotNil(t, chain, "5 deliveries times 4 attempts")
			kinds := map[string]bool{}
			for _, p := range chain.Paths {
				kinds[p.Kind] = true
			}
			require.True(t, kinds["dead-letter"], "the dead-letter queue can be replayed")
			var rules []string
			for _, f := range res.Findings {
				rules = append(rules, f.Rule)
			}
			require.Contains(t, rules, "key-per-delivery")
		})
	}
}
