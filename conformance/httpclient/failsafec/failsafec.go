// Package failsafec posts through failsafe-go's transport.
package failsafec

import (
	"context"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"net/http"
	"strings"
	"time"
)

// Three counts retries.
func Three(ctx context.Context, url string) error {
	p := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(3).WithBackoff(30*time.Millisecond, time.Second).Build()
	c := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, p)}
	resp, err := c.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
