package extract

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "terraform-variables",
	Title: "Terraform variables",
	Files: []string{"*.tf", "*.tfvars", "*.tfvars.json", "terragrunt.hcl"},
	Match: func(p string, d *doc.Document) bool {
		return d.Syntax == doc.HCL && path.Ext(p) == ".tf" && (d.Root.Get("variable").Exists() || d.Root.Get("locals").Exists())
	},
	Read: readTerraformVariables,
	Keys: []Key{
		{"variable.NAME.default", "value of var.NAME where nothing gives another", "", "", ""},
		{"NAME = in terraform.tfvars and *.auto.tfvars", "value of var.NAME", "the variable's default", "", ""},
		{"NAME = in another *.tfvars", "value of var.NAME in an environment of that name", "the variable's default", "", ""},
		{"NAME = in a module block with a local source, inputs in terragrunt.hcl", "value of the module's var.NAME, in an environment of the calling folder", "the variable's default", "", ""},
	},
	Doc: `A count may be a variable or a local, also a field of one that is an object (var.queue.max_receive_count). What a folder's own terraform.tfvars gives beats the
default; each other *.tfvars file, and each folder that calls the module, is an environment. A *.tfvars file is for the folder it lies in, for the nearest one above
that has *.tf files, or for the only one that declares most of its variables. Source: the documentation of the Terraform language and of Terragrunt.`,
	Example: `
-- infra/vars.tf --
variable "receives" {
  default = 4 # want setting "value:var:infra/receives=4"
}
variable "visibility" {
  default = 30
}
-- infra/queue.tf --
resource "aws_sqs_queue" "orders" {
  visibility_timeout_seconds = var.visibility
  redrive_policy = jsonencode({ maxReceiveCount = var.receives }) # want layer "attempts=unknown"
}
-- infra/terraform.tfvars --
visibility = 60 # want setting "value:var:infra/visibility=60"
-- infra/envs/prod.tfvars --
receives = 9 # want setting "value:var:infra/receives=9"
-- infra/envs/dev.tfvars --
other = 9
`,
})

// terraformIndex says who gives values to the variables of a folder.
type terraformIndex struct {
	auto    map[string][]string        // by folder: files that are always read
	tfvars  map[string][]string        // by folder: files of which one is read
	callers map[string][]terraformCall // by folder of a module
}

// terraformCall is a module block, or a terragrunt.hcl.
type terraformCall struct {
	path string
	args *doc.Node
}

// index is made once for a repository, when the first file needs it.
func (f *Files) index() *terraformIndex {
	f = f.whole()
	f.terraformOnce.Do(func() {
		x := &terraformIndex{auto: map[string][]string{}, tfvars: map[string][]string{}, callers: map[string][]terraformCall{}}
		folders := map[string]bool{}
		for _, p := range f.Paths {
			if path.Ext(p) == ".tf" {
				folders[path.Dir(p)] = true
			}
		}
		for _, p := range f.Paths {
			switch base := path.Base(p); {
			case strings.HasSuffix(p, ".tfvars"), strings.HasSuffix(p, ".tfvars.json"):
				dir := path.Dir(p)
				if folders[dir] && (strings.HasPrefix(base, "terraform.tfvars") || strings.Contains(base, ".auto.tfvars")) {
					x.auto[dir] = append(x.auto[dir], p)
				} else if to := f.tfvarsFor(p, folders); to != "" {
					x.tfvars[to] = append(x.tfvars[to], p)
				}
			case path.Ext(p) == ".tf", base == "terragrunt.hcl":
				f.calls(x, p, folders)
			}
		}
		f.terraform = x
	})
	return f.terraform
}

// tfvarsFor is the folder whose variables a file of values is for; "" where that is not known.
func (f *Files) tfvarsFor(p string, folders map[string]bool) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		if folders[dir] {
			return dir
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	root := f.root(p)
	if root.Len() == 0 {
		return ""
	}
	hit := ""
	for dir := range folders {
		declared := 0
		for _, t := range f.terraformFolder(dir) {
			for _, v := range t.root.Get("variable").Many() {
				if root.Get(v.Label(0)).Exists() {
					declared++
				}
			}
		}
		if 2*declared >= root.Len() {
			if hit != "" {
				return ""
			}
			hit = dir
		}
	}
	return hit
}

// calls notes the modules of the repository that a file calls.
func (f *Files) calls(x *terraformIndex, p string, folders map[string]bool) {
	data, err := f.Read(p)
	if err != nil || !bytes.Contains(data, []byte("source")) || !bytes.Contains(data, []byte("./")) && !bytes.Contains(data, []byte("//")) {
		return
	}
	root := f.root(p)
	note := func(source, args *doc.Node) {
		src := source.Str()
		if source.Kind() != doc.Scalar {
			// "${get_repo_root()}//modules/queue"
			_, rest, ok := strings.Cut(src, "}")
			if !ok || !strings.Contains(src, "repo_root") {
				return
			}
			src = "/" + strings.TrimLeft(rest, "/")
		}
		dir := path.Join(path.Dir(p), strings.ReplaceAll(src, "//", "/"))
		if strings.HasPrefix(src, "/") {
			dir = path.Clean(strings.TrimLeft(src, "/"))
		} else if !strings.HasPrefix(src, ".") {
			return
		}
		if folders[dir] && dir != path.Dir(p) {
			x.callers[dir] = append(x.callers[dir], terraformCall{p, args})
		}
	}
	if path.Base(p) == "terragrunt.hcl" {
		note(oneOf(root.Get("terraform")).Get("source"), root.Get("inputs"))
		return
	}
	for _, m := range root.Get("module").Many() {
		note(m.Get("source"), m)
	}
}

// terraformFolder are the trees of a folder's *.tf files.
func (f *Files) terraformFolder(dir string) []placed {
	var out []placed
	for _, p := range f.in(dir) {
		if path.Ext(p) == ".tf" {
			if root := f.root(p); root.Exists() {
				out = append(out, placed{p, root})
			}
		}
	}
	return out
}

// terraformValue is what a variable or local is, in one environment or, with an empty one, in all.
type terraformValue struct {
	path string
	node *doc.Node
	env  string // without the name of the set
}

const (
	maxTerraformSteps  = 500 // references that are followed for one value
	maxTerraformValues = 40
)

func steps() *int {
	n := maxTerraformSteps
	return &n
}

// variable finds the values of a variable of a folder.
func (f *Files) variable(dir, name string, left *int) []terraformValue {
	x := f.index()
	var base, out []terraformValue
	for _, t := range f.terraformFolder(dir) {
		for _, v := range t.root.Get("variable").Many() {
			if d := v.Get("default"); v.Label(0) == name && d.Exists() && d.Kind() != doc.Null {
				base = []terraformValue{{t.path, d, ""}}
			}
		}
	}
	for _, p := range x.auto[dir] {
		if v := f.root(p).Get(name); v.Exists() {
			base = []terraformValue{{p, v, ""}}
		}
	}
	several := len(x.tfvars[dir]) > 1
	for _, p := range x.tfvars[dir] {
		here := base
		if v := f.root(p).Get(name); v.Exists() {
			here = []terraformValue{{p, v, ""}}
		}
		for _, v := range here {
			if several {
				v.env = strings.TrimPrefix(p, dir+"/")
			}
			out = append(out, v)
		}
	}
	callers := x.callers[dir]
	folders := 0
	for i, c := range callers {
		if !slices.ContainsFunc(callers[:i], func(o terraformCall) bool { return path.Dir(o.path) == path.Dir(c.path) }) {
			folders++
		}
	}
	for _, c := range callers {
		here := base
		if arg := c.args.Get(name); arg.Exists() {
			here = f.evaluate(c.path, arg, left)
		}
		for _, v := range here {
			if v.env == "" && folders > 1 {
				v.env = path.Dir(c.path) + "/*.tf"
			}
			if len(out) < maxTerraformValues && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	if len(out) == 0 {
		return base
	}
	return out
}

// local finds the values of a local of a folder.
func (f *Files) local(dir, name string, left *int) []terraformValue {
	for _, t := range f.terraformFolder(dir) {
		for _, l := range t.root.Get("locals").Many() {
			if v := l.Get(name); v.Exists() {
				return f.evaluate(t.path, v, left)
			}
		}
	}
	return nil
}

// terraformRef is an expression that is a reference and nothing else.
var terraformRef = regexp.MustCompile(`^\s*(?:\$\{\s*)?(?:(?:tostring|tonumber)\(\s*)?(var|local|each\.value)((?:\.[A-Za-z_][A-Za-z0-9_-]*|\["[A-Za-z0-9_-]+"\])*)\s*\)?\s*\}?\s*$`)

// refOf takes a reference apart: "var.queue.receives" -> "var", {"queue", "receives"}.
func refOf(n *doc.Node) (kind string, way []string) {
	m := terraformRef.FindStringSubmatch(n.Template())
	if m == nil {
		return "", nil
	}
	way = strings.FieldsFunc(m[2], func(r rune) bool { return r == '.' || r == '[' || r == ']' || r == '"' })
	if kind = m[1]; kind != "each.value" {
		if len(way) == 0 {
			return "", nil
		}
		return kind, way
	}
	// The block that is repeated says over what.
	for b := n.Parent(); b != nil; b = b.Parent() {
		if over := b.Get("for_each"); over.Exists() {
			if kind, all := refOf(over); kind == "var" || kind == "local" {
				return kind, append(append(all, "*"), way...)
			}
			return "", nil
		}
	}
	return "", nil
}

// evaluate finds what an expression of a file may be, in as many steps as are left; what is more than a reference or a literal is not known.
func (f *Files) evaluate(p string, n *doc.Node, left *int) []terraformValue {
	if *left--; f == nil || *left < 0 {
		return nil
	}
	if n.Kind() != doc.Unknown {
		return []terraformValue{{p, n, ""}}
	}
	kind, way := refOf(n)
	if kind == "" {
		return nil
	}
	get := f.variable
	if kind == "local" {
		get = f.local
	}
	var out []terraformValue
	for _, v := range get(path.Dir(p), way[0], left) {
		for _, w := range wayDown(v.node, way[1:]) {
			for _, r := range f.evaluate(v.path, w, left) {
				if r.env == "" {
					r.env = v.env
				}
				out = append(out, r)
			}
		}
	}
	return out
}

// wayDown follows a way through objects; "*" is each of them.
func wayDown(n *doc.Node, way []string) []*doc.Node {
	at := []*doc.Node{n}
	for _, w := range way {
		var next []*doc.Node
		for _, n := range at {
			if w == "*" {
				for _, e := range n.Entries() {
					next = append(next, e.Value)
				}
				next = append(next, n.Items()...)
			} else if k := n.Get(w); k.Exists() {
				next = append(next, k)
			}
		}
		at = next
	}
	return at
}

// settingName is the name of the setting that a templated value reads. In Terraform, whose variables belong to a folder, it is a
// reference to one and nothing else: of a larger expression nobody knows the value.
func (o *Out) settingName(n *doc.Node) model.Name {
	if path.Ext(o.Path) != ".tf" {
		return templateName(n.Template())
	}
	kind, way := refOf(n)
	if kind == "" {
		return model.Name{}
	}
	return terraformName(path.Dir(o.Path), kind, way)
}

func terraformName(dir, kind string, way []string) model.Name {
	if dir != "." {
		kind += ":" + dir + "/"
	} else {
		kind += ":"
	}
	return model.N(model.SpaceValue, kind+strings.Join(way, "."))
}

func readTerraformVariables(d *doc.Document, out *Out) {
	dir := path.Dir(out.Path)
	for _, v := range d.Root.Get("variable").Many() {
		name := v.Label(0)
		all := []terraformValue{{out.Path, v.Get("default"), ""}}
		if out.Files != nil {
			all = out.Files.variable(dir, name, steps())
		}
		out.terraformValues("var", name, all)
	}
	for _, l := range d.Root.Get("locals").Many() {
		for _, e := range l.Entries() {
			all := []terraformValue{{out.Path, e.Value, ""}}
			if e.Value.Kind() == doc.Unknown {
				all = out.Files.evaluate(out.Path, e.Value, steps())
			}
			out.terraformValues("local", e.Key, all)
		}
	}
}

// terraformValues writes down the values of a variable, and of what is in it.
func (o *Out) terraformValues(kind, name string, all []terraformValue) {
	dir := path.Dir(o.Path)
	left := maxTerraformValues
	var put func(v terraformValue, way []string)
	put = func(v terraformValue, way []string) {
		switch n := v.node; n.Kind() {
		case doc.Unknown:
			for _, r := range o.Files.evaluate(v.path, n, steps()) {
				if r.env == "" {
					r.env = v.env
				}
				put(r, way)
			}
		case doc.Scalar:
			if left--; left >= 0 && len(n.Str()) <= maxGenericValue {
				o.Setting(model.Setting{Name: terraformName(dir, kind, way), Value: n.Str(), At: o.elsewhere(v.path, n), Env: o.terraformEnv(v.env)})
			}
		case doc.Map, doc.List:
			for _, e := range n.Entries() {
				put(terraformValue{v.path, e.Value, v.env}, append(slices.Clone(way), e.Key))
				if e.Value.Kind() == doc.Map {
					put(terraformValue{v.path, e.Value, v.env}, append(slices.Clone(way), "*"))
				}
			}
			for _, k := range n.Items() {
				put(terraformValue{v.path, k, v.env}, append(slices.Clone(way), "*"))
			}
		}
	}
	for _, v := range all {
		put(v, []string{name})
	}
}

// terraformSetting gives an environment variable to a workload, with the values of what it refers to.
func (o *Out) terraformSetting(name string, n *doc.Node, to model.Name) {
	if name == "" || n.Kind() == doc.Map || n.Kind() == doc.List {
		return
	}
	if n.Kind() == doc.Scalar {
		o.Setting(model.Setting{Name: model.N(model.SpaceEnv, name), Value: n.Str(), At: o.Loc(n), For: to})
		return
	}
	for _, v := range o.Files.evaluate(o.Path, n, steps()) {
		if v.node.Kind() == doc.Scalar {
			o.Setting(model.Setting{Name: model.N(model.SpaceEnv, name), Value: v.node.Str(), At: o.elsewhere(v.path, v.node), For: to, Env: o.terraformEnv(v.env)})
		}
	}
}

// elsewhere is the place of a node of another file.
func (o *Out) elsewhere(p string, n *doc.Node) model.Location {
	at := o.Loc(n)
	at.Path = p
	return at
}

func (o *Out) terraformEnv(env string) string {
	if env == "" {
		return ""
	}
	return path.Dir(o.Path) + ":" + env
}
