package chain

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// contracts reads what OpenAPI documents and .proto files say: full names of gRPC services, requests of HTTP that are calls of
// gRPC, functions that answer where generated code registers the routes, and the hosts under which a service answers.
func (b *builder) contracts() {
	var ops []*owned[model.Operation]
	for _, f := range b.org.Facts {
		ops = own(ops, f.Operations, f.Repo.Name)
	}
	b.fullNames(ops)
	b.bindings(ops)
	b.documents(ops)
}

// fullNames gives handlers and calls of gRPC that were seen without the generated code ("/Ledger/Post") the full name of the
// service, where exactly one .proto file or generated package has one of that name: one of the same repository first.
func (b *builder) fullNames(ops []*owned[model.Operation]) {
	known, in := map[string][]string{}, map[string][]string{} // by the bare name, and by repository and bare name
	note := func(repo, rpc string) {
		service, _, ok := strings.Cut(strings.TrimPrefix(rpc, "/"), "/")
		i := strings.LastIndexByte(service, '.')
		if !ok || i < 0 {
			return
		}
		for m, k := range map[*map[string][]string]string{&known: service[i+1:], &in: repo + "\x00" + service[i+1:]} {
			if !slices.Contains((*m)[k], service) {
				(*m)[k] = append((*m)[k], service)
			}
		}
	}
	for _, o := range ops {
		note(o.repo, o.v.RPC)
	}
	for _, h := range b.handlers {
		note(h.repo, h.v.RPC)
	}
	for _, e := range b.edges {
		if e.v.To.Space == model.SpaceGRPC {
			note(e.repo, e.v.To.Key)
		}
	}
	full := func(repo, rpc string) string {
		service, method, ok := strings.Cut(strings.TrimPrefix(rpc, "/"), "/")
		if !ok || strings.Contains(service, ".") {
			return rpc
		}
		names := in[repo+"\x00"+service]
		if len(names) == 0 {
			names = known[service]
		}
		if len(names) != 1 {
			return rpc
		}
		return "/" + names[0] + "/" + method
	}
	for _, h := range b.handlers {
		if h.v.RPC != "" {
			h.v.RPC = full(h.repo, h.v.RPC)
		}
	}
	for _, e := range b.edges {
		if e.v.To.Space == model.SpaceGRPC {
			key := full(e.repo, e.v.To.Key)
			if e.v.Path == e.v.To.Key {
				e.v.Path = key
			}
			e.v.To.Key = key
		}
	}
}

// bindings makes handlers of the requests that a gateway takes for calls of gRPC (google.api.http).
func (b *builder) bindings(ops []*owned[model.Operation]) {
	byRPC := map[string][]*owned[model.Operation]{}
	for _, o := range ops {
		if o.v.RPC != "" && o.v.Method != "" {
			byRPC[o.v.RPC] = append(byRPC[o.v.RPC], o)
		}
	}
	if len(byRPC) == 0 {
		return
	}
	for _, h := range slices.Clone(b.handlers) {
		var done []string
		list := byRPC[h.v.RPC]
		if h.v.RPC == "" {
			continue
		}
		for _, o := range list {
			key := o.v.Method + " " + o.v.Path
			if slices.Contains(done, key) {
				continue // copies of one file in several repositories
			}
			done = append(done, key)
			b.serves(h.repo, o.v, *h.v)
		}
	}
}

// serves adds a handler for an operation: like says where its code is.
func (b *builder) serves(repo string, o *model.Operation, like model.Handler) {
	like.RPC, like.Method, like.Pattern = "", o.Method, o.Path
	like.Name = model.N(model.SpaceHandler, repo+"|"+like.Dir+"|"+o.Method+" "+o.Path)
	b.handlers = append(b.handlers, &owned[model.Handler]{&like, repo})
}

// document is one OpenAPI document.
type document struct {
	repo, path string
	ops        []*model.Operation
}

// shapeOf is what requests and patterns of one route have in common: their method and their number of parts.
type shapeOf struct {
	repo, method string
	parts        int
}

// documents joins OpenAPI documents with the code that serves them.
func (b *builder) documents(ops []*owned[model.Operation]) {
	var docs []*document
	for _, o := range ops {
		if o.v.RPC != "" {
			continue
		}
		if n := len(docs); n == 0 || docs[n-1].repo != o.repo || docs[n-1].path != o.v.At.Path {
			docs = append(docs, &document{repo: o.repo, path: o.v.At.Path})
		}
		d := docs[len(docs)-1]
		d.ops = append(d.ops, o.v)
	}
	if len(docs) == 0 {
		return
	}
	handlers := map[shapeOf][]*owned[model.Handler]{}
	serving := map[string]bool{} // repositories
	for _, h := range b.handlers {
		if h.v.RPC == "" && h.v.Queue.IsZero() && h.v.Pattern != "" {
			k := shapeOf{h.repo, strings.ToUpper(h.v.Method), strings.Count(h.v.Pattern, "/")}
			handlers[k] = append(handlers[k], h)
			serving[h.repo] = true
		}
	}
	code := map[string]bool{}
	for _, s := range b.services {
		if s.v.Kind == "main" || s.v.Kind == "repository" {
			code[s.repo] = true
		}
	}
	calls, nodes := b.callsOf(docs), b.methodsOf(docs)
	for _, d := range docs {
		if calls.anyHost(d) {
			continue // a caller's copy of the document of a service that it asks
		}
		if code[d.repo] {
			b.document(d, d.repo, handlers, nodes[d.repo], calls)
			continue
		}
		// Contracts in a repository of their own: the one repository that serves most of it.
		best, most, tied := "", 0, false
		for repo := range serving {
			n := 0
			for _, o := range d.ops {
				if len(matching(handlers, repo, o)) > 0 {
					n++
				}
			}
			switch {
			case n > most:
				best, most, tied = repo, n, false
			case n == most:
				tied = true
			}
		}
		if most*2 > len(d.ops) && !tied {
			b.document(d, best, handlers, nil, calls)
		}
	}
}

// matching lists the handlers of a repository that serve an operation, under the whole path or without what stands in front of it.
func matching(handlers map[shapeOf][]*owned[model.Handler], repo string, o *model.Operation) []*owned[model.Handler] {
	p := o.Path
	for range 4 {
		var out []*owned[model.Handler]
		for _, method := range []string{o.Method, ""} {
			for _, h := range handlers[shapeOf{repo, method, strings.Count(p, "/")}] {
				if matches(h.v, o.Method, p, true) && !strings.HasPrefix(h.v.Pattern, "/{") {
					out = append(out, h)
				}
			}
		}
		if len(out) > 0 {
			return out
		}
		i := strings.IndexByte(strings.TrimPrefix(p, "/"), '/')
		if i < 0 {
			break
		}
		p = p[i+1:]
	}
	return nil
}

// document gives the units that serve a document its hosts, and the operations that nothing serves the methods of their names.
func (b *builder) document(d *document, repo string, handlers map[shapeOf][]*owned[model.Handler], methods map[string][]*model.Node, calls *callIndex) {
	var dirs []string
	var hosts []model.Name
	for _, o := range d.ops {
		found := matching(handlers, repo, o)
		for _, h := range found {
			dirs = append(dirs, h.v.Dir)
			if len(o.Hosts) > 0 && !matches(h.v, o.Method, o.Path, true) {
				b.serves(repo, o, *h.v) // something in front of it takes the beginning of the path away
			}
		}
		if len(found) == 0 && o.ID != "" {
			var named []*model.Node
			for _, n := range methods[wordOf(o.ID)] {
				if !calls.asks(n.Name, o) {
					named = append(named, n)
				}
			}
			if len(named) > 3 {
				continue
			}
			for _, n := range named {
				found = append(found, nil)
				dirs = append(dirs, n.Dir)
				b.serves(repo, o, model.Handler{Func: n.Name, At: n.At, Dir: cmp.Or(n.Dir, path.Dir(n.At.Path))})
			}
		}
		if len(found) == 0 {
			continue
		}
		for _, h := range o.Hosts {
			if !slices.Contains(hosts, h) {
				hosts = append(hosts, h)
			}
		}
	}
	if len(hosts) == 0 {
		return
	}
	var mains []string
	for _, s := range b.services {
		if s.v.Kind == "main" && s.repo == repo {
			mains = append(mains, s.v.Dir)
		}
	}
	for _, s := range b.services {
		if s.repo != repo || s.v.Kind != "main" && s.v.Kind != "repository" {
			continue
		}
		if s.v.Kind == "main" && !slices.ContainsFunc(dirs, func(dir string) bool { return s.v.Dir == "" || s.v.Dir == "." || !otherProgram(dir, s.v.Dir, mains) }) {
			continue
		}
		names := slices.Clone(s.v.Names)
		for _, h := range hosts {
			if !slices.Contains(names, h) {
				names = append(names, h)
			}
		}
		s.v.Names = names
	}
}

// callIndex is what the repositories of documents ask for.
type callIndex struct {
	hosts map[string]bool // by repository and host
	from  map[model.Name][]*model.Edge
}

func (b *builder) callsOf(docs []*document) *callIndex {
	x := &callIndex{map[string]bool{}, map[model.Name][]*model.Edge{}}
	in := map[string]bool{}
	for _, d := range docs {
		in[d.repo] = true
	}
	for _, e := range b.edges {
		if e.v.Kind == model.EdgeRequest && in[e.repo] && e.v.From.Space == model.SpaceFunc {
			x.from[e.v.From] = append(x.from[e.v.From], e.v)
			if e.v.To.Space == model.SpaceHost {
				x.hosts[e.repo+"\x00"+e.v.To.Key] = true
			}
		}
	}
	return x
}

func (x *callIndex) anyHost(d *document) bool {
	for _, o := range d.ops {
		for _, h := range o.Hosts {
			if x.hosts[d.repo+"\x00"+h.Key] {
				return true
			}
		}
	}
	return false
}

// asks reports whether a function makes the request of an operation itself: it is a client, whatever its name.
func (x *callIndex) asks(fn model.Name, o *model.Operation) bool {
	return slices.ContainsFunc(x.from[fn], func(e *model.Edge) bool { return e.Method == "" || e.Method == o.Method })
}

// methodsOf indexes the methods of people's code, by repository and name, for repositories with documents.
func (b *builder) methodsOf(docs []*document) map[string]map[string][]*model.Node {
	out := map[string]map[string][]*model.Node{}
	for _, d := range docs {
		out[d.repo] = map[string][]*model.Node{}
	}
	for _, n := range b.nodes {
		m := out[n.repo]
		if m == nil || n.v.Name.Space != model.SpaceFunc || !n.v.Exported {
			continue
		}
		recv, name, ok := receiver(n.v.Name.Key)
		if !ok || strings.HasSuffix(recv, "Client") || strings.HasPrefix(recv, "Unimplemented") || double(recv, n.v.At.Path) {
			continue
		}
		m[wordOf(name)] = append(m[wordOf(name)], n.v)
	}
	return out
}

// receiver cuts "example.org/pay.(*Server).Post" into the type and the method.
func receiver(key string) (recv, method string, ok bool) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 || strings.ContainsRune(key[i:], '$') {
		return "", "", false
	}
	before, method := key[:i], key[i+1:]
	if j := strings.LastIndexByte(before, '('); j >= 0 && strings.HasSuffix(before, ")") {
		return strings.Trim(before[j:], "(*)"), method, true
	}
	j := strings.LastIndexByte(before, '.')
	if j < strings.LastIndexByte(before, '/') || j < 0 {
		return "", "", false
	}
	return before[j+1:], method, true
}

// wordOf is a name without case and marks: "post-entries" and "PostEntries" are one.
func wordOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// double reports whether a method is that of a test double, by its type or its file's folder: what it is called says nothing of
// what a service answers.
func double(recv, file string) bool {
	for _, p := range []string{"mock", "fake", "stub"} {
		if strings.HasPrefix(strings.ToLower(recv), p) || strings.Contains(strings.ToLower(path.Dir(file)), p) {
			return true
		}
	}
	return false
}
