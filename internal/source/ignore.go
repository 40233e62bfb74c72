package source

import "strings"

// An ignoreList is one ignore file: the patterns in order, and the folder they are relative to.
type ignoreList struct {
	dir   string // "" for the root of the repository
	rules []ignoreRule
}

type ignoreRule struct {
	glob    *glob
	negated bool // takes back what an earlier rule ignored
	dirOnly bool
	name    bool // matches the last element at any depth, not the path
}

// maxIgnoreBytes is the size above which an ignore file is not read; the largest collections of rules have some 100 kB.
const maxIgnoreBytes = 1 << 20

// parseIgnore reads an ignore file that lies in dir.
func parseIgnore(data []byte, dir string, fold bool) *ignoreList {
	l := &ignoreList{dir: dir}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		line = trimSpaces(line)
		var r ignoreRule
		if strings.HasPrefix(line, "!") {
			r.negated = true
			line = line[1:]
		}
		if strings.HasSuffix(line, "/") {
			r.dirOnly = true
			line = line[:len(line)-1]
		}
		r.name = !strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" {
			continue
		}
		r.glob = compileGlob(line, !r.name, fold)
		l.rules = append(l.rules, r)
	}
	return l
}

// trimSpaces removes spaces at the end, unless a backslash stands before them.
func trimSpaces(s string) string {
	end := -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if end < 0 {
				end = i
			}
		case '\\':
			i++
			end = -1
		default:
			end = -1
		}
	}
	if end < 0 {
		return s
	}
	return s[:end]
}

// ignored tells whether the lists, the weakest first, ignore a path. Parents are not looked at: whoever walks does not
// enter an ignored folder.
func ignored(lists []*ignoreList, path string, isDir bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(lists) - 1; i >= 0; i-- {
		l := lists[i]
		rel := path
		if l.dir != "" {
			rel = path[len(l.dir)+1:]
		}
		for j := len(l.rules) - 1; j >= 0; j-- {
			r := &l.rules[j]
			if r.dirOnly && !isDir {
				continue
			}
			text := rel
			if r.name {
				text = name
			}
			if r.glob.match(text) {
				return !r.negated
			}
		}
	}
	return false
}
