// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A list is the touches of one point, the latest first.
type list struct {
	head  offheap.Ref[entry]
	n     uint32
	prune uint32 // when n reaches this, the list is searched for touches that can go
}

// An entry is a touch: its epoch, and the action that made it. The lock of its list guards it. But
// its own goroutine may move it to the present without that lock, see quick.go.
type entry struct {
	epoch atomic.Uint64 // a vclock.Epoch; 0 if it is in no list, or busy
	act   offheap.Ref[Action]
	next  offheap.Ref[entry]
	state atomic.Uint32 // marks, and above them a number that changes with what the entry is
	// Where the touch is remembered, the state of the call's touch of the object, and in place of
	// marks of touches what is remembered besides: reused, inPart, differs. It is a part of
	// standing.
	globalState atomic.Uint32
	standing
}

// The marks of a touch.
const (
	// A call that may not commute with it was checked since the touch was made, or has moved.
	met = 1 << iota
	// It has been subsumed by another touch, and stands for nothing. It stays in the list for its
	// own goroutine, whose next call may take it over (renew.go, quick.go).
	subsumed
	differs // see below
	number  // one more

	marks = met | subsumed

	// In globalState there is: the touch has stood for another call since it was made; what the
	// call has touched of the object is in the part of its key, of an object that was divided; and
	// the next call like it has to be noted with its action (Action.repeatMayDiffer).
	reused = met
	inPart = subsumed
)

func (e *entry) is(mark uint32) bool { return e.state.Load()&mark != 0 }

// mark sets a mark.
func (e *entry) mark(m uint32) {
	if s := e.state.Load(); s&m == 0 {
		host.Publish32(&e.state, s|m)
	}
}

// unmark clears marks.
func (e *entry) unmark(m uint32) {
	if s := e.state.Load(); s&m != 0 {
		host.Publish32(&e.state, s&^m)
	}
}

// renumber has nothing that was remembered of the entry hold any longer.
func (e *entry) renumber() {
	host.Publish32(&e.state, e.state.Load()&^marks+number)
	e.forget()
}

// maxSubsumed is the length of lists up to which subsumed touches stay in them.
const maxSubsumed = 4

var entries offheap.Slab[entry]

// touch is phase 2 for one point: the touches that the new one subsumes go, and it is added.
//
// A touch is subsumed by a later one that knows it, of a point that conflicts with everything that
// the earlier one's point conflicts with. A call that isn't ordered after the earlier touch isn't
// ordered after the later one either, so a check of the later touch finds the race. There are two
// exceptions. A call that is under way may still need the earlier touch (keepSubsumed). And a
// semantic exception may ask whether a result is used. Then a call whose result is used is subsumed
// by another such call only: else the exception would excuse it.
//
// T's touch of the same point becomes the new one. It is earlier, or searched for if that is nil.
func (h held) touch(
	p uint8, key uint64, t *vclock.Thread, epoch vclock.Epoch, a *Action, earlier *entry, s Sink,
) *entry {
	unused := h.Table().unused(a, s)
	for rest := h.Table().points[p].subsumes; rest != 0; rest &= rest - 1 {
		if nothingAt(h, lowest(rest), key) {
			continue
		}
		var inherit inheritance
		inherits := inherit.applies(h.Table(), a, p, lowest(rest))
		for i := range h.parts(lowest(rest)) {
			l := h.part(lowest(rest), key, i)
			if l.head.Nil() || l.n > 8 && l.n < l.prune {
				continue // to search many unordered touches at each call is no constant work
			}
			short := l.n <= maxSubsumed
			// A goroutine that changes one key and observes others touches the object by turns. One
			// that changes a key and observes it touches that by turns.
			turns := lowest(rest) != p && !h.Table().points[lowest(rest)].keyed
			same := lowest(rest) == p && (short || !h.Table().points[p].keyed)
			l.remove(t, inherits, func(e *entry, at vclock.Epoch) bool {
				own := vclock.Own(t, at)
				again := own && same && earlier == nil || e == earlier
				stays := turns || e.globalState.Load()&reused != 0
				if e.is(subsumed) {
					if again {
						earlier = e
						return false
					}
					return own && !stays || !short
				}
				known := t.Knows(at) && (!unused ||
					!h.Table().Methods[e.act.P().Method].asksUnused ||
					h.Table().unused(e.act.P(), s))
				if inherits {
					inherit.take(h.Table(), e.act.P(), known, s)
				}
				if known {
					h.keepSubsumed(e, at, lowest(rest), key, a)
				}
				if known && again {
					earlier = e
					return false
				}
				if known && short && (!own || stays) {
					e.mark(subsumed)
					return false
				}
				return known
			})
			if prune := 2*l.n + 8; l.prune != prune { // others' caches have the line
				l.prune = prune
			}
		}
	}
	if earlier == nil {
		return h.own(p, key).push(epoch, a)
	}
	// The touch stays where it is, so that what is remembered of it holds (quick.go).
	if h.Table().points[p].keyed {
		h.own(p, key).toFront(earlier)
	}
	if earlier.act.P() != a {
		earlier.standFor(a)
	}
	earlier.unmark(marks)
	earlier.move(epoch)
	return earlier
}

// nothingAt reports whether a point has a key, and no touches. Most points have none.
func nothingAt(h held, p uint8, key uint64) bool {
	pt := &h.Table().points[p]
	return pt.keyed && listAt(h.home(key).keyLists(key), pt.index).head.Nil()
}

// first is the latest touch of a list, nil if there is none, and after that which follows another.
// They leave out what is subsumed.
func (l *list) first() *entry { return l.head.P().orNext() }

func (e *entry) after() *entry { return e.next.P().orNext() }

func (e *entry) orNext() *entry {
	for e != nil && e.is(subsumed) {
		e = e.next.P()
	}
	return e
}

// remove takes out the touches for which gone is true, of all, subsumed or not. A touch that is
// handed to gone is of thread t, or busy. Those of others that t doesn't know stay, and gone is not
// asked, unless all is set or they are subsumed. T is nil if no thread is special.
func (l *list) remove(
	t *vclock.Thread, all bool, gone func(e *entry, at vclock.Epoch) bool,
) {
	for ref := &l.head; !ref.Nil(); {
		e := ref.P()
		at := e.at()
		if t == nil || !vclock.Own(t, at) {
			if t != nil && !all && !t.Knows(at) && !e.is(subsumed) {
				ref = &e.next
				continue
			}
			at = e.hold()
		}
		if !gone(e, at) {
			e.set(at)
			ref = &e.next
			continue
		}
		*ref = e.next
		l.n--
		e.renumber()
		e.set(0)
		e.act.P().unref()
		entries.Put(e)
	}
}

// toFront has the list begin with one of its touches, which is the latest now.
func (l *list) toFront(e *entry) {
	if l.head.P() == e {
		return
	}
	for ref := &l.head; !ref.Nil(); ref = &ref.P().next {
		if ref.P() == e {
			*ref = e.next
			e.next, l.head = l.head, offheap.To(e)
			return
		}
	}
}

// push adds a touch.
func (l *list) push(epoch vclock.Epoch, a *Action) *entry {
	e := entries.Get()
	e.act, e.next = offheap.To(a.ref()), l.head
	host.Publish32(&e.globalState, 0)
	e.move(epoch)
	l.head = offheap.To(e)
	l.n++
	return e
}

// lowest is the index of the lowest bit that is set. The package math/bits is out of reach for code
// that is compiled into Go's runtime. This is its method: each bit moves another part of a de
// Bruijn sequence to the top.
func lowest(set uint64) uint8 { return bitIndex[(set&-set)*deBruijn>>58] }

const deBruijn = 0x03f79d71b4ca8b09

// bitIndex has the index of the bit that moves a part of the sequence to the top.
var bitIndex = [64]uint8{
	0, 1, 56, 2, 57, 49, 28, 3, 61, 58, 42, 50, 38, 29, 17, 4,
	62, 47, 59, 36, 45, 43, 51, 22, 53, 39, 33, 30, 24, 18, 12, 5,
	63, 55, 48, 27, 60, 41, 37, 16, 46, 35, 44, 21, 52, 32, 23, 11,
	54, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9, 13, 8, 7, 6,
}
