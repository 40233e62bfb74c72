// Package kuberest posts with client-go's REST client.
package kuberest

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

func client(url string) (*rest.RESTClient, error) {
	scheme := runtime.NewScheme()
	cfg := &rest.Config{Host: url, APIPath: "/api"}
	cfg.GroupVersion = &schema.GroupVersion{Version: "v1"}
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.RESTClientFor(cfg)
}

// Default repeats what the server asks for.
func Default(ctx context.Context, url string) error {
	c, err := client(url)
	if err != nil {
		return err
	}
	return c.Post().Resource("orders").Body([]byte("{}")).Do(ctx).Error()
}

// Two counts retries.
func Two(ctx context.Context, url string) error {
	c, err := client(url)
	if err != nil {
		return err
	}
	return c.Post().Resource("orders").MaxRetries(2).Body([]byte("{}")).Do(ctx).Error()
}

// Zero never repeats.
func Zero(ctx context.Context, url string) error {
	c, err := client(url)
	if err != nil {
		return err
	}
	return c.Post().Resource("orders").MaxRetries(0).Body([]byte("{}")).Do(ctx).Error()
}
