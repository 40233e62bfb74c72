package extract

import (
	"path"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// chartElsewhere reads the values that are given to a chart of another place: what the chart makes of them is not known, but images
// with their variables and replicas are written alike in most charts.
func chartElsewhere(chart *doc.Node, dir string, values *doc.Node, self model.Name, ns string, out *Out) {
	name := path.Base(chart.Str())
	if chart.Kind() != doc.Scalar || name == "." || out.hasChart(dir, name) {
		return // it is rendered
	}
	g := out.gapAt(chart, "chart %s is not in the repository; what it makes is not known", chart.Str())
	g.Expected = true
	out.Facts.Gaps = append(out.Facts.Gaps, g)
	chartValues(values, self, ns, out)
}

// hasChart reports whether a chart lies in the repository, in a folder or under its name.
func (o *Out) hasChart(dir, name string) bool {
	if o.Files == nil {
		return false
	}
	if dir != "" && o.Files.root(path.Join(strings.TrimPrefix(dir, "/"), "Chart.yaml")).Exists() {
		return true
	}
	for _, p := range o.Files.charts() {
		if o.Files.root(p).Get("name").Str() == name {
			return true
		}
	}
	return false
}

// charts are the places of Chart.yaml files.
func (f *Files) charts() []string {
	f = f.whole()
	f.chartsOnce.Do(func() {
		for _, p := range f.Paths {
			if path.Base(p) == "Chart.yaml" {
				f.chartPaths = append(f.chartPaths, p)
			}
		}
	})
	return f.chartPaths
}

// chartValues finds what runs: each map with an image.
func chartValues(values *doc.Node, self model.Name, ns string, out *Out) {
	values.Walk(func(n *doc.Node) bool {
		img := n.Get("image")
		image := plain(img)
		if repo := plain(img.Get("repository")); repo != "" {
			image = repo
			if reg := plain(img.Get("registry")); reg != "" && !strings.HasPrefix(repo, reg) {
				image = reg + "/" + repo
			}
		}
		if n.Kind() != doc.Map || image == "" || !strings.ContainsAny(image, "/") {
			return true
		}
		s := model.Service{Name: lastPart(self.Key), Kind: "release", At: out.KeyLoc(img), Namespace: ns, Names: []model.Name{self}}
		addName(&s, model.Image(image))
		if r := exists(n.Get("replicaCount"), n.Get("replicas")); r.Exists() {
			if c, ok := r.Int(); ok && c >= 0 {
				s.Replicas, s.ReplicasAt = model.Exactly(c), out.Loc(r)
			}
		}
		for _, key := range []string{"env", "extraEnv", "environment", "extraEnvVars"} {
			for _, e := range n.Get(key).Entries() {
				if v := exists(e.Value.Get("value"), e.Value); v.Kind() == doc.Scalar {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Key), Value: v.Str(), At: out.Loc(v), For: self})
				}
			}
			for _, e := range n.Get(key).Items() {
				if v := e.Get("value"); v.Kind() == doc.Scalar && e.Get("name").Str() != "" {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, e.Get("name").Str()), Value: v.Str(), At: out.Loc(v), For: self})
				}
			}
		}
		out.Service(s)
		return true
	})
}
