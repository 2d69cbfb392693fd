// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Division. An object begins with one lock. Where calls of several keys have had to wait for it,
// the object is divided into stripes by key, each with a lock, touches and pending calls of its
// own. Then calls are of two kinds:
//
//	narrow  a call that can meet narrow calls of the same key only: it locks its key's stripe
//	wide    any other call: it locks the whole object, which is first its own part, then all stripes
//
// The touches and pending calls of wide calls are in the object's own part. A narrow call may read
// that part, as a wide call holds the locks of all stripes while it changes the part. What a narrow
// call would have to change there, or in an action of there, makes it a wide one (seesLittle).
//
// Which methods are narrow, the specification says (markNarrow). A narrow method has one key, calls
// nothing back, and each point without a key that it touches conflicts with points of wide methods
// only. So where two narrow calls conflict, they do in points of a key that is the same.

const (
	nStripes = 1 << stripeBits
	// stripeBits is for some eight times as many stripes as processors: then a caller finds the
	// lock of its stripe taken in one of eight calls at most.
	stripeBits = 6
	// patience is how often narrow calls wait, each with another key than the one before, until the
	// object is divided. No wide call may come in between, as it would have to lock all stripes.
	patience = 64
)

// A stripe is a part of an object, with the touches and pending calls of some of its keys.
type stripe struct {
	lock offheap.Lock
	pendingCalls
	pointLists
}

// stripes are those of an object, each in a line of the processor's cache of its own.
type stripes [nStripes]struct {
	stripe
	_ [128 - unsafe.Sizeof(stripe{})]byte
}

var stripeRecords offheap.Slab[stripes]

// of is the stripe of a key's hash. The hash table of a stripe uses the lower bits of the hash.
func (d *stripes) of(hash uint64) *stripe {
	return &d[hash*0x9e3779b97f4a7c15>>(64-stripeBits)].stripe
}

// narrowKey is the key of a call of m by which its stripe is chosen, if m is narrow.
func (m *Method) narrowKey(keys *[maxKeys]uint64) uint64 { return keys[m.stripeKey] }

// lockFor locks what a call of m by t needs to have locked, and returns the part that has its
// touches.
func (o *Object) lockFor(m *Method, keys *[maxKeys]uint64, t *vclock.Thread) held {
	if o.divided.Load() == nil && o.lock.TryLock() && (o.divided.Load() == nil || late(&o.lock)) {
		if !m.narrow {
			o.waited = 0
		}
		arrive(o, t)
		return held{o, &o.stripe}
	}
	return o.waitFor(m, keys, t)
}

// late frees the lock of an object that was divided just before it was taken. It is false.
func late(l *offheap.Lock) bool {
	l.Unlock()
	return false
}

// waitFor is lockFor where the lock is taken, or the object is divided. Where callers have waited
// for the lock often enough, it divides the object.
func (o *Object) waitFor(m *Method, keys *[maxKeys]uint64, t *vclock.Thread) held {
	if !m.narrow {
		return o.lockAll(t)
	}
	if o.divided.Load() == nil {
		o.lock.Lock()
		arrive(o, t)
		if o.lastKey != m.narrowKey(keys) {
			o.lastKey = m.narrowKey(keys)
			o.waited++
		}
		switch {
		case o.divided.Load() != nil:
			o.lock.Unlock()
		case o.waited < patience:
			return held{o, &o.stripe}
		default:
			return held{o, o.divide(m.narrowKey(keys))}
		}
	}
	s := o.divided.Load().of(m.narrowKey(keys))
	s.lock.Lock()
	return held{o, s}
}

// lockAll locks all of the object for a call by t, or for none if t is nil.
func (o *Object) lockAll(t *vclock.Thread) held {
	o.lock.Lock()
	arrive(o, t)
	if d := o.divided.Load(); d != nil {
		d.lock()
	}
	o.waited = 0
	return held{o, &o.stripe}
}

// unlock ends what lockFor or lockAll has begun, and returned.
func (h held) unlock() {
	if h.divided.Load() != nil {
		h.unlockPart()
	} else {
		h.lock.Unlock()
	}
}

// unlockPart is unlock for an object that is divided.
func (h held) unlockPart() {
	if h.whole() {
		h.divided.Load().unlock()
	}
	h.in.lock.Unlock()
}

func (d *stripes) lock() {
	for i := range d {
		d[i].lock.Lock()
	}
}

func (d *stripes) unlock() {
	for i := range d {
		d[i].lock.Unlock()
	}
}

// divide divides the object, whose lock is held. Instead of it the caller has the lock of a key's
// stripe, which is the result.
func (o *Object) divide(key uint64) *stripe {
	share(o)
	d := stripeRecords.Get()
	for i := range d {
		s := &d[i].stripe
		s.setTable(o.Table(), o.world.P())
		s.pending = offheap.Ref[pending]{}
		s.changing.Store(0)
	}
	o.dividing.Store(1) // from here on calls are counted where nobody looks yet
	o.moveCells(d)
	for at := &o.pending; !at.Nil(); {
		p := at.P()
		m := &o.Table().Methods[p.method]
		if !m.narrow {
			at = &p.next
			continue
		}
		*at = p.next
		d.of(m.narrowKey(&p.keys)).begins(p)
		o.changing.Add(^uint32(0))
	}
	s := d.of(key)
	s.lock.Lock()
	o.divided.Store(d)
	o.lock.Unlock()
	return s
}

// moveCells moves the touches of keys to their stripes. Those of points without a key stay.
func (o *Object) moveCells(d *stripes) {
	if o.cells.Nil() {
		return
	}
	for i := range uint32(1) << o.log {
		c := o.cell(i)
		if *c == 0 || empty(listsOf(c), o.Table().keyed) {
			continue
		}
		to := d.of(*c).keyLists(*c)
		copy(unsafe.Slice((*byte)(to), o.cellSize()-8),
			unsafe.Slice((*byte)(listsOf(c)), o.cellSize()-8))
	}
	arrays.Put(unsafe.Pointer(o.cells.P()), o.words(o.log))
	o.noCells()
}

// undivide forgets the stripes, all of which are locked.
func (o *Object) undivide() {
	d := o.divided.Load()
	if d == nil {
		return
	}
	o.divided.Store(nil)
	for i := range d {
		d[i].dropAll()
		d[i].lock.Unlock()
	}
	stripeRecords.Put(d)
}
