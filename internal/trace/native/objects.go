// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"math"
	"slices"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// objects are which addresses belong to one object of synchronization, as the trace tells.
type objects struct {
	told   uint64               // how often something was
	pages  map[uint64][]*object // by page: those that have addresses there, but for the large ones
	large  []*object            // those with addresses on more than largePages pages
	last   []uint64             // by thread: the address of the channel that was told of last
	nameOf []uint32             // by number of a lock: 1 and that of its object, if that was told
}

// An object has the addresses from one on.
type object struct {
	from, size uint64 // the size is 0 if it is no more
	name       uint64 // the address by which it is known
	told       uint64 // when that was told
}

const largePages = 4

// add is told that addresses belong to an object. What was said of them before is no more.
func (o *objects) add(from, size, name uint64) {
	o.told++
	x := &object{from, size, name, o.told}
	same := func(y *object) bool { return y.size == 0 || y.from == from && y.size == size }
	first, last := from>>pageBits, (from+size-1)>>pageBits
	if last-first >= largePages {
		o.large = append(slices.DeleteFunc(o.large, same), x)
		return
	}
	if o.pages == nil {
		o.pages = make(map[uint64][]*object)
	}
	for p := first; p <= last; p++ {
		o.pages[p] = append(slices.DeleteFunc(o.pages[p], same), x)
	}
}

// at is the object that has an address: the one that was told of last.
func (o *objects) at(address uint64) (found *object) {
	for _, list := range [][]*object{o.pages[address>>pageBits], o.large} {
		for _, x := range slices.Backward(list) {
			if address-x.from < x.size {
				if found == nil || found.told < x.told {
					found = x
				}
				break
			}
		}
	}
	return found
}

// forget is told that what is at some addresses is new. An object that has one of them is no more.
func (o *objects) forget(address, size uint64) {
	if o.told == 0 {
		return
	}
	gone := func(x *object) bool {
		if x.from-address < size || address-x.from < x.size {
			x.size = 0 // it may be on other pages, too
		}
		return x.size == 0
	}
	first, last := address>>pageBits, (address+size-1)>>pageBits
	if last-first < uint64(len(o.pages)) {
		for p := first; p <= last; p++ {
			o.drop(p, gone)
		}
	} else {
		for p := range o.pages {
			if p-first <= last-first {
				o.drop(p, gone)
			}
		}
	}
	o.large = slices.DeleteFunc(o.large, gone)
}

func (o *objects) drop(page uint64, gone func(*object) bool) {
	list, ok := o.pages[page]
	if !ok {
		return
	}
	if list = slices.DeleteFunc(list, gone); len(list) == 0 {
		delete(o.pages, page)
	} else {
		o.pages[page] = list
	}
}

// ofObject reports whether a Value says something of an object.
func ofObject(what uint64) bool {
	what &= 1<<spec.SiteShift - 1
	return what >= spec.Channel && what <= spec.Anywhere
}

// channelBytes is how many addresses a channel has where its own is.
const channelBytes = 8

// tellObject takes a Value that says something of an object of synchronization, and reports whether
// it makes an event.
func (r *Reader) tellObject(s *step) (makes bool, err error) {
	c, o := &r.told, &r.told.of
	what, more, address := s.args[0]&(1<<spec.SiteShift-1), s.args[0]>>spec.SiteShift, s.args[1]
	for uint64(len(o.last)) <= uint64(s.thread) {
		o.last = append(o.last, 0)
	}
	t := trace.CallStep{Event: c.index, Kind: event.Value, Thread: s.thread, What: what}
	switch what {
	case spec.Channel:
		o.last[s.thread] = address
		o.add(address, channelBytes, address)
		return false, nil
	case spec.Slots:
		if more > 0 && more <= maxRange {
			o.add(address, more, o.last[s.thread])
		}
		return false, nil
	case spec.Anywhere:
		t.Object, err = r.threadNumber(address)
	case spec.Adds, spec.FailsOn, spec.LooksAt:
		makes = what != spec.LooksAt
		if what == spec.Adds {
			o.add(address, 1, address)
		} else {
			o.add(address, channelBytes, address)
		}
		var n uint64
		n, err = r.number(spec.Lock, address)
		t.Object, t.Touches = uint32(n), uint32(min(more, math.MaxUint32))
	}
	if what == spec.FailsOn && more == 0 {
		failed := *s
		failed.args[0] = spec.Fails
		r.tellOrder(&failed)
	}
	if c.wanted {
		c.steps = append(c.steps, t)
	}
	return makes, err
}

// tellName tells which object a lock is of, before the first event of the lock.
func (r *Reader) tellName(thread uint32, address uint64, lock uint32) error {
	c, o := &r.told, &r.told.of
	if o.told == 0 || !c.wanted {
		return nil
	}
	x := o.at(address)
	if x == nil {
		return nil
	}
	n, err := r.number(spec.Lock, x.name)
	if err != nil {
		return err
	}
	for uint64(len(o.nameOf)) <= uint64(lock) {
		o.nameOf = append(o.nameOf, 0)
	}
	if name := uint32(n) + 1; o.nameOf[lock] != name {
		o.nameOf[lock] = name
		c.steps = append(c.steps, trace.CallStep{Event: c.index, Kind: event.Value, Thread: thread,
			What: spec.Channel, Object: lock, Method: uint32(n)})
	}
	return nil
}
