package notretry

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// batches is a source that ends; after it comes the next one.
type batches interface {
	NextBatch(ctx context.Context) ([]string, error)
	Close(ctx context.Context) error
}

type object struct{ scanner batches }

type bucket interface {
	target(ctx context.Context) (*object, error)
}

func nextObject(ctx context.Context, b bucket) (batch []string, err error) {
	var o *object
	if o, err = b.target(ctx); err != nil {
		return
	}
	for {
		if batch, err = o.scanner.NextBatch(ctx); err == nil {
			break
		}
		if !errors.Is(err, io.EOF) {
			return
		}
		if err = o.scanner.Close(ctx); err != nil {
			log.Print(err)
		}
		if o, err = b.target(ctx); err != nil {
			return
		}
	}
	return batch, nil
}

type namespaces interface {
	Create(ctx context.Context, name string) error
}

func nextNamespace() string { return fmt.Sprint(rand.Int()) }

func isAlreadyExists(err error) bool { return strings.Contains(err.Error(), "exists") }

func firstFree(ctx context.Context, n namespaces) (string, error) {
	ns := ""
	for i := 0; i < 200; i++ {
		ns = nextNamespace()
		err := n.Create(ctx, ns)
		if err == nil {
			return ns, nil
		}
		if !isAlreadyExists(err) {
			return "", err
		}
	}
	return "", io.EOF
}

var errTaken = errors.New("user code taken")

type codes interface {
	generateCode(ctx context.Context) (string, error)
	store(ctx context.Context, code string) error
}

func userCode(ctx context.Context, c codes) (code string, err error) {
	for i := 0; i < 3; i++ {
		code, err = c.generateCode(ctx)
		if err != nil {
			return "", err
		}
		err = c.store(ctx, code)
		if err == nil {
			break
		}
		if !errors.Is(err, errTaken) {
			return "", err
		}
	}
	return code, err
}

func promptFor(what string) string {
	fmt.Println(what)
	s, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.TrimSpace(s)
}

func ask(ctx context.Context, a api) {
	for {
		mail := promptFor("address?")
		if err := a.Send(ctx, mail); err != nil {
			log.Print("try again", err)
			continue
		}
		break
	}
}

type store interface {
	search(ctx context.Context, password string) error
}

type options struct{ password string }

func readPassword(ctx context.Context) (string, error) { return promptFor("password?"), nil }

func decrypt(ctx context.Context, s store, o *options) (err error) {
	triesLeft := 3
	for ; triesLeft > 0; triesLeft-- {
		o.password, err = readPassword(ctx)
		if err != nil {
			continue
		}
		err = s.search(ctx, o.password)
		if err != nil && triesLeft > 1 {
			log.Print("try again", err)
			continue
		}
		return err
	}
	return err
}

func popCandidate(m map[string][]string, key string) (string, bool) {
	s := m[key]
	if len(s) == 0 {
		return "", false
	}
	m[key] = s[1:]
	return s[0], true
}

func rename(ctx context.Context, a api, m map[string][]string, key string) bool {
	for c, ok := popCandidate(m, key); ok; c, ok = popCandidate(m, key) {
		if err := a.Send(ctx, c); err != nil {
			log.Print("try the next one", err)
			continue
		}
		return true
	}
	return false
}

func readAll(ctx context.Context, t *testing.T, a api) []string {
	var all []string
	readAttempts := 20
	for i := 0; i < readAttempts; i++ {
		s, err := a.Get(ctx, "x")
		require.NoError(t, err)
		all = append(all, s)
		if len(all) == 10 {
			break
		}
	}
	return all
}

// finished asks again and again for a state, whatever its bytes are called.
func finished(ctx context.Context, a api) (string, error) {
	for {
		resp, err := a.Get(ctx, "job")
		if err != nil {
			return "", err
		}
		var status struct{ State string }
		if err := json.Unmarshal([]byte(resp), &status); err != nil {
			return "", err
		}
		switch status.State {
		case "done":
			return resp, nil
		case "failed":
			return "", errors.New("failed")
		}
		time.Sleep(time.Second)
	}
}
