package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"
)

const ledger = "http://ledger.pay.svc.cluster.local:8080"

var hc = &http.Client{Timeout: 3 * time.Second}

func literal(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://API.example.com/v1/charges?x=1", nil)
	if err != nil {
		return err
	}
	_, err = hc.Do(req) // want request "POST host:api.example.com /v1/charges timeout=3s"
	return err
}

func joined(id string) {
	http.Get(ledger + "/entries/" + id)                             // want request "GET host:ledger.pay /entries/{} timeout=unbounded"
	hc.Get(fmt.Sprintf("%s/entries/%s/lines/%d", ledger, id, 7))    // want request "GET host:ledger.pay /entries/{}/lines/7 timeout=3s"
	hc.Post("http://mail/send", "text/plain", bytes.NewReader(nil)) // want request "POST host:mail /send"
	u, _ := url.JoinPath(ledger, "accounts", id)
	hc.Head(u) // want request "HEAD host:ledger.pay /accounts/{}"
}

func setting(b io.Reader) {
	hc.Post(os.Getenv("GATEWAY_URL")+"/pay", "application/json", b) // want request "POST target<-env:GATEWAY_URL/pay /pay"
}

type client struct {
	base string
	http *http.Client
}

func newClient(base string) *client {
	return &client{base: base, http: &http.Client{Timeout: 10 * time.Second}}
}

// do sends for all methods: the request is made by its callers.
func (c *client) do(req *http.Request) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func (c *client) create(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, "POST", c.base+"/orders", nil) // want request "POST host:orders.shop /orders timeout=10s from=example.test/requests.(*client).create"
	if err != nil {
		return err
	}
	return c.do(req)
}

func (c *client) build(ctx context.Context, method, path string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, method, c.base+path, nil)
}

func (c *client) remove(ctx context.Context, id string) error {
	req, err := c.build(ctx, http.MethodDelete, "/orders/"+id) // want request "DELETE host:orders.shop /orders/{} from=example.test/requests.(*client).remove"
	if err != nil {
		return err
	}
	return c.do(req)
}

func unknown(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, "PUT", url+"/x", nil)
	if err != nil {
		return err
	}
	try, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	_, err = http.DefaultClient.Do(req.WithContext(try)) // want request "PUT /x timeout=1s"
	return err
}

type again struct{ next http.RoundTripper }

func (a again) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	for i := 0; i < 3; i++ { // want layer "attempts=3 kind=transport"
		if resp, err = a.next.RoundTrip(r); err == nil { // want request "layers=1"
			return resp, nil
		}
	}
	return resp, err
}

func through() {
	c := &http.Client{Transport: again{http.DefaultTransport}}
	c.Get("http://stock/level") // want request "GET host:stock /level layers=1"
}

func list(w http.ResponseWriter, r *http.Request) { joined(r.PathValue("id")) }

func post(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	literal(r.Context())
	unknown(r.Context(), r.FormValue("to"))
}

type health struct{}

func (health) ServeHTTP(w http.ResponseWriter, r *http.Request) { setting(r.Body) }

func logged(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		log.Print(r.URL)
		h.ServeHTTP(w, r)
	})
}

func main() {
	c := newClient("http://orders.shop")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items/{id}", list)                                                                  // want handler "GET /items/{id} func=example.test/requests.list"
	mux.HandleFunc("/items", post)                                                                           // want handler "POST /items func=example.test/requests.post"
	mux.Handle("/health", health{})                                                                          // want handler "/health func=example.test/requests.health.ServeHTTP"
	mux.Handle("DELETE /orders/{id}", logged(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // want handler "DELETE /orders/{id} func=example.test/requests.main$1"
		c.remove(r.Context(), r.PathValue("id"))
		c.create(r.Context())
		through()
	})))
	log.Fatal(http.ListenAndServe(":8080", mux))
}
