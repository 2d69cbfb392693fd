// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math"
	"math/bits"
	"slices"

	"github.com/commutego/commute/internal/check/table"
)

// A cell has the clocks of a variable, a lock or an access point. Touches of a point that conflicts
// with itself are kept as writes are, in w; other touches as reads are. A clock that knows no
// running transaction may be left out: fact (4) of the package comment.
//
// One thread is the usual number of readers, and then the cell has no pointer but a nil one.
type cell struct {
	w      ref    // W_x, L_l
	r      ref    // R_x, of one reader
	last   uint32 // lastWThr_x + 1, 0 for NIL
	reader uint32 // thread + 1 of the only reader; 0 if there is none; or the constant several
	setter txnRef // the transaction that has set a clock last and has this cell in thread.set
	listed uint64 // the threads below 64 that have this cell in thread.listed
	rare   *rare  // what few cells need, or nil
}

// A txnRef refers to a marked transaction: its thread in the upper 32 bits, and its begin.
type txnRef uint64

// A rare has what most cells do without.
type rare struct {
	readClocks           // of several readers; kept for the next time when a write drops them
	high       threadSet // the threads from 64 that have this cell in thread.listed
}

// The readClocks are those of a cell with several readers: fact (2) of the package comment.
type readClocks struct {
	r, check clock     // R_x, chR_x
	latest   ref       // the clock that was joined last: to join it again changes nothing
	latestBy uint32    // the thread of latest
	knows    threadSet // the threads whose components may be of running transactions
}

// more is x.rare, which it makes if need be.
func (x *cell) more() *rare {
	if x.rare == nil {
		x.rare = new(rare)
	}
	return x.rare
}

// several is the value of cell.reader for more than one reader.
const several = math.MaxUint32

// A cellID names a cell. Tables of cells grow, so a pointer to a cell would not stay good.
type cellID struct {
	kind  uint32
	index uint32
}

const (
	kindVar = iota
	kindLock
	kindPoint
)

// cell is the cell that id names.
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

// point is the index in o.points of an object's access point. An object has few points: a list will
// do.
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

// ref is a ref to C_t, or 0 if that knows no running transaction. As long as C_t doesn't change,
// it is the same ref.
func (o *Optimised) ref(t uint32) ref {
	th := &o.threads[t]
	if th.snapshot == 0 && !th.knows.empty() {
		o.makeRef(t, th)
	}
	return th.snapshot
}

// makeRef makes th.snapshot for C_t as it is: one component in the ref itself, or a snapshot.
func (o *Optimised) makeRef(t uint32, th *thread) {
	if low := th.knows.low; low != 0 && low&(low-1) == 0 && th.knows.noHigh() { // one bit is set
		u := uint32(bits.TrailingZeros64(low))
		th.snapshot = refOf(u, th.at(u))
		return
	}
	th.version++
	th.snapshot = o.snapshots.fresh(t, th.version)
	k := o.snapshots.of(th.snapshot)
	th.knows.each(func(u uint32) { k.components = append(k.components, component{u, th.at(u)}) })
}

// getWrite is lines 24 and 25, or 28 and 29: an event joins W_x, unless the write is t's own. It
// drops a clock that knows no running transaction: fact (4).
func (o *Optimised) getWrite(t uint32, x *cell) {
	if x.w != 0 && x.last != t+1 && !o.checkAndGet(t, x.w) {
		o.snapshots.set(&x.w, 0)
	}
}

// getAll is lines 28 to 31: the checks and joins of a write. By fact (2), one check of chR_x and
// one join of R_x take the place of a loop over threads.
func (o *Optimised) getAll(t uint32, x *cell) {
	o.getWrite(t, x)
	switch x.reader {
	case 0, t + 1:
	case several:
		if m := &x.rare.readClocks; o.live(&m.knows, m.r) {
			o.check(t, m.check.at(t))
			o.joinClock(t, m.r, &m.knows)
		} else {
			o.dropReaders(x)
		}
	default:
		if x.r != 0 && !o.checkAndGet(t, x.r) {
			o.dropReaders(x)
		}
	}
}

// replace is lines 32 and 33. It also drops the read clocks: fact (3).
func (o *Optimised) replace(t uint32, x *cell, id cellID) {
	o.snapshots.set(&x.w, o.ref(t))
	x.last = t + 1
	o.dropReaders(x)
	o.enlist(t, x, id)
}

// dropReaders makes the cell one without readers. The slices of the read clocks are kept.
func (o *Optimised) dropReaders(x *cell) {
	if x.reader == several {
		o.snapshots.set(&x.rare.latest, 0)
	}
	o.snapshots.set(&x.r, 0)
	x.reader = 0
}

// share is line 26: a read by t. As long as only one reader's clock matters, R_x is a ref; with a
// second reader it becomes two clocks.
func (o *Optimised) share(t uint32, x *cell, id cellID) {
	k := o.ref(t)
	switch {
	case k == 0, x.r == k && x.reader == t+1:
		return // t knows no running transaction, or the read is a repetition
	case x.reader == several:
		m := &x.rare.readClocks
		if m.latest == k && m.latestBy == t { // a repetition
			return
		}
		if o.live(&m.knows, m.r) {
			o.addReader(m, t, k)
			break
		}
		o.readAlone(t, x, k)
	case x.reader != 0 && x.reader != t+1 && o.useful(x.r): // from one reader to two
		m := &x.more().readClocks
		m.r, m.check, m.knows = m.r[:0], m.check[:0], threadSet{}
		o.addReader(m, x.reader-1, x.r)
		o.addReader(m, t, k)
		o.snapshots.set(&x.r, 0)
		x.reader = several
	default:
		o.readAlone(t, x, k)
	}
	o.enlist(t, x, id)
}

// readAlone makes t the only reader: other readers' clocks, if there are any, know no running
// transaction.
func (o *Optimised) readAlone(t uint32, x *cell, k ref) {
	if x.reader == several {
		o.snapshots.set(&x.rare.latest, 0)
	}
	o.snapshots.set(&x.r, k)
	x.reader = t + 1
}

// addReader joins k, which is C_t, to the clocks of a cell with several readers. Of chR_x that is
// R_t[0/t]: all components but t's own.
func (o *Optimised) addReader(m *readClocks, t uint32, k ref) {
	o.snapshots.set(&m.latest, k)
	m.latestBy = t
	var scratch [1]component
	for _, e := range o.snapshots.components(k, &scratch) {
		m.r.raise(e.thread, e.time)
		if e.thread != t {
			m.check.raise(e.thread, e.time)
		}
		m.knows.add(e.thread)
	}
}

// enlist enters x, which t has set, into the lists of fact (6). They are that of t's running
// transaction, and those of the running transactions that t knows. Bits in the cell tell which
// lists have it, so that no list has it twice.
func (o *Optimised) enlist(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	if th.depth > 0 {
		if now := txnRef(t)<<32 | txnRef(th.begin); x.setter != now {
			x.setter = now
			th.set = append(th.set, id)
		}
	}
	others := th.knows.low &^ x.listed
	if t < 64 {
		others &^= 1 << t
	}
	if others != 0 {
		x.listed |= others
		each(others, 0, func(u uint32) { o.threads[u].list(id) })
	}
	if len(th.knows.high) != 0 {
		high := threadSet{high: th.knows.high}
		high.addMissing(&x.more().high, func(u uint32) { o.threads[u].list(id) })
	}
}

// list enters a cell into the list of cells that other threads have set.
func (t *thread) list(id cellID) { t.listed = append(t.listed, id) }

// split gives a new variable the clocks of another, of which it was a part. The new cell enters all
// lists that have the other one.
func (o *Optimised) split(part, from uint32) {
	o.variable(max(part, from))
	x, y, id := &o.vars[from], &o.vars[part], cellID{kindVar, part}
	*y = cell{last: x.last, reader: x.reader, setter: x.setter, listed: x.listed}
	o.snapshots.set(&y.w, x.w)
	o.snapshots.set(&y.r, x.r)
	if x.reader == several {
		m, from := &y.more().readClocks, &x.rare.readClocks
		m.r, m.check, m.latestBy = slices.Clone(from.r), slices.Clone(from.check), from.latestBy
		m.knows.addAll(&from.knows)
		o.snapshots.set(&m.latest, from.latest)
	}
	// The lists are those that have x: the setter's, and by the bits of x those of other threads.
	if t := &o.threads[x.setter>>32]; t.depth > 0 && t.begin == uint32(x.setter) {
		t.set = append(t.set, id)
	}
	enlist := func(u uint32) { o.threads[u].list(id) }
	each(x.listed, 0, enlist)
	if x.rare != nil && !x.rare.high.empty() {
		x.rare.high.addMissing(&y.more().high, enlist)
	}
}

// unlist notes that thread u no longer has x in thread.listed.
func (x *cell) unlist(u uint32) {
	if u < 64 {
		x.listed &^= 1 << u
	} else {
		x.rare.high.remove(u)
	}
}

// update is lines 42, 44 and 46 at the end of t's transaction: C_t is joined to the clocks of x
// that know the transaction. If there is one, the cell may know t's predecessors from now on, and
// has to enter their lists.
func (o *Optimised) update(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	knew := false
	// By fact (1) a clock knows the transaction if its component t is the begin, or more.
	if x.w != 0 && o.snapshots.at(x.w, t) >= th.begin {
		knew = true
		o.join(&x.w, t)
	}
	if x.r != 0 && o.snapshots.at(x.r, t) >= th.begin {
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
		o.enlist(t, x, id)
	}
}

// join joins C_t to the clock at a place. If one of the two has all that matters of the other, no
// snapshot is made.
func (o *Optimised) join(at *ref, t uint32) {
	r := o.ref(t) // not 0: end has checked that t knows a running transaction
	switch {
	case o.covers(r, *at):
		o.snapshots.set(at, r)
		return
	case o.covers(*at, r):
		return
	}
	// Neither will do: make a snapshot of both, without the components of ended transactions.
	both := o.snapshots.fresh(0, 0)
	k := o.snapshots.of(both)
	var scratch [1]component
	k.components = append(k.components, o.snapshots.components(r, &scratch)...)
	for _, e := range o.snapshots.components(*at, &scratch) {
		if o.threads[e.thread].running(e.time) && o.snapshots.at(r, e.thread) < e.time {
			// r has nothing of that transaction: its component is of an earlier one of the thread.
			k.components = append(k.components, e)
		}
	}
	o.snapshots.set(at, both)
	o.snapshots.count(both, 0) // fresh and set counted one each, but only at keeps it
}

// covers reports whether r knows all running transactions that other knows.
func (o *Optimised) covers(r, other ref) bool {
	var scratch [1]component
	for _, e := range o.snapshots.components(other, &scratch) {
		if o.threads[e.thread].running(e.time) && o.snapshots.at(r, e.thread) < e.time {
			return false
		}
	}
	return true
}
