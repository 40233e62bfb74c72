package lsp

import (
	"bytes"
	"sync"

	"github.com/retrylint/retrylint/internal/factfile"
	"github.com/retrylint/retrylint/internal/scan"
	"github.com/retrylint/retrylint/model"
)

// memory keeps the facts of repositories as they were scanned last, so that a change in one does not read the others again.
// They are kept in their written form: whoever judges may change what it is given.
type memory struct {
	mu    sync.Mutex
	next  scan.Cache
	save  bool // what is put also goes to next: nothing in it is unsaved
	files map[string][]byte
	order []string // keys, those used last at the end
	size  int
}

// memoryBytes bounds what is kept. Written facts take about 1 byte for each 50 of source.
const memoryBytes = 64 << 20

func newMemory(next scan.Cache) *memory { return &memory{next: next, files: map[string][]byte{}} }

// saves says whether the scan that begins reads nothing but what is saved.
func (m *memory) saves(yes bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.save = yes
}

// Get implements scan.Cache.
func (m *memory) Get(key string) (*model.Facts, bool) {
	m.mu.Lock()
	data, ok := m.files[key]
	if ok {
		m.use(key)
	}
	m.mu.Unlock()
	if ok {
		if f, err := factfile.Read(bytes.NewReader(data)); err == nil {
			return f.Facts, true
		}
	}
	if m.next == nil {
		return nil, false
	}
	f, ok := m.next.Get(key)
	if ok {
		m.keep(key, f)
	}
	return f, ok
}

// Put implements scan.Cache.
func (m *memory) Put(key string, f *model.Facts) {
	m.keep(key, f)
	m.mu.Lock()
	save := m.save && m.next != nil
	m.mu.Unlock()
	if save {
		m.next.Put(key, f)
	}
}

func (m *memory) keep(key string, f *model.Facts) {
	var b bytes.Buffer
	if err := factfile.Write(&b, factfile.Header{}, f); err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size += b.Len() - len(m.files[key])
	m.files[key] = b.Bytes()
	m.use(key)
	for m.size > memoryBytes && len(m.order) > 1 {
		oldest := m.order[0]
		m.order = m.order[1:]
		m.size -= len(m.files[oldest])
		delete(m.files, oldest)
	}
}

// use moves a key to the end.
func (m *memory) use(key string) {
	for i, k := range m.order {
		if k == key {
			m.order = append(m.order[:i], m.order[i+1:]...)
			break
		}
	}
	m.order = append(m.order, key)
}
