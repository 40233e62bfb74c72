package source

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// An index is what git's index file says about a work tree.
type index struct {
	entries []indexEntry // in the file's order: by path, then stage
	split   bool         // a part of the entries is in another file
}

type indexEntry struct {
	path     string
	mode     uint32
	id       []byte
	stage    int
	intended bool // announced with git add -N: not part of the tree
	skipped  bool // left out of the work tree by sparse checkout
}

// Modes of tree and index entries.
const (
	modeFile    = 0o100644
	modeExec    = 0o100755
	modeLink    = 0o120000
	modeGitlink = 0o160000
	modeTree    = 0o040000
)

var errIndex = errors.New("damaged index")

// maxIndexBytes is the size above which an index is not read: about four million files.
const maxIndexBytes = 512 << 20

// parseIndex reads the index file format, versions 2 to 4 (gitformat-index). Every length in it is checked, since it may
// come with a repository that somebody sent.
func parseIndex(data []byte, hashSize int) (*index, error) {
	var sum hash.Hash = sha1.New()
	if hashSize == 32 {
		sum = sha256.New()
	}
	if len(data) < 12+hashSize || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	body, trailer := data[:len(data)-hashSize], data[len(data)-hashSize:]
	if !bytes.Equal(trailer, make([]byte, hashSize)) { // index.skipHash writes zeros
		sum.Write(body)
		if !bytes.Equal(sum.Sum(nil), trailer) {
			return nil, fmt.Errorf("%w: checksum differs", errIndex)
		}
	}
	version, count := binary.BigEndian.Uint32(body[4:]), binary.BigEndian.Uint32(body[8:])
	if version < 2 || version > 4 {
		return nil, fmt.Errorf("%w: unknown version %d", errIndex, version)
	}
	ix := &index{}
	rest := body[12:]
	fixed := 40 + hashSize + 2
	ix.entries = make([]indexEntry, 0, min(int(count), len(rest)/(fixed+1)))
	prev := ""
	for range count {
		if len(rest) < fixed {
			return nil, errIndex
		}
		e := indexEntry{mode: binary.BigEndian.Uint32(rest[24:]), id: rest[40 : 40+hashSize]}
		flags := binary.BigEndian.Uint16(rest[40+hashSize:])
		e.stage = int(flags >> 12 & 3)
		n := fixed
		if flags&0x4000 != 0 {
			if version < 3 || len(rest) < n+2 {
				return nil, errIndex
			}
			more := binary.BigEndian.Uint16(rest[n:])
			e.intended, e.skipped = more&0x2000 != 0, more&0x4000 != 0
			n += 2
		}
		if version == 4 {
			strip, used := offsetVarint(rest[n:])
			if used == 0 || strip > uint64(len(prev)) {
				return nil, errIndex
			}
			n += used
			end := bytes.IndexByte(rest[n:], 0)
			if end < 0 {
				return nil, errIndex
			}
			e.path = prev[:len(prev)-int(strip)] + string(rest[n:n+end])
			n += end + 1
		} else {
			end := bytes.IndexByte(rest[n:], 0)
			if end < 0 {
				return nil, errIndex
			}
			e.path = string(rest[n : n+end])
			n = (n + end + 8) &^ 7
			if n > len(rest) {
				return nil, errIndex
			}
		}
		rest = rest[n:]
		prev = e.path
		ix.entries = append(ix.entries, e)
	}
	for len(rest) >= 8 {
		size := uint64(binary.BigEndian.Uint32(rest[4:]))
		if size > uint64(len(rest)-8) {
			return nil, errIndex
		}
		if string(rest[:4]) == "link" {
			ix.split = true
		}
		rest = rest[8+size:]
	}
	return ix, nil
}

// offsetVarint reads the variable length number of index version 4; used is 0 if there is none.
func offsetVarint(b []byte) (v uint64, used int) {
	for i, c := range b {
		if i > 8 {
			return 0, 0
		}
		if i > 0 {
			v++
		}
		v = v<<7 | uint64(c&0x7f)
		if c&0x80 == 0 {
			return v, i + 1
		}
	}
	return 0, 0
}

// treeID computes the id of the tree that a commit of the index would have, "" where the index holds a conflict.
func (ix *index) treeID(hashSize int) string {
	entries := make([]indexEntry, 0, len(ix.entries))
	for _, e := range ix.entries {
		if e.stage != 0 {
			return ""
		}
		if !e.intended && e.path != "" {
			entries = append(entries, e)
		}
	}
	if !slices.IsSortedFunc(entries, func(a, b indexEntry) int { return strings.Compare(a.path, b.path) }) {
		return ""
	}
	id, _ := buildTree(entries, "", hashSize, 0)
	return hex.EncodeToString(id)
}

// buildTree hashes the tree object for the entries below prefix, which all start with it. ok is false if nothing is left.
func buildTree(entries []indexEntry, prefix string, hashSize, depth int) (id []byte, ok bool) {
	type item struct {
		name string // trees sort as if their name ended in a slash
		mode uint32
		id   []byte
	}
	var items []item
	for i := 0; i < len(entries); {
		name := entries[i].path[len(prefix):]
		cut := strings.IndexByte(name, '/')
		if cut < 0 {
			items = append(items, item{name, entries[i].mode, entries[i].id})
			i++
			continue
		}
		dir := prefix + name[:cut+1]
		if entries[i].path == dir { // a folder of a sparse index stands for its whole tree
			items = append(items, item{name[:cut+1], modeTree, entries[i].id})
			i++
			continue
		}
		j := i + 1
		for j < len(entries) && strings.HasPrefix(entries[j].path, dir) {
			j++
		}
		if depth < 4000 {
			if sub, ok := buildTree(entries[i:j], dir, hashSize, depth+1); ok {
				items = append(items, item{name[:cut+1], modeTree, sub})
			}
		}
		i = j
	}
	if len(items) == 0 && depth > 0 {
		return nil, false
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.name, b.name) })
	var buf bytes.Buffer
	for _, it := range items {
		fmt.Fprintf(&buf, "%o %s\x00", it.mode, strings.TrimSuffix(it.name, "/"))
		buf.Write(it.id)
	}
	return objectID("tree", buf.Bytes(), hashSize), true
}

// objectID computes git's name for an object.
func objectID(kind string, data []byte, hashSize int) []byte {
	var h hash.Hash = sha1.New()
	if hashSize == 32 {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return h.Sum(nil)
}
