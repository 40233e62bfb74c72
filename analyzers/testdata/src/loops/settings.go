package loops

import (
	"context"
	"flag"
	"os"
	"strconv"
	"time"
)

var maxTries = flag.Int("max-tries", 6, "how often")

func byFlag(ctx context.Context, r remote) (err error) {
	for i := 0; i < *maxTries; i++ { // want layer "attempts=6 attempts<-flag:max-tries"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func byEnv(ctx context.Context, r remote) (err error) {
	n, convErr := strconv.Atoi(os.Getenv("MAX_RETRIES"))
	if convErr != nil {
		return convErr
	}
	for i := 0; i <= n; i++ { // want layer "attempts=unknown attempts<-env:MAX_RETRIES+1"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func getenv(name string, fallback int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return fallback
}

func byEnvHelper(ctx context.Context, r remote) (err error) {
	n := getenv("TRIES", 4)
	for i := 0; i < n; i++ { // want layer "attempts=4 attempts<-env:TRIES"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

type envConfig struct {
	Attempts int           `envconfig:"CALL_ATTEMPTS" default:"3"`
	Wait     time.Duration `envconfig:"CALL_WAIT" default:"2s"`
}

func byTag(ctx context.Context, r remote, c envConfig) (err error) {
	for i := 0; i < c.Attempts; i++ { // want layer "attempts=3 initial=2s attempts<-env:CALL_ATTEMPTS initial<-env:CALL_WAIT"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
		time.Sleep(c.Wait)
	}
	return err
}

type option func(*opts)

type opts struct{ n int }

func withAttempts(n int) option { return func(o *opts) { o.n = n } }

func byOption(ctx context.Context, r remote, os ...option) (err error) {
	o := &opts{n: 3}
	for _, f := range os {
		f(o)
	}
	for i := 0; i < o.n; i++ { // want layer "attempts=3..8"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func useOption(ctx context.Context, r remote) error { return byOption(ctx, r, withAttempts(8)) }

// byEnvGeneric reads a variable or the file that another one names, through a generic function.
func byEnvGeneric(ctx context.Context, r remote) (err error) {
	n := orDefaultInt("GENERIC_TRIES", 8)
	for i := 0; i < n; i++ { // want layer "attempts=8 attempts<-env:GENERIC_TRIES"
		if err = r.Do(ctx, "x"); err == nil {
			return nil
		}
	}
	return err
}

func orDefaultInt(name string, fallback int) int { return orDefault(name, fallback, strconv.Atoi) }

func orDefault[T any](name string, fallback T, parse func(string) (T, error)) T {
	v, err := parse(orFile(name))
	if err != nil {
		return fallback
	}
	return v
}

func orFile(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv(name + "_FILE")
	if file == "" {
		return ""
	}
	b, _ := os.ReadFile(file)
	return string(b)
}
