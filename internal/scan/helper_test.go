package scan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrylint/retrylint/model"
)

// A retry helper in one repository, used in another: each call of it is a layer with what the call passes.
func TestHelperOfAnotherRepository(t *testing.T) {
	res := scanFolders(t, map[string]string{
		"kit/go.mod": "module example.test/kit\n\ngo 1.26\n",
		"kit/again/again.go": `package again

import (
	"context"
	"time"
)

// Do runs op up to n times.
func Do(ctx context.Context, n int, wait time.Duration, op func() error) (err error) {
	for i := 0; i < n; i++ {
		if err = op(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	return err
}

// Thrice needs no number.
func Thrice(op func() error) (err error) {
	for range 3 {
		if err = op(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}
`,
		"shop/go.mod": "module example.test/shop\n\ngo 1.26\n\nrequire example.test/kit v1.2.0\n",
		"shop/main.go": `package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"example.test/kit/again"
)

func post(path string) error {
	resp, err := http.Post("https://api.bank.example"+path, "text/plain", strings.NewReader("x"))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func main() {
	_ = again.Do(context.Background(), 7, 2*time.Second, func() error { return post("/seven") })
	_ = again.Thrice(func() error { return post("/three") })
	n, _ := strconv.Atoi(os.Args[1])
	_ = again.Do(context.Background(), n, time.Second, func() error { return post("/unknown") })
}
`,
	})
	attempts := map[string]string{}
	for _, l := range res.Layers {
		if l.Place.Repository == "shop" {
			attempts[l.Label] += string(l.Attempts) + " "
		}
	}
	require.Equal(t, map[string]string{"retry helper Do": "7 unknown ", "retry helper Thrice": "3 "}, attempts)
	chain := func(n model.Number) *model.ChainInfo {
		for i := range res.Chains {
			if res.Chains[i].Attempts == n {
				return &res.Chains[i]
			}
		}
		return nil
	}
	require.NotNil(t, chain("7"))
	require.NotNil(t, chain("3"))
}
