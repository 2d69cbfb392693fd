// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math"
	"math/bits"
	"slices"

	"github.com/commutego/commute/internal/check/table"
)

// A cell is the clocks of a variable, a lock or an access point; all that it has of the latter is w
// if the point is exclusive, and otherwise the read clocks. A clock that knows no running
// transaction may be left out.
type cell struct {
	w      ref    // W_x, L_l
	r      ref    // R_x, of one reader
	last   uint32 // lastWThr_x + 1, 0 for NIL
	reader uint32 // thread + 1 of the only reader, 0 if there is none, or several of them
	setter moment // the transaction that has set one of the clocks last and has noted that
	noted  uint64 // threads below 64 that have this cell in thread.noted
	rare   *rare  // what few cells need, or nil
}

// A moment is a transaction: its thread and its begin.
type moment uint64

// rare is what most cells do without.
type rare struct {
	readClocks           // of several readers, or spare
	high       threadSet // the others that have this cell in thread.noted
}

// readClocks are of a cell with several readers.
type readClocks struct {
	r, check clock  // R_x, chR_x
	latest   ref    // the last that was joined,
	latestBy uint32 // and by which thread
	knows    threadSet
}

func (x *cell) more() *rare {
	if x.rare == nil {
		x.rare = new(rare)
	}
	return x.rare
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

// copy is C_t, 0 if that knows no running transaction.
func (o *Optimised) copy(t uint32) ref {
	th := &o.threads[t]
	if th.copied == 0 && !th.knows.empty() {
		o.makeCopy(t, th)
	}
	return th.copied
}

func (o *Optimised) makeCopy(t uint32, th *thread) {
	if low := th.knows.low; low != 0 && low&(low-1) == 0 && th.knows.noHigh() {
		u := uint32(bits.TrailingZeros64(low))
		th.copied = refOf(u, th.at(u))
		return
	}
	th.version++
	th.copied = o.copies.fresh(t, th.version)
	k := o.copies.of(th.copied)
	th.knows.each(func(u uint32) { k.known = append(k.known, known{u, th.at(u)}) })
}

// meetWrite is lines 24 and 25, or 28 and 29.
func (o *Optimised) meetWrite(t uint32, x *cell) {
	if x.w != 0 && x.last != t+1 && !o.checkAndGet(t, x.w) {
		o.copies.set(&x.w, 0)
	}
}

// meet is the checks and joins of a write: lines 28 to 31.
func (o *Optimised) meet(t uint32, x *cell) {
	o.meetWrite(t, x)
	switch x.reader {
	case 0, t + 1:
	case several:
		if m := &x.rare.readClocks; o.live(&m.knows, m.r) {
			o.check(t, m.check.at(t))
			o.learn(t, m.r, &m.knows)
		} else {
			o.dropReaders(x)
		}
	default:
		if x.r != 0 && !o.checkAndGet(t, x.r) {
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
		o.copies.set(&x.rare.latest, 0)
	}
	o.copies.set(&x.r, 0)
	x.reader = 0
}

// share is line 26.
func (o *Optimised) share(t uint32, x *cell, id cellID) {
	k := o.copy(t)
	switch {
	case k == 0, x.r == k && x.reader == t+1:
		return // nothing to know, or a repetition
	case x.reader == several:
		m := &x.rare.readClocks
		if m.latest == k && m.latestBy == t {
			return
		}
		if o.live(&m.knows, m.r) {
			o.addReader(m, t, k)
			break
		}
		o.readAlone(t, x, k)
	case x.reader != 0 && x.reader != t+1 && o.useful(x.r):
		m := &x.more().readClocks
		m.r, m.check, m.knows = m.r[:0], m.check[:0], threadSet{}
		o.addReader(m, x.reader-1, x.r)
		o.addReader(m, t, k)
		o.copies.set(&x.r, 0)
		x.reader = several
	default:
		o.readAlone(t, x, k)
	}
	o.note(t, x, id)
}

// readAlone is share where what others know, if any, doesn't matter any more.
func (o *Optimised) readAlone(t uint32, x *cell, k ref) {
	if x.reader == several {
		o.copies.set(&x.rare.latest, 0)
	}
	o.copies.set(&x.r, k)
	x.reader = t + 1
}

// addReader takes a read by t of a cell that has several readers.
func (o *Optimised) addReader(m *readClocks, t uint32, k ref) {
	o.copies.set(&m.latest, k)
	m.latestBy = t
	var scratch [1]known
	for _, e := range o.copies.known(k, &scratch) {
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
	if len(th.knows.high) != 0 {
		high := threadSet{high: th.knows.high}
		high.addMissing(&x.more().high, func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) })
	}
}

// split makes a variable one to which was done what was done to another: it has the same clocks,
// and whoever looks at those at the end of a transaction looks at these.
func (o *Optimised) split(part, from uint32) {
	o.variable(max(part, from))
	x, y, id := &o.vars[from], &o.vars[part], cellID{kindVar, part}
	*y = cell{last: x.last, reader: x.reader, setter: x.setter, noted: x.noted}
	o.copies.set(&y.w, x.w)
	o.copies.set(&y.r, x.r)
	if x.reader == several {
		m, from := &y.more().readClocks, &x.rare.readClocks
		m.r, m.check, m.latestBy = slices.Clone(from.r), slices.Clone(from.check), from.latestBy
		m.knows.addAll(&from.knows)
		o.copies.set(&m.latest, from.latest)
	}
	if t := &o.threads[x.setter>>32]; t.depth > 0 && t.begin == uint32(x.setter) {
		t.set = append(t.set, id)
	}
	note := func(u uint32) { o.threads[u].noted = append(o.threads[u].noted, id) }
	each(x.noted, 0, note)
	if x.rare != nil && !x.rare.high.empty() {
		x.rare.high.addMissing(&y.more().high, note)
	}
}

// forget is told that u no longer has x noted.
func (x *cell) forget(u uint32) {
	if u < 64 {
		x.noted &^= 1 << u
	} else {
		x.rare.high.remove(u)
	}
}

// update is lines 42, 44 and 46 at the end of t's transaction.
func (o *Optimised) update(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	knew := false
	if x.w != 0 && o.copies.at(x.w, t) >= th.begin {
		knew = true
		o.join(&x.w, t)
	}
	if x.r != 0 && o.copies.at(x.r, t) >= th.begin {
		knew = true
		o.join(&x.r, t)
	}
	if m := x.rare; x.reader == several && m.r.at(t) >= th.begin {
		knew = true
		th.knows.each(func(u uint32) {
			m.r.raise(u, th.at(u))
			m.check.raise(u, th.at(u))
		})
		m.knows.addAll(&th.knows)
	}
	if knew {
		o.note(t, x, id)
	}
}

// join makes the clock at a place what it is joined with C_t.
func (o *Optimised) join(at *ref, t uint32) {
	r := o.copy(t) // not 0: see tell
	switch {
	case o.covers(r, *at):
		o.copies.set(at, r)
		return
	case o.covers(*at, r):
		return
	}
	both := o.copies.fresh(0, 0)
	k := o.copies.of(both)
	var scratch [1]known
	k.known = append(k.known, o.copies.known(r, &scratch)...)
	for _, e := range o.copies.known(*at, &scratch) {
		if o.threads[e.thread].running(e.time) && o.copies.at(r, e.thread) < e.time {
			// r has nothing of that transaction, and what it has of others of the thread is older
			k.known = append(k.known, e)
		}
	}
	o.copies.set(at, both)
	o.copies.count(both, 0) // it's kept there only
}

// covers reports whether r knows the running transactions that other does.
func (o *Optimised) covers(r, other ref) bool {
	var scratch [1]known
	for _, e := range o.copies.known(other, &scratch) {
		if o.threads[e.thread].running(e.time) && o.copies.at(r, e.thread) < e.time {
			return false
		}
	}
	return true
}
