// Package grpcretry books over gRPC.
package grpcretry

import (
	"context"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/emptypb"
)

// None has no policy.
func None(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

const four = `{"methodConfig":[{"name":[{"service":"pay.Ledger"}],"retryPolicy":{"maxAttempts":4,
	"initialBackoff":"0.04s","maxBackoff":"0.1s","backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// Four has a policy.
func Four(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(four))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

const ten = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":10,
	"initialBackoff":"0.03s","maxBackoff":"0.03s","backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// Ten is read as five.
func Ten(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(ten))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// Eight raises the bound.
func Eight(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(ten), grpc.WithMaxCallAttempts(8))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// Disabled switches it off.
func Disabled(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(four), grpc.WithDisableRetry())
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// Interceptor repeats above the connection.
func Interceptor(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(3), retry.WithBackoff(retry.BackoffLinear(100*time.Millisecond)))))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// InterceptorZero is off.
func InterceptorZero(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(0))))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// InterceptorDefault waits 50 ms, a little more or less.
func InterceptorDefault(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithChainUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(4))))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// InterceptorDoubling doubles.
func InterceptorDoubling(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(4), retry.WithBackoff(retry.BackoffExponential(30*time.Millisecond)))))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

// Both multiply.
func Both(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(four),
		grpc.WithUnaryInterceptor(retry.UnaryClientInterceptor(retry.WithMax(2), retry.WithBackoff(retry.BackoffLinear(20*time.Millisecond)))))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}

const hedged = `{"methodConfig":[{"name":[{"service":"pay.Ledger"}],"hedgingPolicy":{"maxAttempts":3,"hedgingDelay":"0.02s",
	"nonFatalStatusCodes":["UNAVAILABLE"]}}]}`

// Hedged asks for parallel attempts, which grpc-go does not make.
func Hedged(ctx context.Context, addr string) error {
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultServiceConfig(hedged))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = NewLedgerClient(conn).Book(ctx, &emptypb.Empty{})
	return err
}
