// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/commutego/commute/trace/spec"
)

// addresses are the numbers of variables, locks and objects that the trace names by address.
type addresses struct {
	sparse bool
	by     [spec.Object + 1]addressTable // by type
}

// number is the number of a variable, a lock or an object, which must be dense where addresses are not used.
func (r *Reader) number(t spec.Type, v uint64) (uint64, error) {
	if r.sparse {
		n := r.by[t].number(v)
		if n == math.MaxUint32 {
			return 0, r.fail("has more than %d variables, locks or objects", uint32(math.MaxUint32))
		}
		return uint64(n), nil
	}
	if v >= r.limit || v >= math.MaxUint32 {
		return 0, r.fail("has a variable, lock or object with number %d, and so far the trace has %d steps; numbers must be dense", v, r.steps)
	}
	return v, nil
}

// target is the target of a touch: an object, or an object with a key.
func (r *Reader) target(object, key uint64, keyed bool) (uint32, error) {
	if !keyed {
		key = 0
	}
	// Objects and their keys share numbers, so they get them here, also where the trace's are dense.
	k := objectKey{key, keyed}
	own := r.keys[object]
	if n, ok := own[k]; ok {
		return n, nil
	}
	n := r.objects
	if n == math.MaxUint32 {
		return 0, r.fail("has too many objects and keys")
	}
	r.objects++
	if own == nil {
		own = make(map[objectKey]uint32)
		r.keys[object] = own
		if r.sparse {
			r.by[spec.Object].number(object) // for forget
		}
	}
	own[k] = n
	name := r.defs.objects[object]
	if name == "" {
		name = fmt.Sprintf("O%d", object)
	}
	if keyed {
		name = fmt.Sprintf("%s[%#x]", name, key)
	}
	r.tables.Objects.Set(n, name)
	return n, nil
}

// forget gives new numbers to what is at some addresses from now on.
func (r *Reader) forget(address, size uint64) {
	if !r.sparse {
		return
	}
	r.by[spec.Variable].forget(address, size, nil)
	r.by[spec.Lock].forget(address, size, nil)
	r.by[spec.Object].forget(address, size, func(object uint64) { delete(r.keys, object) })
}

// An addressTable has numbers by address. A block of neighbours is together, as accesses to ranges and what becomes of memory
// that is used again go through one after the other.
type addressTable struct {
	keys   []uint64 // a hash table, of a power of two; 0 is a free place, other keys are those of blocks, plus 1
	blocks []block
	used   int // places that are not free
	last   uint64
	next   uint32
}

// A block has a number + 1 for each address, 0 for none.
type block [blockSize]uint32

const (
	blockBits = 4
	blockSize = 1 << blockBits
)

// number is the number of an address; [math.MaxUint32] if there are no more.
func (t *addressTable) number(address uint64) uint32 {
	key := address>>blockBits + 1
	if t.last >= uint64(len(t.keys)) || t.keys[t.last] != key {
		t.last = t.add(key)
	}
	n := &t.blocks[t.last][address%blockSize]
	if *n == 0 {
		if t.next == math.MaxUint32 {
			return math.MaxUint32
		}
		t.next++
		*n = t.next
	}
	return *n - 1
}

// add is where a block is, which is made if it's not there.
func (t *addressTable) add(key uint64) uint64 {
	if 4*t.used >= 3*len(t.keys) {
		t.grow()
	}
	i := t.place(key)
	if t.keys[i] == 0 {
		t.keys[i] = key
		t.used++
	}
	return i
}

// place is where a block is, or a free place.
func (t *addressTable) place(key uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	hi, lo := bits.Mul64(key, 0x9e3779b97f4a7c15)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		if t.keys[i] == key || t.keys[i] == 0 {
			return i
		}
	}
}

// grow makes the table as long as the blocks need that have a number.
func (t *addressTable) grow() {
	keys, blocks := t.keys, t.blocks
	live := 0
	for i, k := range keys {
		if k != 0 && blocks[i] != (block{}) {
			live++
		}
	}
	n := 16
	for n < 2*live {
		n *= 2
	}
	t.keys, t.blocks, t.used = make([]uint64, n), make([]block, n), 0
	for i, k := range keys {
		if k != 0 && blocks[i] != (block{}) {
			j := t.place(k)
			t.keys[j], t.blocks[j] = k, blocks[i]
			t.used++
		}
	}
}

// forget gives new numbers to these addresses when they are met again. It tells which of them had one, if told is not nil.
func (t *addressTable) forget(address, size uint64, told func(address uint64)) {
	if t.used == 0 || size == 0 {
		return
	}
	first, last := address>>blockBits, (address+size-1)>>blockBits
	if last-first >= uint64(len(t.keys)) {
		for i, k := range t.keys {
			if k != 0 && k-1-first <= last-first {
				t.blocks[i].forget((k-1)<<blockBits, address, size, told)
			}
		}
		return
	}
	for b := first; ; b++ {
		if i := t.place(b + 1); t.keys[i] != 0 {
			t.blocks[i].forget(b<<blockBits, address, size, told)
		}
		if b == last {
			return
		}
	}
}

// forget is for a block that begins at start.
func (b *block) forget(start, address, size uint64, told func(address uint64)) {
	for i := range b {
		if at := start + uint64(i); b[i] != 0 && at-address < size {
			b[i] = 0
			if told != nil {
				told(at)
			}
		}
	}
}
