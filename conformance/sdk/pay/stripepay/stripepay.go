// Package stripepay takes payments with stripe-go.
package stripepay

import (
	"context"

	"github.com/stripe/stripe-go/v82"
	"github.com/stripe/stripe-go/v82/paymentintent"
)

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	b := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{URL: stripe.String(url)})
	_, err := paymentintent.Client{B: b, Key: "sk_test_1"}.New(&stripe.PaymentIntentParams{Amount: stripe.Int64(100), Currency: stripe.String("eur")})
	return err
}

// One counts retries.
func One(ctx context.Context, url string) error {
	b := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{URL: stripe.String(url), MaxNetworkRetries: stripe.Int64(1)})
	_, err := paymentintent.Client{B: b, Key: "sk_test_1"}.New(&stripe.PaymentIntentParams{Amount: stripe.Int64(100), Currency: stripe.String("eur")})
	return err
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	b := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{URL: stripe.String(url), MaxNetworkRetries: stripe.Int64(0)})
	_, err := paymentintent.Client{B: b, Key: "sk_test_1"}.New(&stripe.PaymentIntentParams{Amount: stripe.Int64(100), Currency: stripe.String("eur")})
	return err
}
