package model

import "sync"

// Vertex is a node of the linked graph.
type Vertex struct {
	ID          int
	Name        Name
	Repo        string // that defines it; "" for what lies outside
	Kind        NodeKind
	Label       string
	At          Location
	Entry       bool
	Exported    bool
	Service     *Service
	Node        *Node
	Handler     *Handler // where Kind is handler or consumer
	Boundaries  []*Boundary
	DeadLetters []*DeadLetter
	In, Out     []*Arc
}

// Arc is an edge of the linked graph.
type Arc struct {
	From, To *Vertex
	Edge     *Edge
	// Layers are around the call, outermost first: those of the edge, those of the whole of From, those of the routes passed.
	Layers []*Layer
	Routes []*Route
	Limit  Limit // time limit of the routes passed
	// Alternative: one of several candidates of a name; they never multiply.
	Alternative bool
	// Blind: the caller does not learn of the failure, so a product ends here and the target is an entry of its own.
	Blind bool
}

// Org is everything linked: what rules look at. It is built by internal/chain and not changed afterwards.
type Org struct {
	Facts   []*Facts
	Layers  []*Layer // sorted by location
	ByLayer map[string]*Layer
	// ByBoundary holds the boundaries with what the linker filled in: time to live from settings, replicas, service.
	ByBoundary map[string]*Boundary
	Services   []*Service
	Vertices   []*Vertex
	Chains     []*Chain // the worst for each entry and effect, sorted
	Cycles     [][]*Vertex
	Replay     ReplayDefaults
	Factor     Ratio

	memo sync.Map
}

// Memo is what derive makes of the organisation, made once for each key: indexes that several rules look into. The result
// must not be changed.
func (o *Org) Memo(key any, derive func() any) any {
	if v, ok := o.memo.Load(key); ok {
		return v
	}
	v, _ := o.memo.LoadOrStore(key, derive())
	return v
}

// ReplayDefaults are the human paths that are assumed or configured.
type ReplayDefaults struct {
	DeadLetter       Limit
	OperatorRerun    Limit
	RerunAll         bool       // applies to interactive entries too
	RerunKinds       []NodeKind // otherwise to these
	Restore          Limit      // only where declared
	RestoreDeclared  bool
	RestoreAt        Location
	RestoreDatabases []string // services whose database is restored as well
	ReplaysAutomatic bool
	DeadLetterAt     Location // where the config says so
	OperatorRerunAt  Location
	Declared         []DeclaredPath
}

// DeclaredPath is a replay path with a name of its own.
type DeclaredPath struct {
	Name           string
	Service        string // "" all
	Delay          Limit
	AfterAutomatic bool
	At             Location
}

// Layer finds a layer by id; nil where there is none.
func (o *Org) Layer(id string) *Layer { return o.ByLayer[id] }

// InProcess reports whether an arc stays within one process: a call, not a request or a delivery.
func (a *Arc) InProcess() bool {
	return a.Edge == nil || a.Edge.Kind == EdgeCall || a.Edge.Kind == EdgeSame
}
