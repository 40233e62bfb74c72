// Package bus keeps senders in a map, so that no use sees where its sender was made.
package bus

import (
	"context"
	"errors"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

type bus struct {
	client  *azservicebus.Client
	lock    sync.Mutex
	senders map[string]*azservicebus.Sender
}

func open(connection, host string, cred azcore.TokenCredential) (*bus, error) {
	b := &bus{senders: map[string]*azservicebus.Sender{}}
	options := &azservicebus.ClientOptions{ApplicationID: "orders"} // want layer "kind=producer attempts=4 origin=default"
	var err error
	if connection != "" {
		b.client, err = azservicebus.NewClientFromConnectionString(connection, options)
	} else {
		b.client, err = azservicebus.NewClient(host, cred, options)
	}
	return b, err
}

func (b *bus) sender(topic string) (*azservicebus.Sender, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	if s := b.senders[topic]; s != nil {
		return s, nil
	}
	if b.client == nil {
		return nil, errors.New("closed")
	}
	s, err := b.client.NewSender(topic, nil)
	if err != nil {
		return nil, err
	}
	b.senders[topic] = s
	return s, nil
}

func (b *bus) publish(ctx context.Context, topic string, m *azservicebus.Message) error {
	s, err := b.sender(topic)
	if err != nil {
		return err
	}
	return s.SendMessage(ctx, m, nil)
}
