module example.test/consumers

go 1.26

require (
	cloud.google.com/go/pubsub v1.49.0
	github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus v1.9.0
	github.com/IBM/sarama v1.45.0
	github.com/aws/aws-sdk-go-v2/service/sqs v1.53.0
	github.com/confluentinc/confluent-kafka-go/v2 v2.10.0
	github.com/hibiken/asynq v0.25.0
	github.com/nats-io/nats.go v1.42.0
	github.com/rabbitmq/amqp091-go v1.10.0
	github.com/redis/go-redis/v9 v9.8.0
	github.com/riverqueue/river v0.22.0
	github.com/segmentio/kafka-go v0.4.48
	github.com/twmb/franz-go v1.19.0
	go.temporal.io/sdk v1.34.0
)
