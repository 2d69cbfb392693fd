// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

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
	k := objectKey{object, key, keyed}
	if n, ok := r.keys[k]; ok {
		return n, nil
	}
	n := uint32(len(r.keys))
	if n == math.MaxUint32 {
		return 0, r.fail("has too many objects and keys")
	}
	r.keys[k] = n
	name := r.tables.Program.SetTarget(n, object, key, keyed)
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
	for _, t := range []spec.Type{spec.Variable, spec.Lock, spec.Object} {
		r.by[t].forget(address, size)
	}
	for k := range r.keys {
		if k.object-address < size {
			delete(r.keys, k)
		}
	}
}

// An addressTable is a hash table of numbers by address. Address 2^64-1 stands for none.
type addressTable struct {
	keys    []uint64 // of a power of two; 0 is a free place, other keys are addresses + 1
	numbers []uint32
	used    int // places that are not free
	next    uint32
	made    []made // the numbers that were given, in their order
}

// made is a number that was given to an address; those that follow, up to the next one's, were given to the addresses that follow.
type made struct {
	address uint64
	number  uint32
}

// addressOf is the address that a variable or a lock has, if the trace names by addresses.
func (r *Reader) addressOf(lock bool, number uint32) (address uint64, ok bool) {
	t := &r.by[spec.Variable]
	if lock {
		t = &r.by[spec.Lock]
	}
	i := sort.Search(len(t.made), func(i int) bool { return t.made[i].number > number })
	if !r.sparse || i == 0 || number >= t.next {
		return 0, false
	}
	m := &t.made[i-1]
	return (m.address + uint64(number-m.number)) &^ atomicBit, true
}

func (t *addressTable) number(address uint64) uint32 {
	if 4*t.used >= 3*len(t.keys) {
		t.grow()
	}
	i := t.place(address)
	if t.keys[i] == 0 {
		t.keys[i] = address + 1
		t.numbers[i] = gone
		t.used++
	}
	if t.numbers[i] == gone {
		t.numbers[i] = t.next
		if t.next < math.MaxUint32 {
			if n := len(t.made); n == 0 || address-t.made[n-1].address != uint64(t.next-t.made[n-1].number) {
				t.made = append(t.made, made{address, t.next})
			}
			t.next++
		}
	}
	return t.numbers[i]
}

// gone is the number of what was forgotten. Its place stays, for the search of others.
const gone = math.MaxUint32 - 1

// place is where an address is, or a free place.
func (t *addressTable) place(address uint64) uint64 {
	mask := uint64(len(t.keys) - 1)
	hi, lo := bits.Mul64(address+1, 0x9e3779b97f4a7c15)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		if t.keys[i] == address+1 || t.keys[i] == 0 {
			return i
		}
	}
}

// grow makes the table as long as what is not gone needs.
func (t *addressTable) grow() {
	keys, numbers := t.keys, t.numbers
	live := 0
	for i := range keys {
		if keys[i] != 0 && numbers[i] != gone {
			live++
		}
	}
	n := 64
	for n < 3*live {
		n *= 2
	}
	t.keys, t.numbers, t.used = make([]uint64, n), make([]uint32, n), 0
	for i, k := range keys {
		if k != 0 && numbers[i] != gone {
			j := t.place(k - 1)
			t.keys[j], t.numbers[j] = k, numbers[i]
			t.used++
		}
	}
}

func (t *addressTable) forget(address, size uint64) {
	if len(t.keys) == 0 {
		return
	}
	if size > uint64(len(t.keys)) {
		for i, k := range t.keys {
			if k != 0 && k-1-address < size {
				t.numbers[i] = gone
			}
		}
		return
	}
	for a := address; a-address < size; a++ {
		if i := t.place(a); t.keys[i] != 0 {
			t.numbers[i] = gone
		}
	}
}
