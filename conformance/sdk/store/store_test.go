package store

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/store/elastic"
	"github.com/retrylint/retrylint/conformance/sdk/store/redisv8"
	"github.com/retrylint/retrylint/conformance/sdk/store/redisv9"
)

// redis speaks enough of Redis for a connection to be made; a command with data is counted, and its connection is dropped or
// left without an answer.
func redis(name string, hang time.Duration) conformance.Server {
	return conformance.Listener(name, func(c net.Conn, r *conformance.Record) {
		in := bufio.NewScanner(c)
		for in.Scan() {
			word := strings.ToLower(in.Text())
			switch {
			case word == "incr" || word == "set" || word == "setnx":
				r.Add("")
				time.Sleep(hang)
				return
			case word == "hello" || word == "client" || word == "ping" || word == "command":
				_, _ = c.Write([]byte("-ERR unknown command\r\n"))
			}
		}
	})
}

func TestStores(t *testing.T) {
	drops, hangs := redis("drops the connection", 0), redis("hangs", 3*time.Second)
	down := conformance.HTTP(conformance.Answer{Status: 503})
	conformance.Group{Name: "store", Title: "Stores", Cases: []conformance.Case{
		{Name: "go-redis v9: nothing set", Run: redisv9.Default, Server: drops},
		{Name: "go-redis v9: MaxRetries 1", Run: redisv9.One, Server: drops},
		{Name: "go-redis v9: MaxRetries 0", Run: redisv9.Zero, Server: drops},
		{Name: "go-redis v9: MaxRetries -1", Run: redisv9.Off, Server: drops},
		{Name: "go-redis v9: ReadTimeout", Run: redisv9.Slow, Server: hangs},
		{Name: "go-redis v8: nothing set", Run: redisv8.Default, Server: drops},
		{Name: "go-redis v8: MaxRetries 1", Run: redisv8.One, Server: drops},
		{Name: "go-redis v8: MaxRetries 0", Run: redisv8.Zero, Server: drops},
		{Name: "go-redis v8: MaxRetries -1", Run: redisv8.Off, Server: drops},
		{Name: "go-redis v8: ReadTimeout", Run: redisv8.Slow, Server: hangs},
		{Name: "go-elasticsearch v8: nothing set", Run: elastic.Default, Server: down},
		{Name: "go-elasticsearch v8: MaxRetries 2", Run: elastic.Two, Server: down, Time: "A function of the code's own says how long to wait; the linter does not run it."},
		{Name: "go-elasticsearch v8: MaxRetries 0", Run: elastic.Zero, Server: down},
		{Name: "go-elasticsearch v8: DisableRetry", Run: elastic.Off, Server: down, Off: true},
	}}.Test(t)
}
