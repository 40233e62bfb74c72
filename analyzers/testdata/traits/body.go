package body

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

var hc = &http.Client{Timeout: time.Second}

// The request is made outside and sent again.
func Reader(url string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		resp, e := hc.Do(req) // trait: body-reader
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func Stream(url string, src io.Reader) error {
	req, err := http.NewRequest(http.MethodPut, url, src)
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		resp, e := hc.Do(req) // trait: body-stream
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func File(url, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for n := 0; n < 3; n++ {
		req, e := http.NewRequest(http.MethodPut, url, f) // trait: body-stream
		if e != nil {
			return e
		}
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func FileRewound(url, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for n := 0; n < 3; n++ {
		if _, e := f.Seek(0, io.SeekStart); e != nil { // trait: body-rewound
			return e
		}
		req, e := http.NewRequest(http.MethodPut, url, f)
		if e != nil {
			return e
		}
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func FileOpenedAgain(url, name string) (err error) {
	for n := 0; n < 3; n++ {
		f, e := os.Open(name)
		if e != nil {
			return e
		}
		resp, e := hc.Post(url, "text/plain", f)
		f.Close()
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// The reader is made outside, the request inside: net/http takes what is left for the whole.
func ReaderOutside(url, doc string) (err error) {
	body := strings.NewReader(doc)
	for n := 0; n < 3; n++ {
		resp, e := hc.Post(url, "text/plain", body) // trait: body-reader
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func BuiltInside(url string, doc []byte) (err error) {
	for n := 0; n < 3; n++ {
		resp, e := hc.Post(url, "text/plain", bytes.NewReader(doc))
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func NoBody(ctx context.Context, url string) (err error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		resp, e := hc.Do(req)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// A clone has the body of its original.
func Cloned(url string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		resp, e := hc.Do(req.Clone(context.Background())) // trait: body-reader
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

func ClonedAndRewound(url string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	for n := 0; n < 3; n++ {
		again := req.Clone(context.Background())
		again.Body = io.NopCloser(bytes.NewReader(doc)) // trait: body-rewound
		resp, e := hc.Do(again)
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

// The reader goes through a helper.
func Through(url string, src io.Reader) (err error) {
	for n := 0; n < 3; n++ {
		err = send(url, src) // trait: body-stream
		if err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func send(url string, body io.Reader) error {
	req, err := http.NewRequest(http.MethodPost, url, body)
	if err != nil {
		return err
	}
	resp, err := hc.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// The loop is in the helper: what the package's callers hand over counts.
func Callers(url string, doc []byte) error { return loop(url, bytes.NewReader(doc)) }

func loop(url string, body io.Reader) (err error) {
	for n := 0; n < 3; n++ {
		resp, e := hc.Post(url, "text/plain", body) // trait: body-reader
		if e == nil {
			return resp.Body.Close()
		}
		err = e
		time.Sleep(time.Second)
	}
	return err
}

type again struct{ next http.RoundTripper }

// A transport that looks at the method knows what it does.
func (a again) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	if req.Method != http.MethodGet { // trait: method-guard
		return a.next.RoundTrip(req)
	}
	for n := 0; n < 3; n++ {
		resp, err = a.next.RoundTrip(req) // trait: ignores-context
		if err == nil {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}

type careless struct{ next http.RoundTripper }

// A transport is handed requests with any body.
func (a careless) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for n := 0; n < 3; n++ {
		resp, err = a.next.RoundTrip(req) // traits: body-reader, ignores-context
		if err == nil {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return nil, err
}
