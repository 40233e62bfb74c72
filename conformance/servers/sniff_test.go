package servers

import (
	"encoding/binary"
	"net"
	"strconv"
	"syscall"
	"testing"

	"github.com/retrylint/retrylint/conformance"
)

// refuses is an address at which nobody listens: what is counted is the attempts to connect, as they pass the loopback interface.
var refuses = conformance.Server{Name: "refuses the connection", Start: func(rec *conformance.Record) (string, func(), error) {
	addr := free()
	_, p, err := net.SplitHostPort(addr)
	must(err)
	port, err := strconv.Atoi(p)
	must(err)
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, int(htons(syscall.ETH_P_IP)))
	if err != nil {
		return "", nil, err
	}
	loopback, err := net.InterfaceByName("lo")
	must(err)
	if err := syscall.Bind(fd, &syscall.SockaddrLinklayer{Protocol: htons(syscall.ETH_P_IP), Ifindex: loopback.Index}); err != nil {
		return "", nil, err
	}
	must(syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 50_000}))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		defer syscall.Close(fd)
		b := make([]byte, 256)
		for {
			select {
			case <-stop:
				return
			default:
			}
			n, from, err := syscall.Recvfrom(fd, b, 0)
			l, ok := from.(*syscall.SockaddrLinklayer)
			if err != nil || !ok || l.Pkttype == syscall.PACKET_OUTGOING || !isSYN(b[:n], port) {
				continue
			}
			rec.Add("")
		}
	}()
	return addr, func() { close(stop); <-stopped }, nil
}}

func htons(v uint16) uint16 { return v<<8 | v>>8 }

// isSYN reports whether an IPv4 packet opens a TCP connection to the port.
func isSYN(p []byte, port int) bool {
	if len(p) < 20 || p[0]>>4 != 4 || p[9] != syscall.IPPROTO_TCP {
		return false
	}
	p = p[int(p[0]&15)*4:]
	return len(p) >= 14 && int(binary.BigEndian.Uint16(p[2:])) == port && p[13]&0x12 == 0x02
}

// needsRoot skips the test where packets cannot be seen.
func needsRoot(t *testing.T) {
	t.Helper()
	if syscall.Geteuid() != 0 {
		t.Skip("needs root to see packets")
	}
}
