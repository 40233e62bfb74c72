package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Discover turns the arguments of a scan into repositories, in the order of the arguments and by path within one.
//
// A folder with .git is one repository, and so is a folder with HEAD, objects and refs. In any other folder the
// repositories below it are looked for, bare ones too if they are direct sub-folders or their names end in ".git"; hidden folders, node_modules
// and symbolic links are not searched, and a repository is not searched for others. Where there is none, the folder
// itself is one plain repository. The same place twice is one repository.
//
// An argument that does not exist is a [UsageError]; no repository is returned then.
func Discover(args []string, _ Options) ([]Repo, error) {
	var repos []Repo
	var problems []error
	for _, arg := range args {
		found, err := discoverOne(arg)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		repos = append(repos, found...)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return Merge(repos), nil
}

func discoverOne(arg string) ([]Repo, error) {
	dir, err := filepath.Abs(arg)
	if err != nil {
		return nil, &UsageError{Arg: arg, Reason: err.Error()}
	}
	st, err := os.Stat(dir)
	if err != nil {
		if looksLikeURL(arg) {
			repo, err := parseURL(arg)
			if err != nil {
				return nil, err
			}
			return []Repo{repo}, nil
		}
		reason := underlying(err).Error()
		if errors.Is(err, fs.ErrNotExist) {
			reason = "no such folder"
		}
		return nil, &UsageError{Arg: escapePath(arg), Reason: reason}
	}
	if !st.IsDir() {
		return nil, &UsageError{Arg: escapePath(arg), Reason: "is a file; give the folder of a repository"}
	}
	// One repository under two names of the file system is one place.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	kind := kindOf(dir)
	if kind == Plain {
		var found []Repo
		left := maxSearched
		if err := search(dir, 0, &left, &found); err != nil {
			return nil, &UsageError{Arg: escapePath(arg), Reason: err.Error()}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return []Repo{{Name: folderName(dir), Dir: dir, Kind: kind}}, nil
}

// maxSearched is how many folders are searched for repositories.
const maxSearched = 1_000_000

// search finds the repositories below a folder.
func search(dir string, depth int, left *int, found *[]Repo) error {
	if *left--; *left < 0 {
		return fmt.Errorf("more than %d folders; name the repositories", maxSearched)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && depth == 0 {
		return underlying(err)
	}
	// A folder below that cannot be read is told by whoever scans it, if it belongs to a repository.
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || strings.HasPrefix(name, ".") || name == "node_modules" || depth >= maxDepth {
			continue
		}
		sub := filepath.Join(dir, name)
		kind := kindOf(sub)
		if kind == WorkTree || kind == Bare && (depth == 0 || strings.HasSuffix(name, ".git")) {
			*found = append(*found, Repo{Name: folderName(sub), Dir: sub, Kind: kind})
			continue
		}
		if err := search(sub, depth+1, left, found); err != nil {
			return err
		}
	}
	return nil
}

func folderName(dir string) string {
	if name := baseName(dir); name != "" {
		return name
	}
	return "root"
}

// Merge joins lists of repositories: the same place is kept once, and names are made unique. Repositories of the same
// name get the name of their parent folder, or of the organisation in the URL, and a hyphen in front ("edge-api" and
// "pay-api"), the first of them too; so a name depends on no order. Where that does not tell them apart, the second one
// gets "-2", the third one "-3".
func Merge(lists ...[]Repo) []Repo {
	var out []Repo
	places := map[string]bool{}
	for _, r := range slices.Concat(lists...) {
		if !places[r.place()] {
			places[r.place()] = true
			out = append(out, r)
		}
	}
	count := map[string]int{}
	for _, r := range out {
		count[r.Name]++
	}
	for i, r := range out {
		if count[r.Name] > 1 {
			if parent := parentName(r.where()); parent != "" {
				out[i].Name = parent + "-" + r.Name
			}
		}
	}
	taken := map[string]bool{}
	for i, r := range out {
		name := r.Name
		for n := 2; taken[name]; n++ {
			name = r.Name + "-" + strconv.Itoa(n)
		}
		taken[name] = true
		out[i].Name = name
	}
	return out
}
