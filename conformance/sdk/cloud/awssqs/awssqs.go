// Package awssqs sends with the AWS SDK.
package awssqs

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

type nobody struct{}

func (nobody) Retrieve(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
}

// Default sets nothing.
func Default(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Five counts attempts.
func Five(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}, RetryMaxAttempts: 5})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Config sets it for all clients.
func Config(ctx context.Context, url string) error {
	cfg := aws.Config{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}, RetryMaxAttempts: 2}
	_, err := sqs.NewFromConfig(cfg).SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Zero leaves the default.
func Zero(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}, RetryMaxAttempts: 0})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Nop is off.
func Nop(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}, Retryer: aws.NopRetryer{}})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Standard has a retryer of its own.
func Standard(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{},
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = 4 })})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Adaptive is the adaptive mode.
func Adaptive(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}, Retryer: retry.NewAdaptiveMode()})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Added wraps a retryer.
func Added(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{},
		Retryer: retry.AddWithMaxAttempts(retry.NewStandard(), 6)})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")})
	return err
}

// Call sets it for one call.
func Call(ctx context.Context, url string) error {
	c := sqs.New(sqs.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}})
	_, err := c.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String("x")},
		func(o *sqs.Options) { o.RetryMaxAttempts = 4 })
	return err
}

// Dynamo has a default of its own.
func Dynamo(ctx context.Context, url string) error {
	c := dynamodb.New(dynamodb.Options{Region: "eu-west-1", BaseEndpoint: aws.String(url), Credentials: nobody{}})
	_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("orders"),
		Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "7"}}})
	return err
}
