package gosrc

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
)

// repair parses a file with syntax errors piece by piece, so that an error costs one declaration and not what follows.
// It returns nil if that gives nothing. The file's positions are those of tok.
//
// The pieces begin with a keyword in the first column, which is where formatted code has its declarations. Marks that
// a merge left behind are ignored, so both sides of a conflict are read.
func repair(name string, data []byte, tok *token.File) *ast.File {
	data = withoutConflictMarks(data)
	tok.SetLinesForContent(data)

	starts := declarationStarts(data)
	header := len(data)
	if len(starts) > 0 {
		header = starts[0]
	}
	file := parsePiece(name, "", data[:header], tok.Base())
	if !named(file) {
		file = parsePiece(name, "", data[:packageClauseEnd(data)], tok.Base()) // the imports are not worth reading
	}
	if !named(file) {
		return nil
	}
	for i, start := range starts {
		end := len(data)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		const clause = "package p\n" // stands before the piece, over what precedes it in the file
		if start < len(clause) {
			continue
		}
		piece := parsePiece(name, clause, data[start:end], tok.Base()+start-len(clause))
		if piece == nil {
			continue
		}
		file.Decls = append(file.Decls, piece.Decls...)
		file.Imports = append(file.Imports, piece.Imports...)
		file.Comments = append(file.Comments, piece.Comments...)
	}
	file.FileEnd = token.Pos(tok.Base() + tok.Size())
	return file
}

// named says whether the file has a package clause with a name.
func named(f *ast.File) bool {
	return f != nil && f.Name != nil && f.Name.Name != "" && f.Name.Name != "_"
}

// packageClauseEnd returns the offset after the package clause, or 0 if the file starts with something else.
func packageClauseEnd(data []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(data))
	s.Init(file, data, func(token.Position, string) {}, 0)
	if _, t, _ := s.Scan(); t != token.PACKAGE {
		return 0
	}
	pos, t, name := s.Scan()
	if t != token.IDENT {
		return 0
	}
	return file.Offset(pos) + len(name)
}

// parsePiece parses text behind a prefix so that the prefix has the position base.
// It returns what could be parsed, or nil.
func parsePiece(name, prefix string, text []byte, base int) *ast.File {
	src := slices.Concat([]byte(prefix), text)
	file, _, _ := parseAt(name, src, base, parser.ParseComments|parser.SkipObjectResolution)
	return file
}

// declarationStarts returns the offsets of the keywords func, type, var and const in the first column, each moved up
// over the comment lines right above it.
func declarationStarts(data []byte) []int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(data))
	s.Init(file, data, func(token.Position, string) {}, 0)
	var starts []int
	for {
		pos, t, _ := s.Scan()
		switch t {
		case token.EOF:
			return starts
		case token.FUNC, token.TYPE, token.VAR, token.CONST:
			if off := file.Offset(pos); off > 0 && data[off-1] == '\n' {
				starts = append(starts, aboveComments(data, off))
			}
		}
	}
}

// aboveComments returns the start of the line comments that end right before the offset, which starts a line.
func aboveComments(data []byte, off int) int {
	for off > 0 {
		line := bytes.LastIndexByte(data[:off-1], '\n') + 1
		if !bytes.HasPrefix(data[line:off], []byte("//")) || line == 0 {
			break
		}
		off = line
	}
	return off
}

// withoutConflictMarks blanks the lines that a failed merge puts between the versions. It returns data if there are none.
func withoutConflictMarks(data []byte) []byte {
	if !bytes.Contains(data, []byte("<<<<<<<")) {
		return data
	}
	data = bytes.Clone(data)
	for line := range bytes.Lines(data) {
		for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
			if bytes.HasPrefix(line, []byte(mark)) {
				for i := range line {
					if line[i] != '\n' {
						line[i] = ' '
					}
				}
			}
		}
	}
	return data
}
