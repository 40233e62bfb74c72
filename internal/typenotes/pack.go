package typenotes

import (
	"go/ast"
	"go/types"
	"math"
)

// Marks in the values of the table of identifiers.
const (
	isDef    = 1 << 31 // it declares the object
	isUse    = 1 << 30 // with isDef: it refers to the object behind that as well
	typed    = 1 << 29 // of the identifier as an expression the type is noted, and is that of the object
	selected = 1 << 28 // the same of the selector that ends with the identifier
	behind   = 1 << 27 // it ends a selector
	index    = 1<<27 - 1
)

// Packer packs one package after the other and keeps what it needs for that. The zero value is ready; one goroutine may
// use it.
type Packer struct {
	objects map[types.Object]uint32
	notes   map[Note]uint32

	out    *Notes
	info   *types.Info
	idents []entry
	exprs  []entry
	failed bool
}

type entry struct{ key, value uint32 }

// Pack packs what was noted of the files. They must be sound: where syntax is missing, several expressions may claim the
// same token, and then the notes are kept as they are.
func (p *Packer) Pack(files []*ast.File, info *types.Info) *Notes {
	if p.objects == nil {
		p.objects, p.notes = make(map[types.Object]uint32), make(map[Note]uint32)
	}
	p.out, p.info, p.failed = &Notes{objects: []types.Object{nil}}, info, false
	for _, f := range files {
		if f.FileEnd > math.MaxUint32 {
			return Of(info)
		}
		for _, d := range f.Decls {
			ast.Inspect(d, p.visit)
		}
	}
	out := p.out
	out.idents, out.exprs = tableOf(p.idents, &p.failed), tableOf(p.exprs, &p.failed)
	if len(out.objects) > index {
		p.failed = true
	}
	out.objects, out.notes = exactly(out.objects), exactly(out.notes)
	failed := p.failed
	clear(p.objects)
	clear(p.notes)
	p.out, p.info, p.idents, p.exprs = nil, nil, p.idents[:0], p.exprs[:0]
	if failed {
		return Of(info)
	}
	return out
}

// exactly is the list without room for more.
func exactly[T any](list []T) []T { return append(make([]T, 0, len(list)), list...) }

func tableOf(entries []entry, failed *bool) table {
	t := newTable(len(entries))
	for _, e := range entries {
		i := t.place(e.key)
		if t.keys[i] != 0 {
			*failed = true
		}
		t.keys[i], t.values[i] = e.key, e.value
	}
	return t
}

func (p *Packer) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CommentGroup:
		return false
	case *ast.SelectorExpr:
		ast.Inspect(n.X, p.visit)
		p.ident(n.Sel, n)
		return false
	case *ast.Ident:
		p.ident(n, nil)
	case ast.Expr:
		if tv, ok := p.info.Types[n]; ok {
			p.expr(n, noteOf(tv))
		}
	}
	return true
}

// ident packs an identifier, and the selector that it ends.
func (p *Packer) ident(id *ast.Ident, sel *ast.SelectorExpr) {
	def, use := p.info.Defs[id], p.info.Uses[id]
	var e uint32
	switch {
	case def != nil && use != nil:
		// One stands behind the other; as a pair they are in the list once more.
		e = uint32(len(p.out.objects)) | isDef | isUse
		p.out.objects = append(p.out.objects, def, use)
	case def != nil:
		e = p.object(def) | isDef
	case use != nil:
		e = p.object(use)
	}
	obvious := objectNote(use)
	tv, ok := p.info.Types[id]
	switch note := noteOf(tv); {
	case !ok:
	case sel != nil:
		p.failed = true // its token is taken to be the selector's
	case use != nil && note == obvious:
		e |= typed
	default:
		p.expr(id, note)
	}
	if sel != nil {
		e |= behind
		tv, ok := p.info.Types[sel]
		switch note := noteOf(tv); {
		case !ok:
		case use != nil && note == obvious:
			e |= selected
		default:
			p.expr(sel, note)
		}
	}
	if e != 0 {
		p.idents = append(p.idents, entry{uint32(id.NamePos), e})
	}
}

func (p *Packer) object(o types.Object) uint32 {
	i, ok := p.objects[o]
	if !ok {
		i = uint32(len(p.out.objects))
		p.objects[o] = i
		p.out.objects = append(p.out.objects, o)
	}
	return i
}

func (p *Packer) expr(e ast.Expr, note Note) {
	pos := ownToken(e)
	if pos <= 0 {
		p.failed = true
		return
	}
	i, ok := p.notes[note]
	if !ok {
		i = uint32(len(p.out.notes))
		p.notes[note] = i
		p.out.notes = append(p.out.notes, note)
	}
	p.exprs = append(p.exprs, entry{uint32(pos), i})
}
