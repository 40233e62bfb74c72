package model

// NodeKind is what sort of thing a node is.
type NodeKind string

// The kinds of nodes.
const (
	NodeFunc     NodeKind = "function"
	NodeHandler  NodeKind = "handler"  // of HTTP or RPC requests
	NodeConsumer NodeKind = "consumer" // of messages or tasks
	NodeMain     NodeKind = "main"
	NodeSchedule NodeKind = "schedule" // a scheduled task: CronJob, CronWorkflow, timer
	NodeBatch    NodeKind = "batch"    // a Job or one-off task
	NodeWorkflow NodeKind = "workflow"
	NodeStep     NodeKind = "step" // of a workflow
	NodeWorkload NodeKind = "workload"
	NodeRoute    NodeKind = "route"
	NodeQueue    NodeKind = "queue"
	NodeOutside  NodeKind = "outside" // a party outside: a browser, a webhook sender, an API that is called
	NodeHost     NodeKind = "host"
	NodeOp       NodeKind = "operation"
	NodeStore    NodeKind = "store" // a database or cache
)

// Human reports whether somebody can rerun work that enters at such a node.
func (k NodeKind) Human() bool {
	switch k {
	case NodeSchedule, NodeBatch, NodeWorkflow, NodeStep, NodeConsumer, NodeQueue:
		return true
	}
	return false
}

// Node says what a name is. Names without a Node are taken for what their space says.
type Node struct {
	Name  Name     `json:"name"`
	Kind  NodeKind `json:"kind"`
	At    Location `json:"at,omitzero"`
	Label string   `json:"label,omitempty"` // for people
	// Exported: code of other packages or repositories can call it.
	Exported bool `json:"exported,omitempty"`
	// Entry: work begins here even if something calls it (a schedule, a handler, a consumer, main).
	Entry  bool    `json:"entry,omitempty"`
	Dir    string  `json:"dir,omitempty"` // folder of the repository that holds it
	Traits []Trait `json:"traits,omitempty"`
}

// EdgeKind is what sort of call an edge is.
type EdgeKind string

// The kinds of edges.
const (
	EdgeCall     EdgeKind = "call"     // within a process
	EdgeRequest  EdgeKind = "request"  // HTTP or RPC
	EdgePublish  EdgeKind = "publish"  // the caller does not learn of the consumer's failure: the product ends
	EdgeDeliver  EdgeKind = "deliver"  // from a queue to its consumer
	EdgeSchedule EdgeKind = "schedule" // a scheduler or workload starts something
	EdgeStore    EdgeKind = "store"    // a database or cache operation
	EdgeSame     EdgeKind = "same"     // another name of the same thing
)

// KeyHow is how an idempotency key travels on an edge.
type KeyHow string

// The ways of keys.
const (
	KeyUnknown   KeyHow = ""          // cannot be said
	KeyNone      KeyHow = "none"      // the request was seen whole and has no key
	KeyMade      KeyHow = "made"      // made here: see Sources
	KeyForwarded KeyHow = "forwarded" // a received key, or a parameter
	KeyDerived   KeyHow = "derived"   // from the intent: order id, hash of the payload
	KeyConstant  KeyHow = "constant"  // the same for different intents
	KeyNatural   KeyHow = "natural"   // the operation carries another identity that the receiver enforces
	KeyClient    KeyHow = "client"    // the client library adds one per call by itself
)

// KeySources is what goes into a key or payload: a set.
type KeySources uint16

// The sources of keys.
const (
	FromRandom   KeySources = 1 << iota // uuid, rand
	FromClock                           // time.Now
	FromAttempt                         // the attempt number
	FromInput                           // a parameter, field or message
	FromConstant                        // a literal or package-level value
	FromStored                          // a row that was read
	FromDelivery                        // an id that changes per delivery (receipt handle, retry count)
	FromProcess                         // once per process: hostname, pid, package-level uuid
)

// Unstable reports whether the value differs from one evaluation to the next.
func (s KeySources) Unstable() bool { return s&(FromRandom|FromClock|FromAttempt|FromDelivery) != 0 }

var sourceWords = []string{"randomness", "the clock", "the attempt number", "an input", "a constant", "a stored value", "a delivery id", "a value made once per process"}

// Words lists the sources for messages.
func (s KeySources) Words() []string {
	var out []string
	for i, w := range sourceWords {
		if s&(1<<i) != 0 {
			out = append(out, w)
		}
	}
	return out
}

// Key is the idempotency key of one call.
type Key struct {
	How     KeyHow     `json:"how,omitempty"`
	Sink    string     `json:"sink,omitempty"` // header, field or option that carries it
	Sources KeySources `json:"sources,omitempty"`
	// Born is where a made key comes into being; At is where it is put onto the call.
	Born Location `json:"born,omitzero"`
	At   Location `json:"at,omitzero"`
	// BornIn is the function node of its birth and BornUnder the layers around the birth there, outermost first: each of
	// these layers, and each layer above BornIn, makes another key per attempt.
	BornIn    Name     `json:"bornIn,omitzero"`
	BornUnder []string `json:"bornUnder,omitempty"`
	// Text is the expression as written, for messages.
	Text string `json:"text,omitempty"`
	// Window is the guaranteed memory of a provider from the catalogue (Stripe 24h); zero where there is none.
	Window   Window `json:"window,omitzero"`
	Provider string `json:"provider,omitempty"` // catalogue row, e.g. "stripe.v1"
	// Hoist makes the key once, before the layers around its birth, where that can be done without changing anything else.
	Hoist []Edit `json:"hoist,omitempty"`
}

// Edge is one call from a node to another.
type Edge struct {
	From Name     `json:"from"`
	To   Name     `json:"to"`
	Kind EdgeKind `json:"kind"`
	At   Location `json:"at"`
	// Under lists the layers around the call within From, outermost first.
	Under []string `json:"under,omitempty"`
	// Uses names policies that are set elsewhere (Layer.As); the first that is defined is around the call as well.
	Uses []Name `json:"uses,omitempty"`
	// Method and Path of a request: upper case; Path with "{}" for parts that are not known; "" unknown.
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	// OneOf says of a function that sends whatever it is asked to among which methods Method was chosen: "GET, POST".
	OneOf string `json:"oneOf,omitempty"`
	// Host is where the connection of a gRPC call leads: To is the method.
	Host Name `json:"host,omitzero"`
	// Timeout bounds one attempt (client timeout, context per attempt); NoLimit where it is known that nothing does.
	Timeout Limit `json:"timeout,omitzero"`
	// Deadline is passed down and bounds everything beneath it too (context, gRPC deadline).
	Deadline Limit `json:"deadline,omitzero"`
	Key      Key   `json:"key,omitzero"`
	// Idempotent: by what the operation does (a read, a delete, an acknowledgement), whatever carries it. Effect: it is
	// known to change something. Both false: not known.
	Idempotent bool `json:"idempotent,omitempty"`
	Effect     bool `json:"effect,omitempty"`
	// BestEffort: telemetry and the like.
	BestEffort bool `json:"bestEffort,omitempty"`
	// Sees: the caller learns of the callee's failure. Blind edges end the product.
	Blind bool `json:"blind,omitempty"`
	// Ends lists the layers above, in From or right around it, that a failure of this very call leaves: they repeat the call
	// when something else fails.
	Ends []string `json:"ends,omitempty"`
	// Quiet: the call happens in the caller's time and does not tell of a failure, so no layer above repeats for it.
	Quiet bool     `json:"quiet,omitempty"`
	Refs  []Ref    `json:"refs,omitempty"` // target, timeout
	Label string   `json:"label,omitempty"`
	Envs  []string `json:"envs,omitempty"`
	// Handed: From does not call To itself but hands it to another function.
	Handed Handed `json:"handed,omitzero"`
	// ByInterface: To is one of several possible implementations; they are alternatives.
	Alternatives []Name `json:"alternatives,omitempty"`
}

// Handler is a request that some code serves, or messages that it consumes.
type Handler struct {
	Name    Name     `json:"name"`             // the node of the handler
	Func    Name     `json:"func"`             // what runs
	Method  string   `json:"method,omitempty"` // "" any
	Pattern string   `json:"pattern,omitempty"`
	Queue   Name     `json:"queue,omitzero"` // for consumers
	Refs    []Ref    `json:"refs,omitempty"` // of a consumer: the setting that names its queue
	RPC     string   `json:"rpc,omitempty"`  // "/package.Service/Method"
	At      Location `json:"at"`
	Dir     string   `json:"dir,omitempty"`
	// ReadsKey: the handler takes an idempotency key from the request (header or field named KeyName).
	ReadsKey bool     `json:"readsKey,omitempty"`
	KeyName  string   `json:"keyName,omitempty"`
	KeyAt    Location `json:"keyAt,omitzero"`
	Traits   []Trait  `json:"traits,omitempty"`
}

// RouteMatch is a condition of a proxy's route; empty fields match everything.
type RouteMatch struct {
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Prefix string `json:"prefix,omitempty"`
}

// Route is a rule of a proxy or mesh that requests to Hosts pass.
type Route struct {
	Name  Name         `json:"name"`
	At    Location     `json:"at"`
	Hosts []Name       `json:"hosts"`           // as the caller writes them
	Dest  []Name       `json:"dest,omitempty"`  // where it goes; empty: the hosts themselves
	Match []RouteMatch `json:"match,omitempty"` // one of them must hold; empty: all requests
	Order int          `json:"order"`           // the first that matches wins, per Owner
	Owner string       `json:"owner,omitempty"` // the object the routes belong to
	// Mesh: applies to calls between workloads. Ingress: requests from outside enter here.
	Mesh    bool   `json:"mesh,omitempty"`
	Ingress bool   `json:"ingress,omitempty"`
	Layer   string `json:"layer,omitempty"` // id of its retry layer
	// Uses names policies that are attached from elsewhere (Layer.As), the one that wins first; Layer wins over them unless
	// it is a default.
	Uses      []Name   `json:"uses,omitempty"`
	Timeout   Limit    `json:"timeout,omitzero"`
	TimeoutAt Location `json:"timeoutAt,omitzero"`
	Envs      []string `json:"envs,omitempty"`
}

// Service is something that runs or answers under a name.
type Service struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"` // deployment, statefulset, job, cronjob, service, main, compose, declared ...
	At         Location `json:"at,omitzero"`
	Namespace  string   `json:"namespace,omitempty"`
	Names      []Name   `json:"names,omitempty"` // hosts, images, workloads, queues that mean it
	Node       Name     `json:"node,omitzero"`   // its node in the graph, where it has one
	Dir        string   `json:"dir,omitempty"`   // of a main package
	Binary     string   `json:"binary,omitempty"`
	Replicas   Count    `json:"replicas,omitzero"`
	ReplicasAt Location `json:"replicasAt,omitzero"`
	Labels     []string `json:"labels,omitempty"`   // "k=v" of the pod template, sorted
	Selector   []string `json:"selector,omitempty"` // "k=v" of a Kubernetes Service, sorted
	Commands   []string `json:"commands,omitempty"` // first words of command and args
	Schedule   string   `json:"schedule,omitempty"`
	// Sidecar names the policy that the proxies of a mesh in the pods have for calls of hosts that no route is for (Layer.As).
	Sidecar Name     `json:"sidecar,omitzero"`
	Envs    []string `json:"envs,omitempty"`
}

// EvictionPolicy is the setting of a Redis that says what is thrown out when its memory is full.
var EvictionPolicy = Name{Space: SpaceValue, Key: "redis:maxmemory-policy"}

// Setting is a value that something gives to a name that code or another file reads.
type Setting struct {
	Name  Name     `json:"name"`
	Value string   `json:"value"`
	At    Location `json:"at"`
	// Unknown: something is set, but what is not in the files (a Secret). What reads it is unknown then, not left at its default.
	Unknown bool `json:"unknown,omitempty"`
	// For is the workload or service that gets it; zero: everything in the repository.
	For Name   `json:"for,omitzero"`
	Env string `json:"env,omitempty"` // environment (overlay, values file)
}
