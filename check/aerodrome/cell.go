// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math"

	"github.com/commutego/commute/check/internal/table"
)

// A copied is what C_t was at some time, or, with version 0, a join of such. It doesn't change.
type copied struct {
	owner   uint32
	version uint64 // the copies of one thread are numbered, later ones are greater
	c       clock
	knows   threadSet // see Optimised.live
}

// A cell is the clocks of a variable, a lock or an access point; all that it has of the latter is w if the point is
// exclusive, and otherwise the read clocks.
type cell struct {
	w      *copied     // W_x, L_l
	r      *copied     // R_x, of one reader
	many   *readClocks // of several readers, or spare
	last   uint32      // lastWThr_x + 1, 0 for NIL
	reader uint32      // thread + 1 of the only reader, 0 if there is none, or several of them
	noted  threadSet
}

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

// copy is a copy of C_t.
func (t *thread) copy(id uint32) *copied {
	if t.copied == nil {
		t.version++
		t.copied = &copied{owner: id, version: t.version, c: append(clock(nil), t.c...), knows: t.knows.clone()}
	}
	return t.copied
}

// meet is the checks and joins of a write: lines 28 to 31.
func (o *Optimised) meet(t uint32, x *cell) {
	if x.last != t+1 && x.w != nil && !o.checkAndGet(t, x.w) {
		x.w, x.last = nil, 0
	}
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
		if !o.checkAndGet(t, x.r) {
			x.dropReaders()
		}
	}
}

// replace is lines 32 and 33.
func (o *Optimised) replace(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	x.w = th.copy(t)
	x.last = t + 1
	x.dropReaders()
	o.note(th, x, id)
}

func (x *cell) dropReaders() { x.r, x.reader = nil, 0 }

// share is line 26.
func (o *Optimised) share(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	k := th.copy(t)
	switch {
	case x.r == k:
		return // a repetition
	case x.reader == several && x.many.latest == k:
		return
	case x.reader == several && o.live(&x.many.knows, x.many.r):
		x.many.add(t, k)
	case x.reader != 0 && x.reader != t+1 && x.reader != several && o.live(&x.r.knows, x.r.c):
		if x.many == nil {
			x.many = new(readClocks)
		}
		x.many.start(x.reader-1, x.r)
		x.many.add(t, k)
		x.r, x.reader = nil, several
	default: // whatever others know, if any, doesn't matter any more
		x.r, x.reader = k, t+1
	}
	o.note(th, x, id)
}

// start takes the reads of u.
func (m *readClocks) start(u uint32, k *copied) {
	m.latest = k
	m.r.assign(k.c)
	m.check.assign(k.c)
	m.check[u] = 0
	m.knows = k.knows.clone()
}

// add takes a read by t.
func (m *readClocks) add(t uint32, k *copied) {
	m.latest = k
	m.r.joinOnly(&k.knows, k.c, several)
	m.check.joinOnly(&k.knows, k.c, t)
	m.knows.addAll(&k.knows)
}

// note has x looked at when the transactions end that th knows.
func (o *Optimised) note(th *thread, x *cell, id cellID) {
	if th.knows.low&^x.noted.low == 0 && len(th.knows.high) == 0 {
		return
	}
	th.knows.addMissing(&x.noted, func(u uint32) {
		o.threads[u].noted = append(o.threads[u].noted, id)
	})
}

// update is lines 42, 44 and 46 at the end of t's transaction.
func (o *Optimised) update(t uint32, x *cell, id cellID) {
	th := &o.threads[t]
	knew := false
	if x.w != nil && x.w.c.at(t) >= th.begin {
		knew = true
		x.w = x.w.joined(th, t)
	}
	if x.r != nil && x.r.c.at(t) >= th.begin {
		knew = true
		x.r = x.r.joined(th, t)
	}
	if m := x.many; x.reader == several && m.r.at(t) >= th.begin {
		knew = true
		m.r.joinOnly(&th.knows, th.c, several)
		m.knows.addAll(&th.knows)
		m.check.joinOnly(&th.knows, th.c, several) // t's own component doesn't matter any more
	}
	if knew {
		o.note(th, x, id)
	}
}

// joined is k ⊔ C_t.
func (k *copied) joined(th *thread, t uint32) *copied {
	switch {
	case k.version != 0 && k.owner == t, k.c.before(th.c):
		return th.copy(t)
	case th.c.before(k.c):
		return k
	}
	both := &copied{c: append(clock(nil), k.c...), knows: k.knows.clone()}
	both.c.join(th.c)
	both.knows.addAll(&th.knows)
	return both
}
