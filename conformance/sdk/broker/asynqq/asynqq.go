// Package asynqq enqueues a task and works on it with asynq.
package asynqq

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hibiken/asynq"
)

// Three counts retries. addr is Redis, a space, and the URL that the handler posts to.
func Three(ctx context.Context, addr string) error {
	redis, url, _ := strings.Cut(addr, " ")
	c := asynq.NewClient(asynq.RedisClientOpt{Addr: redis})
	defer c.Close()
	if _, err := c.EnqueueContext(ctx, asynq.NewTask("ship:order", []byte(url)), asynq.MaxRetry(3)); err != nil {
		return err
	}
	s := asynq.NewServer(asynq.RedisClientOpt{Addr: redis}, asynq.Config{
		Concurrency: 1, DelayedTaskCheckInterval: 50 * time.Millisecond, LogLevel: asynq.FatalLevel,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 100 * time.Millisecond },
	})
	mux := asynq.NewServeMux()
	mux.HandleFunc("ship:order", ship)
	if err := s.Start(mux); err != nil {
		return err
	}
	<-ctx.Done()
	s.Shutdown()
	return nil
}

func ship(ctx context.Context, t *asynq.Task) error {
	resp, err := http.Post(string(t.Payload()), "text/plain", strings.NewReader("x"))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
