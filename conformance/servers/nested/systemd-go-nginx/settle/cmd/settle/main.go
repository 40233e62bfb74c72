// Command settle books the day's entry through the edge, three times at most.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/avast/retry-go/v4"
)

func book() error {
	req, err := http.NewRequest(http.MethodPost, os.Getenv("EDGE_URL")+"/entries", strings.NewReader("1"))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", time.Now().Format(time.DateOnly))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode >= 300 {
		return fmt.Errorf("edge: %s", resp.Status)
	}
	return nil
}

func main() {
	if err := retry.Do(book, retry.Attempts(3), retry.Delay(100*time.Millisecond), retry.DelayType(retry.FixedDelay)); err != nil {
		log.Fatal(err)
	}
}
