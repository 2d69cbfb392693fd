// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
)

// Names are the names of things that are numbered from 0: threads, variables and the like. A thing
// without a name of its own is named by a prefix and its number.
//
// A reader of a text interns a name for nearly every field, so the table is made for speed. It has
// open addressing with linear probing, and keys that hold short names themselves. There is no
// pointer for each name, so the garbage collector skips millions of them.
type Names struct {
	prefix string
	text   []byte   // all names, one after the other
	spans  []uint64 // by number: the name's place in text: start << 24 | length
	table  []slot   // its length is a power of two
	used   int      // slots in use: at most three quarters
}

// A slot of the table is free if its key is 0. The key of a name of at most [ShortName] bytes is
// the name with its length in the top byte. The key of another name is a hash, with longKey as its
// top byte.
type slot struct {
	key    uint64
	number uint32
}

// ShortName is the greatest length of a name for [Names.Short].
const ShortName = 7

const longKey = 0xff << 56

// NewNames returns empty Names.
func NewNames(prefix string) *Names { return &Names{prefix: prefix, table: make([]slot, 64)} }

// Len is the number of things.
func (n *Names) Len() int { return len(n.spans) }

// Name is the name of a thing.
func (n *Names) Name(number uint32) string {
	if own := n.own(number); len(own) != 0 {
		return string(own)
	}
	return n.prefix + strconv.FormatUint(uint64(number), 10)
}

// own is the name that was given to a thing, empty if none was.
func (n *Names) own(number uint32) []byte {
	if uint64(number) >= uint64(len(n.spans)) {
		return nil
	}
	span := n.spans[number]
	return n.text[span>>24:][:span&maxName]
}

// maxName is the greatest length of a name.
const maxName = 1<<24 - 1

// Default reports whether the name of a thing is its default: the prefix and its number.
func (n *Names) Default(number uint32) bool {
	own := n.own(number)
	rest, ok := bytes.CutPrefix(own, []byte(n.prefix))
	return len(own) == 0 || ok && string(rest) == strconv.FormatUint(uint64(number), 10)
}

// Set names a thing. Such a name is not one for [Names.Find].
func (n *Names) Set(number uint32, name string) {
	n.Grow(number)
	n.spans[number] = n.span(name)
}

// span appends a name to the text and returns its place.
func (n *Names) span(name string) uint64 {
	name = name[:min(len(name), maxName)]
	at := uint64(len(n.text))
	n.text = append(n.text, name...)
	return at<<24 | uint64(len(name))
}

// Grow adds things without names, up to the given number.
func (n *Names) Grow(number uint32) {
	if more := int(number) + 1 - len(n.spans); more > 0 {
		n.spans = append(n.spans, make([]uint64, more)...)
	}
}

// ShortKey is the key of the first length bytes of a word, little endian, for [Names.Short]. The
// length is from 1 to [ShortName].
func ShortKey(word uint64, length int) uint64 {
	return word&(1<<(8*uint(length))-1) | uint64(length)<<56
}

// Short is the number of the name that has this key, if there is one.
func (n *Names) Short(key uint64) (number uint32, ok bool) {
	mask := uint64(len(n.table) - 1)
	for i := spread(key) & mask; ; i = (i + 1) & mask {
		s := &n.table[i]
		if s.key == key {
			return s.number, true
		}
		if s.key == 0 {
			return 0, false
		}
	}
}

// spread mixes the bits of a key, so that the low ones depend on all.
func spread(key uint64) uint64 {
	hi, lo := bits.Mul64(key, 0x9e3779b97f4a7c15)
	return hi ^ lo
}

// Find is the number of a name, if there is one.
func (n *Names) Find(name []byte) (number uint32, ok bool) {
	if len(name) <= ShortName {
		return n.Short(shortKeyOf(name))
	}
	key := hash(name) | longKey
	mask := uint64(len(n.table) - 1)
	for i := spread(key) & mask; ; i = (i + 1) & mask {
		s := &n.table[i]
		if s.key == key && n.is(s.number, name) {
			return s.number, true
		}
		if s.key == 0 {
			return 0, false
		}
	}
}

// is reports whether the thing with a number has a name. Long names with equal hashes may differ.
func (n *Names) is(number uint32, name []byte) bool {
	return string(n.own(number)) == string(name)
}

// Add gives a new name the next number. The name must not exist already, and must not be empty.
// There may be 2^32-1 names.
func (n *Names) Add(name []byte) (number uint32, ok bool) {
	if uint64(len(n.spans)) >= math.MaxUint32 || len(name) > maxName {
		return 0, false
	}
	if 4*n.used >= 3*len(n.table) {
		n.rehash()
	}
	number = uint32(len(n.spans))
	n.spans = append(n.spans, uint64(len(n.text))<<24|uint64(len(name)))
	n.text = append(n.text, name...)
	if len(name) <= ShortName {
		n.insert(slot{shortKeyOf(name), number})
	} else {
		n.insert(slot{hash(name) | longKey, number})
	}
	return number, true
}

// insert puts a slot into the table, which has room.
func (n *Names) insert(s slot) {
	mask := uint64(len(n.table) - 1)
	i := spread(s.key) & mask
	for n.table[i].key != 0 {
		i = (i + 1) & mask
	}
	n.table[i] = s
	n.used++
}

// rehash doubles the table.
func (n *Names) rehash() {
	old := n.table
	n.table, n.used = make([]slot, 2*len(old)), 0
	for _, s := range old {
		if s.key != 0 {
			n.insert(s)
		}
	}
}

// Intern is the number of a name. A new name gets the next number.
func (n *Names) Intern(name []byte) (number uint32, ok bool) {
	if number, ok = n.Find(name); ok {
		return number, true
	}
	return n.Add(name)
}

// shortKeyOf is [ShortKey] of a name of at most [ShortName] bytes.
func shortKeyOf(name []byte) uint64 {
	var word [8]byte
	copy(word[:], name)
	return ShortKey(binary.LittleEndian.Uint64(word[:]), len(name))
}

// hash is a hash of a name of at least eight bytes. Eight bytes are mixed in at a time; the last
// eight overlap with those before, so that there is no rest.
func hash(name []byte) uint64 {
	h := uint64(len(name)) * 0x9e3779b97f4a7c15
	for i := 0; i+8 < len(name); i += 8 {
		h = mix(h, binary.LittleEndian.Uint64(name[i:]))
	}
	return mix(h, binary.LittleEndian.Uint64(name[len(name)-8:]))
}

// mix mixes a word into a hash: a 128-bit product folded to 64 bits.
func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x2d358dccaa6c78a5, 0x8bb84b93962eacc9)
	return hi ^ lo
}
