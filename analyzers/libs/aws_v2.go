package libs

import (
	"strings"

	"github.com/retrylint/retrylint/model"
)

// awsV2Policy is the standard retryer of all clients of the SDK's second version. Everything that can set the number is asked
// in the SDK's own order: the client's options, the configuration handed in, the options that loaded it.
var awsV2Policy = Policy{
	Follow: []string{"field Retryer else option WithRetryer of arg 0 else field Retryer of arg 0"},
	Attempts: "field RetryMaxAttempts [0 default, - unbounded] else field RetryMaxAttempts of arg 0 [0 default, - unbounded] " +
		"else option WithRetryMaxAttempts of arg 0 [0 default, - unbounded] else 3",
	Outer:   true,
	Backoff: "exponential", Initial: "50ms", Factor: "2", Max: "20s", Jitter: "full",
	PerAttempt: "none", Overall: "none",
	On: "connect,reset,timeout,5xx,429", Context: "arg 0", RetryAfter: "capped", Rewinds: true, Kind: "client",
	DefaultBy: "aws-sdk-go-v2", OffSwitch: "o.RetryMaxAttempts = 1, or o.Retryer = aws.NopRetryer{}",
	Traits: []TraitTerm{{Kind: model.TraitBudget, Detail: "500 tokens for each client"}},
	When: []Variant{{Module: "github.com/aws/aws-sdk-go-v2", Versions: "< v1.48.0", Policy: Policy{
		// U[0, 2s), U[0, 4s), ... up to the cap.
		Initial: "2s",
	}}},
	Fix: awsEnvironment,
}

// awsEnvironment: where nothing in code sets the number, AWS_MAX_ATTEMPTS may.
func awsEnvironment(_ Site, r *Result) {
	if r.Origin == model.OriginDefault {
		r.Refs = append(r.Refs, model.Ref{Field: model.FieldAttempts, Name: model.N(model.SpaceEnv, "AWS_MAX_ATTEMPTS"), ZeroIs: "default"})
	}
}

var awsV2Parts = []Part{
	{Func: "NopRetryer", Policy: Policy{Attempts: "1", Backoff: "none"}},
	{Func: "NewStandard", Policy: Policy{Attempts: "field MaxAttempts else 3", ZeroIs: "unbounded", NegativeIs: "unbounded", Max: "field MaxBackoff else 20s"}},
	{Func: "NewAdaptiveMode", Policy: Policy{Attempts: "field MaxAttempts else 3", ZeroIs: "unbounded", NegativeIs: "unbounded"}},
	{Func: "AddWithMaxAttempts", Wraps: "arg 0", Policy: Policy{Attempts: "arg 1", ZeroIs: "unbounded", NegativeIs: "unbounded", Outer: true}},
	{Func: "AddWithMaxBackoffDelay", Wraps: "arg 0", Policy: Policy{Max: "arg 1"}},
	{Func: "AddWithErrorCodes", Wraps: "arg 0", Policy: Policy{}},
}

// awsClient is the client of one service.
func awsClient(policy Policy, sends ...Send) []Client {
	sends = append(sends, Send{Func: "*"},
		Send{Func: "Get*, List*, Describe*, Head*, BatchGet*, Search*", Idempotent: true})
	return []Client{{Type: "Client", New: []string{"NewFromConfig", "New"}, Sends: sends, Policy: policy, PerCall: []string{"RetryMaxAttempts", "Retryer"}}}
}

const (
	awsModule  = "github.com/aws/aws-sdk-go-v2"
	awsService = awsModule + "/service/"
	awsSource  = "github.com/aws/aws-sdk-go-v2@v1.48.0 aws/retry/standard.go:26-60,64-113,213-240,315-328, jitter_backoff.go:86-131, middleware.go:107-326,518-547"
	awsDoc     = "RetryMaxAttempts counts attempts. 0 leaves the default of 3; 1 or aws.NopRetryer{} switches retries off; a negative number takes " +
		"the limit away. All operations are repeated, those that are not idempotent too. Input members with an idempotency token get a random " +
		"one for each call when they are nil: the SDK's own retries are safe then, the retries of an outer layer are not."
)

var _ = add(Library{
	Name: "aws-sdk-go-v2", Path: awsService + "*", Source: awsSource, Doc: awsDoc,
	Clients: awsClient(awsV2Policy), Parts: awsV2Parts,
	StubFiles: map[string]string{
		awsModule + "/aws":         awsStub,
		awsModule + "/aws/retry":   awsRetryStub,
		awsModule + "/config":      awsConfigStub,
		awsModule + "/credentials": "package credentials\n\nimport \"github.com/aws/aws-sdk-go-v2/aws\"\n\ntype StaticCredentialsProvider struct{ Value aws.Credentials }\n\nfunc NewStaticCredentialsProvider(key, secret, session string) StaticCredentialsProvider { return StaticCredentialsProvider{} }\n",
	},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 SQS", Path: awsService + "sqs", Source: awsSource + ", service/sqs@v1.53.0 api_client.go:641-702", Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "SendMessage", Operation: "SQS SendMessage", Kind: "publish", Effect: true, Key: "field MessageDeduplicationId of arg 1", Queue: "field QueueUrl of arg 1"},
		Send{Func: "SendMessageBatch", Operation: "SQS SendMessageBatch", Kind: "publish", Effect: true, Queue: "field QueueUrl of arg 1"},
		Send{Func: "ReceiveMessage, DeleteMessage, DeleteMessageBatch, ChangeMessageVisibility, ChangeMessageVisibilityBatch, GetQueueUrl, GetQueueAttributes, SetQueueAttributes, CreateQueue, PurgeQueue", Idempotent: true},
	),
	MakeStubs: awsStubs("sqs", "types", `
SendMessage QueueUrl *string; MessageBody *string; DelaySeconds int32; MessageAttributes map[string]types.MessageAttributeValue; MessageDeduplicationId *string; MessageGroupId *string | MessageId *string; SequenceNumber *string
SendMessageBatch QueueUrl *string; Entries []types.SendMessageBatchRequestEntry | Failed []types.BatchResultErrorEntry; Successful []types.SendMessageBatchResultEntry
ReceiveMessage QueueUrl *string; MaxNumberOfMessages int32; VisibilityTimeout int32; WaitTimeSeconds int32; ReceiveRequestAttemptId *string; AttributeNames []types.QueueAttributeName; MessageAttributeNames []string; MessageSystemAttributeNames []types.MessageSystemAttributeName | Messages []types.Message
DeleteMessage QueueUrl *string; ReceiptHandle *string |
DeleteMessageBatch QueueUrl *string; Entries []types.DeleteMessageBatchRequestEntry | Failed []types.BatchResultErrorEntry
ChangeMessageVisibility QueueUrl *string; ReceiptHandle *string; VisibilityTimeout int32 |
ChangeMessageVisibilityBatch QueueUrl *string; Entries []types.ChangeMessageVisibilityBatchRequestEntry | Failed []types.BatchResultErrorEntry
GetQueueUrl QueueName *string; QueueOwnerAWSAccountId *string | QueueUrl *string
GetQueueAttributes QueueUrl *string; AttributeNames []types.QueueAttributeName | Attributes map[string]string
SetQueueAttributes QueueUrl *string; Attributes map[string]string |
CreateQueue QueueName *string; Attributes map[string]string; Tags map[string]string | QueueUrl *string
PurgeQueue QueueUrl *string |
ListQueues QueueNamePrefix *string | QueueUrls []string
`),
	StubFiles: map[string]string{awsService + "sqs/types": `package types

type QueueAttributeName string
type MessageSystemAttributeName string

const (
	QueueAttributeNameAll                              QueueAttributeName         = "All"
	QueueAttributeNameApproximateNumberOfMessages      QueueAttributeName         = "ApproximateNumberOfMessages"
	QueueAttributeNameVisibilityTimeout                QueueAttributeName         = "VisibilityTimeout"
	QueueAttributeNameQueueArn                         QueueAttributeName         = "QueueArn"
	QueueAttributeNameRedrivePolicy                    QueueAttributeName         = "RedrivePolicy"
	QueueAttributeNameFifoQueue                        QueueAttributeName         = "FifoQueue"
	QueueAttributeNameContentBasedDeduplication        QueueAttributeName         = "ContentBasedDeduplication"
	MessageSystemAttributeNameAll                      MessageSystemAttributeName = "All"
	MessageSystemAttributeNameApproximateReceiveCount  MessageSystemAttributeName = "ApproximateReceiveCount"
	MessageSystemAttributeNameMessageDeduplicationId   MessageSystemAttributeName = "MessageDeduplicationId"
	MessageSystemAttributeNameMessageGroupId           MessageSystemAttributeName = "MessageGroupId"
	MessageSystemAttributeNameSentTimestamp            MessageSystemAttributeName = "SentTimestamp"
)

type Message struct {
	Attributes        map[string]string
	Body              *string
	MD5OfBody         *string
	MessageAttributes map[string]MessageAttributeValue
	MessageId         *string
	ReceiptHandle     *string
}
type MessageAttributeValue struct {
	DataType    *string
	BinaryValue []byte
	StringValue *string
}
type SendMessageBatchRequestEntry struct {
	Id, MessageBody        *string
	DelaySeconds           int32
	MessageAttributes      map[string]MessageAttributeValue
	MessageDeduplicationId *string
	MessageGroupId         *string
}
type SendMessageBatchResultEntry struct{ Id, MessageId *string }
type DeleteMessageBatchRequestEntry struct{ Id, ReceiptHandle *string }
type ChangeMessageVisibilityBatchRequestEntry struct {
	Id, ReceiptHandle *string
	VisibilityTimeout int32
}
type BatchResultErrorEntry struct {
	Code, Id, Message *string
	SenderFault       bool
}
`},
	Example: `package example

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

func send(ctx context.Context, url string) error {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(5))
	if err != nil {
		return err
	}
	client := sqs.NewFromConfig(cfg)
	_, err = client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url)}) // want layer "attempts=5"
	return err
}

func sendOften(ctx context.Context, client *sqs.Client, url string) error {
	_, err := client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url)}, func(o *sqs.Options) {
		o.RetryMaxAttempts = 7 // want layer "attempts=7"
	})
	return err
}

func sendOnce(ctx context.Context, url string) error {
	client := sqs.New(sqs.Options{Region: "eu-west-1", Retryer: aws.NopRetryer{}})
	_, err := client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(url)})
	return err
}
`,
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 SNS", Path: awsService + "sns", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "Publish", Operation: "SNS Publish", Kind: "publish", Effect: true, Key: "field MessageDeduplicationId of arg 1", Queue: "field TopicArn of arg 1"},
		Send{Func: "PublishBatch", Operation: "SNS PublishBatch", Kind: "publish", Effect: true, Queue: "field TopicArn of arg 1"},
	),
	MakeStubs: awsStubs("sns", "types", `
Publish TopicArn *string; TargetArn *string; PhoneNumber *string; Message *string; Subject *string; MessageStructure *string; MessageAttributes map[string]types.MessageAttributeValue; MessageDeduplicationId *string; MessageGroupId *string | MessageId *string
PublishBatch TopicArn *string; PublishBatchRequestEntries []types.PublishBatchRequestEntry | Failed []types.BatchResultErrorEntry
Subscribe TopicArn *string; Protocol *string; Endpoint *string; Attributes map[string]string | SubscriptionArn *string
CreateTopic Name *string; Attributes map[string]string | TopicArn *string
`),
	StubFiles: map[string]string{awsService + "sns/types": `package types

type MessageAttributeValue struct {
	DataType    *string
	BinaryValue []byte
	StringValue *string
}
type PublishBatchRequestEntry struct {
	Id, Message, Subject   *string
	MessageAttributes      map[string]MessageAttributeValue
	MessageDeduplicationId *string
	MessageGroupId         *string
}
type BatchResultErrorEntry struct{ Code, Id, Message *string }
`},
})

var awsDynamoPolicy = with(awsV2Policy, Policy{
	Attempts: strings.TrimSuffix(awsV2Policy.Attempts, "3") + "4", Initial: "25ms", DefaultBy: "aws-sdk-go-v2 DynamoDB",
	When: []Variant{{Versions: "< v1.74.0", Policy: Policy{Attempts: awsV2Policy.Attempts}}},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 DynamoDB", Path: awsService + "dynamodb", Source: awsSource + ", service/dynamodb@v1.74.0 api_client.go", Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsDynamoPolicy,
		Send{Func: "GetItem, Query, Scan, BatchGetItem, TransactGetItems", Kind: "store", Idempotent: true},
		Send{Func: "PutItem", Operation: "DynamoDB PutItem", Kind: "store", Effect: true, Key: "natural"},
		Send{Func: "DeleteItem", Operation: "DynamoDB DeleteItem", Kind: "store", Effect: true, Idempotent: true},
		Send{Func: "UpdateItem, BatchWriteItem, ExecuteStatement", Kind: "store", Effect: true},
		Send{Func: "TransactWriteItems, ExecuteTransaction", Kind: "store", Effect: true, Key: "field ClientRequestToken of arg 1"},
	),
	MakeStubs: awsStubs("dynamodb", "types", `
GetItem TableName *string; Key map[string]types.AttributeValue; ConsistentRead *bool; ProjectionExpression *string; ExpressionAttributeNames map[string]string | Item map[string]types.AttributeValue
PutItem TableName *string; Item map[string]types.AttributeValue; ConditionExpression *string; ExpressionAttributeNames map[string]string; ExpressionAttributeValues map[string]types.AttributeValue; ReturnValues types.ReturnValue; ReturnValuesOnConditionCheckFailure types.ReturnValuesOnConditionCheckFailure | Attributes map[string]types.AttributeValue
DeleteItem TableName *string; Key map[string]types.AttributeValue; ConditionExpression *string; ExpressionAttributeNames map[string]string; ExpressionAttributeValues map[string]types.AttributeValue; ReturnValues types.ReturnValue | Attributes map[string]types.AttributeValue
UpdateItem TableName *string; Key map[string]types.AttributeValue; UpdateExpression *string; ConditionExpression *string; ExpressionAttributeNames map[string]string; ExpressionAttributeValues map[string]types.AttributeValue; ReturnValues types.ReturnValue | Attributes map[string]types.AttributeValue
Query TableName *string; IndexName *string; KeyConditionExpression *string; FilterExpression *string; ExpressionAttributeNames map[string]string; ExpressionAttributeValues map[string]types.AttributeValue; Limit *int32; ScanIndexForward *bool; ExclusiveStartKey map[string]types.AttributeValue; ConsistentRead *bool | Items []map[string]types.AttributeValue; LastEvaluatedKey map[string]types.AttributeValue; Count int32
Scan TableName *string; FilterExpression *string; Limit *int32; ExclusiveStartKey map[string]types.AttributeValue; ExpressionAttributeNames map[string]string; ExpressionAttributeValues map[string]types.AttributeValue | Items []map[string]types.AttributeValue; LastEvaluatedKey map[string]types.AttributeValue; Count int32
BatchGetItem RequestItems map[string]types.KeysAndAttributes | Responses map[string][]map[string]types.AttributeValue; UnprocessedKeys map[string]types.KeysAndAttributes
BatchWriteItem RequestItems map[string][]types.WriteRequest | UnprocessedItems map[string][]types.WriteRequest
TransactWriteItems TransactItems []types.TransactWriteItem; ClientRequestToken *string |
TransactGetItems TransactItems []types.TransactGetItem |
ExecuteStatement Statement *string; Parameters []types.AttributeValue | Items []map[string]types.AttributeValue
ExecuteTransaction TransactStatements []types.ParameterizedStatement; ClientRequestToken *string |
CreateTable TableName *string |
DescribeTable TableName *string |
UpdateTimeToLive TableName *string; TimeToLiveSpecification *types.TimeToLiveSpecification |
`),
	StubFiles: map[string]string{awsService + "dynamodb/types": awsDynamoTypes,
		awsModule + "/feature/dynamodb/attributevalue": `package attributevalue

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

func Marshal(in interface{}) (types.AttributeValue, error)                  { return nil, nil }
func MarshalMap(in interface{}) (map[string]types.AttributeValue, error)    { return nil, nil }
func MarshalList(in interface{}) ([]types.AttributeValue, error)            { return nil, nil }
func Unmarshal(av types.AttributeValue, out interface{}) error              { return nil }
func UnmarshalMap(m map[string]types.AttributeValue, out interface{}) error { return nil }
func UnmarshalListOfMaps(l []map[string]types.AttributeValue, out interface{}) error {
	return nil
}
`},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 Lambda", Path: awsService + "lambda", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "Invoke", Operation: "Lambda Invoke", Kind: "call", Effect: true, Queue: "field FunctionName of arg 1"},
		Send{Func: "InvokeAsync", Operation: "Lambda InvokeAsync", Kind: "call", Effect: true, Queue: "field FunctionName of arg 1"},
		Send{Func: "InvokeWithResponseStream", Operation: "Lambda InvokeWithResponseStream", Kind: "call", Effect: true},
	),
	MakeStubs: awsStubs("lambda", "types", `
Invoke FunctionName *string; InvocationType types.InvocationType; Payload []byte; ClientContext *string; LogType types.LogType; Qualifier *string | Payload []byte; StatusCode int32; FunctionError *string; ExecutedVersion *string; LogResult *string
InvokeAsync FunctionName *string | Status int32
InvokeWithResponseStream FunctionName *string; Payload []byte | StatusCode int32
PutFunctionEventInvokeConfig FunctionName *string; MaximumRetryAttempts *int32; MaximumEventAgeInSeconds *int32 |
CreateEventSourceMapping FunctionName *string; EventSourceArn *string; MaximumRetryAttempts *int32 | UUID *string
`),
	StubFiles: map[string]string{awsService + "lambda/types": `package types

type InvocationType string
type LogType string

const (
	InvocationTypeEvent           InvocationType = "Event"
	InvocationTypeRequestResponse InvocationType = "RequestResponse"
	InvocationTypeDryRun          InvocationType = "DryRun"
	LogTypeNone                   LogType        = "None"
	LogTypeTail                   LogType        = "Tail"
)

type TooManyRequestsException struct{ Message *string }

func (e *TooManyRequestsException) Error() string { return "" }

type ServiceException struct{ Message *string }

func (e *ServiceException) Error() string { return "" }

type ResourceNotFoundException struct{ Message *string }

func (e *ResourceNotFoundException) Error() string { return "" }
`},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 Kinesis", Path: awsService + "kinesis", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "PutRecord", Operation: "Kinesis PutRecord", Kind: "publish", Effect: true, Queue: "field StreamName of arg 1"},
		Send{Func: "PutRecords", Operation: "Kinesis PutRecords", Kind: "publish", Effect: true, Queue: "field StreamName of arg 1"},
	),
	MakeStubs: awsStubs("kinesis", "types", `
PutRecord StreamName *string; StreamARN *string; Data []byte; PartitionKey *string; ExplicitHashKey *string; SequenceNumberForOrdering *string | SequenceNumber *string; ShardId *string
PutRecords StreamName *string; StreamARN *string; Records []types.PutRecordsRequestEntry | FailedRecordCount *int32; Records []types.PutRecordsResultEntry
GetRecords ShardIterator *string; Limit *int32 | NextShardIterator *string; Records []types.Record
GetShardIterator StreamName *string; ShardId *string | ShardIterator *string
`),
	StubFiles: map[string]string{awsService + "kinesis/types": `package types

type PutRecordsRequestEntry struct {
	Data                          []byte
	PartitionKey, ExplicitHashKey *string
}
type PutRecordsResultEntry struct{ ErrorCode, ErrorMessage, SequenceNumber, ShardId *string }
type Record struct {
	Data                         []byte
	PartitionKey, SequenceNumber *string
}
`},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 S3", Path: awsService + "s3", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "PutObject, DeleteObject, DeleteObjects, CopyObject, UploadPart, CompleteMultipartUpload, AbortMultipartUpload", Kind: "store", Effect: true, Idempotent: true},
		Send{Func: "CreateMultipartUpload", Kind: "store", Effect: true},
	),
	MakeStubs: awsStubs("s3", "types", `
GetObject Bucket *string; Key *string; Range *string; VersionId *string | Body io.ReadCloser; ContentLength *int64; ContentType *string; ETag *string; LastModified *time.Time; Metadata map[string]string
PutObject Bucket *string; Key *string; Body io.Reader; ContentType *string; ContentLength *int64; Metadata map[string]string; IfNoneMatch *string; ACL types.ObjectCannedACL; CacheControl *string | ETag *string; VersionId *string
DeleteObject Bucket *string; Key *string; VersionId *string | VersionId *string
DeleteObjects Bucket *string; Delete *types.Delete |
CopyObject Bucket *string; Key *string; CopySource *string |
HeadObject Bucket *string; Key *string | ContentLength *int64; ETag *string; Metadata map[string]string
HeadBucket Bucket *string |
ListObjectsV2 Bucket *string; Prefix *string; ContinuationToken *string; MaxKeys *int32; Delimiter *string | Contents []types.Object; IsTruncated *bool; NextContinuationToken *string; CommonPrefixes []types.CommonPrefix
CreateMultipartUpload Bucket *string; Key *string | UploadId *string
UploadPart Bucket *string; Key *string; UploadId *string; PartNumber *int32; Body io.Reader | ETag *string
CompleteMultipartUpload Bucket *string; Key *string; UploadId *string | ETag *string
AbortMultipartUpload Bucket *string; Key *string; UploadId *string |
CreateBucket Bucket *string |
`),
	StubFiles: map[string]string{awsService + "s3/types": `package types

import "time"

type ObjectCannedACL string
type Object struct {
	Key, ETag    *string
	Size         *int64
	LastModified *time.Time
}
type CommonPrefix struct{ Prefix *string }
type ObjectIdentifier struct{ Key, VersionId *string }
type Delete struct {
	Objects []ObjectIdentifier
	Quiet   *bool
}
type NoSuchKey struct{ Message *string }

func (e *NoSuchKey) Error() string { return "" }

type NotFound struct{ Message *string }

func (e *NotFound) Error() string { return "" }
`},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 EventBridge", Path: awsService + "eventbridge", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "PutEvents", Operation: "EventBridge PutEvents", Kind: "publish", Effect: true},
		Send{Func: "PutRule, PutTargets, DeleteRule, RemoveTargets", Idempotent: true}),
	MakeStubs: awsStubs("eventbridge", "types", `
PutEvents Entries []types.PutEventsRequestEntry; EndpointId *string | Entries []types.PutEventsResultEntry; FailedEntryCount int32
PutRule Name *string; EventBusName *string; ScheduleExpression *string; EventPattern *string | RuleArn *string
PutTargets Rule *string; EventBusName *string; Targets []types.Target |
`),
	StubFiles: map[string]string{awsService + "eventbridge/types": `package types

import "time"

type PutEventsRequestEntry struct {
	Detail, DetailType, EventBusName, Source, TraceHeader *string
	Resources                                             []string
	Time                                                  *time.Time
}
type PutEventsResultEntry struct{ ErrorCode, ErrorMessage, EventId *string }
type RetryPolicy struct{ MaximumEventAgeInSeconds, MaximumRetryAttempts *int32 }
type DeadLetterConfig struct{ Arn *string }
type Target struct {
	Arn, Id, Input, RoleArn *string
	RetryPolicy             *RetryPolicy
	DeadLetterConfig        *DeadLetterConfig
}
`},
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 Step Functions", Path: awsService + "sfn", Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy,
		Send{Func: "StartExecution", Operation: "Step Functions StartExecution", Kind: "call", Effect: true, Key: "field Name of arg 1", Queue: "field StateMachineArn of arg 1"},
		Send{Func: "SendTaskSuccess, SendTaskFailure, SendTaskHeartbeat, StopExecution", Idempotent: true}),
	MakeStubs: awsStubs("sfn", "", `
StartExecution StateMachineArn *string; Name *string; Input *string; TraceHeader *string | ExecutionArn *string; StartDate *time.Time
StartSyncExecution StateMachineArn *string; Name *string; Input *string | Output *string
SendTaskSuccess TaskToken *string; Output *string |
SendTaskFailure TaskToken *string; Error *string; Cause *string |
SendTaskHeartbeat TaskToken *string |
DescribeExecution ExecutionArn *string | Output *string
StopExecution ExecutionArn *string |
`),
})

var _ = add(Library{
	Name: "aws-sdk-go-v2 SES", Path: awsService + "sesv2", Also: []string{awsService + "ses"}, Source: awsSource, Doc: awsDoc, Parts: awsV2Parts,
	Clients: awsClient(awsV2Policy, Send{Func: "Send*", Operation: "SES SendEmail", Kind: "request", Effect: true}),
	MakeStubs: awsStubs("sesv2", "types", `
SendEmail Content *types.EmailContent; Destination *types.Destination; FromEmailAddress *string; ReplyToAddresses []string | MessageId *string
SendBulkEmail FromEmailAddress *string |
`),
	StubFiles: map[string]string{
		awsService + "sesv2/types": "package types\n\ntype Content struct{ Data, Charset *string }\ntype Body struct{ Html, Text *Content }\ntype Message struct {\n\tBody    *Body\n\tSubject *Content\n}\ntype RawMessage struct{ Data []byte }\ntype Template struct{ TemplateName, TemplateData *string }\ntype EmailContent struct {\n\tSimple   *Message\n\tRaw      *RawMessage\n\tTemplate *Template\n}\ntype Destination struct{ ToAddresses, CcAddresses, BccAddresses []string }\n",
		awsService + "ses/types":   "package types\n\ntype Content struct{ Data, Charset *string }\ntype Body struct{ Html, Text *Content }\ntype Message struct {\n\tBody    *Body\n\tSubject *Content\n}\ntype RawMessage struct{ Data []byte }\ntype Destination struct{ ToAddresses, CcAddresses, BccAddresses []string }\n",
	},
})
