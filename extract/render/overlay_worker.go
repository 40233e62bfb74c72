package render

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// overlayFiles is the file system of the overlays, made once per worker.
var overlayFiles struct {
	fs      filesys.FileSystem
	missing map[string][]string // by folder of a kustomization
}

// renderOverlay is kustomize's "build" of one folder, in the worker. Files of other repositories and plugins are left out.
func renderOverlay(files map[string][]byte, j job) answer {
	if overlayFiles.fs == nil {
		fs := filesys.MakeFsInMemory()
		overlayFiles.missing = map[string][]string{}
		for p, data := range files {
			if kustomizationName(path.Base(p)) {
				var missing []string
				data, missing = withoutRemote(files, path.Dir(p), data)
				overlayFiles.missing[path.Dir(p)] = missing
			}
			if err := fs.WriteFile("/"+p, data); err != nil {
				continue // a name that cannot be; whoever needs it says so
			}
		}
		overlayFiles.fs = fs
	}
	a := answer{Missing: slices.Clone(overlayFiles.missing[j.Dir])}
	opts := krusty.MakeDefaultOptions()
	opts.LoadRestrictions = types.LoadRestrictionsNone // files beside the folder; there are none but the repository's
	m, err := krusty.MakeKustomizer(opts).Run(overlayFiles.fs, path.Join("/", j.Dir))
	if err != nil {
		a.Err, a.ErrPath = strings.ReplaceAll(faultOf(err, nil).Reason, "'/", "'"), j.Dir
		return a
	}
	var b strings.Builder
	for i, r := range m.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			continue
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		b.Write(text)
		if b.Len() > maxOutput {
			a.Err = fmt.Sprintf("the overlay is larger than %d MiB", maxOutput>>20)
			return a
		}
	}
	a.Texts = []rendered{{Path: j.Dir, Text: b.String()}}
	return a
}

// withoutRemote is a kustomization without what is not among the files (other repositories, generated files) and without
// what runs programs, and with the request to say where each object comes from.
func withoutRemote(files map[string][]byte, dir string, data []byte) (out []byte, missing []string) {
	var k map[string]any
	if yaml.Unmarshal(data, &k) != nil || k == nil {
		return data, nil
	}
	there := func(p string) bool {
		p = path.Join(dir, p)
		if _, ok := files[p]; ok {
			return true
		}
		for _, name := range kustomizationNames {
			if _, ok := files[path.Join(p, name)]; ok {
				return true
			}
		}
		return false
	}
	for _, key := range []string{"resources", "bases", "components", "crds", "configurations", "patchesStrategicMerge", "generators", "transformers", "validators"} {
		list, ok := k[key].([]any)
		if !ok {
			continue
		}
		var keep []any
		for _, e := range list {
			p, ok := e.(string)
			inline := strings.Contains(p, "\n")
			if ok && !inline && !there(p) {
				missing = append(missing, p)
				continue
			}
			keep = append(keep, e)
		}
		k[key] = keep
	}
	for _, key := range []string{"helmCharts", "helmChartInflationGenerator"} {
		if list, ok := k[key].([]any); ok {
			for _, e := range list {
				if c, ok := e.(map[string]any); ok {
					missing = append(missing, fmt.Sprintf("chart %v", c["name"]))
				}
			}
			delete(k, key)
		}
	}
	k["buildMetadata"] = []any{"originAnnotations"}
	text, err := yaml.Marshal(k)
	if err != nil {
		return data, missing
	}
	return text, missing
}
