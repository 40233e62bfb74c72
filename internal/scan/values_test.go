package scan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A number that a flag of the command gives, handed through a constructor of one package and the options struct of another
// down to the loop.
func TestValuesThroughPackages(t *testing.T) {
	res := scanFolders(t, map[string]string{
		"shop/go.mod": "module example.test/shop\n\ngo 1.26\n\nrequire github.com/spf13/cobra v1.9.1\n",
		"shop/rollout/rollout.go": `package rollout

import (
	"net/http"
	"time"
)

const DefaultTries = 7

type Config struct {
	Tries int
	Wait  time.Duration
}

type base struct {
	tries int
	wait  time.Duration
}

type Controller struct{ base }

func New(cfg Config) *Controller { return &Controller{base{tries: cfg.Tries, wait: cfg.Wait}} }

func (c *Controller) Run() (err error) {
	for i := 0; i < c.tries; i++ {
		if _, err = http.Get("http://ledger/entries"); err == nil {
			return nil
		}
		time.Sleep(c.wait)
	}
	return err
}
`,
		"shop/manager/manager.go": `package manager

import (
	"time"

	"example.test/shop/rollout"
)

const pause = 3 * time.Second

func New(tries int) *rollout.Controller { return rollout.New(rollout.Config{Tries: tries, Wait: pause}) }
`,
		"shop/main.go": `package main

import (
	"github.com/spf13/cobra"

	"example.test/shop/manager"
	"example.test/shop/rollout"
)

func main() {
	var tries int
	cmd := &cobra.Command{RunE: func(*cobra.Command, []string) error { return manager.New(tries).Run() }}
	cmd.Flags().IntVar(&tries, "tries", rollout.DefaultTries, "how often")
	cmd.Execute()
}
`,
	})
	require.Len(t, res.Layers, 1)
	l := res.Layers[0]
	require.EqualValues(t, "7", l.Attempts)
	require.Equal(t, "3s", l.Backoff.Initial)
}
