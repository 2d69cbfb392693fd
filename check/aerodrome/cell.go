// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math"

	"github.com/commutego/commute/check/internal/table"
)

// A copied is what C_t was at some time, or, with version 0, a join of such, as far as it matters: the components of transactions
// that were running. It doesn't change.
type copied struct {
	owner   uint32
	version uint64 // the copies of one thread are numbered, later ones are greater
	known   []known
	first   [1]known // room for one
}

// known is a component of a clock.
type known struct{ thread, time uint32 }

// at is component t.
func (k *copied) at(t uint32) uint32 {
	for i := range k.known {
		if k.known[i].thread == t {
			return k.known[i].time
		}
	}
	return 0
}

// A cell is the clocks of a variable, a lock or an access point; all that it has of the latter is w if the point is
// exclusive, and otherwise the read clocks. A clock that knows no running transaction may be left out.
type cell struct {
	w      *copied     // W_x, L_l
	r      *copied     // R_x, of one reader
	many   *readClocks // of several readers, or spare
	last   uint32      // lastWThr_x + 1, 0 for NIL
	reader uint32      // thread + 1 of the only reader, 0 if there is none, or several of them
	setter moment      // the transaction that has set one of the clocks last and has noted that
	noted  uint64      // threads below 64 that have this cell in thread.noted
	high   *threadSet  // the others that have
}

// A moment is a transaction: its thread and its begin.
type moment uint64

// readClocks are of a cell with several readers.
type readClocks struct {
	r, check clock   // R_x, chR_x
	latest   *copied // the last that was joined
	knows    threadSet
}

const several = math.MaxUint32

// A cellID names a cell, which may move.
type cellID struct {
	kind  uint32
	index uint32
}

const (
	kindVar = iota
	kindLock
	kindPoint
)

func (o *Optimised) cell(id cellID) *cell {
	switch id.kind {
	case kindVar:
		return &o.vars[id.index]
	case kindLock:
		return &o.locks[id.index]
	}
	return &o.points[id.index]
}

func (o *Optimised) variable(x uint32) *cell {
	if uint64(x) >= uint64(len(o.vars)) {
		o.vars = table.Grow(o.vars, x)
	}
	return &o.vars[x]
}

func (o *Optimised) lock(l uint32) *cell {
	o.locks = table.Grow(o.locks, l)
	return &o.locks[l]
}

// point is the index of an object's point.
func (o *Optimised) point(object, point uint32) uint32 {
	o.objects = table.Grow(o.objects, object)
	for _, p := range o.objects[object] {
		if p.point == point {
			return p.index
		}
	}
	i := uint32(len(o.points))
	o.points = append(o.points, cell{})
	o.objects[object] = append(o.objects[object], pointIndex{point, i})
	return i
}

// copy is a copy of C_t, nil if that knows no running transaction.
func (o *Optimised) copy(t uint32) *copied {
	th := &o.threads[t]
	if th.copied == nil && !th.knows.empty() {
		th.version++
		k := &copied{owner: t, version: th.version}
		k.known = k.first[:0]
		th.knows.each(func(u uint32) { k.known = append(k.known, known{u, th.c.at(u)}) })
		th.copied = k
	}
	return th.copied
}

// meetWrite is lines 24 and 25, or 28 and 29.
func (o *Optimised) meetWrite(t uint32, x *cell) {
	if x.w != nil && x.last != t+1 && !o.checkAndGet(t, x.w) {
		x.w = nil
	}
}

// meet is the checks and joins of a write: lines 28 to 31.
func (o *Optimised) meet(t uint32, x *cell) {
	o.meetWrite(t, x)
	switch x.reader {
	case 0, t + 1:
	case several:
		if o.live(&x.many.knows, x.many.r) {
			o.check(t, x.many.check)
			o.learn(t, x.many.r, &x.many.knows)
		} else {
			x.dropReaders()
		}
	default:
		if x.r != nil && !o.checkAndGet(t, x.r) {
			x.dropReaders()
		}
	}
}

// replace is lines 32 and 33.
func (o *Optimised) replace(t uint32, x *cell, id cellID) {
	x.w, x.last = o.copy(t), t+1
	x.dropReaders()
	o.note(t, x, id)
}

func (x *cell) dropReaders() { x.r, x.reader = nil, 0 }

// share is line 26.
func (o *Optimised) share(t uint32, x *cell, id cellID) {
	k := o.copy(t)
	switch {
	case k == nil, x.r == k:
		return // nothing to know, or a repetition
	case x.reader == several && x.many.latest == k:
		return
	case x.reader == several && o.live(&x.many.knows, x.many.r):
		x.many.add(t, k)
	case x.reader != 0 && x.reader != t+1 && x.reader != several && o.useful(x.r):
		if x.many == nil {
			x.many = new(readClocks)
		}
		x.many.start(x.reader-1, x.r)
		x.many.add(t, k)
		x.r, x.reader = nil, several
	default: // what others know, if any, doesn't matter any more
		x.r, x.reader = k, t+1
	}
	o.note(t, x, id)
}

// start takes the reads of u.
func (m *readClocks) start(u uint32, k *copied) {
	m.r, m.check, m.knows = m.r[:0], m.check[:0], threadSet{}
	m.add(u, k)
}

// add takes a read by t.
func (m *readClocks) add(t uint32, k *copied) {
	m.latest = k
	for _, e := range k.known {
		m.r.raise(e.thread, e.time)
		if e.thread != t {
			m.check.raise(e.thread, e.time)
		}
		m.knows.add(e.thread)
	}
}

// note has x, which t has set, looked at when the transactions end that t knows.
func (o *Optimised) note(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	if th.depth > 0 {
		if now := moment(t)<<32 | moment(th.begin); x.setter != now {
			x.setter = now
			th.set = append(th.set, id)
		}
	}
	others := th.knows.low &^ x.noted
	if t < 64 {
		others &^= 1 << t
	}
	x.noted |= others
	each(others, 0, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
	if len(th.knows.high) == 0 {
		return
	}
	if x.high == nil {
		x.high = new(threadSet)
	}
	high := threadSet{high: th.knows.high}
	high.addMissing(x.high, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
}

// forget is told that u no longer has x noted.
func (x *cell) forget(u uint32) {
	if u < 64 {
		x.noted &^= 1 << u
	} else {
		x.high.remove(u)
	}
}

// update is lines 42, 44 and 46 at the end of t's transaction.
func (o *Optimised) update(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	knew := false
	if x.w != nil && x.w.at(t) >= th.begin {
		knew = true
		x.w = o.joined(x.w, t)
	}
	if x.r != nil && x.r.at(t) >= th.begin {
		knew = true
		x.r = o.joined(x.r, t)
	}
	if m := x.many; x.reader == several && m.r.at(t) >= th.begin {
		knew = true
		th.knows.each(func(u uint32) {
			m.r.raise(u, th.c.at(u))
			m.check.raise(u, th.c.at(u))
		})
		m.knows.addAll(&th.knows)
	}
	if knew {
		o.note(t, x, id)
	}
}

// joined is k ⊔ C_t.
func (o *Optimised) joined(k *copied, t uint32) *copied {
	now := o.copy(t) // not nil: see tell
	if k.version != 0 && k.owner == t || o.covers(now, k) {
		return now
	}
	if o.covers(k, now) {
		return k
	}
	both := &copied{known: append([]known(nil), now.known...)}
	for _, e := range k.known {
		if o.threads[e.thread].running(e.time) && now.at(e.thread) < e.time {
			both.known = append(both.known, e) // now has nothing of that transaction, and what it has of others of the thread is older
		}
	}
	return both
}

// covers reports whether k knows the running transactions that other does.
func (o *Optimised) covers(k, other *copied) bool {
	for _, e := range other.known {
		if o.threads[e.thread].running(e.time) && k.at(e.thread) < e.time {
			return false
		}
	}
	return true
}
