package gosrc

import (
	"go/ast"
	"go/types"
	"sync"

	"github.com/retrylint/retrylint/internal/typenotes"
)

// scratch is what the type checker writes to and what packs that afterwards.
type scratch struct {
	*types.Info
	packer typenotes.Packer
	bytes  int // of source that it has room for
}

// newScratch makes room for what the type checker notes on that many bytes of source. Maps that grow while it works cost a
// seventh of all allocations. What nobody asks for (selections, scopes, instances, implicit objects) is not noted: on
// 165,000 lines it would be 10 MB.
func newScratch(bytes int) *scratch {
	return &scratch{bytes: bytes, Info: &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, bytes/18),
		Defs:  make(map[*ast.Ident]types.Object, bytes/120),
		Uses:  make(map[*ast.Ident]types.Object, bytes/26),
	}}
}

// spares are maps to be used again: for 165,000 lines they would be 50 MB if each package had its own.
type spares struct {
	mu   sync.Mutex
	list []*scratch
}

const (
	maxSpares     = 2 * workers
	maxSpareBytes = 1 << 20 // of source; the maps of larger packages are not worth to be kept
	maxSpareRatio = 16      // to empty maps takes as long as they are large, so small packages do not get large ones
)

// get finds the smallest that is large enough, or makes one.
func (s *spares) get(bytes int) *scratch {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for i, c := range s.list {
		if c.bytes >= bytes && c.bytes <= max(bytes, 4096)*maxSpareRatio && (best < 0 || c.bytes < s.list[best].bytes) {
			best = i
		}
	}
	if best < 0 {
		return newScratch(bytes)
	}
	c := s.list[best]
	s.list = append(s.list[:best], s.list[best+1:]...)
	return c
}

// put takes one back that nobody uses any more.
func (s *spares) put(c *scratch) {
	if c.bytes > maxSpareBytes {
		return
	}
	clear(c.Types)
	clear(c.Defs)
	clear(c.Uses)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, c)
	if len(s.list) > maxSpares { // the smallest is made anew most cheaply
		least := 0
		for i, c := range s.list {
			if c.bytes < s.list[least].bytes {
				least = i
			}
		}
		s.list = append(s.list[:least], s.list[least+1:]...)
	}
}
