package extract

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "kubernetes-configmap",
	Title: "Kubernetes ConfigMap",
	Files: []string{"*.yaml", "*.yml", "*.json"},
	Match: kind("", "ConfigMap"),
	Read: func(d *doc.Document, out *Out) {
		root := d.Root
		who := configMapName(namespace(root), objectName(root))
		for _, e := range root.Get("data").Entries() {
			if e.Value.Kind() != doc.Scalar && e.Value.Kind() != doc.Unknown {
				continue
			}
			if e.Value.Kind() == doc.Scalar && len(e.Value.Str()) < 4096 && !strings.Contains(e.Value.Str(), "\n") {
				out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: e.Value.Str(), At: out.Loc(e.Value), For: who})
				continue
			}
			out.nested(e.Key, e.Value, who)
		}
	},
	Keys: []Key{
		{"data.NAME", "settings of the workloads that take it with envFrom or configMapKeyRef", "none", "", ""},
		{"data.FILE", "a whole file (nginx.conf, application.yml ...), read as its name tells", "none", "", ""},
	},
	Doc: `Its values are settings of the workloads that refer to it. A value of several lines is a file: it is read as a file of its key's name
would be, with places in the ConfigMap. Secret values are not known. Source: catalogue, A4.`,
	Example: `
-- cm.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: pay}
data:
  MAX_RETRIES: "4" # want setting "env:MAX_RETRIES=4"
  haproxy.cfg: |
    backend b
      retries 1 # want layer "attempts=2"
      server s 10.0.0.1:80
`,
})

// ranked lists the formats, those with the highest rank first. The order is made once.
var rankedFormats = sync.OnceValue(func() []Format {
	all := All()
	slices.SortStableFunc(all, func(a, b Format) int { return b.Rank - a.Rank })
	return all
})

// nested reads a value as a file of the name key. holder is what holds the file; a file within a file is not followed further.
func (o *Out) nested(key string, n *doc.Node, holder model.Name) {
	if !o.Holder.IsZero() || len(n.Str()) > 1<<20 {
		return
	}
	syntax, ok := doc.SyntaxOf(key)
	if !ok {
		return
	}
	file := n.ParseAs(syntax, doc.Limits{MaxBytes: 1 << 20})
	for _, e := range file.Errs {
		if n.Kind() == doc.Scalar { // templated texts rarely parse, and nobody expects them to
			o.Facts.Gaps = append(o.Facts.Gaps, model.Gap{Repo: o.Repo, Path: o.Path, Line: e.Pos.Line, Col: e.Pos.Col, Stage: "parse", Reason: key + ": " + e.Msg, Expected: true})
		}
	}
	o.Holder = holder
	defer func() { o.Holder = model.Name{} }()
	for _, d := range file.Docs {
		if isJob(d.Root) {
			continue // read by kubernetes-embedded-job
		}
		known := false
		for _, f := range rankedFormats() {
			if f.Rank < 0 && known || !f.takes(key) || !f.Match(key, d) {
				continue
			}
			known = true
			f.Read(d, o)
		}
	}
}

// takes reports whether a file of that name may hold the format.
func (f Format) takes(name string) bool {
	for _, p := range f.Files {
		if i := strings.LastIndexByte(p, '/'); i >= 0 {
			p = p[i+1:]
		}
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// configMapValue finds a key of a ConfigMap in the same file; nil where it is not there.
func (o *Out) configMapValue(ns, name, key string) *doc.Node {
	if o.Tree == nil {
		return nil
	}
	f := o.Tree(o.Path)
	if f == nil {
		return nil
	}
	for _, d := range f.Docs {
		if kind("", "ConfigMap")("", d) && objectName(d.Root) == name && namespace(d.Root) == ns {
			if v := d.Root.Get("data").Get(key); v.Kind() == doc.Scalar {
				return v
			}
		}
	}
	return nil
}
