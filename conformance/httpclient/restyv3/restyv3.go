// Package restyv3 sends with resty v3.
package restyv3

import (
	"context"
	"resty.dev/v3"
	"time"
)

// Put is repeated on 5xx.
func Put(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(2).SetRetryWaitTime(40 * time.Millisecond).SetRetryMaxWaitTime(time.Second).AddRetryConditions(resty.RetryConditionStatus5XX)
	defer c.Close()
	_, err := c.R().SetContext(ctx).SetBody("{}").Put(url)
	return err
}

// Post is not.
func Post(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(2).SetRetryWaitTime(40 * time.Millisecond).SetRetryMaxWaitTime(time.Second).AddRetryConditions(resty.RetryConditionStatus5XX)
	defer c.Close()
	_, err := c.R().SetContext(ctx).SetBody("{}").Post(url)
	return err
}

// Allowed is a POST that is.
func Allowed(ctx context.Context, url string) error {
	c := resty.New().SetRetryCount(3).SetRetryWaitTime(30 * time.Millisecond).SetRetryMaxWaitTime(100 * time.Millisecond).AddRetryConditions(resty.RetryConditionStatus5XX)
	defer c.Close()
	c.SetRetryAllowNonIdempotent(true)
	_, err := c.R().SetContext(ctx).SetBody("{}").Post(url)
	return err
}
