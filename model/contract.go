package model

// Operation is a request that a contract (an OpenAPI document, a .proto file) says a service answers. A contract may lie with the
// service, with a caller, or in a repository of its own.
type Operation struct {
	ID     string   `json:"id,omitempty"`     // operationId, or the method's name
	RPC    string   `json:"rpc,omitempty"`    // "/package.Service/Method"
	Method string   `json:"method,omitempty"` // of HTTP; "" where the contract gives none
	Path   string   `json:"path,omitempty"`   // with the base path of the servers
	Hosts  []Name   `json:"hosts,omitempty"`  // the servers
	At     Location `json:"at"`
}

// Build says which program an image holds. What one file does not say another may: a pipeline names the image and the Dockerfile, and
// the Dockerfile the folder that it compiles.
type Build struct {
	Image   Name     `json:"image,omitzero"`
	File    string   `json:"file,omitempty"`    // the Dockerfile, relative to the repository
	Dir     string   `json:"dir,omitempty"`     // of the main package; "." is the root
	Program string   `json:"program,omitempty"` // what the image runs, where the folder is not known
	At      Location `json:"at"`
}
