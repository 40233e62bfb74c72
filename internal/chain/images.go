package chain

import (
	"crypto/md5" //nolint:gosec // the name that ko gives an image, no secret
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/retrylint/retrylint/model"
)

// imageIndex is what files say of the programs in images.
type imageIndex struct {
	byPath map[string][]*unit // programs by import path
	bySum  map[string][]*unit // by the last element of it and its MD5 sum, as ko names images
	built  map[string][]built // by image
	base   map[string][]built // by the last element of the image's name
	labels map[string][]*unit // by repository and label of Bazel
}

// built is a program that a file says is in an image.
type built struct {
	u    *unit
	repo string
	name string // of the program's file in the image, "" where it does not matter
}

// readBuilds indexes programs by what their images are called.
func (b *builder) readBuilds() {
	x := &b.images
	*x = imageIndex{map[string][]*unit{}, map[string][]*unit{}, map[string][]built{}, map[string][]built{}, map[string][]*unit{}}
	byDir := map[string]map[string]*unit{} // by repository and folder
	for _, s := range b.services {
		if s.v.Kind != "main" {
			continue
		}
		u := b.unitOf[s.v]
		if byDir[s.repo] == nil {
			byDir[s.repo] = map[string]*unit{}
		}
		byDir[s.repo][path.Clean(s.v.Dir)] = u
		if p, ok := strings.CutSuffix(s.v.Node.Key, ".main"); ok && p != "" {
			sum := md5.Sum([]byte(p)) //nolint:gosec // see above
			name := strings.ToLower(path.Base(p)) + "-" + hex.EncodeToString(sum[:])
			x.bySum[name] = append(x.bySum[name], u)
			p = strings.ToLower(p)
			x.byPath[p] = append(x.byPath[p], u)
		}
	}
	for _, f := range b.org.Facts {
		if len(f.Builds) == 0 {
			continue
		}
		repo := f.Repo.Name
		at := byDir[repo]
		files := map[string][]built{} // by Dockerfile
		program := func(d *model.Build) *unit {
			if d.Dir != "" {
				if u := at[path.Clean(d.Dir)]; u != nil {
					return u
				}
				// A folder of its own module or context: the only program beneath it.
				var in []*unit
				for dir, u := range at {
					if dir != "." && within(dir, path.Clean(d.Dir)) {
						in = append(in, u)
					}
				}
				if len(in) == 1 {
					return in[0]
				}
			}
			if d.Program != "" {
				var in []*unit
				for _, u := range b.mains[strings.ToLower(d.Program)] {
					if u.code[0].repo == repo {
						in = append(in, u)
					}
				}
				if len(in) == 1 {
					return in[0]
				}
			}
			return nil
		}
		for i := range f.Builds {
			if d := &f.Builds[i]; d.File != "" && (d.Dir != "" || d.Program != "") && d.At.Path == d.File {
				u := program(d)
				if u == nil && d.Dir != "" {
					// The Dockerfile of a folder with a module of its own counts from there.
					u = at[path.Join(path.Dir(d.File), d.Dir)]
				}
				if u != nil {
					files[d.File] = appendBuilt(files[d.File], built{u, repo, d.Program})
				}
			}
		}
		for i := range f.Builds {
			d := &f.Builds[i]
			if d.Image.IsZero() {
				continue
			}
			in := files[d.File]
			if d.At.Path == d.File && d.Program != "" && len(in) > 1 {
				in = slices.DeleteFunc(slices.Clone(in), func(x built) bool { return x.name != d.Program })
			}
			if len(in) == 0 {
				u := program(d)
				if u == nil {
					continue
				}
				in = []built{{u, repo, ""}}
			}
			key := d.Image.Key
			for _, one := range in {
				if strings.HasPrefix(key, "//") {
					k := strings.ToLower(repo) + key
					x.labels[k] = appendUnit(x.labels[k], one.u)
					continue
				}
				if d.At.Path != d.File { // its whole name, not that of a folder
					x.built[key] = appendBuilt(x.built[key], one)
				}
				x.base[path.Base(key)] = appendBuilt(x.base[path.Base(key)], one)
			}
		}
	}
}

func appendUnit(us []*unit, u *unit) []*unit {
	if slices.Contains(us, u) {
		return us
	}
	return append(us, u)
}

func appendBuilt(list []built, x built) []built {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// imageCode finds the unit whose code an image is built from; nil where none or several could be.
func (b *builder) imageCode(image string, s *owned[model.Service]) *unit {
	x := &b.images
	if p, ok := strings.CutPrefix(image, "ko://"); ok {
		return oneUnit(x.byPath[strings.ToLower(p)])
	}
	label, bazel := strings.CutPrefix(image, "bazel/")
	if bazel {
		label = "//" + label
	}
	if repo, l, ok := strings.Cut(label, "//"); ok && (repo == "" || repo[0] == '@') {
		repo = strings.ToLower(strings.Trim(repo, "@"))
		if repo == "" {
			repo = strings.ToLower(s.repo)
		}
		return b.labelled(repo, l)
	}
	// What a file says of the image by its whole name, the manifest's own repository first.
	if u := oneBuilt(x.built[image], s); u != nil {
		return u
	}
	last := path.Base(image)
	if u := oneUnit(x.bySum[last]); u != nil {
		return u
	}
	for rest := image; rest != ""; {
		if u := oneUnit(x.byPath[rest]); u != nil {
			return u
		}
		_, rest, _ = strings.Cut(rest, "/")
	}
	if us := b.repoCode[last]; len(us) == 1 {
		return us[0]
	} else if len(us) > 1 {
		return oneOf(us, s.v.Commands, last)
	}
	// The image of a repository with several programs: registry/repository/program.
	if us := b.repoCode[path.Base(path.Dir(image))]; len(us) > 0 {
		if u := oneOf(us, s.v.Commands, last); u != nil {
			return u
		}
	}
	if us := distinct(b.mains[last]); len(us) == 1 {
		return us[0]
	} else if len(us) > 1 {
		// Several repositories have a program of that name: the one that lies with the manifest.
		var own []*unit
		for _, u := range us {
			if len(u.code) > 0 && u.code[0].repo == s.repo {
				own = append(own, u)
			}
		}
		if len(own) == 1 {
			return own[0]
		}
		return nil
	}
	return oneBuilt(x.base[last], s)
}

// labelled finds the program of a label of Bazel: one that a BUILD file gives it, or that of the folder.
func (b *builder) labelled(repo, label string) *unit {
	folder, name, ok := strings.Cut(label, ":")
	if !ok {
		name = path.Base(folder)
	}
	if u := oneUnit(b.images.labels[repo+"//"+folder+":"+name]); u != nil {
		return u
	}
	for _, u := range b.repoCode[repo] {
		if c := u.code[0]; path.Clean(c.dir) == path.Clean(folder) {
			return u
		}
	}
	return nil
}

func oneUnit(us []*unit) *unit {
	if us = distinct(us); len(us) == 1 {
		return us[0]
	}
	return nil
}

// oneBuilt is the one program of several statements, those of the workload's own repository first; of several programs in one image
// the one that the workload's command names.
func oneBuilt(list []built, s *owned[model.Service]) *unit {
	own := slices.DeleteFunc(slices.Clone(list), func(x built) bool { return x.repo != s.repo })
	for _, from := range [][]built{own, list} {
		var us, named []*unit
		for _, x := range from {
			us = append(us, x.u)
			if x.name != "" && slices.ContainsFunc(s.v.Commands, func(w string) bool { return path.Base(w) == x.name }) {
				named = append(named, x.u)
			}
		}
		if u := oneUnit(us); u != nil {
			return u
		}
		if u := oneUnit(named); u != nil {
			return u
		}
	}
	return nil
}

// oneOf chooses among the programs of one repository by command or by name.
func oneOf(us []*unit, commands []string, name string) *unit {
	for _, word := range append(slices.Clone(commands), name) {
		word = path.Base(word)
		for _, u := range us {
			if strings.EqualFold(u.name, word) {
				return u
			}
		}
	}
	return oneUnit(us)
}
