package libs

import "strings"

// awsStubs generates the stub of a service when it is asked for.
func awsStubs(pkg, types, ops string) func() map[string]string {
	return func() map[string]string {
		out := map[string]string{awsService + pkg: awsServiceStub(pkg, types, ops)}
		if pkg == "sesv2" {
			out[awsService+"ses"] = awsServiceStub("ses", types, awsSESv1)
		}
		return out
	}
}

const awsSESv1 = `
SendEmail Source *string; Destination *types.Destination; Message *types.Message; ReplyToAddresses []string | MessageId *string
SendRawEmail Source *string; RawMessage *types.RawMessage; Destinations []string | MessageId *string
SendTemplatedEmail Source *string; Destination *types.Destination; Template *string; TemplateData *string | MessageId *string
`

// awsServiceStub writes the stub of a service: one line for each operation, "Name input fields | output fields".
func awsServiceStub(pkg, types, ops string) string {
	var b strings.Builder
	b.WriteString("package " + pkg + "\n\nimport (\n\t\"context\"\n")
	if strings.Contains(ops, " io.") {
		b.WriteString("\t\"io\"\n")
	}
	b.WriteString("\t\"net/http\"\n")
	if strings.Contains(ops, "time.") {
		b.WriteString("\t\"time\"\n")
	}
	b.WriteString("\n\t\"github.com/aws/aws-sdk-go-v2/aws\"\n")
	if types != "" {
		b.WriteString("\t\"github.com/aws/aws-sdk-go-v2/service/" + pkg + "/types\"\n")
	}
	b.WriteString(`)

type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}
type Options struct {
	Region             string
	RetryMaxAttempts   int
	RetryMode          aws.RetryMode
	Retryer            aws.Retryer
	BaseEndpoint       *string
	Credentials        aws.CredentialsProvider
	HTTPClient         HTTPClient
	UsePathStyle       bool
	EndpointResolverV2 any
}
type Client struct{}

func New(options Options, optFns ...func(*Options)) *Client          { return nil }
func NewFromConfig(cfg aws.Config, optFns ...func(*Options)) *Client { return nil }
func (c *Client) Options() Options                                   { return Options{} }
`)
	for line := range strings.Lines(ops) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, fields, _ := strings.Cut(line, " ")
		in, out, _ := strings.Cut(fields, "|")
		write := func(suffix, fields string) {
			b.WriteString("\ntype " + name + suffix + " struct {\n")
			for f := range strings.SplitSeq(fields, ";") {
				if f = strings.TrimSpace(f); f != "" {
					b.WriteString("\t" + f + "\n")
				}
			}
			b.WriteString("}\n")
		}
		write("Input", in)
		write("Output", out)
		b.WriteString("\nfunc (c *Client) " + name + "(ctx context.Context, params *" + name + "Input, optFns ...func(*Options)) (*" + name + "Output, error) {\n\treturn nil, nil\n}\n")
	}
	return b.String()
}

// awsV1Stubs generates the stub of a service of the first version of the SDK: each operation has a form with a context.
func awsV1Stubs(pkg, typ, ops, more string) func() map[string]string {
	return func() map[string]string {
		var b strings.Builder
		b.WriteString("package " + pkg + "\n\nimport (\n")
		if strings.Contains(ops, " io.") {
			b.WriteString("\t\"io\"\n\n")
		}
		b.WriteString("\t\"github.com/aws/aws-sdk-go/aws\"\n\t\"github.com/aws/aws-sdk-go/aws/client\"\n\t\"github.com/aws/aws-sdk-go/aws/request\"\n)\n\ntype " + typ +
			" struct{}\n\nfunc New(p client.ConfigProvider, cfgs ...*aws.Config) *" + typ + " { return nil }\n\n" + more)
		for line := range strings.Lines(ops) {
			name, fields, ok := strings.Cut(strings.TrimSpace(line), " ")
			if !ok {
				continue
			}
			in, out, _ := strings.Cut(fields, "|")
			b.WriteString("type " + name + "Input struct {\n" + strings.ReplaceAll(in, ";", "\n") + "\n}\ntype " + name + "Output struct {\n" + strings.ReplaceAll(out, ";", "\n") + "\n}\n")
			b.WriteString("func (c *" + typ + ") " + name + "(input *" + name + "Input) (*" + name + "Output, error) { return nil, nil }\n")
			b.WriteString("func (c *" + typ + ") " + name + "WithContext(ctx aws.Context, input *" + name + "Input, opts ...request.Option) (*" + name + "Output, error) { return nil, nil }\n")
		}
		b.WriteString("type " + typ + "API interface{}\n")
		return map[string]string{awsV1 + "/service/" + pkg: b.String()}
	}
}

const awsStub = `package aws

import (
	"context"
	"net/http"
	"time"
)

type RetryMode string

const (
	RetryModeStandard RetryMode = "standard"
	RetryModeAdaptive RetryMode = "adaptive"
)

type Retryer interface {
	IsErrorRetryable(error) bool
	MaxAttempts() int
	RetryDelay(attempt int, opErr error) (time.Duration, error)
	GetRetryToken(ctx context.Context, opErr error) (releaseToken func(error) error, err error)
	GetInitialToken() (releaseToken func(error) error)
}
type RetryerV2 interface {
	Retryer
	GetAttemptToken(context.Context) (func(error) error, error)
}
type NopRetryer struct{}

func (NopRetryer) IsErrorRetryable(error) bool                        { return false }
func (NopRetryer) MaxAttempts() int                                   { return 1 }
func (NopRetryer) RetryDelay(int, error) (time.Duration, error)       { return 0, nil }
func (NopRetryer) GetRetryToken(context.Context, error) (func(error) error, error) { return nil, nil }
func (NopRetryer) GetInitialToken() func(error) error                 { return nil }

type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}
type Credentials struct{ AccessKeyID, SecretAccessKey, SessionToken string }
type CredentialsProvider interface {
	Retrieve(ctx context.Context) (Credentials, error)
}
type Config struct {
	Region           string
	Credentials      CredentialsProvider
	HTTPClient       HTTPClient
	RetryMaxAttempts int
	RetryMode        RetryMode
	Retryer          func() Retryer
	BaseEndpoint     *string
}

func (c Config) Copy() Config      { return c }
func NewConfig() *Config           { return nil }
func NewCredentialsCache(provider CredentialsProvider, optFns ...any) *CredentialsCache { return nil }

type CredentialsCache struct{}

func (p *CredentialsCache) Retrieve(ctx context.Context) (Credentials, error) { return Credentials{}, nil }

func String(v string) *string      { return nil }
func Int(v int) *int               { return nil }
func Int32(v int32) *int32         { return nil }
func Int64(v int64) *int64         { return nil }
func Bool(v bool) *bool            { return nil }
func Float64(v float64) *float64   { return nil }
func Time(v time.Time) *time.Time  { return nil }
func Duration(v time.Duration) *time.Duration { return nil }
func StringSlice(v []string) []*string { return nil }
func ToString(p *string) string    { return "" }
func ToInt(p *int) int             { return 0 }
func ToInt32(p *int32) int32       { return 0 }
func ToInt64(p *int64) int64       { return 0 }
func ToBool(p *bool) bool          { return false }
func ToTime(p *time.Time) time.Time { return time.Time{} }
func ToStringSlice(p []*string) []string { return nil }
`

const awsRetryStub = `package retry

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

const (
	DefaultMaxAttempts = 3
	DefaultMaxBackoff  = 20 * time.Second
)

type BackoffDelayer interface {
	BackoffDelay(attempt int, err error) (time.Duration, error)
}
type BackoffDelayerFunc func(int, error) (time.Duration, error)

func (f BackoffDelayerFunc) BackoffDelay(attempt int, err error) (time.Duration, error) { return 0, nil }

type RateLimiter interface {
	GetToken(ctx context.Context, cost uint) (releaseToken func() error, err error)
	AddTokens(uint) error
}
type StandardOptions struct {
	MaxAttempts      int
	MaxBackoff       time.Duration
	Backoff          BackoffDelayer
	BaseDelay        time.Duration
	RateLimiter      RateLimiter
	RetryCost        uint
	RetryTimeoutCost uint
	NoRetryIncrement uint
	Retryables       []any
	Timeouts         []any
}
type Standard struct{}

func NewStandard(fnOpts ...func(*StandardOptions)) *Standard             { return nil }
func (s *Standard) MaxAttempts() int                                     { return 0 }
func (s *Standard) IsErrorRetryable(err error) bool                      { return false }
func (s *Standard) RetryDelay(attempt int, err error) (time.Duration, error) { return 0, nil }
func (s *Standard) GetInitialToken() func(error) error                   { return nil }
func (s *Standard) GetAttemptToken(context.Context) (func(error) error, error) { return nil, nil }
func (s *Standard) GetRetryToken(ctx context.Context, opErr error) (func(error) error, error) {
	return nil, nil
}

type AdaptiveModeOptions struct{ StandardOptions []func(*StandardOptions) }
type AdaptiveMode struct{ Standard }

func NewAdaptiveMode(optFns ...func(*AdaptiveModeOptions)) *AdaptiveMode               { return nil }
func NewExponentialJitterBackoff(maxBackoff time.Duration) BackoffDelayer              { return nil }
func AddWithMaxAttempts(r aws.Retryer, max int) aws.Retryer                            { return nil }
func AddWithMaxBackoffDelay(r aws.Retryer, delay time.Duration) aws.Retryer            { return nil }
func AddWithErrorCodes(r aws.Retryer, codes ...string) aws.Retryer                     { return nil }
`

const awsConfigStub = `package config

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
)

type LoadOptions struct {
	Region           string
	RetryMaxAttempts int
	RetryMode        aws.RetryMode
	Retryer          func() aws.Retryer
	HTTPClient       aws.HTTPClient
	Credentials      aws.CredentialsProvider
}
type LoadOptionsFunc func(*LoadOptions) error

func LoadDefaultConfig(ctx context.Context, optFns ...func(*LoadOptions) error) (cfg aws.Config, err error) {
	return aws.Config{}, nil
}
func WithRegion(v string) LoadOptionsFunc                                   { return nil }
func WithDefaultRegion(v string) LoadOptionsFunc                            { return nil }
func WithRetryMaxAttempts(v int) LoadOptionsFunc                            { return nil }
func WithRetryMode(v aws.RetryMode) LoadOptionsFunc                         { return nil }
func WithRetryer(v func() aws.Retryer) LoadOptionsFunc                      { return nil }
func WithHTTPClient(v aws.HTTPClient) LoadOptionsFunc                       { return nil }
func WithCredentialsProvider(v aws.CredentialsProvider) LoadOptionsFunc     { return nil }
func WithSharedConfigProfile(v string) LoadOptionsFunc                      { return nil }
func WithSharedConfigFiles(v []string) LoadOptionsFunc                      { return nil }
func WithBaseEndpoint(v string) LoadOptionsFunc                             { return nil }
func WithEndpointResolverWithOptions(v any) LoadOptionsFunc                 { return nil }
func WithLogger(v any) LoadOptionsFunc                                      { return nil }
`

const awsDynamoTypes = `package types

type AttributeValue interface{ isAttributeValue() }
type AttributeValueMemberS struct{ Value string }
type AttributeValueMemberN struct{ Value string }
type AttributeValueMemberB struct{ Value []byte }
type AttributeValueMemberBOOL struct{ Value bool }
type AttributeValueMemberNULL struct{ Value bool }
type AttributeValueMemberM struct{ Value map[string]AttributeValue }
type AttributeValueMemberL struct{ Value []AttributeValue }
type AttributeValueMemberSS struct{ Value []string }
type AttributeValueMemberNS struct{ Value []string }

func (*AttributeValueMemberS) isAttributeValue()    {}
func (*AttributeValueMemberN) isAttributeValue()    {}
func (*AttributeValueMemberB) isAttributeValue()    {}
func (*AttributeValueMemberBOOL) isAttributeValue() {}
func (*AttributeValueMemberNULL) isAttributeValue() {}
func (*AttributeValueMemberM) isAttributeValue()    {}
func (*AttributeValueMemberL) isAttributeValue()    {}
func (*AttributeValueMemberSS) isAttributeValue()   {}
func (*AttributeValueMemberNS) isAttributeValue()   {}

type ReturnValue string
type ReturnValuesOnConditionCheckFailure string

const (
	ReturnValueNone       ReturnValue = "NONE"
	ReturnValueAllOld     ReturnValue = "ALL_OLD"
	ReturnValueUpdatedOld ReturnValue = "UPDATED_OLD"
	ReturnValueAllNew     ReturnValue = "ALL_NEW"
	ReturnValueUpdatedNew ReturnValue = "UPDATED_NEW"

	ReturnValuesOnConditionCheckFailureAllOld ReturnValuesOnConditionCheckFailure = "ALL_OLD"
)

type KeysAndAttributes struct{ Keys []map[string]AttributeValue }
type PutRequest struct{ Item map[string]AttributeValue }
type DeleteRequest struct{ Key map[string]AttributeValue }
type WriteRequest struct {
	PutRequest    *PutRequest
	DeleteRequest *DeleteRequest
}
type Put struct {
	TableName                 *string
	Item                      map[string]AttributeValue
	ConditionExpression       *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]AttributeValue
}
type Update struct {
	TableName                 *string
	Key                       map[string]AttributeValue
	UpdateExpression          *string
	ConditionExpression       *string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]AttributeValue
}
type Delete struct {
	TableName           *string
	Key                 map[string]AttributeValue
	ConditionExpression *string
}
type ConditionCheck struct {
	TableName           *string
	Key                 map[string]AttributeValue
	ConditionExpression *string
}
type TransactWriteItem struct {
	ConditionCheck *ConditionCheck
	Put            *Put
	Update         *Update
	Delete         *Delete
}
type Get struct {
	TableName *string
	Key       map[string]AttributeValue
}
type TransactGetItem struct{ Get *Get }
type ParameterizedStatement struct{ Statement *string }
type TimeToLiveSpecification struct {
	AttributeName *string
	Enabled       *bool
}
type ConditionalCheckFailedException struct {
	Message *string
	Item    map[string]AttributeValue
}

func (e *ConditionalCheckFailedException) Error() string { return "" }

type TransactionCanceledException struct {
	Message             *string
	CancellationReasons []CancellationReason
}

func (e *TransactionCanceledException) Error() string { return "" }

type CancellationReason struct{ Code, Message *string }
type ResourceNotFoundException struct{ Message *string }

func (e *ResourceNotFoundException) Error() string { return "" }

type ProvisionedThroughputExceededException struct{ Message *string }

func (e *ProvisionedThroughputExceededException) Error() string { return "" }
`
