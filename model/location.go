package model

import (
	"cmp"
	"fmt"
)

// Location is a place in a repository. Lines and columns start at 1; columns are bytes, as in go/token. It names the
// setting itself (the 3 in "backoffLimit: 3"), never the whole block around it. It is comparable, so it can be a key.
type Location struct {
	Repo    string `json:"repo,omitempty"`
	Path    string `json:"path,omitempty"` // relative to the repository, forward slashes
	Line    int    `json:"line,omitempty"`
	Col     int    `json:"col,omitempty"`
	EndLine int    `json:"endLine,omitempty"`
	EndCol  int    `json:"endCol,omitempty"` // exclusive
}

// IsZero reports whether l names no place.
func (l Location) IsZero() bool { return l.Path == "" && l.Line == 0 }

// String is repo/path:line, as messages write it.
func (l Location) String() string {
	switch {
	case l.IsZero():
		return ""
	case l.Repo == "":
		return fmt.Sprintf("%s:%d", l.Path, l.Line)
	}
	return fmt.Sprintf("%s/%s:%d", l.Repo, l.Path, l.Line)
}

// Compare orders locations by repository, path, line and column.
func (l Location) Compare(m Location) int {
	return cmp.Or(cmp.Compare(l.Repo, m.Repo), cmp.Compare(l.Path, m.Path), cmp.Compare(l.Line, m.Line),
		cmp.Compare(l.Col, m.Col), cmp.Compare(l.EndLine, m.EndLine), cmp.Compare(l.EndCol, m.EndCol))
}
