package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

func TestHost(t *testing.T) {
	for raw, want := range map[string]string{
		"http://ledger.pay.svc:8080/entries":             "host:ledger.pay",
		"ledger.pay.svc.cluster.local":                   "host:ledger.pay",
		"pod-0.ledger.pay.svc.cluster.local:443":         "host:ledger.pay",
		"dns:///ledger.pay:8080":                         "host:ledger.pay",
		"https://user:secret@API.stripe.com./v1/x?a=b@c": "host:api.stripe.com",
		"ledger":            "host:ledger.pay",
		"localhost:8080":    "host:localhost",
		"http://[::1]:80/x": "host:::1",
		"10.0.0.1:80":       "host:10.0.0.1",
		"http://{{.Host}}/": "",
		"":                  "",
	} {
		require.Equal(t, want, model.Host(raw, "pay").String(), raw)
	}
	require.Equal(t, "host:ledger", model.Host("ledger:80", "").String())
}

func TestImage(t *testing.T) {
	for ref, want := range map[string]string{
		"order-hooks:1.4": "image:order-hooks",
		"registry.example.test:5000/pay/settle-worker:v1@sha256:abc": "image:pay/settle-worker",
		"localhost/x":                      "image:x",
		"ko://example.test/Pay/cmd/settle": "image:ko://example.test/Pay/cmd/settle",
		"//cmd/settle:image":               "image://cmd/settle:image",
		"@pay//cmd/settle:image":           "image:@pay//cmd/settle:image",
		"Pay/Ledger":                       "image:pay/ledger",
		"{{ .Values.image }}:1":            "",
	} {
		require.Equal(t, want, model.Image(ref).String(), ref)
	}
}
