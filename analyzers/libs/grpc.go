package libs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// grpcClient is a connection: without a service config there is one attempt, and repeats of calls that were never sent.
var grpcClient = Policy{
	Attempts: "1", PerAttempt: "none", Overall: "none", Context: "arg 0", Kind: "rpc", DefaultBy: "grpc-go",
	OffSwitch: "grpc.WithDisableRetry()", Fix: grpcServiceConfig,
}

// grpcConfig is the part of a service config that retries.
type grpcConfig struct {
	MethodConfig []grpcMethod `json:"methodConfig"`
}

// grpcMethod is what a service config says of some methods.
type grpcMethod struct {
	Name        []struct{ Service, Method string } `json:"name,omitempty"`
	Timeout     string                             `json:"timeout,omitempty"`
	RetryPolicy *struct {
		MaxAttempts          json.Number `json:"maxAttempts"`
		InitialBackoff       string      `json:"initialBackoff"`
		MaxBackoff           string      `json:"maxBackoff"`
		BackoffMultiplier    float64     `json:"backoffMultiplier"`
		RetryableStatusCodes []any       `json:"retryableStatusCodes"`
	} `json:"retryPolicy,omitempty"`
}

// attempts are those that the entry asks for, 1 where it asks for none.
func (m *grpcMethod) attempts() int64 {
	if m.RetryPolicy == nil {
		return 1
	}
	n, _ := strconv.ParseInt(m.RetryPolicy.MaxAttempts.String(), 10, 64)
	return max(n, 1)
}

// covers says how exactly an entry speaks of a method: 0 not at all, 1 of everything, 2 of the service, 3 of the method. A
// service without a package matches whatever package it may be in.
func (m *grpcMethod) covers(service, method string) int {
	best := 0
	for _, n := range m.Name {
		same := n.Service == service || !strings.Contains(service, ".") && strings.HasSuffix(n.Service, "."+service)
		switch {
		case n.Service == "" && n.Method == "":
			best = max(best, 1)
		case same && n.Method == "":
			best = max(best, 2)
		case same && n.Method == method:
			best = max(best, 3)
		}
	}
	return best
}

// ServiceConfigOf cuts a service config down to the entry that rules a method, "/package.Service/Method". Worst reports whether
// that entry has the most attempts of the config, which is what the whole config stands for; ok is false where no entry is about
// the method. A text that is no config is its own worst.
func ServiceConfigOf(text, fullMethod string) (one string, worst, ok bool) {
	var cfg grpcConfig
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		return text, true, true
	}
	service, method, _ := strings.Cut(strings.TrimPrefix(fullMethod, "/"), "/")
	var at *grpcMethod
	best, most := 0, int64(1)
	for i := range cfg.MethodConfig {
		m := &cfg.MethodConfig[i]
		if c := m.covers(service, method); c > best {
			best, at = c, m
		}
		most = max(most, m.attempts())
	}
	if at == nil {
		return "", false, false
	}
	b, err := json.Marshal(grpcConfig{MethodConfig: []grpcMethod{*at}})
	if err != nil {
		return text, true, true
	}
	return string(b), at.attempts() == most, true
}

// grpcServiceConfig reads the JSON of WithDefaultServiceConfig. Of several method configs the one with the most attempts is
// taken, which is the worst case of the connection.
func grpcServiceConfig(s Site, r *Result) {
	v := s.Option("WithDefaultServiceConfig", 0)
	if !v.Set || v.Nil {
		return
	}
	if off := s.Option("WithDisableRetry", 0); off.Set {
		var cfg grpcConfig
		if v.IsStr && json.Unmarshal([]byte(v.Str), &cfg) == nil && slices.ContainsFunc(cfg.MethodConfig, func(m grpcMethod) bool { return m.RetryPolicy != nil }) {
			r.Origin, r.At = model.OriginExplicit, places(v.At)
			r.trait(model.Trait{Kind: model.TraitIneffective, At: v.At, Detail: "the connection is made WithDisableRetry, so that the retryPolicy of its service config does nothing"})
		}
		return
	}
	r.Origin = model.OriginExplicit
	r.At = places(v.At)
	if !v.IsStr {
		r.Policy.Attempts = model.Count{}
		return
	}
	var cfg grpcConfig
	if err := json.Unmarshal([]byte(v.Str), &cfg); err != nil {
		r.Policy.Attempts = model.Count{}
		return
	}
	limit := int64(5)
	if m := s.Option("WithMaxCallAttempts", 0); m.Set {
		if !m.IsInt {
			limit = 0
		} else if m.Int >= 2 {
			limit = m.Int
		}
	}
	most := int64(1)
	for _, m := range cfg.MethodConfig {
		p := m.RetryPolicy
		if p == nil {
			continue
		}
		n, err := strconv.ParseInt(p.MaxAttempts.String(), 10, 64)
		if err != nil || n < 2 {
			r.trait(model.Trait{Kind: model.TraitIneffective, At: v.At, Detail: "maxAttempts must be above 1, else the configuration is refused"})
			continue
		}
		if n <= most {
			continue
		}
		most = n
		pol := &r.Policy
		pol.Backoff = model.Backoff{Kind: model.BackoffExponential, Initial: protoDuration(p.InitialBackoff), Max: protoDuration(p.MaxBackoff),
			Factor: model.RatioOf(p.BackoffMultiplier), Jitter: model.Jitter{Kind: model.JitterProportional, Factor: model.NewRatio(1, 5)}}
		pol.Overall = model.NoLimit()
		if m.Timeout != "" {
			pol.Overall = protoDuration(m.Timeout)
		}
		pol.On = grpcCodes(p.RetryableStatusCodes)
	}
	switch {
	case limit == 0 && most > 1:
		r.Policy.Attempts = model.Count{}
	case limit > 0 && most > limit:
		r.Policy.Attempts = model.Exactly(limit)
		r.trait(model.Trait{Kind: model.TraitIneffective, At: v.At, Detail: "more than " + strconv.FormatInt(limit, 10) + " attempts are read as " + strconv.FormatInt(limit, 10)})
	default:
		r.Policy.Attempts = model.Exactly(most)
	}
}

// protoDuration reads "0.1s"; unknown where it is no duration.
func protoDuration(s string) model.Limit {
	d, err := time.ParseDuration(s)
	if err != nil || !strings.HasSuffix(s, "s") {
		return model.Limit{}
	}
	return model.For(d)
}

// grpcCodes turns status codes, names or numbers, into conditions.
func grpcCodes(codes []any) model.Conditions {
	var on model.Conditions
	for _, c := range codes {
		name, _ := c.(string)
		if n, ok := c.(float64); ok && n >= 0 && int(n) < len(grpcNames) {
			name = grpcNames[int(n)]
		}
		switch strings.ToUpper(name) {
		case "UNAVAILABLE":
			on |= model.OnUnavailable | model.OnConnect | model.OnReset
		case "DEADLINE_EXCEEDED":
			on |= model.OnTimeout
		case "RESOURCE_EXHAUSTED":
			on |= model.On429
		case "ABORTED", "ALREADY_EXISTS":
			on |= model.OnConflict
		case "INTERNAL", "UNKNOWN", "DATA_LOSS":
			on |= model.On500
		case "CANCELLED":
			on |= model.OnCancel
		case "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "UNAUTHENTICATED", "FAILED_PRECONDITION", "OUT_OF_RANGE", "UNIMPLEMENTED":
			on |= model.On4xx // their counterpart
		default:
			on |= model.OnRPCOther
		}
	}
	return on
}

var grpcNames = []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

var _ = add(Library{
	Name: "grpc-go", Path: "google.golang.org/grpc",
	Source: "google.golang.org/grpc@v1.85.0 dialoptions.go:43,676-686,791-806, service_config.go:225,270-292, stream.go:472,809-903",
	Doc: "Retries come from the retryPolicy of a service config. maxAttempts counts attempts, must be above 1 and is lowered to 5 unless " +
		"WithMaxCallAttempts says more. Calls that were never sent are repeated in any case. The deadline covers all attempts; there is no " +
		"limit for each. A config that a resolver delivers wins over the one in code. An empty name applies to all methods.",
	Clients: []Client{{Type: "ClientConn, ClientConnInterface", New: []string{"NewClient", "Dial", "DialContext"}, Policy: grpcClient, Sends: []Send{
		{Func: "Invoke", Kind: "request", Effect: true, Operation: "gRPC call"},
		{Func: "NewStream", Kind: "request", Effect: true, Operation: "gRPC stream"},
	}}},
	Stub: `package grpc

import (
	"context"
	"net"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

type ClientConnInterface interface {
	Invoke(ctx context.Context, method string, args any, reply any, opts ...CallOption) error
	NewStream(ctx context.Context, desc *StreamDesc, method string, opts ...CallOption) (ClientStream, error)
}
type ClientConn struct{}

func NewClient(target string, opts ...DialOption) (conn *ClientConn, err error)                          { return nil, nil }
func Dial(target string, opts ...DialOption) (*ClientConn, error)                                        { return nil, nil }
func DialContext(ctx context.Context, target string, opts ...DialOption) (conn *ClientConn, err error)   { return nil, nil }
func (cc *ClientConn) Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error { return nil }
func (cc *ClientConn) NewStream(ctx context.Context, desc *StreamDesc, method string, opts ...CallOption) (ClientStream, error) {
	return nil, nil
}
func (cc *ClientConn) Close() error   { return nil }
func (cc *ClientConn) Target() string { return "" }
func (cc *ClientConn) GetState() int  { return 0 }
func (cc *ClientConn) Connect()       {}

const (
	SupportPackageIsVersion3 = true
	SupportPackageIsVersion4 = true
	SupportPackageIsVersion5 = true
	SupportPackageIsVersion6 = true
	SupportPackageIsVersion7 = true
	SupportPackageIsVersion8 = true
	SupportPackageIsVersion9 = true
)

type ServerTransportStream interface{ Method() string }

func NewContextWithServerTransportStream(ctx context.Context, stream ServerTransportStream) context.Context { return nil }

type DialOption interface{ apply() }
type CallOption interface{ before() }
type EmptyCallOption struct{}

func (EmptyCallOption) before() {}

type ServerOption interface{ applyServer() }
type UnaryInvoker func(ctx context.Context, method string, req, reply any, cc *ClientConn, opts ...CallOption) error
type UnaryClientInterceptor func(ctx context.Context, method string, req, reply any, cc *ClientConn, invoker UnaryInvoker, opts ...CallOption) error
type Streamer func(ctx context.Context, desc *StreamDesc, cc *ClientConn, method string, opts ...CallOption) (ClientStream, error)
type StreamClientInterceptor func(ctx context.Context, desc *StreamDesc, cc *ClientConn, method string, streamer Streamer, opts ...CallOption) (ClientStream, error)
type UnaryServerInfo struct {
	Server     any
	FullMethod string
}
type StreamServerInfo struct {
	FullMethod                     string
	IsClientStream, IsServerStream bool
}
type UnaryHandler func(ctx context.Context, req any) (any, error)
type StreamHandler func(srv any, stream ServerStream) error
type UnaryServerInterceptor func(ctx context.Context, req any, info *UnaryServerInfo, handler UnaryHandler) (resp any, err error)
type StreamServerInterceptor func(srv any, ss ServerStream, info *StreamServerInfo, handler StreamHandler) error
type ClientStream interface {
	Header() (metadata.MD, error)
	Trailer() metadata.MD
	CloseSend() error
	Context() context.Context
	SendMsg(m any) error
	RecvMsg(m any) error
}
type ServerStream interface {
	SetHeader(metadata.MD) error
	SendHeader(metadata.MD) error
	SetTrailer(metadata.MD)
	Context() context.Context
	SendMsg(m any) error
	RecvMsg(m any) error
}
type ServerStreamingClient[Res any] interface {
	Recv() (*Res, error)
	ClientStream
}
type ServerStreamingServer[Res any] interface {
	Send(*Res) error
	ServerStream
}
type StreamDesc struct {
	StreamName                   string
	Handler                      StreamHandler
	ServerStreams, ClientStreams bool
}
type MethodDesc struct {
	MethodName string
	Handler    any
}
type ServiceDesc struct {
	ServiceName string
	HandlerType any
	Methods     []MethodDesc
	Streams     []StreamDesc
	Metadata    any
}
type ServiceRegistrar interface{ RegisterService(desc *ServiceDesc, impl any) }
type Server struct{}

func NewServer(opt ...ServerOption) *Server                       { return nil }
func (s *Server) RegisterService(sd *ServiceDesc, ss any)         {}
func (s *Server) Serve(lis net.Listener) error                    { return nil }
func (s *Server) Stop()                                           {}
func (s *Server) GracefulStop()                                   {}

func WithDefaultServiceConfig(s string) DialOption                                  { return nil }
func WithDisableServiceConfig() DialOption                                          { return nil }
func WithDisableRetry() DialOption                                                  { return nil }
func WithMaxCallAttempts(n int) DialOption                                          { return nil }
func WithTransportCredentials(creds credentials.TransportCredentials) DialOption    { return nil }
func WithPerRPCCredentials(creds credentials.PerRPCCredentials) DialOption          { return nil }
func WithInsecure() DialOption                                                      { return nil }
func WithBlock() DialOption                                                         { return nil }
func WithTimeout(d time.Duration) DialOption                                        { return nil }
func WithUserAgent(s string) DialOption                                             { return nil }
func WithAuthority(a string) DialOption                                             { return nil }
func WithUnaryInterceptor(f UnaryClientInterceptor) DialOption                      { return nil }
func WithChainUnaryInterceptor(interceptors ...UnaryClientInterceptor) DialOption   { return nil }
func WithStreamInterceptor(f StreamClientInterceptor) DialOption                    { return nil }
func WithChainStreamInterceptor(interceptors ...StreamClientInterceptor) DialOption { return nil }
func WithDefaultCallOptions(cos ...CallOption) DialOption                           { return nil }
func WithConnectParams(p any) DialOption                                            { return nil }
func WithKeepaliveParams(kp any) DialOption                                         { return nil }
func WithContextDialer(f func(context.Context, string) (net.Conn, error)) DialOption { return nil }
func WithStatsHandler(h any) DialOption                                             { return nil }
func WaitForReady(waitForReady bool) CallOption                                     { return nil }
func FailFast(failFast bool) CallOption                                             { return nil }
func MaxRetryRPCBufferSize(bytes int) CallOption                                    { return nil }
func MaxCallRecvMsgSize(bytes int) CallOption                                       { return nil }
func MaxCallSendMsgSize(bytes int) CallOption                                       { return nil }
func Header(md *metadata.MD) CallOption                                             { return nil }
func Trailer(md *metadata.MD) CallOption                                            { return nil }
func UnaryInterceptor(i UnaryServerInterceptor) ServerOption                        { return nil }
func StreamInterceptor(i StreamServerInterceptor) ServerOption                      { return nil }
func ChainUnaryInterceptor(interceptors ...UnaryServerInterceptor) ServerOption     { return nil }
func ChainStreamInterceptor(interceptors ...StreamServerInterceptor) ServerOption   { return nil }
func Creds(c credentials.TransportCredentials) ServerOption                         { return nil }
func StatsHandler(h any) ServerOption                                               { return nil }
func SetHeader(ctx context.Context, md metadata.MD) error                           { return nil }
func Method(ctx context.Context) (string, bool)                                     { return "", false }
`,
	StubFiles: map[string]string{
		"google.golang.org/grpc/codes": "package codes\n\ntype Code uint32\n\nfunc (c Code) String() string { return \"\" }\n\nconst (\n\tOK Code = iota\n\tCanceled\n\tUnknown\n\tInvalidArgument\n\tDeadlineExceeded\n\tNotFound\n\tAlreadyExists\n\tPermissionDenied\n\tResourceExhausted\n\tFailedPrecondition\n\tAborted\n\tOutOfRange\n\tUnimplemented\n\tInternal\n\tUnavailable\n\tDataLoss\n\tUnauthenticated\n)\n",
		"google.golang.org/grpc/status": `package status

import "google.golang.org/grpc/codes"

type Status struct{}

func New(c codes.Code, msg string) *Status                                  { return nil }
func Newf(c codes.Code, format string, a ...any) *Status                    { return nil }
func Error(c codes.Code, msg string) error                                  { return nil }
func Errorf(c codes.Code, format string, a ...any) error                    { return nil }
func FromError(err error) (s *Status, ok bool)                              { return nil, false }
func FromContextError(err error) *Status                                    { return nil }
func Convert(err error) *Status                                             { return nil }
func Code(err error) codes.Code                                             { return 0 }
func (s *Status) Code() codes.Code                                          { return 0 }
func (s *Status) Message() string                                           { return "" }
func (s *Status) Err() error                                                { return nil }
func (s *Status) Details() []any                                            { return nil }
`,
		"google.golang.org/grpc/metadata": `package metadata

import "context"

type MD map[string][]string

func New(m map[string]string) MD                                               { return nil }
func Pairs(kv ...string) MD                                                    { return nil }
func Join(mds ...MD) MD                                                        { return nil }
func NewOutgoingContext(ctx context.Context, md MD) context.Context            { return nil }
func NewIncomingContext(ctx context.Context, md MD) context.Context            { return nil }
func AppendToOutgoingContext(ctx context.Context, kv ...string) context.Context { return nil }
func FromIncomingContext(ctx context.Context) (MD, bool)                       { return nil, false }
func FromOutgoingContext(ctx context.Context) (MD, bool)                       { return nil, false }
func ValueFromIncomingContext(ctx context.Context, key string) []string        { return nil }
func (md MD) Get(k string) []string                                            { return nil }
func (md MD) Set(k string, vals ...string)                                     {}
func (md MD) Append(k string, vals ...string)                                  {}
func (md MD) Copy() MD                                                         { return nil }
func (md MD) Len() int                                                         { return 0 }
`,
		"google.golang.org/grpc/credentials": `package credentials

import (
	"context"
	"crypto/tls"
	"crypto/x509"
)

type TransportCredentials interface{ OverrideServerName(string) error }
type PerRPCCredentials interface {
	GetRequestMetadata(ctx context.Context, uri ...string) (map[string]string, error)
	RequireTransportSecurity() bool
}

func NewTLS(c *tls.Config) TransportCredentials                                                     { return nil }
func NewClientTLSFromCert(cp *x509.CertPool, serverNameOverride string) TransportCredentials        { return nil }
func NewClientTLSFromFile(certFile, serverNameOverride string) (TransportCredentials, error)        { return nil, nil }
func NewServerTLSFromFile(certFile, keyFile string) (TransportCredentials, error)                   { return nil, nil }
`,
		"google.golang.org/grpc/credentials/insecure": "package insecure\n\nimport \"google.golang.org/grpc/credentials\"\n\nfunc NewCredentials() credentials.TransportCredentials { return nil }\n",
		"google.golang.org/grpc/keepalive":            "package keepalive\n\nimport \"time\"\n\ntype ClientParameters struct {\n\tTime                time.Duration\n\tTimeout             time.Duration\n\tPermitWithoutStream bool\n}\n",
		"google.golang.org/grpc/backoff":              "package backoff\n\nimport \"time\"\n\ntype Config struct {\n\tBaseDelay  time.Duration\n\tMultiplier float64\n\tJitter     float64\n\tMaxDelay   time.Duration\n}\n\nvar DefaultConfig Config\n",
	},
	Example: `package example

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func dial(addr string) (*grpc.ClientConn, error) {
	return grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), // want layer "attempts=4 initial=100ms max=1s"
		grpc.WithDefaultServiceConfig("{\"methodConfig\":[{\"name\":[{}],\"retryPolicy\":{\"maxAttempts\":4,\"initialBackoff\":\"0.1s\",\"maxBackoff\":\"1s\",\"backoffMultiplier\":2,\"retryableStatusCodes\":[\"UNAVAILABLE\"]}}]}"))
}
`,
})

func grpcRetryPolicy() Policy {
	return Policy{
		Follow:   []string{"option WithBackoff"},
		Attempts: "option WithMax else 1", ZeroIs: "one", Backoff: "constant", Initial: "50ms", Jitter: "proportional 0.1",
		PerAttempt: "option WithPerRetryTimeout [0 none] else none", Overall: "none", On: "unavailable,429", Predicate: "option WithCodes else option WithRetriable",
		Context: "arg 0", Kind: "transport", DefaultBy: "go-grpc-middleware", Fix: grpcRetryCodes,
	}
}

// grpcRetryCodes reads the codes of WithCodes, which replace the interceptor's own.
func grpcRetryCodes(s Site, r *Result) {
	end := s.Option("WithCodes", 1000) // what is there beyond the last one
	if !end.Set {
		return
	}
	var codes []any
	var wrong []string
	var at model.Location
	for i := range 20 {
		v := s.Option("WithCodes", i)
		if i > 0 && v.At == end.At && !v.IsInt {
			break
		}
		if !v.IsInt || v.Lo != v.Hi || v.Int < 0 || int(v.Int) >= len(grpcNames) {
			return // a list that is handed in, or one that nobody knows
		}
		name := grpcNames[v.Int]
		if one := grpcCodes([]any{name}); i == 0 || one == model.On4xx {
			if at.IsZero() {
				at = v.At
			}
			if one == model.On4xx {
				wrong = append(wrong, name)
			}
		}
		codes = append(codes, name)
	}
	r.Policy.On, r.Predicate = grpcCodes(codes), Value{}
	if len(wrong) > 0 {
		r.trait(model.Trait{Kind: model.TraitRetriesPermanent, At: at, Detail: strings.Join(wrong, ", ") + " among the codes that are repeated"})
	}
}

var grpcRetryParts = []Part{
	{Func: "BackoffLinear", Policy: Policy{Backoff: "constant", Initial: "arg 0", Jitter: "none"}},
	{Func: "BackoffLinearWithJitter", Policy: Policy{Backoff: "constant", Initial: "arg 0", Jitter: "proportional arg 1"}},
	{Func: "BackoffExponential", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Max: "none", Jitter: "none"}},
	{Func: "BackoffExponentialWithJitter", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Max: "none", Jitter: "proportional arg 1"}},
	{Func: "BackoffExponentialWithJitterBounded", Policy: Policy{Backoff: "exponential", Initial: "arg 0", Factor: "2", Max: "arg 2", Jitter: "proportional arg 1"}},
}

var _ = add(Library{
	Name: "go-grpc-middleware retry", Path: "github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry", Also: []string{"github.com/grpc-ecosystem/go-grpc-middleware/retry"},
	Source: "github.com/grpc-ecosystem/go-grpc-middleware/v2@v2.3.4 interceptors/retry/options.go, retry.go, backoff.go; github.com/grpc-ecosystem/go-grpc-middleware@v1.4.0 retry/options.go:14-104",
	Doc: "WithMax counts attempts although its parameter is called maxRetries; 0, the default, switches the interceptor off. With WithPerRetryTimeout " +
		"an attempt's own deadline is repeated whatever the codes. It multiplies with the retryPolicy of a service config below it.",
	Calls: []Call{
		{Func: "UnaryClientInterceptor", Runs: "receiver", Policy: grpcRetryPolicy()},
		{Func: "StreamClientInterceptor", Runs: "receiver", Policy: grpcRetryPolicy()},
	},
	Parts: grpcRetryParts,
	Stub: `package retry

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
)

var DefaultRetriableCodes = []codes.Code{codes.ResourceExhausted, codes.Unavailable}

type BackoffFunc func(ctx context.Context, attempt uint) time.Duration
type CallOption struct{ grpc.EmptyCallOption }

func UnaryClientInterceptor(optFuncs ...CallOption) grpc.UnaryClientInterceptor                          { return nil }
func StreamClientInterceptor(optFuncs ...CallOption) grpc.StreamClientInterceptor                        { return nil }
func Disable() CallOption                                                                                { return CallOption{} }
func WithMax(maxRetries uint) CallOption                                                                 { return CallOption{} }
func WithBackoff(bf BackoffFunc) CallOption                                                              { return CallOption{} }
func WithBackoffContext(bf BackoffFunc) CallOption                                                       { return CallOption{} }
func WithCodes(retryCodes ...codes.Code) CallOption                                                      { return CallOption{} }
func WithPerRetryTimeout(timeout time.Duration) CallOption                                               { return CallOption{} }
func WithRetriable(f func(err error) bool) CallOption                                                    { return CallOption{} }
func WithOnRetryCallback(fn func(ctx context.Context, attempt uint, err error)) CallOption               { return CallOption{} }
func BackoffLinear(waitBetween time.Duration) BackoffFunc                                                { return nil }
func BackoffLinearWithJitter(waitBetween time.Duration, jitterFraction float64) BackoffFunc              { return nil }
func BackoffExponential(scalar time.Duration) BackoffFunc                                                { return nil }
func BackoffExponentialWithJitter(scalar time.Duration, jitterFraction float64) BackoffFunc              { return nil }
func BackoffExponentialWithJitterBounded(scalar time.Duration, jitterFrac float64, maxBound time.Duration) BackoffFunc {
	return nil
}
`,
	Example: `package example

import (
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"google.golang.org/grpc"
)

func dial(addr string) (*grpc.ClientConn, error) {
	return grpc.NewClient(addr, grpc.WithUnaryInterceptor(
		retry.UnaryClientInterceptor(retry.WithMax(3), retry.WithBackoff(retry.BackoffLinear(time.Second))))) // want layer "attempts=3 initial=1s"
}
`,
})
