package servers

// What the programs in the nested modules of this folder are built with.
import (
	_ "github.com/avast/retry-go/v4"
	_ "github.com/google/uuid"
	_ "github.com/lib/pq"
	_ "github.com/nats-io/nats.go/jetstream"
	_ "github.com/redis/go-redis/v9"
)
