// Package restyv2 sends with go-resty v2.
package restyv2

import (
	"context"
	"github.com/go-resty/resty/v2"
	"time"
)

func failed(r *resty.Response, err error) bool { return err != nil || r.StatusCode() >= 500 }

// Default repeats nothing.
func Default(ctx context.Context, url string) error {
	_, err := resty.New().R().SetContext(ctx).Post(url)
	return err
}

// Two repeats a server error, because a condition says so.
func Two(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(2).SetRetryWaitTime(60 * time.Millisecond).SetRetryMaxWaitTime(time.Second).AddRetryCondition(failed)
	_, err := c.R().SetContext(ctx).SetBody("{}").Post(url)
	return err
}

// Unconditional repeats errors of the transport alone.
func Unconditional(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(2).SetRetryWaitTime(60 * time.Millisecond)
	_, err := c.R().SetContext(ctx).SetBody("{}").Post(url)
	return err
}

// Capped is capped.
func Capped(ctx context.Context, url string) error {
	c := resty.New()
	c.SetRetryCount(4)
	c.SetRetryWaitTime(20 * time.Millisecond)
	c.SetRetryMaxWaitTime(60 * time.Millisecond)
	c.AddRetryCondition(failed)
	_, err := c.R().SetContext(ctx).Get(url)
	return err
}

// Negative never sends.
func Negative(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(-1).AddRetryCondition(failed)
	_, err := c.R().SetContext(ctx).Post(url)
	return err
}
