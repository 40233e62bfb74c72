package render

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
)

func itoa(i int) string { return strconv.Itoa(i) }

var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

func kustomizationName(base string) bool { return slices.Contains(kustomizationNames, base) }

// overlay is one kustomization.
type overlay struct {
	dir, file string
	uses      []string // folders of other kustomizations
	inputs    []string // files it names, patches first
	component bool
}

// overlays are the kustomizations of a repository, and those that no other uses.
type overlays struct {
	byDir  map[string]*overlay
	leaves []string
}

func overlaysOf(files Files) overlays {
	o := overlays{byDir: map[string]*overlay{}}
	for _, p := range files.Paths {
		if base := path.Base(p); kustomizationName(base) {
			if k := readOverlay(files, p); k != nil {
				o.byDir[k.dir] = k
			}
		}
	}
	used := map[string]bool{}
	for _, k := range o.byDir {
		refs := k.uses
		k.uses = nil
		for _, u := range refs {
			if o.byDir[u] != nil && u != k.dir {
				k.uses = append(k.uses, u)
				used[u] = true
			}
		}
	}
	for dir, k := range o.byDir {
		if !used[dir] && !k.component {
			o.leaves = append(o.leaves, dir)
		}
	}
	slices.Sort(o.leaves)
	return o
}

func readOverlay(files Files, p string) *overlay {
	var root *doc.Node
	if t := files.Tree(p); t != nil && len(t.Docs) > 0 && !t.Templated {
		root = t.Docs[0].Root
	} else if t == nil && path.Base(p) == "Kustomization" {
		data, err := files.Read(p)
		if err != nil {
			return nil
		}
		if f := doc.ParseAs(doc.YAML, p, data, doc.Limits{}); len(f.Docs) > 0 {
			root = f.Docs[0].Root
		}
	}
	if root.Kind() != doc.Map {
		return nil
	}
	// Flux and others have objects of this kind, which are no such files.
	if v := root.Get("apiVersion").Str(); v != "" && !strings.HasPrefix(v, "kustomize.config.k8s.io/") {
		return nil
	}
	k := &overlay{dir: path.Dir(p), file: p, component: root.Get("kind").Str() == "Component"}
	file := func(n *doc.Node) {
		if s := n.Str(); s != "" && !strings.Contains(s, "\n") && !strings.Contains(s, "://") {
			k.inputs = append(k.inputs, path.Join(k.dir, s))
		}
	}
	for _, key := range []string{"patches", "patchesJson6902", "replacements"} {
		for _, e := range root.Get(key).Items() {
			file(e.Get("path"))
		}
	}
	for _, e := range root.Get("patchesStrategicMerge").Items() {
		file(e)
	}
	k.inputs = append(k.inputs, p)
	for _, key := range []string{"configMapGenerator", "secretGenerator"} {
		for _, e := range root.Get(key).Items() {
			for _, f := range e.Get("files").Items() {
				_, name, ok := strings.Cut(f.Str(), "=")
				if !ok {
					name = f.Str()
				}
				k.inputs = append(k.inputs, path.Join(k.dir, name))
			}
			for _, f := range e.Get("envs").Items() {
				file(f)
			}
		}
	}
	for _, key := range []string{"components", "resources", "bases"} {
		for _, e := range root.Get(key).Items() {
			if s := e.Str(); s != "" && !strings.Contains(s, "://") {
				k.uses = append(k.uses, path.Join(k.dir, s))
				if key == "resources" {
					file(e)
				}
			}
		}
	}
	return k
}

// closure lists the files that a kustomization reads, its own before those of what it uses, and the folders it uses.
func (o overlays) closure(dir string) (files, dirs []string) {
	seen := map[string]bool{}
	for queue := []string{dir}; len(queue) > 0; queue = queue[1:] {
		k := o.byDir[queue[0]]
		if k == nil || seen[k.dir] {
			continue
		}
		seen[k.dir] = true
		dirs = append(dirs, k.dir)
		files = append(files, k.inputs...)
		queue = append(queue, k.uses...)
	}
	return files, dirs
}

// overlays renders the kustomizations that no other uses. Those that share a base are environments of one set.
func (r *renderer) overlays(o overlays, fn func(Set)) {
	var groups [][]string
	member := map[string]int{} // by folder: its group
	for _, leaf := range o.leaves {
		_, dirs := o.closure(leaf)
		g := -1
		for _, d := range dirs {
			// Components are building blocks of things that have nothing else in common.
			if i, ok := member[d]; ok && !o.byDir[d].component {
				g = i
				break
			}
		}
		if g < 0 {
			g = len(groups)
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], leaf)
		for _, d := range dirs {
			if _, ok := member[d]; !ok {
				member[d] = g
			}
		}
	}
	left := maxUnits
	for _, leaves := range groups {
		s := Set{Name: above(leaves)}
		covers := map[string]bool{}
		for i, leaf := range leaves {
			k := o.byDir[leaf]
			if i == maxEnvironments || left == 0 {
				r.gaps = append(r.gaps, Gap{Path: k.file, Line: 1, Reason: fmt.Sprintf("%d more overlays than are rendered", len(leaves)-i), Expected: true})
				break
			}
			left--
			a, ok := r.ask(job{Kind: "kustomize", Dir: leaf})
			if !ok {
				return
			}
			files, dirs := o.closure(leaf)
			if a.Err != "" {
				r.gaps = append(r.gaps, Gap{Path: k.file, Line: 1, Reason: "overlay does not build: " + a.Err + "; its files are read as they stand", Expected: true})
				continue
			}
			for _, d := range dirs {
				if d == leaf {
					r.missing(k.file, a.Missing)
				}
			}
			name := strings.TrimPrefix(leaf, prefixOf(s.Name))
			env := Env{Name: s.Name + ":" + name}
			for _, t := range a.Texts {
				src := &sources{files: r.files, list: files, leaf: k}
				env.Texts = append(env.Texts, src.text(t))
			}
			for _, f := range files {
				if !kustomizationName(path.Base(f)) && o.byDir[f] == nil {
					covers[f] = true
				}
			}
			s.Envs = append(s.Envs, env)
		}
		s.Covers = sortedKeys(covers)
		if len(s.Envs) > 0 {
			fn(s)
		}
	}
}

// above is the folder that holds all of some folders, and is none of them.
func above(dirs []string) string {
	common := strings.Split(path.Dir(dirs[0]), "/")
	for _, d := range dirs[1:] {
		parts := strings.Split(path.Dir(d), "/")
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	if len(common) == 0 {
		return "."
	}
	return strings.Join(common, "/")
}
