package pay

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"time"
)

var client = &http.Client{Timeout: time.Second}

func Charge(url string, body []byte) (err error) {
	for n := 0; n < 4; n++ {
		req, e := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
		if e != nil {
			return e
		}
		req.Header.Set("Idempotency-Key", rand.Text()) // want `4 attempts of one POST request carry 4 keys`
		resp, e := client.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}
