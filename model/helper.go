package model

// Helper is a function that runs an operation which it is handed under retries. Whoever calls it from elsewhere gets a layer.
type Helper struct {
	Func Name `json:"func"`
	Arg  int  `json:"arg"` // the argument that is run
	// Layer is the layer as far as the function itself says it; it stands in the function.
	Layer Layer `json:"layer"`
	// Params are the arguments that decide numbers of the layer.
	Params []HelperParam `json:"params,omitempty"`
}

// HelperParam says that a number of a helper's layer comes from an argument.
type HelperParam struct {
	Field  Field `json:"field"`
	Arg    int   `json:"arg"`
	Offset int64 `json:"offset,omitempty"` // added to the argument to get attempts
}

// Handed says that the callee of an edge is handed to a function of another package, which runs it.
type Handed struct {
	Func Name     `json:"func"`
	Arg  int      `json:"arg"`
	At   Location `json:"at"` // of the call
	// Given are the other arguments of which the number is known.
	Given []Given `json:"given,omitempty"`
}

// Given is one argument of a call: a number, or nanoseconds.
type Given struct {
	Arg   int   `json:"arg"`
	Value int64 `json:"value"`
}
