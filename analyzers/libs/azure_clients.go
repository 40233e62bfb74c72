package libs

import (
	"fmt"
	"strings"
)

// azClients is what the clients of the SDK's data and management planes have in common: their options are the last argument of
// the constructor, after an address, a credential and sometimes a name, and hold azcore's options as they are or embedded.
var azClients = with(azRetry("arg 1"), Policy{
	Attempts:   azOption("MaxRetries", " + 1") + "4",
	Initial:    azOption("RetryDelay", " [0 default, - 0]") + "800ms",
	Max:        azOption("MaxRetryDelay", " [0 default, - none]") + "60s",
	PerAttempt: azOption("TryTimeout", " [0 none]") + "none",
})

// azOption asks for a retry option wherever it may stand, and ends in "else ".
func azOption(name, after string) string {
	var b strings.Builder
	for arg := 3; arg > 0; arg-- {
		for _, in := range []string{"", "ClientOptions."} {
			fmt.Fprintf(&b, "field %sRetry.%s of arg %d%s else ", in, name, arg, after)
		}
	}
	return b.String()
}

const azSDK = "github.com/Azure/azure-sdk-for-go/sdk/"

var _ = add(Library{
	Name: "Azure SDK clients", Path: azSDK + "data/*",
	Also: []string{azSDK + "storage/*", azSDK + "storage/*/*", azSDK + "security/*/*", azSDK + "keyvault/*", azSDK + "monitor/*", azSDK + "monitor/*/*", azSDK + "ai/*",
		azSDK + "containers/*", azSDK + "communication/*", azSDK + "resourcemanager/*/*"},
	Source: azSDK + "azcore@v1.24.0 runtime/policy_retry.go:23-228; data/azappconfig@v1.2.0 client.go:32-49; storage/azblob@v1.6.0 client.go:22-77",
	Doc: "Clients of storage, configuration, tables, key vaults and the management plane take azcore's options and repeat any method on lost " +
		"connections, 408, 429, 500, 502, 503 and 504: 3 retries unless MaxRetries says otherwise, where 0 means the default.",
	Clients: []Client{{Type: "*", New: []string{"New*"}, Policy: azClients, Sends: []Send{
		{Func: "*"},
		{Func: "Get*, List*, Download*, Exists*, Head*, Query*, Check*", Idempotent: true},
		{Func: "Set*, Put*, Upload*, Upsert*, Delete*, Purge*, CreateOrUpdate*, BeginCreateOrUpdate*, BeginDelete*", Effect: true, Idempotent: true},
		{Func: "Create*, Add*, Send*, Publish*, Enqueue*, Append*, Submit*", Effect: true},
		{Func: "New*, With*, URL, Close, More, NextPage, Done, Poll, PollUntilDone, Result, ResumeToken, ServiceClient, ContainerClient, BlobClient"},
	}}},
	StubFiles: map[string]string{
		azSDK + "storage/azblob": `package azblob

import (
	"context"
	"io"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

type ClientOptions struct{ azcore.ClientOptions }
type Client struct{}
type SharedKeyCredential struct{}
type UploadBufferOptions struct{}
type UploadStreamOptions struct{}
type UploadBufferResponse struct{}
type UploadStreamResponse struct{}
type DownloadStreamOptions struct{}
type DownloadStreamResponse struct{ Body io.ReadCloser }
type DeleteBlobOptions struct{}
type DeleteBlobResponse struct{}

func NewClient(serviceURL string, cred azcore.TokenCredential, options *ClientOptions) (*Client, error) { return nil, nil }
func NewClientWithNoCredential(serviceURL string, options *ClientOptions) (*Client, error)              { return nil, nil }
func NewClientWithSharedKeyCredential(serviceURL string, cred *SharedKeyCredential, options *ClientOptions) (*Client, error) {
	return nil, nil
}
func NewClientFromConnectionString(connectionString string, options *ClientOptions) (*Client, error) { return nil, nil }
func NewSharedKeyCredential(accountName string, accountKey string) (*SharedKeyCredential, error)     { return nil, nil }
func (c *Client) UploadBuffer(ctx context.Context, containerName string, blobName string, buffer []byte, o *UploadBufferOptions) (UploadBufferResponse, error) {
	return UploadBufferResponse{}, nil
}
func (c *Client) UploadStream(ctx context.Context, containerName string, blobName string, body io.Reader, o *UploadStreamOptions) (UploadStreamResponse, error) {
	return UploadStreamResponse{}, nil
}
func (c *Client) DownloadStream(ctx context.Context, containerName string, blobName string, o *DownloadStreamOptions) (DownloadStreamResponse, error) {
	return DownloadStreamResponse{}, nil
}
func (c *Client) DeleteBlob(ctx context.Context, containerName string, blobName string, o *DeleteBlobOptions) (DeleteBlobResponse, error) {
	return DeleteBlobResponse{}, nil
}
`,
		azSDK + "data/azappconfig": `package azappconfig

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

type ClientOptions struct{ azcore.ClientOptions }
type Client struct{}
type GetSettingOptions struct{ Label *string }
type SetSettingOptions struct{ Label *string }
type AddSettingOptions struct{ Label *string }
type DeleteSettingOptions struct{ Label *string }
type Setting struct {
	Key, Value, Label *string
	ETag              *azcore.ETag
}
type GetSettingResponse struct{ Setting }
type SetSettingResponse struct{ Setting }
type AddSettingResponse struct{ Setting }
type DeleteSettingResponse struct{ Setting }

func NewClient(endpoint string, cred azcore.TokenCredential, options *ClientOptions) (*Client, error) { return nil, nil }
func NewClientFromConnectionString(connectionString string, options *ClientOptions) (*Client, error)  { return nil, nil }
func (c *Client) GetSetting(ctx context.Context, key string, options *GetSettingOptions) (GetSettingResponse, error) {
	return GetSettingResponse{}, nil
}
func (c *Client) SetSetting(ctx context.Context, key string, value *string, options *SetSettingOptions) (SetSettingResponse, error) {
	return SetSettingResponse{}, nil
}
func (c *Client) AddSetting(ctx context.Context, key string, value *string, options *AddSettingOptions) (AddSettingResponse, error) {
	return AddSettingResponse{}, nil
}
func (c *Client) DeleteSetting(ctx context.Context, key string, options *DeleteSettingOptions) (DeleteSettingResponse, error) {
	return DeleteSettingResponse{}, nil
}
`,
	},
	Example: `package example

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azappconfig"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
)

func read(ctx context.Context, host string, cred azcore.TokenCredential) error {
	core := azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: 6}}
	c, err := azappconfig.NewClient(host, cred, &azappconfig.ClientOptions{ClientOptions: core})
	if err != nil {
		return err
	}
	_, err = c.GetSetting(ctx, "colour", nil) // want layer "attempts=7 initial=800ms"
	return err
}

func upload(ctx context.Context, url string, cred azcore.TokenCredential, data []byte) error {
	c, err := azblob.NewClient(url, cred, nil)
	if err != nil {
		return err
	}
	_, err = c.UploadBuffer(ctx, "box", "name", data, nil) // want layer "attempts=4 max=1m"
	return err
}
`,
})

// eventHubs has a retrier of its own, with the settings of Service Bus.
var eventHubs = Policy{
	Attempts: "field RetryOptions.MaxRetries of arg 3 + 1 else field RetryOptions.MaxRetries of arg 2 + 1 else 4", ZeroIs: "4", NegativeIs: "one",
	Backoff: "exponential", Initial: "field RetryOptions.RetryDelay of arg 3 [0 default, - 0] else field RetryOptions.RetryDelay of arg 2 [0 default, - 0] else 4s", Factor: "2",
	Max:    "field RetryOptions.MaxRetryDelay of arg 3 [0 default, - none] else field RetryOptions.MaxRetryDelay of arg 2 [0 default, - none] else 120s",
	Jitter: "some", Overall: "none", On: "connect,reset,timeout,unavailable", Context: "arg 0", Kind: "producer", DefaultBy: "azeventhubs", OffSwitch: "RetryOptions{MaxRetries: -1}",
}

var _ = add(Library{
	Name: "Azure Event Hubs", Path: azSDK + "messaging/azeventhubs", Also: []string{azSDK + "messaging/azeventhubs/v2"},
	Source: azSDK + "messaging/azeventhubs/v2@v2.0.2 internal/utils/retrier.go:40-148, producer_client.go:69-166",
	Doc:    "MaxRetries counts retries, 3 by default; 0 means the default, a negative number none. An event has no id by which the hub would know a second copy.",
	Clients: []Client{
		{Type: "ProducerClient", New: []string{"NewProducerClient", "NewProducerClientFromConnectionString"}, Policy: eventHubs, Sends: []Send{
			{Func: "SendEventDataBatch", Operation: "Event Hubs send", Kind: "publish", Effect: true, Queue: "arg 1 of receiver"},
			{Func: "Get*", Idempotent: true},
		}},
		{Type: "ConsumerClient", New: []string{"NewConsumerClient", "NewConsumerClientFromConnectionString"}, Policy: with(eventHubs, Policy{Kind: "client"}), Sends: []Send{
			{Func: "Get*", Idempotent: true},
		}},
	},
	Stub: `package azeventhubs

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

type RetryOptions struct {
	MaxRetries    int32
	RetryDelay    time.Duration
	MaxRetryDelay time.Duration
}
type ProducerClientOptions struct {
	ApplicationID  string
	CustomEndpoint string
	RetryOptions   RetryOptions
}
type ConsumerClientOptions struct {
	ApplicationID  string
	CustomEndpoint string
	RetryOptions   RetryOptions
}
type EventData struct {
	Body          []byte
	ContentType   *string
	CorrelationID any
	MessageID     *string
	Properties    map[string]any
}
type EventDataBatchOptions struct {
	MaxBytes                  uint64
	PartitionKey, PartitionID *string
}
type EventDataBatch struct{}

func (b *EventDataBatch) AddEventData(ed *EventData, options any) error { return nil }
func (b *EventDataBatch) NumEvents() int32                              { return 0 }

type EventHubProperties struct{ PartitionIDs []string }
type PartitionProperties struct{ PartitionID string }
type ProducerClient struct{}

func NewProducerClient(namespace string, eventHub string, credential azcore.TokenCredential, options *ProducerClientOptions) (*ProducerClient, error) {
	return nil, nil
}
func NewProducerClientFromConnectionString(connectionString string, eventHub string, options *ProducerClientOptions) (*ProducerClient, error) {
	return nil, nil
}
func (pc *ProducerClient) NewEventDataBatch(ctx context.Context, options *EventDataBatchOptions) (*EventDataBatch, error) { return nil, nil }
func (pc *ProducerClient) SendEventDataBatch(ctx context.Context, batch *EventDataBatch, options any) error               { return nil }
func (pc *ProducerClient) GetEventHubProperties(ctx context.Context, options any) (EventHubProperties, error) {
	return EventHubProperties{}, nil
}
func (pc *ProducerClient) Close(ctx context.Context) error { return nil }

type ConsumerClient struct{}
type PartitionClientOptions struct{}
type PartitionClient struct{}
type ReceivedEventData struct {
	EventData
	Offset         string
	SequenceNumber int64
}

func NewConsumerClient(namespace string, eventHub string, consumerGroup string, credential azcore.TokenCredential, options *ConsumerClientOptions) (*ConsumerClient, error) {
	return nil, nil
}
func NewConsumerClientFromConnectionString(connectionString string, eventHub string, consumerGroup string, options *ConsumerClientOptions) (*ConsumerClient, error) {
	return nil, nil
}
func (cc *ConsumerClient) NewPartitionClient(partitionID string, options *PartitionClientOptions) (*PartitionClient, error) {
	return nil, nil
}
func (cc *ConsumerClient) GetEventHubProperties(ctx context.Context, options any) (EventHubProperties, error) {
	return EventHubProperties{}, nil
}
func (cc *ConsumerClient) Close(ctx context.Context) error { return nil }
func (pc *PartitionClient) ReceiveEvents(ctx context.Context, count int, options any) ([]*ReceivedEventData, error) {
	return nil, nil
}
func (pc *PartitionClient) Close(ctx context.Context) error { return nil }

type CheckpointStore interface{ ListCheckpoints(ctx context.Context) }
type ProcessorOptions struct{ UpdateInterval time.Duration }
type Processor struct{}
type ProcessorPartitionClient struct{}

func NewProcessor(consumerClient *ConsumerClient, checkpointStore CheckpointStore, options *ProcessorOptions) (*Processor, error) {
	return nil, nil
}
func (p *Processor) Run(ctx context.Context) error                                        { return nil }
func (p *Processor) NextPartitionClient(ctx context.Context) *ProcessorPartitionClient     { return nil }
func (c *ProcessorPartitionClient) ReceiveEvents(ctx context.Context, count int, options any) ([]*ReceivedEventData, error) {
	return nil, nil
}
func (c *ProcessorPartitionClient) UpdateCheckpoint(ctx context.Context, latestEvent *ReceivedEventData, options any) error {
	return nil
}
func (c *ProcessorPartitionClient) PartitionID() string             { return "" }
func (c *ProcessorPartitionClient) Close(ctx context.Context) error { return nil }
`,
	Example: `package example

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azeventhubs/v2"
)

func send(ctx context.Context, ns string, cred azcore.TokenCredential, b *azeventhubs.EventDataBatch) error {
	p, err := azeventhubs.NewProducerClient(ns, "orders", cred, &azeventhubs.ProducerClientOptions{RetryOptions: azeventhubs.RetryOptions{MaxRetries: 1}})
	if err != nil {
		return err
	}
	return p.SendEventDataBatch(ctx, b, nil) // want layer "attempts=2 initial=4s"
}
`,
})
