// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"math/bits"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// Optimised declares what [Basic] does, at the same event. See the package comment.
type Optimised struct {
	relation *event.Relation
	threads  []thread
	locks    []cell
	vars     []cell
	points   []cell
	objects  [][]pointIndex
	copies   copies

	index uint64
	over  bool
	found event.Transaction
}

type pointIndex struct{ point, index uint32 }

type thread struct {
	present        // C_t
	begin   uint32 // C_t▷(t)
	depth   uint32
	begun   uint32
	started bool
	learned bool // C_t has changed since begin
	current event.Transaction

	copied  ref // of C_t as it is now, or 0
	version uint64
	seen    []uint64 // by thread: the greatest version of a copy that C_t has joined

	knows threadSet // whose running transactions C_t knows, this thread's own included
	set   []cellID  // cells that its running transaction has set
	noted []cellID  // other cells whose clocks may know its running transaction
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

// synchronize takes the events that are rarer.
func (o *Optimised) synchronize(e *event.Event) {
	id := cellID{kindLock, e.Target}
	switch e.Op {
	case event.Acquire:
		o.meet(e.Thread, o.lock(e.Target))
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
		o.learnFrom(e.Target, e.Thread)
	case event.Join:
		o.addThread(e.Target)
		if u := &o.threads[e.Target]; u.started {
			o.check(e.Thread, u.at(e.Thread))
			o.learnFrom(e.Thread, e.Target)
		}
	}
}

func (o *Optimised) addThread(t uint32) {
	if uint64(t) < uint64(len(o.threads)) && o.threads[t].own != 0 {
		return
	}
	o.threads = table.Grow(o.threads, t)
	o.threads[t].present = present{thread: t, own: 1}
}

func (o *Optimised) read(t uint32, x *cell, id cellID) {
	o.meetWrite(t, x)
	o.share(t, x, id)
}

func (o *Optimised) write(t uint32, x *cell, id cellID) {
	if x.last == t+1 && x.reader == 0 && x.w != 0 && x.w == o.threads[t].copied {
		return // a repetition
	}
	o.meet(t, x)
	o.replace(t, x, id)
}

func (o *Optimised) touch(t, object, point uint32) {
	for _, q := range o.relation.Conflicts(point) {
		o.meet(t, &o.points[o.point(object, q)])
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

// check declares a violation if a clock knows the running transaction of t, whose component there
// is n (line 10).
func (o *Optimised) check(t, n uint32) {
	if th := &o.threads[t]; th.depth > 0 && th.begin <= n {
		o.declare(th.current)
	}
}

func (o *Optimised) declare(t event.Transaction) {
	if !o.over {
		o.over = true
		o.found = t
	}
}

// learn is line 12, as far as it matters: of clk the components of running transactions, which are
// in knows.
func (o *Optimised) learn(t uint32, clk clock, knows *threadSet) {
	changed := false
	knows.each(func(u uint32) { changed = o.learnOf(t, u, clk.at(u)) || changed })
	if changed {
		o.threads[t].learned = true
		o.copies.set(&o.threads[t].copied, 0)
	}
}

// learnFrom is learn for C_u.
func (o *Optimised) learnFrom(t, u uint32) {
	from, changed := &o.threads[u], false
	from.knows.each(func(v uint32) { changed = o.learnOf(t, v, from.at(v)) || changed })
	if changed {
		o.threads[t].learned = true
		o.copies.set(&o.threads[t].copied, 0)
	}
}

// learnOf is learn for component u, which is n.
func (o *Optimised) learnOf(t, u, n uint32) bool {
	th := &o.threads[t]
	if n <= th.at(u) || !o.threads[u].running(n) {
		return false
	}
	th.others.set(u, n)
	th.knows.add(u)
	return true
}

// running reports whether component n is of the thread's running transaction.
func (t *thread) running(n uint32) bool { return t.depth > 0 && n >= t.begin }

// checkAndGet is lines 9 to 12 for a ref. It reports whether the ref may still be of use.
func (o *Optimised) checkAndGet(t uint32, r ref) bool {
	if !o.useful(r) {
		return false // and then it doesn't know t's transaction
	}
	th := &o.threads[t]
	if th.depth > 0 && th.begin <= o.copies.at(r, t) {
		o.declare(th.current)
	}
	changed := false
	if r&isCopied == 0 {
		changed = o.learnOf(t, r.thread(), r.time())
	} else if k := o.copies.of(r); th.sees(k) {
		for _, e := range k.known {
			changed = o.learnOf(t, e.thread, e.time) || changed
		}
	}
	if changed {
		th.learned = true
		o.copies.set(&th.copied, 0)
	}
	return true
}

// sees notes that the thread joins a copy, and reports whether there may be something in it that it
// doesn't know.
func (t *thread) sees(k *copied) bool {
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
	if r&isCopied == 0 {
		return r != 0 && o.threads[r.thread()].running(r.time())
	}
	for _, e := range o.copies.of(r).known {
		if o.threads[e.thread].running(e.time) {
			return true
		}
	}
	return false
}

// live reports whether a clock knows a running transaction. At least those that it does are those
// of the set: some may have ended since.
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

func (o *Optimised) begin(t *thread, e *event.Event) {
	t.own++
	t.begin = t.own
	o.copies.set(&t.copied, 0)
	t.learned = false
	t.knows.add(e.Thread)
	t.begun++
	t.current = event.Transaction{Thread: e.Thread, Number: t.begun, Marked: true, First: o.index,
		Pos: e.Pos}
}

func (o *Optimised) end(t uint32) {
	th := &o.threads[t]
	for u := range o.threads {
		o.threads[u].knows.remove(t)
	}
	tell := th.learned && !th.knows.empty()
	if tell {
		o.tellThreads(t)
	}
	for _, id := range th.noted {
		x := o.cell(id)
		x.forget(t)
		if tell {
			o.update(t, x, id)
		}
	}
	if tell {
		for _, id := range th.set {
			o.update(t, o.cell(id), id)
		}
	}
	th.noted, th.set = th.noted[:0], th.set[:0]
}

// tellThreads is lines 38 to 40.
func (o *Optimised) tellThreads(t uint32) {
	th := &o.threads[t]
	for u := range o.threads {
		if uint32(u) != t && o.threads[u].at(t) >= th.begin {
			o.check(uint32(u), th.at(uint32(u)))
			o.learnFrom(uint32(u), t)
		}
	}
}
