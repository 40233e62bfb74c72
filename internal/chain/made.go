package chain

import (
	"strings"

	"github.com/retrylint/retrylint/model"
)

// methodOfMade finds the method that "example.org/kit/httpx.New().Do" means: whoever calls it sees no types of the other
// repository. It is that of the type which the constructor is named for, or else of the only type of the package that has it.
func (b *builder) methodOfMade(key string) []*model.Vertex {
	made, method, ok := strings.Cut(key, "().")
	slash := strings.LastIndexByte(made, '/')
	dot := strings.IndexByte(made[slash+1:], '.')
	if !ok || dot < 0 || strings.ContainsAny(method, ".()") {
		return nil
	}
	pkg, make := made[:slash+1+dot], made[slash+dot+2:]
	if b.methods == nil {
		b.methods = map[string][]*model.Vertex{}
		for _, v := range b.org.Vertices {
			if v.Name.Space != model.SpaceFunc || v.Node == nil {
				continue
			}
			if p, _, m := typeAndMethod(v.Name.Key); m != "" {
				b.methods[p+"|"+m] = append(b.methods[p+"|"+m], v)
			}
		}
	}
	all := b.methods[pkg+"|"+method]
	want, _ := strings.CutPrefix(make, "New")
	types := map[string]bool{}
	for _, v := range all {
		_, t, _ := typeAndMethod(v.Name.Key)
		if t == want {
			return []*model.Vertex{v}
		}
		types[t] = true
	}
	if len(types) != 1 {
		return nil
	}
	return all
}

// typeAndMethod takes "path.(*Type).Method" or "path.Type.Method" apart; all but the path are empty for other functions.
func typeAndMethod(key string) (pkg, typ, method string) {
	slash := strings.LastIndexByte(key, '/')
	dot := strings.IndexByte(key[slash+1:], '.')
	if dot < 0 {
		return key, "", ""
	}
	pkg = key[:slash+1+dot]
	typ, method, ok := strings.Cut(key[slash+dot+2:], ".")
	if strings.HasPrefix(typ, "(*") {
		typ, method, ok = strings.Cut(key[slash+dot+4:], ").")
	}
	if !ok || strings.ContainsAny(method, ".$") {
		return pkg, "", ""
	}
	return pkg, typ, method
}
