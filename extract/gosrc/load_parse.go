package gosrc

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"sync"
	"sync/atomic"
)

// workers is how many goroutines parse and type-check inside one repository. Scans run several repositories side by
// side, so more would only use memory.
const workers = 2

// maxDepth is how deeply syntax may nest. The time that the type checker needs grows with the square of the depth: half
// a minute at the parser's own limit of 100,000. Fewer bytes than that cannot nest so deeply.
const maxDepth = 4096

const (
	trimFrom    = 256 << 10 // bytes of a file in which long lists of literals are shortened
	maxLiterals = 4096      // elements that stay
)

// A parsedFile is what became of one source.
type parsedFile struct {
	ast      *ast.File // nil if there is not even a package clause
	tok      *token.File
	problems []Problem
}

// parse parses the sources into l.fset.
//
// Files get the positions that they would have if they were parsed one after the other, so positions do not depend on
// which goroutine is faster. Each is parsed into a set of its own, for a set hands out positions in the order of calls.
func (l *loader) parse(sources []*source) {
	bases := make([]int, len(sources))
	next := 1
	for i, s := range sources {
		bases[i] = next
		next += len(s.data) + 1
	}
	parallel(len(sources), func(i int) {
		if l.ctx.Err() == nil {
			sources[i].parsed = parseFile(sources[i], bases[i], l.opt.MaxErrors)
		}
		sources[i].data = nil
	})
	toks := make([]*token.File, 0, len(sources))
	for _, s := range sources {
		if s.parsed == nil {
			continue // cancelled
		}
		if s.parsed.tok != nil {
			toks = append(toks, s.parsed.tok)
		}
		l.problems = append(l.problems, s.parsed.problems...)
	}
	l.fset.AddExistingFiles(toks...)
}

// parallel calls f for 0 to n-1, in order of starting, on a fixed number of goroutines.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

func parseFile(s *source, base, maxErrors int) (out *parsedFile) {
	out = new(parsedFile)
	defer func() {
		if r := recover(); r != nil {
			out.ast = nil
			out.problems = append(out.problems, Problem{Path: s.path, Kind: ProblemPanic, Msg: fmt.Sprintf("parse: %v", r)})
		}
	}()

	mode := parser.ParseComments | parser.SkipObjectResolution
	src := withoutLineDirectives(s.data)
	file, tok, err := parseAt(s.path, src, base, mode)
	var list scanner.ErrorList
	if err != nil {
		list, _ = err.(scanner.ErrorList)
		if len(list) == 0 {
			list = scanner.ErrorList{{Msg: err.Error()}}
		}
		if tok != nil {
			if repaired := repair(s.path, src, tok); repaired != nil {
				file = repaired
			}
		}
	}
	out.tok = tok
	for i, e := range list {
		p := Problem{Path: s.path, Line: e.Pos.Line, Col: e.Pos.Column, Kind: ProblemSyntax, Msg: e.Msg}
		if i == maxErrors-1 && len(list) > maxErrors {
			p.Msg += fmt.Sprintf(" (and %d more)", len(list)-maxErrors)
		}
		if i == maxErrors {
			break
		}
		out.problems = append(out.problems, p)
	}
	if named(file) {
		if len(src) > trimFrom {
			trimLiterals(file)
		}
		if len(src) > maxDepth {
			out.problems = append(out.problems, dropDeep(file, s.path, tok)...)
		}
		out.ast = file
	} else if len(out.problems) == 0 {
		out.problems = append(out.problems, Problem{Path: s.path, Line: 1, Col: 1, Kind: ProblemSyntax, Msg: "no package name"})
	}
	return out
}

// trimLiterals shortens long lists of plain literals, as tools make them that put files into Go source: the type checker
// needs some hundred bytes for each byte of such a list, and nobody reads it.
func trimLiterals(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || len(lit.Elts) <= maxLiterals {
			return true
		}
		for _, e := range lit.Elts {
			if _, ok := e.(*ast.BasicLit); !ok {
				return true
			}
		}
		lit.Elts = slices.Clone(lit.Elts[:maxLiterals]) // a clone, to let go of the rest
		return false
	})
}

// dropDeep removes declarations that nest too deeply.
func dropDeep(file *ast.File, name string, tok *token.File) (problems []Problem) {
	file.Decls = slices.DeleteFunc(file.Decls, func(d ast.Decl) bool {
		if d.End()-d.Pos() <= maxDepth || depth(d) <= maxDepth {
			return false
		}
		pos := tok.PositionFor(d.Pos(), false)
		problems = append(problems, Problem{Path: name, Line: pos.Line, Col: pos.Column, Kind: ProblemTooDeep,
			Msg: fmt.Sprintf("a declaration nests more than %d levels; it is left out", maxDepth)})
		return true
	})
	return problems
}

// depth returns the number of nodes on the longest way down from the node.
func depth(n ast.Node) int {
	deepest, now := 0, 0
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			now--
			return false
		}
		now++
		deepest = max(deepest, now)
		return true
	})
	return deepest
}

// parseAt parses source so that its positions start at base.
func parseAt(name string, src []byte, base int, mode parser.Mode) (*ast.File, *token.File, error) {
	fset := token.NewFileSet()
	if base > 1 {
		pad := fset.AddFile("", 1, base-2) // the next file starts one after its end
		defer fset.RemoveFile(pad)
	}
	file, err := parser.ParseFile(fset, name, src, mode)
	return file, fset.File(token.Pos(base)), err
}

// withoutLineDirectives returns source of the same length whose positions are those in this file. Line directives lead to
// a grammar or template that need not be in the repository, and they can name any file.
func withoutLineDirectives(src []byte) []byte {
	copied := false
	spoil := func(at int) {
		if !copied {
			src, copied = bytes.Clone(src), true
		}
		src[at+2] = ' ' // the l of "line"
	}
	for _, directive := range []string{"//line ", "/*line "} {
		for from := 0; ; {
			i := bytes.Index(src[from:], []byte(directive))
			if i < 0 {
				break
			}
			at := from + i
			// A line comment counts at the start of a line only, and strings often have one elsewhere.
			if directive[1] == '*' || at == 0 || src[at-1] == '\n' {
				spoil(at)
			}
			from = at + len(directive)
		}
	}
	return src
}
