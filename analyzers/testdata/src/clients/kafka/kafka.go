// Package kafka makes producers from configurations that other functions build.
package kafka

import "github.com/IBM/sarama"

type node struct {
	config  *sarama.Config
	brokers []string
	sync    sarama.SyncProducer
}

// open hands the configuration on; who tunes it is another function.
func open(brokers []string) (*node, error) {
	config := sarama.NewConfig()
	config.ClientID = "orders"
	n := &node{config: config, brokers: brokers}
	p, err := fromCopy(*n.config, n.brokers)
	if err != nil {
		return nil, err
	}
	n.sync = p
	return n, nil
}

func fromCopy(config sarama.Config, brokers []string) (sarama.SyncProducer, error) {
	config.Producer.Retry.Max = 7 // want layer "kind=producer attempts=8 initial=100ms trait=producer-no-idempotence"
	c, err := sarama.NewClient(brokers, &config)
	if err != nil {
		return nil, err
	}
	return sarama.NewSyncProducerFromClient(c)
}

func (n *node) fromField() (sarama.AsyncProducer, error) {
	n.config.Producer.Retry.Max = 4 // want layer "kind=producer attempts=5"
	c, err := sarama.NewClient(n.brokers, n.config)
	if err != nil {
		return nil, err
	}
	return sarama.NewAsyncProducerFromClient(c)
}

// tuned is made by a function that may fail, and tuned by another one.
func tuned(brokers []string) (sarama.SyncProducer, error) {
	cfg, err := base("v2")
	if err != nil {
		return nil, err
	}
	careful(cfg)
	return sarama.NewSyncProducer(brokers, cfg)
}

func base(version string) (*sarama.Config, error) {
	cfg := sarama.NewConfig()
	if version == "" {
		return cfg, nil
	}
	v, err := sarama.ParseKafkaVersion(version)
	if err != nil {
		return nil, err
	}
	cfg.Version = v
	return cfg, nil
}

func careful(c *sarama.Config) {
	c.Producer.Idempotent = true
	c.Producer.Retry.Max = 2 // want layer "kind=producer attempts=3"
}
