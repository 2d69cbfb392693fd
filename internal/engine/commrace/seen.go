// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What a processor remembers of calls, for quick.go and changes.go. Which call a touch stands for
// is kept with the touch itself. So a call that is remembered takes two lines of the processor's
// cache: the one in which the touch is looked for, and the touch.

// A Seen is where the touches are that the calls of one processor's goroutines have made last. The
// zero Seen has none. Only one caller may use it at a time.
//
// A reference may lead to a touch that was removed since, or is another one now. What the touch
// says of itself tells that.
type Seen struct {
	observed [1 << seenBits]seenTouches
	changed  [1 << changedBits]offheap.Ref[entry] // of calls that change something
	known    [1 << knownBits]known                // of observations that leave no touch
}

const (
	seenBits = 11 // observed has 128 KB
	ways     = 7  // how many touches are in a line of the processor's cache
)

// seenTouches are the touches of observations of which some bits of a hash are the same.
type seenTouches struct {
	touch [ways]offheap.Ref[entry]
	tag   [ways]uint8 // more bits of the hash, and one that is set; 0 where there is no touch
	next  uint8       // the one that goes where all are taken
}

// standing is what a touch that is remembered says of itself: which call it stands for. Its own
// goroutine sets it, while the touch is busy or its list is locked, and may read it at any time.
// What it has read holds if the touch has the same epoch afterwards.
type standing struct {
	what atomic.Uint64 // see whatOf; 0 if the touch is not remembered
	// The touch that the call has made of the object, beside that of its key.
	global offheap.AtomicRef[entry]
	_      [16]byte // a touch is one line of the processor's cache
}

// whatOf is a number for the calls at a place, of a case of a method of o, with a key, which is a
// hash of 64 bits. A stack has less than 1<<30 bytes, and a program's code less than 1<<34. So two
// kinds of calls are as unlikely to have one number as two keys are to have one hash.
func whatOf(o *Object, method, beta uint32, key uint64, at Place) uint64 {
	place := uint64(at.Site) + uint64(at.Frame)<<34
	return key ^ place*0xbf58476d1ce4e5b9 ^ uint64(uintptr(unsafe.Pointer(o)))*0x94d049bb133111eb ^
		(uint64(method)<<32|uint64(beta)+1)*0xd6e8feb86659fd93
}

// standsFor returns the touch's epoch, and whether it stands for a call of t.
func (e *entry) standsFor(what uint64, t *vclock.Thread) (epoch vclock.Epoch, ok bool) {
	epoch = vclock.Epoch(e.epoch.Load())
	return epoch, e.what.Load() == what && vclock.Own(t, epoch)
}

// forget has the touch not be remembered any more. It is the caller's to change.
func (e *entry) forget() {
	if e.what.Load() != 0 {
		host.Publish64(&e.what, 0)
	}
}

// of is where the touch of an observation is looked for, as of whatOf: among which, with which tag,
// and the place to begin with.
func (sn *Seen) of(what uint64, t *vclock.Thread) (set *seenTouches, first uint32, tag uint8) {
	h := (what ^ uint64(vclock.SlotOf(t))<<32) * 0x9e3779b97f4a7c15
	return &sn.observed[h>>(64-seenBits)], uint32(h>>16) >> 16 * ways >> 16, uint8(h>>24) | 0x80
}

// find is the touch of an observation of t that is remembered, and its epoch; nil if there is none.
// It may be gone by now, if it doesn't have that epoch any more.
//
//bundle:inline
func (sn *Seen) find(
	o *Object, method, beta uint32, key uint64, at Place, t *vclock.Thread,
) (*entry, vclock.Epoch) {
	what := whatOf(o, method, beta, key, at)
	set, i, tag := sn.of(what, t)
	for range ways {
		if set.tag[i] == tag {
			e := set.touch[i].P()
			if epoch, ok := e.standsFor(what, t); ok {
				return e, epoch
			}
		}
		if i++; i == ways {
			i = 0
		}
	}
	return nil, 0
}

// note has the touch of an observation of t be found, as of whatOf. It takes a place of an earlier
// one like it, or a free one, or that which was taken least recently.
func (sn *Seen) note(what uint64, t *vclock.Thread, e *entry) {
	set, i, tag := sn.of(what, t)
	to := uint32(ways)
	for range ways {
		switch {
		case set.touch[i] == offheap.To(e):
			set.tag[i] = tag
			return
		case to < ways:
		case set.tag[i] == 0, set.tag[i] == tag && !set.touch[i].P().remembered(t):
			to = i
		}
		if i++; i == ways {
			i = 0
		}
	}
	if to == ways {
		to = uint32(set.next) % ways
		set.next++
	}
	set.touch[to], set.tag[to] = offheap.To(e), tag
}

// remembered reports whether the touch is one of t that is remembered.
func (e *entry) remembered(t *vclock.Thread) bool {
	return vclock.Own(t, vclock.Epoch(e.epoch.Load())) && e.what.Load() != 0
}

// remember remembers an observation of t and its touches, the i-th of which is own[i].
func (sn *Seen) remember(
	o *Object, method, beta uint32, key uint64, ts *touches, own *[4]*entry, t *vclock.Thread,
	at Place,
) {
	if sn == nil || !o.Table().Methods[method].again {
		return
	}
	what := whatOf(o, method, beta, key, at)
	if e := keep(o, method, what, ts, own, at, 0); e != nil {
		sn.note(what, t, e)
	}
}

// keep keeps with the touches of a call that it was made, and returns the one that is to be found.
// If there are more than can be remembered, that changes nothing. Of a call without a key the touch
// of the object stands in the place of that of the key.
func keep(
	o *Object, method uint32, what uint64, ts *touches, own *[4]*entry, at Place, in uint32,
) *entry {
	nkeys := o.Table().Methods[method].nkeys
	if ts.n > 1+nkeys {
		return nil
	}
	var e, g *entry
	for i := range ts.n {
		if ts.all[i].keyed || nkeys == 0 {
			e = own[i]
		} else {
			g = own[i]
		}
	}
	if e == nil || g == nil && ts.n == 2 {
		return nil
	}
	a := e.act.P()
	if a.Method != method || a.At != at {
		return nil
	}
	in |= e.globalState.Load() & reused
	if a.repeatMayDiffer {
		in |= differs
	}
	if g != nil {
		in |= g.state.Load() &^ marks
	}
	host.Publish64(&e.what, what)
	e.global.Store(g)
	host.Publish32(&e.globalState, in)
	return e
}
