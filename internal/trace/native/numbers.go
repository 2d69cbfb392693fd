// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"fmt"
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// addresses are the numbers of variables, locks and objects that the trace names by address.
type addresses struct {
	sparse  bool
	by      [spec.Object + 1]addressTable // by type
	bytes   extents                       // variables, unless atomic operations make them
	objects paged[objectKey]
}

// number is the number of a variable, a lock or an object. Where the trace does not name by
// addresses, numbers must be dense.
func (r *Reader) number(t spec.Type, v uint64) (uint64, error) {
	if r.sparse {
		n := r.by[t].number(v)
		if n == math.MaxUint32 {
			return 0, r.fail("has more than %d variables, locks or objects", uint32(math.MaxUint32))
		}
		return uint64(n), nil
	}
	if v >= r.limit || v >= math.MaxUint32 {
		return 0, r.fail("has a variable, lock or object with number %d, "+
			"and so far the trace has %d steps; numbers must be dense", v, r.steps)
	}
	return v, nil
}

// target is the target of a touch of a point: an object, or an object with a key.
func (r *Reader) target(object, key uint64, keyed bool, point uint64) (uint32, error) {
	if !keyed {
		key = 0
	}
	// Objects and their keys share numbers, so they get them here, also where the trace's are
	// dense.
	k := objectKey{object, key, keyed}
	if n, ok := r.keys[k]; ok {
		return n, nil
	}
	n := r.targets // not as many as there are: those that are forgotten had numbers, too
	if n == math.MaxUint32 {
		return 0, r.fail("has too many objects and keys")
	}
	r.targets++
	r.keys[k] = n
	if r.sparse {
		r.objects.add(object, k)
	}
	name := r.tables.Program.SetTarget(n, object, key, keyed)
	if name == "" && r.chunks.Ring() && point < uint64(len(r.defs.types)) {
		name = r.defs.types[point]
	}
	if name == "" {
		name = fmt.Sprintf("O%d", object)
	}
	if keyed {
		name = fmt.Sprintf("%s[%#x]", name, key)
	}
	r.tables.Objects.Set(n, name)
	return n, nil
}

// forget gives new numbers to what is at some addresses from now on. It makes one event at most.
func (r *Reader) forget(address, size uint64, events []event.Event) (n int, err error) {
	if !r.sparse || size == 0 {
		return 0, nil
	}
	n, err = r.forgetBytes(address, size, events)
	r.by[spec.Variable].forget(address|atomicBit, size, nil)
	r.by[spec.Lock].forget(address, size, nil)
	r.told.forget(address, size)
	r.told.of.forget(address, size)
	r.objects.forget(address, size, func(k objectKey) { delete(r.keys, k) })
	return n, err
}

// An addressTable has numbers by address. Those of the bytes of variables are in extents.
type addressTable struct {
	numbers map[uint64]uint32
	placed  paged[uint64] // the addresses
	next    uint32
	made    []uint64 // the addresses of the last numbers
}

// addressOf is the address that a variable or a lock has, if the trace names by addresses.
func (r *Reader) addressOf(lock bool, number uint32) (address uint64, ok bool) {
	t := &r.by[spec.Variable]
	if lock {
		t = &r.by[spec.Lock]
	}
	first := t.next - uint32(len(t.made))
	if !r.sparse || number < first || number >= t.next {
		return 0, false
	}
	return t.made[number-first] &^ atomicBit, true
}

func (t *addressTable) number(address uint64) uint32 {
	n, ok := t.numbers[address]
	if !ok {
		if t.numbers == nil {
			t.numbers = make(map[uint64]uint32)
		}
		n = t.add(address)
		t.numbers[address] = n
		t.placed.add(address, address)
	}
	return n
}

// add makes a new number. The greatest one stands for all that there would be beyond it.
func (t *addressTable) add(address uint64) uint32 {
	n := t.next
	if n < math.MaxUint32 {
		t.next++
		t.made = append(t.made, address)
	}
	return n
}

// forget gives new numbers to these addresses when the trace names them again. It calls told, if
// that is not nil, with each address that had a number.
func (t *addressTable) forget(address, size uint64, told func(address uint64)) {
	t.placed.forget(address, size, func(a uint64) {
		delete(t.numbers, a)
		if told != nil {
			told(a)
		}
	})
}

// paged are things at addresses, by page, so that what is in a range is found.
type paged[T any] struct{ pages map[uint64][]placed[T] }

type placed[T any] struct {
	address uint64
	thing   T
}

func (p *paged[T]) add(address uint64, thing T) {
	if p.pages == nil {
		p.pages = make(map[uint64][]placed[T])
	}
	p.pages[address>>pageBits] = append(p.pages[address>>pageBits], placed[T]{address, thing})
}

// forget removes what is at some addresses, and tells of it.
func (p *paged[T]) forget(address, size uint64, gone func(T)) {
	first, last := address>>pageBits, (address+size-1)>>pageBits
	if last-first < uint64(len(p.pages)) {
		for number := first; number <= last; number++ {
			p.forgetIn(number, address, size, gone)
		}
		return
	}
	for number := range p.pages {
		if number-first <= last-first {
			p.forgetIn(number, address, size, gone)
		}
	}
}

func (p *paged[T]) forgetIn(number, address, size uint64, gone func(T)) {
	list, ok := p.pages[number]
	if !ok {
		return
	}
	kept := list[:0]
	for _, x := range list {
		if x.address-address < size {
			gone(x.thing)
		} else {
			kept = append(kept, x)
		}
	}
	if len(kept) == 0 {
		delete(p.pages, number)
	} else {
		p.pages[number] = kept
	}
}
