// Package cache sets its number in two places, both of which count.
package cache

import "github.com/redis/go-redis/v9"

type settings struct {
	MaxRetries int `mapstructure:"maxRetries"`
}

func newClient(kind string, decode func(any) error) (*redis.Client, error) {
	var s settings
	switch kind {
	case "state":
		s.MaxRetries = 5
	case "lock":
		s.MaxRetries = 5
	}
	if err := decode(&s); err != nil {
		return nil, err
	}
	return redis.NewClient(&redis.Options{MaxRetries: s.MaxRetries}), nil // want layer "attempts=6 attempts<-config:maxRetries+1 setBy=14 setBy=16"
}
