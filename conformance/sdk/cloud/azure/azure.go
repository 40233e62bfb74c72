// Package azure posts through azcore's pipeline.
package azure

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	pl := runtime.NewPipeline("pay", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{})
	req, err := runtime.NewRequest(ctx, http.MethodPost, url)
	if err != nil {
		return err
	}
	resp, err := pl.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Two counts retries.
func Two(ctx context.Context, url string) error {
	pl := runtime.NewPipeline("pay", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{
		Retry: policy.RetryOptions{MaxRetries: 2, RetryDelay: 50 * time.Millisecond, MaxRetryDelay: time.Second}})
	req, err := runtime.NewRequest(ctx, http.MethodPost, url)
	if err != nil {
		return err
	}
	resp, err := pl.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Zero is the default of three.
func Zero(ctx context.Context, url string) error {
	pl := runtime.NewPipeline("pay", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{
		Retry: policy.RetryOptions{MaxRetries: 0, RetryDelay: 20 * time.Millisecond}})
	req, err := runtime.NewRequest(ctx, http.MethodPost, url)
	if err != nil {
		return err
	}
	resp, err := pl.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Off is minus one.
func Off(ctx context.Context, url string) error {
	pl := runtime.NewPipeline("pay", "v1", runtime.PipelineOptions{}, &policy.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}})
	req, err := runtime.NewRequest(ctx, http.MethodPost, url)
	if err != nil {
		return err
	}
	resp, err := pl.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
