package retryafter

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

var hc = &http.Client{Timeout: 5 * time.Second}

const longest = 90 * time.Second

func wish(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After")) // trait: reads-retry-after=capped
	if err != nil {
		return 0
	}
	return time.Duration(s) * time.Second
}

func Capped(url string) (*http.Response, error) {
	for n := 1; n <= 6; n++ {
		resp, err := hc.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusTooManyRequests { // traits: filters-permanent, retries-429=429
			return resp, nil
		}
		wait := time.Duration(n) * time.Second
		if d := wish(resp.Header); d > wait {
			wait = d
		}
		if wait > longest {
			return nil, fmt.Errorf("limited for %s", wait)
		}
		time.Sleep(wait)
	}
	return nil, fmt.Errorf("still limited")
}

func Uncapped(url string) (*http.Response, error) {
	for n := 1; n <= 6; n++ {
		resp, err := hc.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusTooManyRequests { // traits: filters-permanent, retries-429=429
			return resp, nil
		}
		wait := time.Second
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 { // trait: reads-retry-after=uncapped
			wait = time.Duration(s) * time.Second
		}
		time.Sleep(wait)
	}
	return nil, fmt.Errorf("still limited")
}

func Min(url string) (*http.Response, error) {
	for n := 1; n <= 6; n++ {
		resp, err := hc.Get(url)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != 429 { // traits: filters-permanent, retries-429=429
			return resp, nil
		}
		s, _ := strconv.Atoi(resp.Header.Get("retry-after")) // trait: reads-retry-after=capped
		time.Sleep(min(time.Duration(s)*time.Second, longest))
	}
	return nil, fmt.Errorf("still limited")
}
