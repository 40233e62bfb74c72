package render

import (
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

// sources finds where an overlay's output was written: kustomize says from which file an object comes, and the value is
// looked for in the patches first, from the overlay down to its base.
type sources struct {
	files Files
	list  []string // files of the overlay and what it uses, in the order in which the last word is had
	leaf  *overlay
}

// text joins a built overlay with its places.
func (s *sources) text(t rendered) *Text {
	f := doc.ParseAs(doc.YAML, "overlay.yaml", []byte(t.Text), doc.Limits{MaxBytes: maxOutput})
	type spot struct{ line, col int }
	nodes := map[spot]*doc.Node{}
	var texts []*doc.Node // values of several lines: files within the object
	for _, d := range f.Docs {
		d.Root.Walk(func(n *doc.Node) bool {
			if n.Kind() == doc.Scalar && strings.Contains(n.Str(), "\n") {
				texts = append(texts, n)
			}
			for _, p := range []doc.Pos{n.Pos(), n.KeyPos()} {
				if k := (spot{p.Line, p.Col}); nodes[k] == nil {
					nodes[k] = n
				}
			}
			return true
		})
	}
	return &Text{Path: s.leaf.file, Data: []byte(t.Text),
		Origin: func(d *doc.Document) string { return s.origin(d.Root) },
		Place: func(p doc.Pos) Place {
			n := nodes[spot{p.Line, p.Col}]
			if n == nil {
				// A place within a text: as many lines below its key as in what was built.
				for _, t := range texts {
					if first := t.KeyPos().Line; first < p.Line && p.Line <= first+strings.Count(t.Str(), "\n")+1 {
						at := s.place(t, true)
						at.Pos.Line += p.Line - first
						at.Pos.Col, at.Pos.EndLine, at.Pos.EndCol = 1, 0, 0
						return at
					}
				}
				return Place{s.leaf.file, doc.Pos{Line: 1, Col: 1}}
			}
			return s.place(n, n.Pos() != p && n.KeyPos().Line == p.Line && n.KeyPos().Col == p.Col)
		}}
}

// origin is the file that an object comes from: a resource, or the kustomization that makes it.
func (s *sources) origin(root *doc.Node) string {
	text := root.Path("metadata.annotations").Get("config.kubernetes.io/origin").Str()
	for _, key := range []string{"path: ", "configuredIn: "} {
		for line := range strings.SplitSeq(text, "\n") {
			if rel, ok := strings.CutPrefix(line, key); ok {
				return path.Join(s.leaf.dir, strings.TrimSpace(rel))
			}
		}
	}
	return s.leaf.file
}

// place finds the file and line of a value.
func (s *sources) place(n *doc.Node, key bool) Place {
	root := n
	for root.Parent() != nil {
		root = root.Parent()
	}
	way := wayTo(n)
	origin := s.origin(root)
	kind, name := root.Get("kind").Str(), root.Path("metadata.name").Str()
	order := slices.Clone(s.list)
	if !slices.Contains(order, origin) {
		order = append(order, origin)
	}
	pos := func(m *doc.Node) doc.Pos {
		if key {
			return m.KeyPos()
		}
		return m.Pos()
	}
	for _, file := range order {
		t := s.files.Tree(file)
		if t == nil {
			continue
		}
		for _, d := range t.Docs {
			if kustomizationName(path.Base(file)) {
				if m := inKustomization(d.Root, kind, name, way, n); m.Exists() {
					return Place{file, m.Pos()}
				}
				continue
			}
			if m := d.Root; m.Kind() == doc.Map && m.Get("kind").Exists() {
				if m.Get("kind").Str() != kind || file != origin && !sameName(m.Path("metadata.name").Str(), name) || file == origin && !sameName(m.Path("metadata.name").Str(), name) {
					continue
				}
				if m = follow(m, way); m.Exists() && (m.Kind() != doc.Scalar || m.Str() == n.Str()) {
					return Place{file, pos(m)}
				}
			} else if m := patched(d.Root, way, n); m.Exists() {
				return Place{file, m.Pos()}
			}
		}
	}
	// Nobody wrote just that: where what is around it was written.
	if n.Parent() != nil {
		return s.place(n.Parent(), false)
	}
	return Place{origin, doc.Pos{Line: 1, Col: 1}}
}

// sameName reports whether an object's name in a file may have become another with a prefix, a suffix or a hash.
func sameName(written, built string) bool {
	return written == built || written != "" && strings.Contains(built, written)
}

// wayStep is a key, or an item of a list by its index and, where it has one, by its name.
type wayStep struct {
	key, name string
	index     int
	item      bool
}

func wayTo(n *doc.Node) []wayStep {
	var out []wayStep
	for ; n.Parent() != nil; n = n.Parent() {
		p := n.Parent()
		if p.Kind() != doc.List {
			out = append(out, wayStep{key: n.Key()})
			continue
		}
		out = append(out, wayStep{item: true, index: slices.Index(p.Items(), n), name: n.Get("name").Str()})
	}
	slices.Reverse(out)
	return out
}

// follow goes the way in another tree.
func follow(n *doc.Node, way []wayStep) *doc.Node {
	for _, s := range way {
		if !s.item {
			n = n.Get(s.key)
		} else if s.name != "" {
			i := slices.IndexFunc(n.Items(), func(k *doc.Node) bool { return k.Get("name").Str() == s.name })
			n = n.At(i)
		} else {
			n = n.At(s.index)
		}
		if !n.Exists() {
			return nil
		}
	}
	return n
}

// patched finds a value in a list of JSON patches.
func patched(root *doc.Node, way []wayStep, n *doc.Node) *doc.Node {
	for _, op := range root.Items() {
		p := op.Get("path").Str()
		v := op.Get("value")
		if p == "" || !v.Exists() {
			continue
		}
		parts := strings.Split(strings.TrimPrefix(p, "/"), "/")
		if len(parts) > len(way) || !slices.EqualFunc(parts, way[:len(parts)], func(part string, s wayStep) bool {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
			return s.item && (part == "-" || part == itoa(s.index)) || !s.item && part == s.key
		}) {
			continue
		}
		if m := follow(v, way[len(parts):]); m.Exists() && (m.Kind() != doc.Scalar || m.Str() == n.Str()) {
			return m
		}
	}
	return nil
}

// inKustomization finds a value in the kustomization itself: a patch written in it, replicas, literals of a generator.
func inKustomization(root *doc.Node, kind, name string, way []wayStep, n *doc.Node) *doc.Node {
	if len(way) == 0 {
		return nil
	}
	last := way[len(way)-1].key
	for _, key := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
		for _, e := range root.Get(key).Items() {
			inline := e.Get("patch")
			if key == "patchesStrategicMerge" {
				inline = e
			}
			if !strings.Contains(inline.Str(), "\n") {
				continue
			}
			target := e.Get("target")
			if k := target.Get("kind").Str(); k != "" && k != kind || target.Get("name").Exists() && !sameName(target.Get("name").Str(), name) {
				continue
			}
			t := inline.ParseAs(doc.YAML, doc.Limits{})
			if t == nil {
				continue
			}
			for _, d := range t.Docs {
				m := patched(d.Root, way, n)
				if d.Root.Kind() == doc.Map && (target.Exists() || d.Root.Get("kind").Str() == kind && sameName(d.Root.Path("metadata.name").Str(), name)) {
					m = follow(d.Root, way)
				}
				if m.Exists() && (m.Kind() != doc.Scalar || m.Str() == n.Str()) {
					return m
				}
			}
		}
	}
	if last == "replicas" {
		for _, e := range root.Get("replicas").Items() {
			if sameName(e.Get("name").Str(), name) && e.Get("count").Str() == n.Str() {
				return e.Get("count")
			}
		}
	}
	if kind == "ConfigMap" || kind == "Secret" {
		for _, key := range []string{"configMapGenerator", "secretGenerator"} {
			for _, e := range root.Get(key).Items() {
				for _, l := range e.Get("literals").Items() {
					if k, v, _ := strings.Cut(l.Str(), "="); k == last && strings.Trim(v, `"'`) == n.Str() && sameName(e.Get("name").Str(), name) {
						return l
					}
				}
			}
		}
	}
	return nil
}
