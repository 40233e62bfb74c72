package extract

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// TestVariablesOfContainers: where there is no file, the variables make the layers, at their own places; those that several services
// share make them once.
func TestVariablesOfContainers(t *testing.T) {
	checkArchive(t, txtar.Parse([]byte(`
-- docker-compose.yaml --
x-airflow: &env
  AIRFLOW__CORE__EXECUTOR: LocalExecutor
  AIRFLOW__CORE__DEFAULT_TASK_RETRIES: 3 # want layer "attempts=4 initial=1m"
  AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY: "60"
services:
  scheduler:
    image: apache/airflow:2
    environment: *env
  worker:
    image: apache/airflow:2
    environment: *env
  connect:
    image: confluentinc/cp-kafka-connect:7
    environment:
      CONNECT_PRODUCER_ACKS: "1"
      CONNECT_PRODUCER_RETRIES: 5 # want layer "attempts=6 producer-no-idempotence"
  orders:
    image: orders:1
    environment:
      - SPRING_RABBITMQ_LISTENER_SIMPLE_RETRY_ENABLED=true
      - SPRING_RABBITMQ_LISTENER_SIMPLE_RETRY_MAXATTEMPTS=6 # want layer "attempts=6"
      - KAFKA_PRODUCER_RETRIES=2 # want layer "attempts=3 low=true"
-- pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: stock}
spec:
  containers:
    - name: stock
      image: stock:1
      env:
        - {name: RESILIENCE4J_RETRY_INSTANCES_BANK_MAXATTEMPTS, value: "4"} # want layer "attempts=4"
`)), "compose")
}
