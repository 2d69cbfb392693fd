// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math/bits"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Optimised declares what [Basic] does, at the same event. See the package comment for the facts
// that make it faster.
type Optimised struct {
	relation  *event.Relation
	threads   []thread
	locks     []cell
	vars      []cell
	points    []cell
	objects   [][]pointIndex
	snapshots snapshots

	index uint64
	over  bool // a violation was declared
	found event.Transaction
}

// A pointIndex is an access point of an object and the index of its cell in Optimised.points.
type pointIndex struct{ point, index uint32 }

// A thread has its clock, its running transaction, and the cells to look at when that ends.
type thread struct {
	threadClock        // C_t
	begin       uint32 // component t of C_t▷; by fact (1) the others are not needed
	depth       uint32 // nested begins; only the outermost transaction counts (4.1.4)
	begun       uint32 // the number of marked transactions
	started     bool   // it has had an event
	joined      bool   // C_t has changed since begin: see fact (5)
	current     event.Transaction

	snapshot ref      // a ref to C_t as it is now, or 0 if none was made
	version  uint64   // of the last snapshot of C_t
	seen     []uint64 // by thread: the greatest version of a snapshot that C_t has joined

	// The lists of fact (6).
	knows  threadSet // the threads whose running transactions C_t knows, its own included
	set    []cellID  // the cells that its running transaction has set
	listed []cellID  // the cells that others have set while they knew its running transaction
}

// New is an Optimised for streams whose access points conflict as in relation; it may be nil.
func New(relation *event.Relation) *Optimised { return &Optimised{relation: relation} }

// Violation is the transaction that was found.
func (o *Optimised) Violation() event.Transaction { return o.found }

// Event takes the next event and reports whether it shows the first violation. After that it does
// nothing.
func (o *Optimised) Event(e *event.Event) bool {
	if o.over {
		return false
	}
	o.addThread(e.Thread)
	t := &o.threads[e.Thread]
	switch e.Op {
	case event.Read:
		o.read(e.Thread, o.variable(e.Target), cellID{kindVar, e.Target})
	case event.Write:
		o.write(e.Thread, o.variable(e.Target), cellID{kindVar, e.Target})
	case event.Begin:
		if t.depth++; t.depth == 1 {
			o.begin(t, e)
		}
	case event.End:
		if t.depth--; t.depth == 0 {
			o.end(e.Thread)
		}
	default:
		o.synchronize(e)
	}
	o.threads[e.Thread].started = true
	o.index++
	return o.over
}

// synchronize takes the kinds of events that are rarer, so that Event stays small.
func (o *Optimised) synchronize(e *event.Event) {
	id := cellID{kindLock, e.Target}
	switch e.Op {
	case event.Acquire:
		o.getAll(e.Thread, o.lock(e.Target))
	case event.Release:
		o.replace(e.Thread, o.lock(e.Target), id)
	case event.ReleaseMerge:
		o.share(e.Thread, o.lock(e.Target), id)
	case event.Touch:
		o.touch(e.Thread, e.Target, e.Point)
	case event.Split:
		o.split(e.Target, e.Point)
	case event.Fork:
		o.addThread(e.Target)
		o.joinThread(e.Target, e.Thread)
	case event.Join:
		o.addThread(e.Target)
		if u := &o.threads[e.Target]; u.started {
			o.check(e.Thread, u.at(e.Thread))
			o.joinThread(e.Thread, e.Target)
		}
	}
}

// addThread is lines 2 and 3 for a thread when it first appears.
func (o *Optimised) addThread(t uint32) {
	if uint64(t) < uint64(len(o.threads)) && o.threads[t].own != 0 {
		return
	}
	o.threads = table.Grow(o.threads, t)
	o.threads[t].threadClock = threadClock{thread: t, own: 1}
}

// read is lines 23 to 26.
func (o *Optimised) read(t uint32, x *cell, id cellID) {
	o.getWrite(t, x)
	o.share(t, x, id)
}

// write is lines 27 to 33.
func (o *Optimised) write(t uint32, x *cell, id cellID) {
	if x.last == t+1 && x.reader == 0 && x.w != 0 && x.w == o.threads[t].snapshot {
		return // a repetition: t's clock has not changed since its last write, and no one has read
	}
	o.getAll(t, x)
	o.replace(t, x, id)
}

// touch is added: see the package comment. Read clocks of points whose touches it subsumes are
// dropped, as a write drops those of reads.
func (o *Optimised) touch(t, object, point uint32) {
	for _, q := range o.relation.Conflicts(point) {
		o.getAll(t, &o.points[o.point(object, q)])
	}
	for _, q := range o.relation.Subsumes(point) {
		o.dropReaders(&o.points[o.point(object, q)])
	}
	i := o.point(object, point)
	if id := (cellID{kindPoint, i}); o.relation.Exclusive(point) {
		o.replace(t, &o.points[i], id)
	} else {
		o.share(t, &o.points[i], id)
	}
}

// check is lines 10 and 11 for a clock whose component t is n.
func (o *Optimised) check(t, n uint32) {
	if th := &o.threads[t]; th.depth > 0 && th.begin <= n {
		o.declare(th.current)
	}
}

// declare keeps the first violation.
func (o *Optimised) declare(t event.Transaction) {
	if !o.over {
		o.over = true
		o.found = t
	}
}

// joinClock is line 12, as far as it matters by fact (4). Of clk it joins the components of running
// transactions, whose threads are in knows.
func (o *Optimised) joinClock(t uint32, clk clock, knows *threadSet) {
	changed := false
	knows.each(func(u uint32) { changed = o.joinComponent(t, u, clk.at(u)) || changed })
	if changed {
		o.threads[t].joined = true
		o.snapshots.set(&o.threads[t].snapshot, 0)
	}
}

// joinThread is line 12 for C_u.
func (o *Optimised) joinThread(t, u uint32) {
	from, changed := &o.threads[u], false
	from.knows.each(func(v uint32) { changed = o.joinComponent(t, v, from.at(v)) || changed })
	if changed {
		o.threads[t].joined = true
		o.snapshots.set(&o.threads[t].snapshot, 0)
	}
}

// joinComponent is line 12 for component u of a clock, which is n. It reports whether C_t has
// changed.
func (o *Optimised) joinComponent(t, u, n uint32) bool {
	th := &o.threads[t]
	if n <= th.at(u) || !o.threads[u].running(n) { // nothing new, or of no use by fact (4)
		return false
	}
	th.others.set(u, n)
	th.knows.add(u)
	return true
}

// running reports whether n, a component of this thread, is of its running transaction.
func (t *thread) running(n uint32) bool { return t.depth > 0 && n >= t.begin }

// checkAndGet is lines 9 to 12 for a ref. It reports whether the ref knows a running transaction;
// if not, the caller may drop it.
func (o *Optimised) checkAndGet(t uint32, r ref) bool {
	if !o.useful(r) {
		return false // it doesn't know t's transaction either
	}
	th := &o.threads[t]
	if th.depth > 0 && th.begin <= o.snapshots.at(r, t) { // lines 10 and 11
		o.declare(th.current)
	}
	changed := false // line 12
	if r&isSnapshot == 0 {
		changed = o.joinComponent(t, r.thread(), r.time())
	} else if k := o.snapshots.of(r); th.addSeen(k) {
		for _, e := range k.components {
			changed = o.joinComponent(t, e.thread, e.time) || changed
		}
	}
	if changed {
		th.joined = true
		o.snapshots.set(&th.snapshot, 0)
	}
	return true
}

// addSeen notes that the thread joins a snapshot, and reports whether there may be something in it
// that it doesn't know. There is nothing if it has joined a later snapshot of the same thread.
func (t *thread) addSeen(k *snapshot) bool {
	if k.version == 0 {
		return true
	}
	t.seen = table.Grow(t.seen, k.owner)
	if t.seen[k.owner] >= k.version {
		return false
	}
	t.seen[k.owner] = k.version
	return true
}

// useful reports whether a ref knows a running transaction.
func (o *Optimised) useful(r ref) bool {
	if r&isSnapshot == 0 {
		return r != 0 && o.threads[r.thread()].running(r.time())
	}
	for _, e := range o.snapshots.of(r).components {
		if o.threads[e.thread].running(e.time) {
			return true
		}
	}
	return false
}

// live reports whether a clock knows a running transaction. The set has all threads whose running
// transactions it knows, and maybe more: some have ended since. They are left in the set, as to
// remove them would cost a pass over all cells at each end.
func (o *Optimised) live(knows *threadSet, clk clock) bool {
	for low := knows.low; low != 0; low &= low - 1 {
		u := uint32(bits.TrailingZeros64(low))
		if o.threads[u].running(clk.at(u)) {
			return true
		}
	}
	if len(knows.high) == 0 {
		return false
	}
	return knows.anyHigh(func(u uint32) bool { return o.threads[u].running(clk.at(u)) })
}

// begin is lines 34 to 36. All earlier clocks have smaller components of t, so none knows the new
// transaction.
func (o *Optimised) begin(t *thread, e *event.Event) {
	t.own++ // line 35
	t.begin = t.own
	o.snapshots.set(&t.snapshot, 0)
	t.joined = false
	t.knows.add(e.Thread)
	t.begun++
	t.current = event.Transaction{
		Thread: e.Thread, Number: t.begun, Marked: true, First: o.index, Pos: e.Pos,
	}
}

// end is lines 37 to 46. By fact (5), clocks change only if the transaction has joined something
// and knows another that runs. By fact (6), only clocks of the listed cells change. The bits of
// the cells in noted are cleared in any case.
func (o *Optimised) end(t uint32) {
	th := &o.threads[t]
	for u := range o.threads { // its transaction no longer runs
		o.threads[u].knows.remove(t)
	}
	update := th.joined && !th.knows.empty()
	if update {
		o.updateThreads(t)
	}
	for _, id := range th.listed {
		x := o.cell(id)
		x.unlist(t)
		if update {
			o.update(t, x, id)
		}
	}
	if update {
		for _, id := range th.set {
			o.update(t, o.cell(id), id)
		}
	}
	th.listed, th.set = th.listed[:0], th.set[:0]
}

// updateThreads is lines 38 to 40: C_t is joined to the clocks of threads that know the
// transaction.
func (o *Optimised) updateThreads(t uint32) {
	th := &o.threads[t]
	for u := range o.threads {
		if uint32(u) != t && o.threads[u].at(t) >= th.begin {
			o.check(uint32(u), th.at(uint32(u)))
			o.joinThread(uint32(u), t)
		}
	}
}
