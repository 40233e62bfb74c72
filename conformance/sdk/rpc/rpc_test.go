package rpc

import (
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/retrylint/retrylint/conformance"
	"github.com/retrylint/retrylint/conformance/sdk/rpc/grpcretry"
)

// unavailable answers every call with a code; times as in conformance.Answer.
func unavailable(code codes.Code) conformance.Server {
	return conformance.Server{Name: code.String(), Start: func(r *conformance.Record) (string, func(), error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			key := ""
			if md, ok := metadata.FromIncomingContext(stream.Context()); ok {
				for _, k := range md.Get("idempotency-key") {
					key = k
				}
			}
			r.Add(key)
			return status.Error(code, "not now")
		}))
		go func() { _ = s.Serve(l) }()
		return l.Addr().String(), s.Stop, nil
	}}
}

func TestRPC(t *testing.T) {
	down := unavailable(codes.Unavailable)
	conformance.Group{Name: "rpc", Title: "gRPC", Cases: []conformance.Case{
		{Name: "no policy", Run: grpcretry.None, Server: down, Off: true},
		{Name: "maxAttempts 4", Run: grpcretry.Four, Server: down},
		{Name: "maxAttempts 4, a code that is not listed", Run: grpcretry.Four, Server: unavailable(codes.Internal), Over: "The code is not among those that are repeated, which the layer says."},
		{Name: "maxAttempts 10", Run: grpcretry.Ten, Server: down},
		{Name: "maxAttempts 10, WithMaxCallAttempts(8)", Run: grpcretry.Eight, Server: down},
		{Name: "WithDisableRetry", Run: grpcretry.Disabled, Server: down, Off: true},
		{Name: "hedgingPolicy, which grpc-go does not know", Run: grpcretry.Hedged, Server: down, Off: true},
		{Name: "retry interceptor: WithMax(3)", Run: grpcretry.Interceptor, Server: down},
		{Name: "retry interceptor: WithMax(0)", Run: grpcretry.InterceptorZero, Server: down, Off: true},
		{Name: "retry interceptor: default wait", Run: grpcretry.InterceptorDefault, Server: down},
		{Name: "retry interceptor: doubling", Run: grpcretry.InterceptorDoubling, Server: down},
		{Name: "retry interceptor over a policy", Run: grpcretry.Both, Server: down},
	}}.Test(t)
}
