package consumers

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

type worker struct {
	sqs      *sqs.Client
	queueURL string
}

func post(ctx context.Context, what string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://bank.example/v1/charges", strings.NewReader(what))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// One function for each message: it is the consumer.
func (w *worker) each(ctx context.Context) error {
	for ctx.Err() == nil {
		out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String("https://sqs.eu-west-1.amazonaws.com/123456789012/invoices")})
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			if err := w.invoice(ctx, aws.ToString(m.Body)); err != nil { // want handler "sqs:invoices func=example.test/consumers.(*worker).invoice"
				continue
			}
			w.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{ReceiptHandle: m.ReceiptHandle})
		}
	}
	return nil
}

func (w *worker) invoice(ctx context.Context, body string) error { return post(ctx, body) }

// The work stands in the loop itself: the part after the receive is the consumer.
func (w *worker) inline(ctx context.Context) error {
	for {
		out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(os.Getenv("MAIL_QUEUE_URL"))}) // want handler "sqs:$MAIL_QUEUE_URL@r func=example.test/consumers.(*worker).inline$message"
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "https://mail.example/send", strings.NewReader(*m.Body))
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		}
	}
}

// The queue is asked for by its name; the messages go through a channel to workers.
func (w *worker) pool(ctx context.Context) error {
	q, err := w.sqs.GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: aws.String("refunds")})
	if err != nil {
		return err
	}
	w.queueURL = *q.QueueUrl
	jobs := make(chan types.Message)
	for range 4 {
		go func() {
			for m := range jobs {
				w.refund(ctx, m) // want handler "sqs:refunds func=example.test/consumers.(*worker).refund"
			}
		}()
	}
	for {
		out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &w.queueURL})
		if err != nil {
			return err
		}
		for _, m := range out.Messages {
			jobs <- m
		}
	}
}

func (w *worker) refund(ctx context.Context, m types.Message) { _ = post(ctx, *m.Body) }

// A receive of one's own; the address is put together.
func (w *worker) receive(ctx context.Context) ([]types.Message, error) {
	url := fmt.Sprintf("https://sqs.%s.amazonaws.com/%s/orders", os.Getenv("REGION"), os.Getenv("ACCOUNT"))
	out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &url})
	if err != nil {
		return nil, err
	}
	return out.Messages, nil
}

func (w *worker) orders(ctx context.Context) {
	for {
		ms, err := w.receive(ctx)
		if err != nil {
			return
		}
		for _, m := range ms {
			if err := w.order(ctx, &m); err == nil { // want handler "sqs:orders func=example.test/consumers.(*worker).order"
				w.delete(ctx, &m)
			}
		}
	}
}

func (w *worker) order(ctx context.Context, m *types.Message) error { return post(ctx, *m.Body) }

func (w *worker) delete(ctx context.Context, m *types.Message) {
	_, _ = w.sqs.DeleteMessage(ctx, &sqs.DeleteMessageInput{ReceiptHandle: m.ReceiptHandle})
}

// Only counts what comes: nothing that could be done twice.
func (w *worker) count(ctx context.Context) (n int) {
	out, err := w.sqs.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String("counted")})
	if err != nil {
		return 0
	}
	return len(out.Messages)
}
