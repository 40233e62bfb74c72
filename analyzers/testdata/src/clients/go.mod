module example.org/clients

go 1.26

require (
	github.com/Azure/azure-sdk-for-go/sdk/azcore v1.24.0
	github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus v1.11.0
	github.com/IBM/sarama v1.46.0
	github.com/cenkalti/backoff/v4 v4.3.0
	github.com/dapr/kit v0.18.2
	github.com/redis/go-redis/v9 v9.14.0
)
