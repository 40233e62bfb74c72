package kit

import "time"

// Do runs op up to n times.
func Do(n int, op func() error) (err error) {
	for i := 0; i < n; i++ {
		if err = op(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}
