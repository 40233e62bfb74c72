// Package extract reads configuration formats: one file each, with its table of keys, its documentation and its example.
//
// A format sees trees (package doc), never bytes, and writes down what a file says. It never judges and knows nothing of
// other files: names join them (model.Name), and internal/chain matches the names.
package extract

import (
	"sort"

	"github.com/retrylint/retrylint/extract/doc"
	"github.com/retrylint/retrylint/model"
)

// Format is one configuration format. A new format is one new file with
//
//	var _ = add(Format{...})
type Format struct {
	Name  string   // kebab-case, unique: "kubernetes-job"
	Title string   // for people: "Kubernetes Job"
	Files []string // patterns of base names ("*.yaml") or paths ("**/.github/workflows/*.yml") that may hold it
	// Match looks at one document and says whether it is of this format. path is relative to the repository.
	Match func(path string, d *doc.Document) bool
	// Read writes down what the document says.
	Read func(d *doc.Document, out *Out)
	// Keys is the table of keys, for the documentation: what a count means, its default, 0 and negative.
	Keys []Key
	Doc  string // one paragraph: caller, callee, waits, traps; with the source of the facts
	// Example is a txtar of files with `# want layer "attempts=3 ..."` comments (any syntax's comment) on the lines where a
	// layer, boundary or dead letter must be found. It is documentation and test at once.
	Example string
	// Rank orders formats that match the same document; the generic heuristic has the lowest.
	Rank int
}

// Key is a row of a format's table.
type Key struct {
	Name     string // path of the key, "spec.backoffLimit"
	Means    string // "retries", "attempts", "duration", "cap", ...
	Default  string // what happens when it is absent, and whose default it is
	Zero     string // what 0 means
	Negative string // what a negative number means
}

var formats []Format

func add(f Format) bool {
	formats = append(formats, f)
	return true
}

// All lists the formats sorted by name.
func All() []Format {
	out := append([]Format(nil), formats...)
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Out collects what a format writes down. Its methods fill the repository and path into locations.
type Out struct {
	Repo  string
	Path  string
	Env   string // environment: overlay or values file; "" where there is none
	Facts *model.Facts
	// Tree gives other files of the repository that a format may name (a values file, a mounted file); nil-safe.
	Tree func(path string) *doc.File
	// Files are those of the repository; nil where they are not at hand.
	Files *Files
	// Holder is the ConfigMap whose value is read as a file of its own; zero otherwise. Settings in such a file are for it.
	Holder model.Name
	ids    map[string]int
	// variable names the variable of the environment that beats a key of the file that is read; variables says that what is read
	// are such variables themselves.
	variable  func(*doc.Node) string
	variables bool
}
