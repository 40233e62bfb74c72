package libs

const awsV1 = "github.com/aws/aws-sdk-go"

// awsV1Policy: constructors take a session and configurations; later ones stand above the session's own.
var awsV1Policy = Policy{
	Follow: []string{"field Retryer of arg 1 else field Config.Retryer of arg 0 else field Retryer of arg 0 else field Retryer of arg 0 of arg 0"},
	Attempts: "field MaxRetries of arg 1 + 1 else setter WithMaxRetries of arg 1 + 1 else field MaxRetries of arg 0 of arg 0 + 1 else setter WithMaxRetries of arg 0 of arg 0 + 1 " +
		"else field Config.MaxRetries of arg 0 of arg 0 + 1 else 4",
	NegativeIs: "4", ZeroIs: "one",
	Backoff: "exponential", Initial: "60ms", Factor: "2", Max: "300s", Jitter: "equal", PerAttempt: "none", Overall: "none",
	On: "connect,reset,timeout,5xx,429", Context: "arg 0", RetryAfter: "honoured", Rewinds: true, Kind: "client", DefaultBy: "aws-sdk-go", OffSwitch: "MaxRetries: aws.Int(0)",
}

var awsV1Parts = []Part{
	{Func: "DefaultRetryer", Policy: Policy{Attempts: "field NumMaxRetries + 1 else 1", ZeroIs: "one"}},
	{Func: "NoOpRetryer", Policy: Policy{Attempts: "1", Backoff: "none"}},
}

func awsV1Library(svc, typ string, policy Policy, sends ...Send) Library {
	sends = append(sends, Send{Func: "*"}, Send{Func: "Get*, List*, Describe*, Head*, BatchGet*, Query*, Scan*", Idempotent: true})
	return Library{
		Name: "aws-sdk-go v1 " + svc, Path: awsV1 + "/service/" + svc, Parts: awsV1Parts,
		Source:  awsV1 + "@v1.55.8 aws/client/default_retryer.go:16-176, aws/client/client.go:69-73, aws/config.go:14,92, aws/request/retryer.go:75-105,246-290, service/dynamodb/customizations.go:30-40",
		Doc:     "MaxRetries counts retries, 3 by default; -1 means the service's default. A literal DefaultRetryer makes none. Retry-After is added to the wait.",
		Clients: []Client{{Type: typ + ", " + typ + "API", New: []string{"New"}, Sends: sends, Policy: policy}},
	}
}

// All other services: each calls its client type by its own name.
var _ = add(func() Library {
	l := awsV1Library("*", "", awsV1Policy)
	l.Name = "aws-sdk-go v1"
	l.Clients[0].Type = "CloudWatch, CloudWatchLogs, CloudWatchEvents, EC2, ECR, ECS, EKS, EFS, ELB, ELBV2, AutoScaling, IAM, STS, KMS, SSM, SecretsManager, SES, SESV2, " +
		"SFN, SWF, Route53, RDS, Redshift, RedshiftDataAPIService, Athena, Glue, EMR, Firehose, EventBridge, ApiGatewayManagementApi, CognitoIdentityProvider, " +
		"CloudFormation, CloudFront, DynamoDBStreams, ElastiCache, ElasticsearchService, OpenSearchService, Batch, Budgets, CostExplorer, Organizations, Pinpoint, " +
		"ResourceGroupsTaggingAPI, ServiceDiscovery, WAFV2, Transcribe, Textract, Rekognition, ManagedBlockchain, Kafka, MQ, Neptune, Backup, CodeBuild, CodePipeline"
	l.MakeStubs = awsV1Stubs("cloudwatch", "CloudWatch", "GetMetricData NextToken *string | NextToken *string\nPutMetricData Namespace *string |\n", "")
	l.Example = awsV1Example
	return l
}())

const awsV1Example = `package example

import (
	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/cloudwatch"
)

type metrics interface {
	GetMetricData(*cloudwatch.GetMetricDataInput) (*cloudwatch.GetMetricDataOutput, error)
}

type reader struct{ client metrics }

func newReader() (*reader, error) {
	sess, err := session.NewSession(aws.NewConfig().WithRegion("eu-west-1").WithMaxRetries(5))
	if err != nil {
		return nil, err
	}
	return &reader{client: cloudwatch.New(sess)}, nil // want layer "attempts=6"
}

func (r *reader) read() error {
	_, err := r.client.GetMetricData(&cloudwatch.GetMetricDataInput{})
	return err
}
`

var _ = add(func() Library {
	l := awsV1Library("sqs", "SQS", awsV1Policy,
		Send{Func: "SendMessage", Operation: "SQS SendMessage", Kind: "publish", Effect: true, Queue: "field QueueUrl of arg 0", Key: "field MessageDeduplicationId of arg 0"},
		Send{Func: "SendMessageWithContext", Operation: "SQS SendMessage", Kind: "publish", Effect: true, Queue: "field QueueUrl of arg 1", Key: "field MessageDeduplicationId of arg 1"},
		Send{Func: "SendMessageBatch*", Operation: "SQS SendMessageBatch", Kind: "publish", Effect: true},
		Send{Func: "ReceiveMessage*, DeleteMessage*, ChangeMessageVisibility*", Idempotent: true})
	l.MakeStubs = awsV1Stubs("sqs", "SQS", `
SendMessage QueueUrl *string; MessageBody *string; DelaySeconds *int64; MessageDeduplicationId *string; MessageGroupId *string | MessageId *string
SendMessageBatch QueueUrl *string; Entries []any | Failed []any
ReceiveMessage QueueUrl *string; MaxNumberOfMessages *int64; WaitTimeSeconds *int64; VisibilityTimeout *int64 | Messages []*Message
DeleteMessage QueueUrl *string; ReceiptHandle *string |
DeleteMessageBatch QueueUrl *string; Entries []any |
ChangeMessageVisibility QueueUrl *string; ReceiptHandle *string; VisibilityTimeout *int64 |
GetQueueUrl QueueName *string | QueueUrl *string
`, "type Message struct {\n\tMessageId, ReceiptHandle, Body *string\n\tAttributes map[string]*string\n}\n")
	l.StubFiles = map[string]string{
		awsV1 + "/aws":                  awsV1Stub,
		awsV1 + "/aws/client":           "package client\n\nimport \"time\"\n\ntype ConfigProvider interface{ ClientConfig(serviceName string) any }\ntype DefaultRetryer struct {\n\tNumMaxRetries                                                      int\n\tMinRetryDelay, MinThrottleDelay, MaxRetryDelay, MaxThrottleDelay time.Duration\n}\ntype NoOpRetryer struct{}\n",
		awsV1 + "/aws/session":          "package session\n\nimport \"github.com/aws/aws-sdk-go/aws\"\n\ntype Session struct{ Config *aws.Config }\ntype Options struct {\n\tConfig            aws.Config\n\tProfile           string\n\tSharedConfigState int\n}\n\nconst SharedConfigEnable = 1\n\nfunc (s *Session) ClientConfig(serviceName string) any { return nil }\nfunc New(cfgs ...*aws.Config) *Session { return nil }\nfunc NewSession(cfgs ...*aws.Config) (*Session, error) { return nil, nil }\nfunc NewSessionWithOptions(opts Options) (*Session, error) { return nil, nil }\nfunc Must(sess *Session, err error) *Session { return sess }\n",
		awsV1 + "/aws/awserr":           "package awserr\n\ntype Error interface {\n\terror\n\tCode() string\n\tMessage() string\n\tOrigErr() error\n}\ntype RequestFailure interface {\n\tError\n\tStatusCode() int\n\tRequestID() string\n}\n",
		awsV1 + "/aws/request":          "package request\n\ntype Option func(*Request)\ntype Request struct{ RetryCount int }\n\nfunc WithRetryer(cfg any, r any) any { return nil }\nfunc IsErrorRetryable(err error) bool { return false }\nfunc IsErrorThrottle(err error) bool { return false }\n",
		awsV1 + "/aws/credentials":      "package credentials\n\ntype Credentials struct{}\n\nfunc NewStaticCredentials(id, secret, token string) *Credentials { return nil }\n",
		awsV1 + "/service/sqs/sqsiface": "package sqsiface\n\nimport \"github.com/aws/aws-sdk-go/service/sqs\"\n\ntype SQSAPI interface {\n\tSendMessage(*sqs.SendMessageInput) (*sqs.SendMessageOutput, error)\n\tReceiveMessage(*sqs.ReceiveMessageInput) (*sqs.ReceiveMessageOutput, error)\n\tDeleteMessage(*sqs.DeleteMessageInput) (*sqs.DeleteMessageOutput, error)\n\tChangeMessageVisibility(*sqs.ChangeMessageVisibilityInput) (*sqs.ChangeMessageVisibilityOutput, error)\n}\n",
	}
	return l
}())

var _ = add(func() Library {
	l := awsV1Library("sns", "SNS", awsV1Policy,
		Send{Func: "Publish", Operation: "SNS Publish", Kind: "publish", Effect: true, Queue: "field TopicArn of arg 0", Key: "field MessageDeduplicationId of arg 0"},
		Send{Func: "PublishWithContext", Operation: "SNS Publish", Kind: "publish", Effect: true, Queue: "field TopicArn of arg 1", Key: "field MessageDeduplicationId of arg 1"})
	l.MakeStubs = awsV1Stubs("sns", "SNS", `
Publish TopicArn *string; TargetArn *string; Message *string; Subject *string; PhoneNumber *string; MessageDeduplicationId *string; MessageGroupId *string | MessageId *string
`, "")
	return l
}())

var _ = add(func() Library {
	l := awsV1Library("dynamodb", "DynamoDB", with(awsV1Policy, Policy{
		Attempts: awsV1Policy.Attempts[:len(awsV1Policy.Attempts)-1] + "11", NegativeIs: "11", Initial: "100ms"}),
		Send{Func: "PutItem*, UpdateItem*, BatchWriteItem*, TransactWriteItems*", Kind: "store", Effect: true},
		Send{Func: "DeleteItem*", Kind: "store", Effect: true, Idempotent: true})
	l.MakeStubs = awsV1Stubs("dynamodb", "DynamoDB", `
GetItem TableName *string; Key map[string]*AttributeValue; ConsistentRead *bool | Item map[string]*AttributeValue
PutItem TableName *string; Item map[string]*AttributeValue; ConditionExpression *string; ExpressionAttributeNames map[string]*string; ExpressionAttributeValues map[string]*AttributeValue |
UpdateItem TableName *string; Key map[string]*AttributeValue; UpdateExpression *string; ConditionExpression *string; ExpressionAttributeNames map[string]*string; ExpressionAttributeValues map[string]*AttributeValue |
DeleteItem TableName *string; Key map[string]*AttributeValue; ConditionExpression *string |
Query TableName *string; KeyConditionExpression *string | Items []map[string]*AttributeValue
Scan TableName *string | Items []map[string]*AttributeValue
BatchWriteItem RequestItems map[string][]any |
TransactWriteItems TransactItems []any; ClientRequestToken *string |
`, "type AttributeValue struct {\n\tS, N *string\n\tB []byte\n\tBOOL *bool\n}\n\nconst ErrCodeConditionalCheckFailedException = \"ConditionalCheckFailedException\"\n\ntype ConditionalCheckFailedException struct{ Message_ *string }\n\nfunc (e *ConditionalCheckFailedException) Error() string { return \"\" }\n")
	return l
}())

var _ = add(func() Library {
	l := awsV1Library("lambda", "Lambda", awsV1Policy, Send{Func: "Invoke, InvokeWithContext", Operation: "Lambda Invoke", Kind: "call", Effect: true})
	l.MakeStubs = awsV1Stubs("lambda", "Lambda", "Invoke FunctionName *string; Payload []byte; InvocationType *string | Payload []byte; StatusCode *int64; FunctionError *string\n", "")
	return l
}())

var _ = add(func() Library {
	l := awsV1Library("kinesis", "Kinesis", awsV1Policy, Send{Func: "PutRecord*", Operation: "Kinesis PutRecord", Kind: "publish", Effect: true})
	l.MakeStubs = awsV1Stubs("kinesis", "Kinesis", "PutRecord StreamName *string; Data []byte; PartitionKey *string | SequenceNumber *string\nPutRecords StreamName *string; Records []any | FailedRecordCount *int64\n", "")
	return l
}())

var _ = add(func() Library {
	l := awsV1Library("s3", "S3", awsV1Policy, Send{Func: "PutObject*, DeleteObject*, CopyObject*", Kind: "store", Effect: true, Idempotent: true})
	l.MakeStubs = awsV1Stubs("s3", "S3", "GetObject Bucket *string; Key *string | Body io.ReadCloser; ContentLength *int64\nPutObject Bucket *string; Key *string; Body io.ReadSeeker; ContentType *string | ETag *string\nDeleteObject Bucket *string; Key *string |\nHeadObject Bucket *string; Key *string | ContentLength *int64\nListObjectsV2 Bucket *string; Prefix *string | Contents []any\n", "")
	return l
}())

const awsV1Stub = `package aws

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go/aws/credentials"
)

const UseServiceDefaultRetries = -1

type Context = context.Context
type RequestRetryer interface{}
type Config struct {
	Region      *string
	Endpoint    *string
	Credentials *credentials.Credentials
	HTTPClient  *http.Client
	MaxRetries  *int
	Retryer     RequestRetryer
	DisableSSL  *bool
	S3ForcePathStyle *bool
}

func NewConfig() *Config                               { return nil }
func (c *Config) WithMaxRetries(max int) *Config       { return c }
func (c *Config) WithRegion(region string) *Config     { return c }
func (c *Config) WithEndpoint(endpoint string) *Config { return c }
func String(v string) *string                          { return nil }
func StringValue(v *string) string                     { return "" }
func Int(v int) *int                                   { return nil }
func Int64(v int64) *int64                             { return nil }
func Bool(v bool) *bool                                { return nil }
func StringSlice(src []string) []*string               { return nil }
func BackgroundContext() Context                       { return nil }
`

// azRetry is policy.RetryOptions wherever it stands; options is the argument that holds the client's options.
func azRetry(options string) Policy {
	f := func(name string) string { return "field Retry." + name + " of " + options }
	return Policy{
		Attempts: f("MaxRetries") + " + 1 else 4", ZeroIs: "4", NegativeIs: "one",
		Backoff: "exponential", Initial: f("RetryDelay") + " [0 default, - 0] else 800ms", Factor: "2.34", Max: f("MaxRetryDelay") + " [0 default, - none] else 60s", Jitter: "proportional 0.3",
		PerAttempt: f("TryTimeout") + " [0 none] else none", Overall: "none", On: "any", Context: "arg 0", RetryAfter: "capped", Rewinds: true, Kind: "client",
		DefaultBy: "azcore", OffSwitch: "Retry: policy.RetryOptions{MaxRetries: -1}",
	}
}

var _ = add(Library{
	Name: "azcore", Path: "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime", Also: []string{"github.com/Azure/azure-sdk-for-go/sdk/azcore", "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"},
	Source: "github.com/Azure/azure-sdk-for-go/sdk/azcore@v1.24.0 runtime/policy_retry.go:23-228, policy/policy.go",
	Doc: "MaxRetries counts retries; 0 means the default of 3, a negative number none. Any error and 408, 429, 500, 502, 503 and 504 are repeated for " +
		"any method, with waits of 0.8s, 2.4s, 5.6s. A Retry-After above MaxRetryDelay ends the retries. TryTimeout bounds each attempt. Other clients of the SDK take the same options.",
	Clients: []Client{{Type: "Pipeline", New: []string{"NewPipeline"}, Policy: azRetry("arg 3"), Sends: []Send{{Func: "Do", Method: "request", URL: "request", Key: "header"}}}},
	StubFiles: map[string]string{
		"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime": `package runtime

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

type Pipeline struct{}
type PipelineOptions struct{}

func NewPipeline(module, version string, plOpts PipelineOptions, options *policy.ClientOptions) Pipeline { return Pipeline{} }
func (p Pipeline) Do(req *policy.Request) (*http.Response, error)                                        { return nil, nil }
`,
		"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy": `package policy

import (
	"context"
	"net/http"
	"time"
)

type RetryOptions struct {
	MaxRetries    int32
	TryTimeout    time.Duration
	RetryDelay    time.Duration
	MaxRetryDelay time.Duration
	StatusCodes   []int
	ShouldRetry   func(*http.Response, error) bool
}
type TelemetryOptions struct {
	ApplicationID string
	Disabled      bool
}
type TokenRequestOptions struct {
	Claims, TenantID string
	EnableCAE        bool
	Scopes           []string
}
type AccessToken struct {
	Token     string
	ExpiresOn time.Time
}
type TokenCredential interface {
	GetToken(ctx context.Context, options TokenRequestOptions) (AccessToken, error)
}
type Transporter interface{ Do(req *http.Request) (*http.Response, error) }
type Policy interface{ Do(req *Request) (*http.Response, error) }
type ClientOptions struct {
	Cloud            any
	Logging          any
	Telemetry        TelemetryOptions
	Retry            RetryOptions
	Transport        Transporter
	PerCallPolicies  []Policy
	PerRetryPolicies []Policy
}
type Request struct{}

func (req *Request) Raw() *http.Request                                              { return nil }
func (req *Request) Next() (*http.Response, error)                                   { return nil, nil }
func WithRetryOptions(parent context.Context, options RetryOptions) context.Context { return nil }
`,
		"github.com/Azure/azure-sdk-for-go/sdk/azcore": `package azcore

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

type ClientOptions = policy.ClientOptions
type TokenCredential = policy.TokenCredential
type AccessToken = policy.AccessToken
type ETag string

const ETagAny ETag = "*"

type ResponseError struct {
	ErrorCode   string
	StatusCode  int
	RawResponse *http.Response
}

func (e *ResponseError) Error() string { return "" }
`,
		"github.com/Azure/azure-sdk-for-go/sdk/azidentity": `package azidentity

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

type credential struct{}

func (credential) GetToken(ctx context.Context, options policy.TokenRequestOptions) (policy.AccessToken, error) {
	return policy.AccessToken{}, nil
}

type DefaultAzureCredential struct{ credential }
type ManagedIdentityCredential struct{ credential }
type ClientSecretCredential struct{ credential }
type WorkloadIdentityCredential struct{ credential }
type ClientID string
type ManagedIdentityCredentialOptions struct {
	policy.ClientOptions
	ID any
}

func NewDefaultAzureCredential(options any) (*DefaultAzureCredential, error)                                   { return nil, nil }
func NewManagedIdentityCredential(options *ManagedIdentityCredentialOptions) (*ManagedIdentityCredential, error) { return nil, nil }
func NewClientSecretCredential(tenantID, clientID, clientSecret string, options any) (*ClientSecretCredential, error) { return nil, nil }
func NewWorkloadIdentityCredential(options any) (*WorkloadIdentityCredential, error)                           { return nil, nil }
`,
		"github.com/Azure/azure-sdk-for-go/sdk/azcore/to": "package to\n\nfunc Ptr[T any](v T) *T { return nil }\n",
	},
})

var serviceBus = Policy{
	Attempts: "field RetryOptions.MaxRetries of arg 2 + 1 else field RetryOptions.MaxRetries of arg 1 + 1 else 4", ZeroIs: "4", NegativeIs: "one",
	Backoff: "exponential", Initial: "field RetryOptions.RetryDelay of arg 2 [0 default] else 4s", Factor: "2", Max: "field RetryOptions.MaxRetryDelay of arg 2 [0 default] else 120s", Jitter: "some",
	Overall: "none", On: "connect,reset,timeout,unavailable", Context: "arg 0", Kind: "producer", DefaultBy: "azservicebus", OffSwitch: "RetryOptions{MaxRetries: -1}",
}

var _ = add(Library{
	Name: "Azure Service Bus", Path: "github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus",
	Source: "github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus@v1.11.0 internal/utils/retrier.go:40-120, message.go:185-190,264-269",
	Doc:    "MaxRetries counts retries, 3 by default; 0 means the default. MessageID is sent only where it is set, and dedupes only where the entity has duplicate detection.",
	Clients: []Client{
		{Type: "Client", New: []string{"NewClient", "NewClientFromConnectionString"}, Policy: with(serviceBus, Policy{Kind: "client"})},
		{Type: "Sender", New: []string{"NewSender"}, Policy: with(serviceBus, Policy{
			Attempts: "field RetryOptions.MaxRetries of arg 2 of receiver + 1 else field RetryOptions.MaxRetries of arg 1 of receiver + 1 else 4",
			Initial:  "field RetryOptions.RetryDelay of arg 2 of receiver [0 default] else 4s", Max: "field RetryOptions.MaxRetryDelay of arg 2 of receiver [0 default] else 120s",
		}), Sends: []Send{
			{Func: "SendMessage", Operation: "Service Bus send", Kind: "publish", Effect: true, Key: "field MessageID of arg 1", Queue: "arg 0 of receiver"},
			{Func: "SendMessageBatch, ScheduleMessages", Operation: "Service Bus send", Kind: "publish", Effect: true, Queue: "arg 0 of receiver"},
		}},
		{Type: "Receiver", New: []string{"NewReceiverForQueue", "NewReceiverForSubscription"}, Policy: Policy{Attempts: "1"}, Sends: []Send{
			{Func: "ReceiveMessages, CompleteMessage, AbandonMessage, DeadLetterMessage, DeferMessage, RenewMessageLock", Idempotent: true},
		}},
	},
	Stub: `package azservicebus

import (
	"context"
	"time"
)

type RetryOptions struct {
	MaxRetries    int32
	RetryDelay    time.Duration
	MaxRetryDelay time.Duration
}
type ClientOptions struct {
	RetryOptions  RetryOptions
	ApplicationID string
}
type Client struct{}

func NewClient(fullyQualifiedNamespace string, credential any, options *ClientOptions) (*Client, error)           { return nil, nil }
func NewClientFromConnectionString(connectionString string, options *ClientOptions) (*Client, error)              { return nil, nil }
func (client *Client) NewSender(queueOrTopic string, options any) (*Sender, error)                                { return nil, nil }
func (client *Client) NewReceiverForQueue(queueName string, options *ReceiverOptions) (*Receiver, error)          { return nil, nil }
func (client *Client) NewReceiverForSubscription(topicName, subscriptionName string, options *ReceiverOptions) (*Receiver, error) { return nil, nil }
func (client *Client) Close(ctx context.Context) error                                                            { return nil }

type ReceiverOptions struct{ ReceiveMode int }
type Message struct {
	ApplicationProperties map[string]any
	Body                  []byte
	ContentType           *string
	CorrelationID         *string
	MessageID             *string
	PartitionKey          *string
	SessionID             *string
	Subject               *string
	TimeToLive            *time.Duration
	ScheduledEnqueueTime  *time.Time
}
type ReceivedMessage struct {
	Body                  []byte
	DeliveryCount         uint32
	MessageID             string
	LockedUntil           *time.Time
	SequenceNumber        *int64
	ApplicationProperties map[string]any
}
type MessageBatch struct{}

func (mb *MessageBatch) AddMessage(m *Message, options any) error { return nil }

type Sender struct{}

func (s *Sender) SendMessage(ctx context.Context, message *Message, options any) error                            { return nil }
func (s *Sender) SendMessageBatch(ctx context.Context, batch *MessageBatch, options any) error                    { return nil }
func (s *Sender) NewMessageBatch(ctx context.Context, options any) (*MessageBatch, error)                         { return nil, nil }
func (s *Sender) ScheduleMessages(ctx context.Context, messages []*Message, t time.Time, options any) ([]int64, error) { return nil, nil }
func (s *Sender) Close(ctx context.Context) error                                                                 { return nil }

type Receiver struct{}

func (r *Receiver) ReceiveMessages(ctx context.Context, maxMessages int, options any) ([]*ReceivedMessage, error) { return nil, nil }
func (r *Receiver) CompleteMessage(ctx context.Context, message *ReceivedMessage, options any) error              { return nil }
func (r *Receiver) AbandonMessage(ctx context.Context, message *ReceivedMessage, options any) error               { return nil }
func (r *Receiver) DeadLetterMessage(ctx context.Context, message *ReceivedMessage, options any) error            { return nil }
func (r *Receiver) DeferMessage(ctx context.Context, message *ReceivedMessage, options any) error                 { return nil }
func (r *Receiver) RenewMessageLock(ctx context.Context, msg *ReceivedMessage, options any) error                 { return nil }
func (r *Receiver) Close(ctx context.Context) error                                                               { return nil }
`,
})
