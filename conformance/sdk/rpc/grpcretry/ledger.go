package grpcretry

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// LedgerClient is the client of a service as the generator writes it.
type LedgerClient interface {
	Book(ctx context.Context, in *emptypb.Empty, opts ...grpc.CallOption) (*emptypb.Empty, error)
}

type ledgerClient struct{ cc grpc.ClientConnInterface }

// NewLedgerClient is its constructor.
func NewLedgerClient(cc grpc.ClientConnInterface) LedgerClient { return &ledgerClient{cc} }

func (c *ledgerClient) Book(ctx context.Context, in *emptypb.Empty, opts ...grpc.CallOption) (*emptypb.Empty, error) {
	out := new(emptypb.Empty)
	if err := c.cc.Invoke(ctx, "/pay.Ledger/Book", in, out, opts...); err != nil {
		return nil, err
	}
	return out, nil
}
