package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retrylint/retrylint/model"
)

// Facts is what the configuration declares, as facts of origin "declared" that belong to the named repository; nil where
// it declares nothing. How the declarations are named for the linker:
//
//   - a service is a Service of kind "declared": its aliases and its name are hosts, Dir is its folder, Binary the
//     repository that holds its source where that is another one
//   - a link is a request edge between hosts: host:from to host:to
//   - a layer goes onto everything that leaves host:service
//   - a sender is an entry node in the space "outside" with a request edge to the handler name "repository|*|POST /path"
//     ("||" in front where any repository may serve it), a declared layer on that edge (of unknown attempts where none are
//     given), and a [model.DeclaredPath] whose Service is the node's name, see [Config.ReplayDefaults]
//   - a window is a boundary in host:service
//   - a setting is known under the name of an environment variable, configuration key, flag and template value alike,
//     unless its name starts with one of these spaces ("flag:max-retries")
func (c *Config) Facts(repo string) *model.Facts {
	if c == nil {
		return nil
	}
	f := &model.Facts{Schema: model.SchemaVersion, Repo: model.Repository{Name: repo}}
	at := func(l model.Location) model.Location {
		if l.Repo == "" && !l.IsZero() {
			l.Repo = repo
		}
		return l
	}
	for _, s := range c.Services {
		f.Services = append(f.Services, s.fact(at))
	}
	for _, l := range c.Links {
		f.Edges = append(f.Edges, l.fact(at))
	}
	for i, l := range c.Layers {
		f.Layers = append(f.Layers, model.Layer{
			ID:   fmt.Sprintf("declared|%s|%s|%s/%s|%d", repo, c.Path, l.Service, l.Name, i),
			Kind: model.KindDeclared, At: at(l.At), In: host(l.Service), Whole: true, Label: l.Name, Origin: model.OriginDeclared,
			Policy: model.Policy{Attempts: l.Attempts, Backoff: l.Backoff, PerAttempt: l.PerAttempt, Overall: l.Deadline},
		})
	}
	for i, s := range c.Senders {
		c.sender(f, i, s, repo, at)
	}
	for i, w := range c.Windows {
		f.Boundaries = append(f.Boundaries, model.Boundary{
			ID:   fmt.Sprintf("declared|%s|%s|%s/%s|%d", repo, c.Path, w.Service, w.Kind, i),
			Kind: w.Kind, At: at(w.At), In: host(w.Service), TTL: w.TTL, Store: w.Store, Order: model.OrderTransaction, Origin: model.OriginDeclared,
		})
	}
	for _, s := range c.Settings {
		for _, n := range settingNames(s.Name) {
			f.Settings = append(f.Settings, model.Setting{Name: n, Value: s.Value, At: at(s.At)})
		}
	}
	if len(f.Services)+len(f.Edges)+len(f.Layers)+len(f.Nodes)+len(f.Boundaries)+len(f.Settings) == 0 {
		return nil
	}
	f.Sort()
	return f
}

func host(name string) model.Name { return model.N(model.SpaceHost, strings.ToLower(name)) }

func (s Service) fact(at func(model.Location) model.Location) model.Service {
	out := model.Service{Name: s.Name, Kind: "declared", At: at(s.At), Names: []model.Name{host(s.Name)}, Dir: s.Path, Binary: s.Repository,
		Replicas: s.Replicas, ReplicasAt: at(s.ReplicasAt)}
	if s.Path == "." {
		out.Dir = ""
	}
	for _, a := range s.Aliases {
		if n := host(a); !slices.Contains(out.Names, n) {
			out.Names = append(out.Names, n)
		}
	}
	return out
}

func (l Link) fact(at func(model.Location) model.Location) model.Edge {
	e := model.Edge{From: host(l.From), To: host(l.To), Kind: model.EdgeRequest, At: at(l.At), Method: strings.ToUpper(l.Method), Path: l.Path,
		Timeout: l.Timeout, Label: l.From + " to " + l.To}
	switch l.Key {
	case "":
	case "none":
		e.Key = model.Key{How: model.KeyNone, At: at(l.At)}
	default:
		e.Key = model.Key{How: model.KeyDerived, Sink: l.Key, At: at(l.At), Text: l.Key}
	}
	return e
}

// senderNode is the node of a sender; of two senders to the same request the service tells them apart.
func senderNode(s Sender) model.Name {
	return model.N(model.SpaceOutside, cmp.Or(s.Name, "sender")+" of "+strings.TrimSpace(s.To+" "+s.Service))
}

func (c *Config) sender(f *model.Facts, i int, s Sender, repo string, at func(model.Location) model.Location) {
	method, path, ok := methodPath(s.To)
	if !ok {
		return
	}
	node := senderNode(s)
	label := cmp.Or(s.Name, "sender of "+s.To)
	to := model.N(model.SpaceHandler, repo+"|*|"+strings.TrimSpace(method+" "+path))
	if s.Service != "" {
		to = host(s.Service)
	}
	layer := model.Layer{
		ID:   fmt.Sprintf("declared|%s|%s|%s|%d", repo, c.Path, node.Key, i),
		Kind: model.KindDeclared, At: at(s.At), In: node, Label: label, Origin: model.OriginDeclared,
		Policy: model.Policy{Attempts: s.Attempts},
	}
	f.Nodes = append(f.Nodes, model.Node{Name: node, Kind: model.NodeOutside, At: at(s.At), Label: label, Entry: true})
	f.Layers = append(f.Layers, layer)
	f.Edges = append(f.Edges, model.Edge{From: node, To: to, Kind: model.EdgeRequest, At: at(s.At), Under: []string{layer.ID}, Method: method, Path: path,
		Key: model.Key{How: model.KeyForwarded, At: at(s.At)}, Label: "redelivery by " + label})
}

// settingNames are the names under which a setting may be read.
func settingNames(name string) []model.Name {
	if space, _, ok := strings.Cut(name, ":"); ok {
		switch model.Space(space) {
		case model.SpaceEnv, model.SpaceConfig, model.SpaceFlag, model.SpaceValue:
			return []model.Name{model.ParseName(name)}
		}
	}
	return []model.Name{model.N(model.SpaceConfig, name), model.N(model.SpaceEnv, name), model.N(model.SpaceFlag, strings.TrimLeft(name, "-")),
		model.N(model.SpaceValue, "values:"+name), model.N(model.SpaceValue, "var:"+name)}
}

// defaultKinds are the entries that somebody can rerun where nothing is said.
var defaultKinds = []string{"scheduled", "queued", "batch", "workflow"}

// ReplayDefaults is the human paths: what is configured, or else the defaults (24 h for dead letters, 72 h for reruns of
// scheduled, queued, batch and workflow work; no restore). A sender is a declared path named "sender" ([model.PathSender])
// whose Service is the name of the sender's node ("outside:…"). orgRepo completes locations without a repository.
func (c *Config) ReplayDefaults(orgRepo string) model.ReplayDefaults {
	if c == nil {
		c = &Config{}
	}
	at := func(l model.Location) model.Location {
		if l.Repo == "" && !l.IsZero() {
			l.Repo = orgRepo
		}
		return l
	}
	r := c.Replay
	d := model.ReplayDefaults{DeadLetter: r.DeadLetter, OperatorRerun: r.OperatorRerun, Restore: r.Restore, RestoreDeclared: r.Restore.Known(), RestoreAt: at(r.RestoreAt), RestoreDatabases: r.RestoreDatabases,
		ReplaysAutomatic: r.ReplaysAutomatic == Yes, DeadLetterAt: at(r.DeadLetterAt), OperatorRerunAt: at(r.OperatorRerunAt)}
	if d.DeadLetter.IsUnknown() {
		d.DeadLetter = model.For(24 * time.Hour)
	}
	if d.OperatorRerun.IsUnknown() {
		d.OperatorRerun = model.For(72 * time.Hour)
	}
	kinds := r.AppliesTo
	if kinds == nil {
		kinds = defaultKinds
	}
	for _, k := range kinds {
		switch k {
		case "all":
			d.RerunAll = true
		case "scheduled":
			d.RerunKinds = append(d.RerunKinds, model.NodeSchedule)
		case "queued":
			d.RerunKinds = append(d.RerunKinds, model.NodeQueue, model.NodeConsumer)
		case "batch":
			d.RerunKinds = append(d.RerunKinds, model.NodeBatch)
		case "workflow":
			d.RerunKinds = append(d.RerunKinds, model.NodeWorkflow, model.NodeStep)
		}
	}
	for _, p := range r.Paths {
		d.Declared = append(d.Declared, model.DeclaredPath{Name: p.Name, Service: p.Service, Delay: p.Delay, AfterAutomatic: p.AfterAutomatic, At: at(p.At)})
	}
	for _, s := range c.Senders {
		d.Declared = append(d.Declared, model.DeclaredPath{Name: string(model.PathSender), Service: senderNode(s).String(), Delay: s.RedeliversFor, At: at(s.At)})
	}
	return d
}
