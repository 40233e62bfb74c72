package servers

import (
	"net"
	"sync/atomic"
)

// lossy is a road to a server on which everything arrives but the answers, once the connection was made: what the server sends
// after its greeting and the first pong is thrown away.
func lossy(to string) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				s, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer s.Close()
				var sent atomic.Bool
				go func() {
					b := make([]byte, 64<<10)
					for {
						n, err := c.Read(b)
						if err != nil {
							_ = s.Close()
							return
						}
						if containsPublish(b[:n]) {
							sent.Store(true)
						}
						if _, err := s.Write(b[:n]); err != nil {
							return
						}
					}
				}()
				b := make([]byte, 64<<10)
				for {
					n, err := s.Read(b)
					if err != nil {
						return
					}
					if sent.Load() {
						continue
					}
					if _, err := c.Write(b[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l
}

// containsPublish reports whether a publish with headers is among what a NATS client sent.
func containsPublish(b []byte) bool {
	for i := 0; i+4 <= len(b); i++ {
		if string(b[i:i+4]) == "HPUB" {
			return true
		}
	}
	return false
}
