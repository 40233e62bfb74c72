package cloud

import (
	"testing"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/cloud/awssqs"
	"github.com/retrylint/retrylint/conformance/sdk/cloud/azure"
	"github.com/retrylint/retrylint/conformance/sdk/cloud/gaxcall"
	"github.com/retrylint/retrylint/conformance/sdk/cloud/gcs"
)

func TestClouds(t *testing.T) {
	down := conformance.HTTP(conformance.Answer{Status: 503})
	conformance.Group{Name: "cloud", Title: "Cloud SDKs", Cases: []conformance.Case{
		{Name: "aws-sdk-go-v2 SQS: nothing set", Run: awssqs.Default, Server: down},
		{Name: "aws-sdk-go-v2 SQS: RetryMaxAttempts 5", Run: awssqs.Five, Server: down},
		{Name: "aws-sdk-go-v2 SQS: aws.Config with 2", Run: awssqs.Config, Server: down},
		{Name: "aws-sdk-go-v2 SQS: RetryMaxAttempts 0", Run: awssqs.Zero, Server: down},
		{Name: "aws-sdk-go-v2 SQS: NopRetryer", Run: awssqs.Nop, Server: down, Off: true},
		{Name: "aws-sdk-go-v2 SQS: NewStandard, MaxAttempts 4", Run: awssqs.Standard, Server: down},
		{Name: "aws-sdk-go-v2 SQS: NewAdaptiveMode", Run: awssqs.Adaptive, Server: down},
		{Name: "aws-sdk-go-v2 SQS: AddWithMaxAttempts 6", Run: awssqs.Added, Server: down},
		{Name: "aws-sdk-go-v2 SQS: 4 in the call", Run: awssqs.Call, Server: down},
		{Name: "aws-sdk-go-v2 DynamoDB: nothing set", Run: awssqs.Dynamo, Server: down},
		{Name: "azcore: nothing set", Run: azure.Default, Server: down, Stop: 2},
		{Name: "azcore: MaxRetries 2", Run: azure.Two, Server: down},
		{Name: "azcore: MaxRetries 0", Run: azure.Zero, Server: down},
		{Name: "azcore: MaxRetries -1", Run: azure.Off, Server: down},
		{Name: "gax: no retryer", Run: gaxcall.None, Server: down, Off: true},
		{Name: "gax: OnCodes", Run: gaxcall.Endless, Server: down, Stop: 15},
		{Name: "storage: WithMaxAttempts(4)", Run: gcs.Attrs, Server: down},
		{Name: "storage: no limit", Run: gcs.Endless, Server: down, Stop: 15},
		{Name: "storage: delete without a condition", Run: gcs.Delete, Server: down, Over: "Only idempotent operations are repeated; the count is that of the worst one."},
		{Name: "storage: RetryAlways", Run: gcs.Always, Server: down},
		{Name: "storage: RetryNever", Run: gcs.Never, Server: down, Off: true},
	}}.Test(t)
}
