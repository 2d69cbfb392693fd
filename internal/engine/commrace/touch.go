// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A list is the touches of one point, the latest first.
type list struct {
	head  offheap.Ref[entry]
	n     uint32
	prune uint32 // when n reaches this, the list is searched for touches that can go
}

// An entry is a touch: its epoch, and the action that made it.
type entry struct {
	epoch vclock.Epoch
	act   offheap.Ref[Action]
	next  offheap.Ref[entry]
}

var entries offheap.Slab[entry]

// touch is phase 2 for one point: the touches that the new one subsumes go, and it is added.
//
// A touch is subsumed by a later one that knows it, of a point that conflicts with everything that
// the earlier one's point conflicts with. A call that isn't ordered after the earlier touch isn't
// ordered after the later one either, so a check of the later touch finds the race. There are two
// exceptions. A call that is under way may still need the earlier touch (keepSubsumed). And a
// semantic exception may ask whether a result is used. Then a call whose result is used is subsumed
// by another such call only: else the exception would excuse it.
func (o *Object) touch(
	p uint8, key uint64, t *vclock.Thread, epoch vclock.Epoch, a *Action, s Sink,
) {
	unused := o.Table().unused(a, s)
	for rest := o.Table().points[p].subsumes; rest != 0; rest &= rest - 1 {
		l := o.list(lowest(rest), key)
		if l.n > 8 && l.n < l.prune {
			continue // searching many unordered touches at each call would not be constant work
		}
		var inherit inheritance
		inherits := inherit.applies(o.Table(), a, p, lowest(rest))
		l.remove(func(e *entry) bool {
			known := t.Knows(e.epoch) && (!unused ||
				!o.Table().Methods[e.act.P().Method].asksUnused || o.Table().unused(e.act.P(), s))
			if inherits {
				inherit.take(o.Table(), e.act.P(), known, s)
			}
			if known && !o.pending.Nil() {
				o.keepSubsumed(o.Table(), e, lowest(rest), key, a)
			}
			return known
		})
		l.prune = 2*l.n + 8
	}
	o.list(p, key).push(epoch, a)
}

// remove takes out the touches for which gone is true.
func (l *list) remove(gone func(*entry) bool) {
	for at := &l.head; !at.Nil(); {
		e := at.P()
		if !gone(e) {
			at = &e.next
			continue
		}
		*at = e.next
		l.n--
		e.act.P().unref()
		entries.Put(e)
	}
}

// push adds a touch.
func (l *list) push(epoch vclock.Epoch, a *Action) {
	e := entries.Get()
	*e = entry{epoch, offheap.To(a.ref()), l.head}
	l.head = offheap.To(e)
	l.n++
}

// lowest is the index of the lowest bit that is set. The package math/bits is out of reach for code
// that is compiled into Go's runtime.
func lowest(set uint64) uint8 {
	n := uint8(0)
	for set&0xff == 0 {
		set >>= 8
		n += 8
	}
	for set&1 == 0 {
		set >>= 1
		n++
	}
	return n
}
