package gosrc

import (
	"go/ast"
	"go/token"
	"math"
)

// maxConstant is how long a string constant may be, in bytes. Some thirty lines that each double the one before make a
// constant of several gigabytes, which the type checker would build in memory.
const maxConstant = 64 << 20

// largestConstant estimates the length in bytes of the longest string constant that the files declare. Constants of one
// name are taken for the same, and those of other packages count nothing, so it is not exact.
func largestConstant(files []*ast.File) float64 {
	c := constantSizes{values: make(map[string]ast.Expr), sizes: make(map[string]float64)}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				return true
			}
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					for i, name := range spec.Names {
						if i < len(spec.Values) {
							c.values[name.Name] = spec.Values[i]
						}
					}
				}
			}
			return false
		})
	}
	largest := 0.0
	for name := range c.values {
		largest = math.Max(largest, c.named(name))
	}
	return largest
}

type constantSizes struct {
	values map[string]ast.Expr
	sizes  map[string]float64 // 0 while it is being worked out, which ends circles
}

func (c constantSizes) named(name string) float64 {
	size, known := c.sizes[name]
	if known {
		return size
	}
	c.sizes[name] = 0
	c.sizes[name] = c.of(c.values[name])
	return c.sizes[name]
}

func (c constantSizes) of(e ast.Expr) float64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return float64(len(e.Value))
		}
	case *ast.Ident:
		return c.named(e.Name)
	case *ast.ParenExpr:
		return c.of(e.X)
	case *ast.CallExpr: // a conversion
		if len(e.Args) == 1 {
			return c.of(e.Args[0])
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return c.of(e.X) + c.of(e.Y)
		}
	}
	return 0
}
