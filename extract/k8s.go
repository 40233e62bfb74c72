package extract

import (
	"regexp"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// namespace is the namespace of a Kubernetes object; "" where the file does not say it.
func namespace(root *doc.Node) string {
	n := root.Path("metadata.namespace")
	if n.Kind() != doc.Scalar {
		return ""
	}
	return n.Str()
}

// objectName is the name of a Kubernetes object, or its generateName without the dash.
func objectName(root *doc.Node) string {
	n := root.Path("metadata.name")
	if n.Exists() {
		return plain(n)
	}
	return strings.TrimSuffix(plain(root.Path("metadata.generateName")), "-")
}

// plain is the text of a scalar; a templated one keeps its text, so that objects of one chart stay apart.
func plain(n *doc.Node) string {
	switch n.Kind() {
	case doc.Scalar:
		return n.Str()
	case doc.Unknown:
		return strings.TrimSpace(n.Raw())
	}
	return ""
}

// workload is the name of a Kubernetes object as a node: "job/pay/settle".
func workload(root *doc.Node) model.Name {
	return model.N(model.SpaceWorkload, strings.ToLower(plain(root.Get("kind")))+"/"+namespace(root)+"/"+objectName(root))
}

// labelsOf lists a map of labels as "k=v", sorted; templated values are left out.
func labelsOf(n *doc.Node) []string {
	var out []string
	for _, e := range n.Entries() {
		if e.Value.Kind() == doc.Scalar {
			out = append(out, e.Key+"="+e.Value.Str())
		}
	}
	slices.Sort(out)
	return out
}

// readPod reads what a pod template tells: images, commands, environment, calls in shell commands. The service s gets its
// names; settings and calls belong to the node self.
func readPod(spec *doc.Node, self model.Name, ns string, s *model.Service, out *Out) {
	for _, list := range []string{"initContainers", "containers"} {
		for _, c := range spec.Get(list).Items() {
			readContainer(c, self, ns, s, out, list == "containers")
		}
	}
}

func readContainer(c *doc.Node, self model.Name, ns string, s *model.Service, out *Out, main bool) {
	if img := c.Get("image"); img.Kind() == doc.Scalar && main {
		addName(s, model.Image(img.Str()))
	}
	var vars []envVariable
	defer func() { out.envConfig(vars, self) }()
	for _, e := range c.Get("env").Items() {
		name, value := e.Get("name"), e.Get("value")
		if name.Kind() != doc.Scalar {
			continue
		}
		if value.Kind() == doc.Scalar {
			out.Setting(model.Setting{Name: model.N(model.SpaceEnv, name.Str()), Value: value.Str(), At: out.Loc(value), For: self})
			vars = append(vars, envVariable{name: name.Str(), node: value})
			continue
		}
		if ref := e.Path("valueFrom.secretKeyRef"); ref.Exists() {
			out.Setting(model.Setting{Name: model.N(model.SpaceEnv, name.Str()), At: out.Loc(name), For: self, Unknown: true})
			continue
		}
		if ref := e.Path("valueFrom.configMapKeyRef"); ref.Exists() {
			// The variable has another name than the key: the ConfigMap's settings are found under both.
			addName(s, configMapName(ns, plain(ref.Get("name"))))
			if key := ref.Get("key"); key.Kind() == doc.Scalar && key.Str() != name.Str() {
				if v := out.configMapValue(ns, plain(ref.Get("name")), key.Str()); v != nil {
					out.Setting(model.Setting{Name: model.N(model.SpaceEnv, name.Str()), Value: v.Str(), At: out.Loc(v), For: self})
				}
			}
		}
	}
	for _, e := range c.Get("envFrom").Items() {
		if ref := e.Get("configMapRef"); ref.Exists() {
			addName(s, configMapName(ns, plain(ref.Get("name"))))
		}
	}
	for _, w := range commandWords(c) {
		if len(s.Commands) < 8 && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, " \n") {
			s.Commands = append(s.Commands, w)
		}
	}
	for _, n := range append(c.Get("args").Items(), c.Get("command").Items()...) {
		if n.Kind() != doc.Scalar {
			continue
		}
		flagSetting(n, self, out)
	}
	readCommands(c, self, ns, out)
	redisArguments(c, out)
}

// configMapName is the name under which a ConfigMap's values reach the workloads that take them.
func configMapName(ns, name string) model.Name {
	if name == "" {
		return model.Name{}
	}
	return model.N(model.SpaceWorkload, "configmap/"+ns+"/"+name)
}

func addName(s *model.Service, n model.Name) {
	if !n.IsZero() && !slices.Contains(s.Names, n) {
		s.Names = append(s.Names, n)
	}
}

// flagSetting reads "--max-retries=5" as a setting of a flag.
func flagSetting(n *doc.Node, self model.Name, out *Out) {
	text := n.Str()
	if !strings.HasPrefix(text, "-") {
		return
	}
	name, value, ok := strings.Cut(strings.TrimLeft(text, "-"), "=")
	if ok && name != "" && !strings.ContainsAny(name, " \t\n") {
		out.Setting(model.Setting{Name: model.N(model.SpaceFlag, name), Value: value, At: out.Loc(n), For: self})
	}
}

// commandWords are the words of command and args.
func commandWords(c *doc.Node) []string {
	var out []string
	for _, key := range []string{"command", "args"} {
		n := c.Get(key)
		if n.Kind() == doc.Scalar {
			out = append(out, n.Str())
		}
		for _, w := range n.Items() {
			if w.Kind() == doc.Scalar {
				out = append(out, w.Str())
			}
		}
	}
	return out
}

// withoutWget are images whose wget is BusyBox's, which tries once.
var withoutWget = regexp.MustCompile(`^(.*/)?(busybox|alpine)(:|@|$)`)

// readCommands finds calls (curl, wget, grpcurl) in a container's command and args and makes them edges of self.
func readCommands(c *doc.Node, self model.Name, ns string, out *Out) {
	var words []string
	var first *doc.Node
	shell, once := false, withoutWget.MatchString(c.Get("image").Str())
	for _, key := range []string{"command", "args"} {
		nodes := c.Get(key).Items()
		if n := c.Get(key); n.Kind() == doc.Scalar {
			nodes = []*doc.Node{n}
		}
		for _, n := range nodes {
			if n.Kind() != doc.Scalar && n.Kind() != doc.Unknown {
				continue
			}
			text := n.Str()
			if n.Kind() == doc.Unknown {
				text = n.Raw()
			}
			if strings.ContainsAny(text, "\n;|&") || strings.Contains(text, "curl ") || strings.Contains(text, "wget ") {
				shell = true
				for _, call := range shellCalls(text) {
					call.once = once
					call.edge(self, ns, n, out)
				}
				continue
			}
			if first == nil {
				first = n
			}
			words = append(words, text)
		}
	}
	if tool := imageTool(c.Get("image").Str()); tool != "" && first != nil && words[0] != tool && !c.Get("command").Exists() {
		words = append([]string{tool}, words...) // the image's entry point is the tool
	}
	if !shell && first != nil {
		if call, ok := parseCall(words); ok {
			call.once = once
			call.edge(self, ns, urlNode(c, call.url, first), out)
		}
	}
}

// imageTool is the tool that an image runs where only arguments are given.
func imageTool(image string) string {
	name := model.Image(image).Key
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "curl":
		return "curl"
	case "grpcurl":
		return "grpcurl"
	case "httpie":
		return "http"
	}
	return ""
}

// urlNode is the word that holds the URL, so that a finding stands on its line.
func urlNode(c *doc.Node, url string, first *doc.Node) *doc.Node {
	for _, key := range []string{"command", "args"} {
		for _, n := range c.Get(key).Items() {
			if url != "" && n.Str() == url {
				return n
			}
		}
	}
	return first
}
