package lsp

import (
	"sync"

	"github.com/retrylint/retrylint/internal/scan"
)

// memory keeps what was worked out of repositories as they were scanned last, so that a change in one does not read the
// others again.
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
func (m *memory) Get(key string) ([]byte, bool) {
	m.mu.Lock()
	data, ok := m.files[key]
	if ok {
		m.use(key)
	}
	m.mu.Unlock()
	if ok || m.next == nil {
		return data, ok
	}
	if data, ok = m.next.Get(key); ok {
		m.keep(key, data)
	}
	return data, ok
}

// Has implements scan.Cache.
func (m *memory) Has(key string) bool {
	m.mu.Lock()
	_, ok := m.files[key]
	m.mu.Unlock()
	return ok || m.next != nil && m.next.Has(key)
}

// Put implements scan.Cache.
func (m *memory) Put(key string, data []byte) {
	m.keep(key, data)
	m.mu.Lock()
	save := m.save && m.next != nil
	m.mu.Unlock()
	if save {
		m.next.Put(key, data)
	}
}

func (m *memory) keep(key string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size += len(data) - len(m.files[key])
	m.files[key] = data
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
