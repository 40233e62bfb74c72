package typenotes

import "go/token"

// table finds numbers by positions: two flat lists without a pointer, three quarters full.
type table struct {
	keys   []uint32 // positions; 0 is a free place
	values []uint32
}

func newTable(n int) table {
	size := n + n/3 + 1
	return table{make([]uint32, size), make([]uint32, size)}
}

// place is where the key is, or would be put.
func (t table) place(key uint32) int {
	i := int(uint64(key*2654435769) * uint64(len(t.keys)) >> 32) // Fibonacci hashing, scaled to the length
	for t.keys[i] != 0 && t.keys[i] != key {
		if i++; i == len(t.keys) {
			i = 0
		}
	}
	return i
}

func (t table) get(pos token.Pos) (uint32, bool) {
	if pos <= 0 || len(t.keys) == 0 {
		return 0, false
	}
	i := t.place(uint32(pos))
	return t.values[i], t.keys[i] != 0
}
