// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math"
	"math/bits"
	"slices"

	"github.com/commutego/commute/check/internal/table"
)

// A cell is the clocks of a variable, a lock or an access point; all that it has of the latter is w if the point is
// exclusive, and otherwise the read clocks. A clock that knows no running transaction may be left out.
type cell struct {
	w      copyID      // W_x, L_l
	r      copyID      // R_x, of one reader
	last   uint32      // lastWThr_x + 1, 0 for NIL
	reader uint32      // thread + 1 of the only reader, 0 if there is none, or several of them
	many   *readClocks // of several readers, or spare
	setter moment      // the transaction that has set one of the clocks last and has noted that
	noted  uint64      // threads below 64 that have this cell in thread.noted
	high   *threadSet  // the others that have
}

// A moment is a transaction: its thread and its begin.
type moment uint64

// readClocks are of a cell with several readers.
type readClocks struct {
	r, check clock  // R_x, chR_x
	latest   copyID // the last that was joined
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

// copy is a copy of C_t, 0 if that knows no running transaction.
func (o *Optimised) copy(t uint32) copyID {
	th := &o.threads[t]
	if th.copied == 0 && !th.knows.empty() {
		th.version++
		th.copied = o.copies.fresh(t, th.version)
		k := o.copies.at(th.copied)
		for low := th.knows.low; low != 0; low &= low - 1 {
			u := uint32(bits.TrailingZeros64(low))
			k.known = append(k.known, known{u, th.c.at(u)})
		}
		th.knows.eachHigh(func(u uint32) { k.known = append(k.known, known{u, th.c.at(u)}) })
	}
	return th.copied
}

// meetWrite is lines 24 and 25, or 28 and 29.
func (o *Optimised) meetWrite(t uint32, x *cell) {
	if x.w != 0 && x.last != t+1 && !o.checkAndGet(t, o.copies.at(x.w)) {
		o.copies.set(&x.w, 0)
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
			o.dropReaders(x)
		}
	default:
		if x.r != 0 && !o.checkAndGet(t, o.copies.at(x.r)) {
			o.dropReaders(x)
		}
	}
}

// replace is lines 32 and 33.
func (o *Optimised) replace(t uint32, x *cell, id cellID) {
	o.copies.set(&x.w, o.copy(t))
	x.last = t + 1
	o.dropReaders(x)
	o.note(t, x, id)
}

func (o *Optimised) dropReaders(x *cell) {
	if x.reader == several {
		o.copies.set(&x.many.latest, 0)
	}
	o.copies.set(&x.r, 0)
	x.reader = 0
}

// share is line 26.
func (o *Optimised) share(t uint32, x *cell, id cellID) {
	k := o.copy(t)
	switch {
	case k == 0, x.r == k:
		return // nothing to know, or a repetition
	case x.reader == several && x.many.latest == k:
		return
	case x.reader == several && o.live(&x.many.knows, x.many.r):
		o.addReader(x, t, k)
	case x.reader != 0 && x.reader != t+1 && x.reader != several && x.r != 0 && o.useful(o.copies.at(x.r)):
		if x.many == nil {
			x.many = new(readClocks)
		}
		x.many.start(x.reader-1, o.copies.at(x.r))
		o.addReader(x, t, k)
		o.copies.set(&x.r, 0)
		x.reader = several
	default: // what others know, if any, doesn't matter any more
		if x.reader == several {
			o.copies.set(&x.many.latest, 0)
		}
		o.copies.set(&x.r, k)
		x.reader = t + 1
	}
	o.note(t, x, id)
}

// start takes the reads of u.
func (m *readClocks) start(u uint32, k *copied) {
	m.r, m.check, m.knows = m.r[:0], m.check[:0], threadSet{}
	m.add(u, k)
}

// addReader takes a read by t of a cell that has several readers.
func (o *Optimised) addReader(x *cell, t uint32, id copyID) {
	o.copies.set(&x.many.latest, id)
	x.many.add(t, o.copies.at(id))
}

// add takes a read by t.
func (m *readClocks) add(t uint32, k *copied) {
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
	if others != 0 {
		x.noted |= others
		each(others, 0, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
	}
	if len(th.knows.high) == 0 {
		return
	}
	if x.high == nil {
		x.high = new(threadSet)
	}
	high := threadSet{high: th.knows.high}
	high.addMissing(x.high, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
}

// split makes a variable one to which was done what was done to another: it has the same clocks, and whoever looks at those at the
// end of a transaction looks at these.
func (o *Optimised) split(part, from uint32) {
	o.variable(max(part, from))
	x, y, id := &o.vars[from], &o.vars[part], cellID{kindVar, part}
	*y = cell{last: x.last, reader: x.reader, setter: x.setter, noted: x.noted}
	o.copies.set(&y.w, x.w)
	o.copies.set(&y.r, x.r)
	if x.reader == several {
		y.many = &readClocks{r: slices.Clone(x.many.r), check: slices.Clone(x.many.check)}
		y.many.knows.addAll(&x.many.knows)
		o.copies.set(&y.many.latest, x.many.latest)
	}
	if t := &o.threads[x.setter>>32]; t.depth > 0 && t.begin == uint32(x.setter) {
		t.set = append(t.set, id)
	}
	each(x.noted, 0, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
	if x.high != nil {
		y.high = new(threadSet)
		x.high.addMissing(y.high, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
	}
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
	if x.w != 0 && o.copies.at(x.w).at(t) >= th.begin {
		knew = true
		o.join(&x.w, t)
	}
	if x.r != 0 && o.copies.at(x.r).at(t) >= th.begin {
		knew = true
		o.join(&x.r, t)
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

// join makes the copy at k what it is joined with C_t.
func (o *Optimised) join(at *copyID, t uint32) {
	id := o.copy(t) // not 0: see tell
	now, k := o.copies.at(id), o.copies.at(*at)
	switch {
	case k.version != 0 && k.owner == t || o.covers(now, k):
		o.copies.set(at, id)
		return
	case o.covers(k, now):
		return
	}
	bothID := o.copies.fresh(0, 0)
	both := o.copies.at(bothID)
	now, k = o.copies.at(id), o.copies.at(*at) // they may have moved
	both.known = append(both.known, now.known...)
	for _, e := range k.known {
		if o.threads[e.thread].running(e.time) && now.at(e.thread) < e.time {
			both.known = append(both.known, e) // now has nothing of that transaction, and what it has of others of the thread is older
		}
	}
	o.copies.set(at, bothID)
	o.copies.drop(bothID) // what refers to it is at
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
