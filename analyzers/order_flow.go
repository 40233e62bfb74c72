package analyzers

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/cfg"
)

// ordering is the control flow of one function without its back edges: what can come after what within one round.
type ordering struct {
	blocks []*cfg.Block
	reach  map[*cfg.Block]map[*cfg.Block]bool
	back   map[[2]*cfg.Block]bool
}

func orderingOf(body *ast.BlockStmt) *ordering {
	g := cfg.New(body, func(c *ast.CallExpr) bool {
		switch f := c.Fun.(type) {
		case *ast.Ident:
			return f.Name != "panic"
		case *ast.SelectorExpr:
			if x, ok := f.X.(*ast.Ident); ok {
				return !(x.Name == "os" && f.Sel.Name == "Exit") && !(x.Name == "log" && (f.Sel.Name == "Fatal" || f.Sel.Name == "Fatalf"))
			}
		}
		return true
	})
	fl := &ordering{blocks: g.Blocks, reach: map[*cfg.Block]map[*cfg.Block]bool{}, back: map[[2]*cfg.Block]bool{}}
	state := map[*cfg.Block]int{}
	var visit func(b *cfg.Block)
	visit = func(b *cfg.Block) {
		state[b] = 1
		for _, s := range b.Succs {
			switch state[s] {
			case 0:
				visit(s)
			case 1:
				fl.back[[2]*cfg.Block{b, s}] = true
			}
		}
		state[b] = 2
	}
	if len(g.Blocks) > 0 {
		visit(g.Blocks[0])
	}
	return fl
}

// from is the set of blocks that come after b within one round, b itself left out.
func (f *ordering) from(b *cfg.Block) map[*cfg.Block]bool {
	if m := f.reach[b]; m != nil {
		return m
	}
	m := map[*cfg.Block]bool{}
	f.reach[b] = m
	stack := []*cfg.Block{b}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range x.Succs {
			if !f.back[[2]*cfg.Block{x, s}] && !m[s] {
				m[s] = true
				stack = append(stack, s)
			}
		}
	}
	return m
}

// at finds the block and the position in it of a node.
func (f *ordering) at(n ast.Node) (*cfg.Block, int) {
	var best *cfg.Block
	at := -1
	var size token.Pos
	for _, b := range f.blocks {
		for i, x := range b.Nodes {
			if x.Pos() <= n.Pos() && n.End() <= x.End() {
				if s := x.End() - x.Pos(); best == nil || s < size {
					best, at, size = b, i, s
				}
			}
		}
	}
	return best, at
}

// after reports whether b can come after a within one round of the function.
func (f *ordering) after(a, b ast.Node) bool {
	ba, ia := f.at(a)
	bb, ib := f.at(b)
	if ba == nil || bb == nil {
		return a.Pos() < b.Pos()
	}
	if ba == bb {
		if ia == ib {
			return a.End() < b.End()
		}
		return ia < ib
	}
	return f.from(ba)[bb]
}

// condition is a place where the way parts.
type condition struct {
	block *cfg.Block
	expr  ast.Expr
}

// splits lists the conditions after a from which one way leads to b and another does not.
func (f *ordering) splits(a, b ast.Node) []condition {
	ba, _ := f.at(a)
	bb, _ := f.at(b)
	if ba == nil || bb == nil {
		return nil
	}
	var out []condition
	for _, x := range f.blocks {
		if len(x.Succs) != 2 || len(x.Nodes) == 0 || x != ba && !f.from(ba)[x] {
			continue
		}
		cond, ok := x.Nodes[len(x.Nodes)-1].(ast.Expr)
		if !ok {
			continue
		}
		leads := func(s *cfg.Block) bool { return s == bb || f.from(s)[bb] }
		if leads(x.Succs[0]) != leads(x.Succs[1]) {
			out = append(out, condition{x, cond})
		}
	}
	return out
}

// branch is the set of blocks that only one side of a condition leads to; which is 0 where the condition holds.
func (f *ordering) branch(c condition, which int) map[*cfg.Block]bool {
	one, other := c.block.Succs[which], c.block.Succs[1-which]
	m := map[*cfg.Block]bool{one: true}
	for b := range f.from(one) {
		m[b] = true
	}
	if other == one {
		return nil
	}
	delete(m, other)
	for b := range f.from(other) {
		delete(m, b)
	}
	return m
}

// inside reports whether a node lies in one of the blocks.
func (f *ordering) inside(m map[*cfg.Block]bool, n ast.Node) bool {
	b, _ := f.at(n)
	return b != nil && m[b]
}
