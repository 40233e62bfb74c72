package shop

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"time"

	"example.test/kit"
)

var client = &http.Client{Timeout: time.Second}

func Buy(url string, body []byte) error {
	return kit.Do(6, func() error {
		req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", rand.Text()) // want `6 attempts of one POST request carry 6 keys`
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}
