// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"slices"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Basic is Algorithm 1 as it is printed. The comments give its line numbers, and say what is added.
// An event takes O(k) for k threads, or O(k^2) if it looks at the clocks of all threads. An end
// looks at all clocks that there are.
type Basic struct {
	relation *event.Relation
	threads  []basicThread
	locks    []basicCell
	vars     []basicCell
	points   map[[2]uint32]*basicCell // by object and access point

	index uint64
	over  bool // a violation was declared
	found event.Transaction
}

// A basicThread has the clocks of a thread.
type basicThread struct {
	c       clock  // C_t
	begin   clock  // C_t▷
	depth   uint32 // nested begins; only the outermost transaction counts (4.1.4)
	begun   uint32 // the number of marked transactions
	started bool   // added: it has had an event
	current event.Transaction
}

// A basicCell has the clocks of a variable x: W_x, lastWThr_x, R_{t,x}. For a lock they are L_l,
// lastRelThr_l, and in r the clocks of each thread's merging releases. An access point has the
// clocks of each thread's touches in r, and no w.
type basicCell struct {
	w    clock
	last uint32  // thread + 1; 0 is NIL
	r    []clock // by thread
}

// NewBasic is a checker for streams whose access points conflict as in relation; it may be nil.
func NewBasic(relation *event.Relation) *Basic {
	return &Basic{relation: relation, points: make(map[[2]uint32]*basicCell)}
}

// Violation is the transaction that was found.
func (b *Basic) Violation() event.Transaction { return b.found }

// Event takes the next event and reports whether it shows the first violation. After that it does
// nothing.
func (b *Basic) Event(e *event.Event) bool {
	if b.over {
		return false
	}
	t := e.Thread
	b.addThread(t)
	switch e.Op {
	case event.Acquire:
		b.acquire(t, b.lock(e.Target))
	case event.Release:
		b.release(t, b.lock(e.Target))
	case event.ReleaseMerge:
		b.releaseMerge(t, b.lock(e.Target))
	case event.Fork:
		b.fork(t, e.Target)
	case event.Join:
		b.join(t, e.Target)
	case event.Read:
		b.read(t, b.variable(e.Target))
	case event.Write:
		b.write(t, b.variable(e.Target))
	case event.Touch:
		b.touch(t, e.Target, e.Point)
	case event.Split: // added
		part := b.variable(e.Point).clone()
		*b.variable(e.Target) = part
	case event.Begin: // the nested ones are ignored (4.1.4)
		if b.threads[t].depth++; b.threads[t].depth == 1 {
			b.begin(t, e)
		}
	case event.End:
		if b.threads[t].depth--; b.threads[t].depth == 0 {
			b.end(t)
		}
	}
	b.threads[t].started = true
	b.index++
	return b.over
}

// addThread is lines 2 and 3 for a thread when it first appears.
func (b *Basic) addThread(t uint32) {
	b.threads = table.Grow(b.threads, t)
	if b.threads[t].c == nil {
		b.threads[t].c = make(clock, t+1)
		b.threads[t].c[t] = 1
	}
}

// checkAndGet joins the clock of an earlier event to C_t. It declares a violation if that clock
// knows t's running transaction: then the transaction reaches that event, and the event reaches it.
func (b *Basic) checkAndGet(clk clock, t uint32) { // 9
	th := &b.threads[t]
	if th.depth > 0 && th.begin.before(clk) { // 10
		b.declare(th.current) // 11
	}
	th.c.join(clk) // 12
}

// declare keeps the first violation.
func (b *Basic) declare(t event.Transaction) {
	if !b.over {
		b.over = true
		b.found = t
	}
}

func (b *Basic) acquire(t uint32, l *basicCell) { // 13
	if l.last != t+1 { // 14
		b.checkAndGet(l.w, t) // 15
	}
	b.checkOthers(t, l) // added: the merging releases
}

// checkOthers is lines 30 and 31: the clocks of all threads but t.
func (b *Basic) checkOthers(t uint32, x *basicCell) {
	for u := range x.r {
		if uint32(u) != t {
			b.checkAndGet(x.r[u], t)
		}
	}
}

func (b *Basic) release(t uint32, l *basicCell) { // 16
	l.w.assign(b.threads[t].c) // 17
	l.last = t + 1             // 18
	l.r = nil                  // added: it replaces merging releases
}

// releaseMerge is added. It is kept beside those of other threads, as a read is.
func (b *Basic) releaseMerge(t uint32, l *basicCell) { b.set(t, l) }

// set is line 26: the thread's clock in the cell becomes C_t.
func (b *Basic) set(t uint32, x *basicCell) {
	x.r = table.Grow(x.r, t)
	x.r[t].assign(b.threads[t].c)
}

func (b *Basic) fork(t, u uint32) { // 19
	b.addThread(u)
	b.threads[u].c.join(b.threads[t].c) // 20
}

func (b *Basic) join(t, u uint32) { // 21
	b.addThread(u)
	if b.threads[u].started { // added: otherwise its clock is of no event of its own
		b.checkAndGet(b.threads[u].c, t) // 22
	}
}

func (b *Basic) read(t uint32, x *basicCell) { // 23
	if x.last != t+1 { // 24
		b.checkAndGet(x.w, t) // 25
	}
	b.set(t, x) // 26
}

func (b *Basic) write(t uint32, x *basicCell) { // 27
	if x.last != t+1 { // 28
		b.checkAndGet(x.w, t) // 29
	}
	b.checkOthers(t, x)        // 30, 31
	x.w.assign(b.threads[t].c) // 32
	x.last = t + 1             // 33
}

// touch is added. It joins the clocks of conflicting points, as a write joins those of reads, and
// is kept as a read is.
func (b *Basic) touch(t, object, point uint32) {
	for _, q := range b.relation.Conflicts(point) {
		b.checkOthers(t, b.point(object, q))
	}
	b.set(t, b.point(object, point))
}

func (b *Basic) begin(t uint32, e *event.Event) { // 34
	th := &b.threads[t]
	th.c[t]++             // 35
	th.begin.assign(th.c) // 36
	th.begun++
	th.current = event.Transaction{
		Thread: t, Number: th.begun, Marked: true, First: b.index, Pos: e.Pos,
	}
}

// end joins all of a transaction to the clocks that know its begin: those of threads, for which it
// checks, too, and those of cells.
func (b *Basic) end(t uint32) { // 37
	begin := b.threads[t].begin
	for u := range b.threads { // 38
		if uint32(u) != t && begin.before(b.threads[u].c) { // 39
			b.checkAndGet(b.threads[t].c, uint32(u)) // 40
		}
	}
	c := b.threads[t].c
	for l := range b.locks { // 41
		b.locks[l].update(begin, c) // 42
	}
	for x := range b.vars { // 43
		b.vars[x].update(begin, c)
	}
	for _, p := range b.points { // added
		p.update(begin, c)
	}
}

// update joins c, the clock at the end of a transaction, to those clocks of the cell that know the
// transaction's begin.
func (x *basicCell) update(begin, c clock) {
	if begin.before(x.w) {
		x.w.join(c) // 44
	}
	for u := range x.r { // 45
		if begin.before(x.r[u]) {
			x.r[u].join(c) // 46
		}
	}
}

// clone is a copy of the cell with clocks of its own.
func (x *basicCell) clone() basicCell {
	y := basicCell{w: slices.Clone(x.w), last: x.last}
	for _, r := range x.r {
		y.r = append(y.r, slices.Clone(r))
	}
	return y
}

func (b *Basic) lock(l uint32) *basicCell {
	b.locks = table.Grow(b.locks, l)
	return &b.locks[l]
}

func (b *Basic) variable(x uint32) *basicCell {
	b.vars = table.Grow(b.vars, x)
	return &b.vars[x]
}

// point is the cell of an object's access point.
func (b *Basic) point(object, point uint32) *basicCell {
	key := [2]uint32{object, point}
	if b.points[key] == nil {
		b.points[key] = new(basicCell)
	}
	return b.points[key]
}
