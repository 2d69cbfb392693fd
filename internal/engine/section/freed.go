// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// pending are ranges of memory that were freed while the lock of all places was held. The memory
// may be a new stack for the holder itself, whose stack has become too small in this package. So
// who frees it cannot wait for the lock: the holder forgets what was there before the lock is free.
type pending struct {
	spin  offheap.Lock // its holder calls nothing that needs more stack
	n     int
	freed [maxPending]extent
}

// An extent is the memory from lo to hi-1.
type extent struct{ lo, hi uintptr }

// A stack grows a few times at most while a lock is held: each time it gets twice as large.
const (
	maxPending = 8
	maxPauses  = 64 // in which another thread can be expected to unlock
)

// add adds a range. Without room it makes the last one larger: that forgets too much.
func (q *pending) add(x extent) {
	q.spin.Lock()
	if q.n < maxPending {
		q.freed[q.n] = x
		q.n++
	} else {
		last := &q.freed[maxPending-1]
		last.lo, last.hi = min(last.lo, x.lo), max(last.hi, x.hi)
	}
	q.spin.Unlock()
}

// take removes a range, and returns false if there is none.
func (q *pending) take() (x extent, ok bool) {
	q.spin.Lock()
	if q.n > 0 {
		q.n--
		x, ok = q.freed[q.n], true
	}
	q.spin.Unlock()
	return x, ok
}

// any reports whether there is a range.
func (q *pending) any() bool {
	q.spin.Lock()
	n := q.n
	q.spin.Unlock()
	return n > 0
}

// unlockPlaces gives back the lock of all places, and forgets what was freed meanwhile.
func (w *World) unlockPlaces() {
	t := &w.tracked
	for {
		for x, ok := t.pending.take(); ok; x, ok = t.pending.take() {
			w.forget(x, nil)
		}
		t.spin.Unlock()
		// What was added in between has no other holder to wait for, unless there is one by now.
		if !t.pending.any() || !t.spin.TryLock() {
			return
		}
	}
}

// Freed drops the data about memory that was freed: those addresses from lo to hi-1 for which free
// returns true, or all if free is nil. With a function free, the caller must not be in a function
// of this package.
func (w *World) Freed(lo, hi uintptr, free func(addr uintptr) bool) {
	x := extent{lo, hi}
	if !w.On() || lo >= hi || !w.tracked.anyIn(x) {
		return
	}
	t := &w.tracked
	switch {
	case free != nil:
		t.spin.Lock()
	case !t.tryLock(): // the holder may be this thread itself
		t.pending.add(x)
		if !t.spin.TryLock() {
			return
		}
	}
	w.forget(x, free)
	w.unlockPlaces()
}

// tryLock takes the lock if another thread, which may have it, gives it back soon.
func (t *tracked) tryLock() bool {
	for try := range maxPauses {
		if t.spin.TryLock() {
			return true
		}
		host.Pause(try)
	}
	return false
}

// anyIn reports whether there may be places in a range. It needs no lock.
func (t *tracked) anyIn(x extent) bool {
	if x.wide(t.table()) {
		return true
	}
	for page := x.lo >> pageBits; page <= (x.hi-1)>>pageBits; page++ {
		if t.page[page%pages].Load() != 0 {
			return true
		}
	}
	return false
}

// wide reports whether a range has as many blocks as a table has lists.
func (x extent) wide(t *table) bool { return (x.hi-1-x.lo)>>blockBits >= t.size() }

// forget forgets the places in a range. The lock is held.
func (w *World) forget(x extent, free func(addr uintptr) bool) {
	t := &w.tracked
	table := t.table()
	if x.wide(table) {
		for i := range table.size() {
			w.sweep(table, table.at(i), x, free)
		}
		return
	}
	for a := x.lo; ; {
		last := min(x.hi-1, a|(1<<pageBits-1))
		if t.page[pageOf(a)].Load() != 0 {
			for b := a &^ (1<<blockBits - 1); ; b += 1 << blockBits {
				w.sweep(table, table.list(b), x, free)
				if b|(1<<blockBits-1) >= last {
					break
				}
			}
		}
		if last == x.hi-1 {
			return
		}
		a = last + 1
	}
}

// sweep is forget for one list.
func (w *World) sweep(
	t *table, at *offheap.AtomicRef[place], x extent, free func(uintptr) bool,
) {
	for p := at.Load(); p != nil; p = at.Load() {
		addr := p.addr.Load()
		if addr < x.lo || addr >= x.hi || free != nil && !free(addr) {
			at = &p.next[t.link&1]
			continue
		}
		at.Store(p.next[t.link&1].Load())
		w.tracked.removed.Add(1) // before another list has it
		p.generation.Add(1)
		host.PublishWord(&p.addr, 0)
		if l := p.lock.Load(); l != nil {
			l.drop(w)
		}
		placeSlab.Put(p)
		w.tracked.n--
		w.tracked.page[pageOf(addr)].Add(^uint32(0))
	}
}
