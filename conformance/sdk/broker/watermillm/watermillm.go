// Package watermillm handles a message with watermill's middleware.
package watermillm

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"
)

func post(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// Three counts retries.
func Three(ctx context.Context, url string) error {
	h := middleware.Retry{MaxRetries: 3, InitialInterval: 30 * time.Millisecond, Multiplier: 2, MaxInterval: time.Second, Logger: watermill.NopLogger{}}.Middleware(
		func(m *message.Message) ([]*message.Message, error) { return nil, post(ctx, url) })
	_, err := h(message.NewMessage("7", nil))
	return err
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	h := middleware.Retry{MaxRetries: 0, InitialInterval: 30 * time.Millisecond, Logger: watermill.NopLogger{}}.Middleware(
		func(m *message.Message) ([]*message.Message, error) { return nil, post(ctx, url) })
	_, err := h(message.NewMessage("7", nil))
	return err
}
