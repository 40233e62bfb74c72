package extract

import (
	"path"
	"regexp"
	"strings"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

var _ = add(Format{
	Name:  "dockerfile",
	Title: "Dockerfile",
	Files: []string{"Dockerfile", "Dockerfile.*", "*.Dockerfile", "*.dockerfile", "Containerfile", "Containerfile.*"},
	Match: func(p string, d *doc.Document) bool {
		return d.Syntax == doc.Dockerfile && !strings.HasSuffix(p, ".dockerignore")
	},
	Read: readDockerfile,
	Keys: []Key{
		{"RUN go build ./cmd/x, go install", "the folder of the program in the image", "", "", ""},
		{"ENTRYPOINT, CMD", "the program's name, where nothing says how it is built", "", "", ""},
	},
	Doc: `Says which program of a repository an image holds: what a workload runs is then known, though the image has another name than the program. The image's
name comes from what builds the file (Skaffold, Compose, a pipeline), or else from its folder or extension: build/settle/Dockerfile, Dockerfile.settle. Source: catalogue, L3.`,
	Example: `
-- build/settler/Dockerfile --
FROM golang:1.26 AS build
# the worker
RUN CGO_ENABLED=0 go build -trimpath \
      -o /out/app ./cmd/settle
FROM scratch
COPY --from=build /out/app /app
ENTRYPOINT ["/app"] # want build "file=build/settler/Dockerfile dir=cmd/settle program=app image:settler"
-- all.Dockerfile --
FROM golang:1.26 # want build "image:all program=hooks dir=cmd/hooks" build "image:all program=pay-main dir=."
RUN go build -o /bin/hooks ./cmd/hooks
RUN xx-go build -o /bin/pay-main main.go
`,
})

var (
	goBuildCommand = regexp.MustCompile(`\b(?:xx-)?go (?:build|install)\s+([^&|;]*)`)
	goOutput       = regexp.MustCompile(`(?:^|\s)-o[= ]\s*(\S+)`)
)

// goFolder is the folder that a go build or install compiles; "" where it is not known.
func goFolder(args string) string {
	f := strings.Fields(args)
	if len(f) == 0 {
		return "."
	}
	switch last := strings.Trim(f[len(f)-1], `"'`); {
	case strings.ContainsAny(last, "$*{@") || strings.HasSuffix(last, "..."):
		return ""
	case strings.HasSuffix(last, ".go"):
		return path.Dir(path.Clean(last))
	case last == "." || strings.HasPrefix(last, "./"):
		return path.Clean(last)
	}
	return ""
}

func readDockerfile(d *doc.Document, out *Out) {
	b := model.Build{File: out.Path}
	made := map[string]string{} // folder by the program's file
	last := ""
	for _, n := range d.Root.Items() {
		op, rest, _ := strings.Cut(n.Str(), " ")
		switch strings.ToUpper(op) {
		case "RUN":
			for _, m := range goBuildCommand.FindAllStringSubmatch(rest, 8) {
				dir := goFolder(m[1])
				if dir == "" {
					continue
				}
				last = dir
				name := path.Base(dir)
				if o := goOutput.FindStringSubmatch(m[1]); o != nil && path.Base(o[1]) != "." {
					name = path.Base(o[1])
				}
				made[name] = dir
			}
		case "ENTRYPOINT", "CMD":
			if words := execWords(rest); len(words) > 0 && (b.Program == "" || strings.EqualFold(op, "ENTRYPOINT")) {
				b.Program, b.At = path.Base(words[0]), out.Loc(n)
			}
		}
	}
	switch dir, ok := made[b.Program]; {
	case ok:
		b.Dir = dir
	case len(made) == 1:
		b.Dir = last
	}
	switch b.Program {
	case "sh", "bash", "ash", "env", "tini", "dumb-init":
		b.Program = ""
	}
	if strings.ContainsAny(b.Program, "$") {
		b.Program = ""
	}
	if b.At.IsZero() && d.Root.Len() > 0 {
		b.At = out.Loc(d.Root.Items()[0])
	}
	base := path.Base(out.Path)
	switch _, ext, _ := strings.Cut(base, "."); {
	case strings.EqualFold(ext, "dockerfile"):
		b.Image = model.Image(strings.TrimSuffix(base, "."+ext))
	case ext != "":
		b.Image = model.Image(ext)
	case path.Dir(out.Path) != ".":
		b.Image = model.Image(path.Base(path.Dir(out.Path)))
	}
	if b.Dir != "" || b.Program != "" {
		out.Build(b)
	}
	if b.Dir == "" {
		// Several programs in one image: the workload's command chooses.
		for name, dir := range made {
			one := b
			one.Program, one.Dir = name, dir
			out.Build(one)
		}
	}
}

// execWords are the words of an ENTRYPOINT or CMD in either form.
func execWords(s string) []string {
	s = strings.TrimSpace(s)
	if in, ok := strings.CutPrefix(s, "["); ok {
		s = strings.NewReplacer(`"`, "", ",", " ", "]", " ").Replace(in)
	}
	return strings.Fields(strings.TrimPrefix(s, "exec "))
}

var _ = add(Format{
	Name:  "skaffold",
	Title: "Skaffold artifacts",
	Files: []string{"skaffold*.yaml", "skaffold*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		return strings.HasPrefix(d.Root.Get("apiVersion").Str(), "skaffold/") && d.Root.Path("build.artifacts").Kind() == doc.List
	},
	Read: func(d *doc.Document, out *Out) {
		for _, a := range d.Root.Path("build.artifacts").Items() {
			img := a.Get("image")
			if img.Kind() != doc.Scalar {
				continue
			}
			b := model.Build{Image: model.Image(img.Str()), At: out.Loc(img)}
			context := path.Join(path.Dir(out.Path), a.Get("context").Str())
			switch ko, bazel := a.Get("ko"), a.Path("bazel.target"); {
			case ko.Exists():
				b.Dir = path.Join(context, ko.Get("dir").Str(), ko.Get("main").Str())
			case bazel.Kind() == doc.Scalar:
				pkg, _, _ := strings.Cut(strings.TrimPrefix(bazel.Str(), "//"), ":")
				b.Dir = path.Clean(pkg)
			default:
				file := a.Path("docker.dockerfile").Str()
				if file == "" {
					file = "Dockerfile"
				}
				b.File = path.Join(context, file)
				if a.Get("context").Exists() {
					b.Dir = context
				}
			}
			out.Build(b)
		}
	},
	Keys: []Key{{"build.artifacts[].image", "the image's name", "", "", ""}, {"context, docker.dockerfile, ko.main, bazel.target", "what it is built from", ".", "", ""}},
	Doc:  `Says what an image is built from, so that the workloads that run it meet their code. Source: catalogue, L3.`,
	Example: `
-- skaffold.yaml --
apiVersion: skaffold/v4beta13
kind: Config
build:
  artifacts:
    - image: example.test/acme/settler # want build "image:acme/settler file=src/settle/Dockerfile dir=src/settle"
      context: src/settle
    - image: acme/hooks # want build "image:acme/hooks dir=cmd/hooks"
      ko: {main: ./cmd/hooks}
`,
})

var _ = add(Format{
	Name:  "bazel",
	Title: "Bazel images",
	Files: []string{"BUILD", "BUILD.bazel"},
	Match: func(_ string, d *doc.Document) bool { return d.Syntax == doc.Starlark && d.Root.Len() > 0 },
	Read:  readBazel,
	Keys: []Key{
		{"oci_push.repository, oci_load.repo_tags, container_push.repository, container_bundle", "the image's name", "", "", ""},
		{"name", "its label, //folder:name, as manifests that a rule fills in write it", "", "", ""},
	},
	Doc: `The rules of rules_oci and rules_docker that make, load or push an image belong to the program of their folder, where it has one, or else to that of the
folder of the label that they take it from. Source: catalogue, L3.`,
	Example: `
-- cmd/settle/BUILD.bazel --
load("@rules_oci//oci:defs.bzl", "oci_image", "oci_push")
go_binary(name = "settle", embed = [":settle_lib"])
oci_image(
    name = "image", # want build "image://cmd/settle:image dir=cmd/settle"
    tars = [":layer"],
    entrypoint = ["/settle"],
)
oci_push(
    name = "push", # want build "image://cmd/settle:push dir=cmd/settle"
    image = ":image",
    repository = "index.docker.io/acme/settler", # want build "image:acme/settler dir=cmd/settle"
)
-- deploy/BUILD --
container_push(name = "push", image = "//cmd/hooks:image", registry = "r.example.test", repository = "acme/hooks") # want build "image:acme/hooks dir=cmd/hooks"
`,
})

// imageRules are the rules that make, load or push an image, with the argument that names what they take it from.
var imageRules = map[string]string{
	"oci_image": "base", "oci_push": "image", "oci_load": "image", "oci_tarball": "image", "go_image": "embed", "container_image": "base",
	"container_push": "image", "docker_push": "image", "container_bundle": "", "image_push": "image", "image_load": "image",
}

func readBazel(d *doc.Document, out *Out) {
	here := path.Dir(out.Path)
	for rule, from := range imageRules {
		for _, r := range d.Root.Get(rule).Many() {
			dir := here
			if src := r.Get(from); from == "image" && src.Kind() == doc.Scalar {
				if label, ok := strings.CutPrefix(src.Str(), "//"); ok {
					label, _, _ = strings.Cut(label, ":")
					dir = path.Clean(label)
				}
			}
			if name := r.Get("name"); name.Kind() == doc.Scalar {
				label := "//" + strings.TrimPrefix(here, ".") + ":" + name.Str()
				out.Build(model.Build{Image: model.N(model.SpaceImage, label), Dir: dir, At: out.Loc(name)})
			}
			names := append(r.Get("repo_tags").Items(), r.Get("repository"))
			for _, n := range names {
				if n.Kind() == doc.Scalar {
					out.Build(model.Build{Image: model.Image(n.Str()), Dir: dir, At: out.Loc(n)})
				}
			}
		}
	}
}

// buildAction reads docker/build-push-action: the images are its tags.
func buildAction(with *doc.Node, out *Out) {
	file := with.Get("file").Str()
	if file == "" {
		file = path.Join(with.Get("context").Str(), "Dockerfile")
	}
	tags := with.Get("tags")
	for _, t := range strings.FieldsFunc(tags.Str(), func(r rune) bool { return r == ',' || r == '\n' || r == ' ' }) {
		out.image(t, file, tags)
	}
}

// image notes that an image is built from a Dockerfile; a tag that is not known does not matter, a name does.
func (o *Out) image(ref, file string, at *doc.Node) {
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		ref = ref[:i]
	} else if i := strings.Index(ref, ":$"); i >= 0 {
		ref = ref[:i]
	}
	file = path.Clean(file)
	if img := model.Image(ref); !img.IsZero() && !strings.ContainsAny(file, "${") {
		o.Build(model.Build{Image: img, File: file, At: o.Loc(at)})
	}
}

var (
	dockerBuild     = regexp.MustCompile(`\b(?:docker|podman|buildah)\s+(?:buildx\s+)?(?:build|bud)\s+([^\n&|;]*(?:\\\n[^\n&|;]*)*)`)
	dockerBuildTag  = regexp.MustCompile(`(?:^|\s)(?:-t|--tag)[= ]\s*"?([^\s"]+)`)
	dockerBuildFile = regexp.MustCompile(`(?:^|\s)(?:-f|--file)[= ]\s*"?([^\s"]+)`)
	dockerBuildDir  = regexp.MustCompile(`(?:^|\s)"?([^\s"-][^\s"]*)"?\s*$`)
)

// dockerBuilds finds the images that a script builds.
func dockerBuilds(run *doc.Node, out *Out) {
	for _, m := range dockerBuild.FindAllStringSubmatch(run.Str(), 8) {
		args := strings.ReplaceAll(m[1], "\\\n", " ")
		file := "Dockerfile"
		if f := dockerBuildFile.FindStringSubmatch(args); f != nil {
			file = f[1]
		} else if d := dockerBuildDir.FindStringSubmatch(args); d != nil {
			file = path.Join(d[1], file)
		}
		for _, t := range dockerBuildTag.FindAllStringSubmatch(args, 4) {
			out.image(t[1], file, run)
		}
	}
}

// projectName is the template of GoReleaser for the project's name.
var projectName = regexp.MustCompile(`\{\{-?\s*\.ProjectName\s*-?\}\}`)

var _ = add(Format{
	Name:  "goreleaser",
	Title: "GoReleaser images",
	Files: []string{".goreleaser.yaml", ".goreleaser.yml", "goreleaser.yaml", "goreleaser.yml", ".goreleaser.*.yaml", ".goreleaser.*.yml"},
	Match: func(_ string, d *doc.Document) bool {
		return d.Root.Get("dockers").Exists() || d.Root.Get("dockers_v2").Exists() || d.Root.Get("kos").Exists()
	},
	Read: func(d *doc.Document, out *Out) {
		dirs := map[string]string{}
		project, only := d.Root.Get("project_name").Str(), ""
		if project == "" {
			project = out.Repo
		}
		builds := d.Root.Get("builds").Items()
		for _, b := range builds {
			dir := path.Join(b.Get("dir").Str(), b.Get("main").Str())
			if strings.HasSuffix(dir, ".go") {
				dir = path.Dir(dir)
			}
			only = path.Clean(dir)
			id := b.Get("id").Str()
			if id == "" {
				id = b.Get("binary").Str()
			}
			dirs[id] = only
		}
		if len(builds) != 1 {
			only = ""
		}
		for _, key := range []string{"dockers", "dockers_v2"} {
			for _, k := range d.Root.Get(key).Items() {
				b := model.Build{File: k.Get("dockerfile").Str(), Dir: only}
				if ids := k.Get("ids").Items(); len(ids) == 1 {
					b.Dir = dirs[ids[0].Str()]
				}
				for _, n := range append(k.Get("image_templates").Items(), k.Get("images").Items()...) {
					ref, _, _ := strings.Cut(projectName.ReplaceAllLiteralString(n.Str(), project), "{{")
					ref = strings.TrimSuffix(ref, ":")
					if b.Image, b.At = model.Image(ref), out.Loc(n); !b.Image.IsZero() && !strings.HasSuffix(ref, "/") {
						out.Build(b)
					}
				}
			}
		}
		for _, k := range d.Root.Get("kos").Items() {
			dir := path.Clean(k.Get("main").Str())
			if k.Get("main").Str() == "" {
				dir = dirs[k.Get("build").Str()]
			}
			for _, n := range append(k.Get("repositories").Items(), k.Get("repository")) {
				if n.Kind() == doc.Scalar && k.Get("bare").Str() == "true" {
					out.Build(model.Build{Image: model.Image(n.Str()), Dir: dir, At: out.Loc(n)})
				}
			}
		}
	},
	Keys: []Key{{"dockers[].image_templates, kos[].repository", "the image's name", "", "", ""}, {"dockers[].ids, builds[].main", "the program in it", ".", "", ""}},
	Doc:  `Says which program goes into an image. Source: catalogue, L3.`,
	Example: `
-- .goreleaser.yaml --
version: 2
builds:
  - {id: night, main: ./cmd/settle, binary: night}
  - {id: report, main: ./cmd/report, binary: report}
dockers:
  - ids: [night]
    image_templates:
      - "ghcr.io/acme/nightly:{{ .Tag }}" # want build "image:acme/nightly dir=cmd/settle"
      - "ghcr.io/acme/{{ .ProjectName }}:{{ .Tag }}" # want build "image:acme/example dir=cmd/settle"
kos:
  - {main: ./cmd/report, repository: ghcr.io/acme/report, bare: true} # want build "image:acme/report dir=cmd/report"
`,
})
