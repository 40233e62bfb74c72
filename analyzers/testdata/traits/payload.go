package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"net/http"
	"strings"
	"time"
)

var hc = &http.Client{Timeout: time.Second}

type refund struct {
	Payment string    `json:"payment"`
	AskedAt time.Time `json:"asked_at"`
}

func Clock(url, payment string) (err error) {
	for n := 0; n < 4; n++ {
		body, _ := json.Marshal(refund{Payment: payment, AskedAt: time.Now()}) // trait: payload-fresh=the clock
		resp, e := hc.Post(url, "application/json", bytes.NewReader(body))
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func Once(url, payment string) (err error) {
	body, _ := json.Marshal(refund{Payment: payment, AskedAt: time.Now()})
	for n := 0; n < 4; n++ {
		resp, e := hc.Post(url, "application/json", bytes.NewReader(body))
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// Assigned field by field.
func Field(url, payment string) (err error) {
	r := refund{Payment: payment}
	for n := 0; n < 4; n++ {
		r.AskedAt = time.Now() // trait: payload-fresh=the clock
		body, _ := json.Marshal(r)
		resp, e := hc.Post(url, "application/json", bytes.NewReader(body))
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// The number of the attempt is written into the text.
func Attempt(url, payment string) (err error) {
	for n := 0; n < 4; n++ {
		body := fmt.Sprintf("payment=%s&try=%d", payment, n) // trait: payload-fresh=the attempt number
		resp, e := hc.Post(url, "text/plain", strings.NewReader(body))
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// Made in the function that each attempt calls.
func Helper(url, payment string) (err error) {
	for n := 0; n < 4; n++ {
		err = send(url, payment)
		if err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func send(url, payment string) error {
	nonce := rand.Int63() // trait: payload-fresh=randomness
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(fmt.Sprint(payment, nonce)))
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Headers may change.
func Header(url, payment string) (err error) {
	for n := 0; n < 4; n++ {
		req, e := http.NewRequest(http.MethodPost, url, strings.NewReader(payment))
		if e != nil {
			return e
		}
		req.Header.Set("X-Try", fmt.Sprint(n))
		req.Header.Set("Date", time.Now().Format(time.RFC1123))
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}
