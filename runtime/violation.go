// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/host"
)

// A violation is one that was reported: of the transactions at a place by such conflicts. The first
// report is in full; for nine other tests there is a line.
type violation struct {
	next  *violation
	place uintptr
	code  uint64
	last  uintptr // where the last access is
	told  [maxTold]*test
	tells int

	predicted bool
	count     uint64    // cycles
	sites     [3]uint32 // what was done first of what is marked, and last, and by who interfered
	order     uintptr   // among all, as they were found
	lead      uintptr   // the order of the first of the same place
}

// broken are those that were found, and violated counts those that were reported. They are guarded
// by found.lock.
var (
	broken   *violation
	violated uint64
)

// seen counts, for places and tests, the cycles that were looked for: as the search takes long, not all are. It's
// guarded by found.lock.
var seen [512]struct {
	place, test uintptr
	n           uint32
}

const maxSeen = 64

// Wants reports whether a cycle is to be looked for of a transaction of g at p.
func (g *Goroutine) Wants(p *atomicity.AtomicCode) bool {
	place, test := uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(g.test.P()))
	found.lock.Lock()
	n := uint32(0) // where there is no room, it's always looked for
	for i := range uintptr(8) {
		s := &seen[(place>>4^test>>4+i)%uintptr(len(seen))]
		if s.n == 0 {
			s.place, s.test = place, test
		}
		if s.place == place && s.test == test {
			s.n++
			n = s.n
			break
		}
	}
	found.lock.Unlock()
	return n <= maxSeen
}

// Cycle reports that a transaction of g, which is over, is not serializable.
func (g *Goroutine) Cycle(c *atomicity.Cycle) {
	tellCycle(c, g.test.P(), nil)
}

// atExit is told of transactions that are not over when the program is.
type atExit struct{}

func (atExit) Wants(*atomicity.AtomicCode) bool { return true }

func (atExit) Cycle(c *atomicity.Cycle) {
	tellCycle(c, nil, nil)
}

// tellCycle reports a cycle, which is that of x if x is not nil; the test t is to fail.
func tellCycle(c *atomicity.Cycle, t *test, x *overwritten) {
	ready()
	found.lock.Lock()
	tells := chargeCycle(c, t, nil, x)
	found.lock.Unlock()
	if tells {
		wake()
	}
}

// chargeCycle has tests fail for a cycle, and posts its report for the first of them, as
// tellViolation does.
func chargeCycle(c *atomicity.Cycle, t, other *test, x *overwritten) bool {
	if over() || hushed(c) || excused(t, other, expectViolation) {
		return false
	}
	t, other = t.charged(), other.charged()
	charge(t, other)
	return tellViolation(c, t, x)
}

// tellViolation posts the report of a cycle that is new for a test. Found.lock is held; wake is to be called when
// it no longer is, if the result is true.
func tellViolation(c *atomicity.Cycle, t *test, x *overwritten) bool {
	v := violationOf(c)
	v.count++
	if observed(v, t) || !v.isNew(t) {
		return false
	}
	switch {
	case v.tells > 1:
		tell(repeatMessage(v))
		return true
	case x != nil:
		tell(inferredMessage(x))
	default:
		tell(cycleMessage(c))
	}
	violated++
	return true
}

// hushed reports whether a line of the suppressions file matches a frame of a cycle.
func hushed(c *atomicity.Cycle) bool {
	for i := range c.N {
		if e := &c.Edges[i]; ruledOut(e.FromSite, e.ToSite) {
			return true
		}
	}
	return false
}

// violationOf returns what is known of violations like c: those of what a transaction did at two lines of what is marked.
func violationOf(c *atomicity.Cycle) *violation {
	code := uint64(0)
	for _, site := range [...]uint32{c.Edges[0].FromSite, c.Edges[c.N-1].ToSite} {
		fr := markedFrame(c, site)
		code = (code ^ uint64(fr.Line)) * 0x9E3779B97F4A7C15
		for i := range len(fr.File) {
			code = (code ^ uint64(fr.File[i])) * 0x100000001B3
		}
	}
	if c.Predicted {
		code ^= 1
	}
	place := uintptr(unsafe.Pointer(c.Code))
	for v := broken; v != nil; v = v.next {
		if v.place == place && v.code == code {
			return v
		}
	}
	v := (*violation)(host.Alloc(unsafe.Sizeof(violation{})))
	v.place, v.code, v.last, v.predicted, v.next = place, code, lastPC(c), c.Predicted, broken
	v.sites = [...]uint32{c.Edges[0].FromSite, c.Edges[c.N-1].ToSite, c.Edges[0].ToSite}
	broken = v
	return v
}

// isNew reports whether the violation is to be reported for a test, and notes that it is.
func (v *violation) isNew(t *test) bool {
	for _, told := range v.told[:v.tells] {
		if told == t {
			return false
		}
	}
	if v.tells == maxTold {
		return false
	}
	v.told[v.tells] = t
	v.tells++
	return true
}

// printViolation writes a report: what happened, line by line, and then each conflict with its two stacks.
func printViolation(b *buffer, c *atomicity.Cycle) {
	b.texts(ruler, "WARNING: ATOMICITY VIOLATION\n")
	function(b, c.Code.Name)
	b.texts(", marked as atomic at ", stripped(c.Code.Pos), ", is not: goroutine ")
	b.uint(c.Goid)
	b.text(pick(c.Predicted, " can be interfered with by ", " was interfered with by "))
	others(b, c)
	b.text("\n\n")
	printCycle(b, c)
	if c.Predicted {
		foreseen(b, c)
		b.text(ruler)
		return
	}
	b.text("\nWhat can go wrong: atomicity: no order of whole transactions has the effect of this run\n")
	mend(b, c)
	if onlySync(c) && waiting(b, c) == 0 {
		b.text("Evidence: observed: the lock, or the like, was let go in the middle, and another had it; what they did with it did not conflict in this run\n")
	} else {
		b.text("Evidence: observed: this has happened, in this order\n")
	}
	b.text(ruler)
}

// printCycle writes what happened, each conflict with its stacks, and where the memory is from.
func printCycle(b *buffer, c *atomicity.Cycle) {
	diagram(b, c)
	for i := range c.N {
		e := &c.Edges[i]
		b.text("\nConflict ")
		b.uint(uint64(i + 1))
		b.text(" of ")
		b.uint(uint64(c.N))
		b.text(": ")
		side(b, e, e.FromWrites, true)
		at(b, e.FromGoid, c.From[i], e.FromSite)
		b.text("\n  came before: ")
		side(b, e, e.ToWrites, false)
		at(b, e.ToGoid, c.To[i], e.ToSite)
	}
	homes(b, c)
}

// onlySync reports whether no conflict of a cycle but synchronization is known.
func onlySync(c *atomicity.Cycle) bool {
	for i := range c.N {
		if c.Edges[i].Kind != atomicity.Sync {
			return false
		}
	}
	return true
}

// others names the goroutines of a cycle but that of the transaction.
func others(b *buffer, c *atomicity.Cycle) {
	for i := range c.N - 1 {
		if i > 0 {
			b.text(", ")
		}
		b.text("goroutine ")
		b.uint(c.Edges[i].ToGoid)
	}
}

// side writes one side of a conflict.
func side(b *buffer, e *atomicity.Edge, writes, first bool) {
	switch e.Kind {
	case atomicity.Memory:
		b.text(pick(writes, "write", "read"))
	case atomicity.Atomic:
		b.text(pick(writes, "atomic write", "atomic read"))
	case atomicity.Object:
		call := e.ToCall
		if first {
			call = e.FromCall
		}
		b.texts("call of ", methodAt(call).Name)
	case atomicity.Go:
		b.text(pick(first, "go statement", "start"))
		return
	default:
		b.text(wordOf(e, first))
	}
	b.text(" at ")
	b.address(e.Addr)
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// at writes who makes one side of a conflict, and where.
func at(b *buffer, goid uint64, p *atomicity.AtomicCode, site uint32) {
	b.text(" by goroutine ")
	b.uint(goid)
	if p != nil {
		b.text(" in ")
		function(b, p.Name)
	}
	if site == 0 {
		b.text("\n") // the start of a goroutine
		return
	}
	b.text(":\n")
	frames(b, site)
}

// homes writes what is known of the variables, objects, locks and channels of a cycle.
func homes(b *buffer, c *atomicity.Cycle) {
	for i := range c.N {
		if e := &c.Edges[i]; e.Kind != atomicity.Go && !isShown(b, c, i, e.Addr) {
			home(b, e.Addr, e.AllocSite, true)
		}
	}
	if e := letGo(c); e != nil && !isShown(b, c, c.N, e.Addr) {
		home(b, e.Addr, e.AllocSite, true)
	}
}

// isShown reports whether what is at an address is shown with one of the first n edges.
func isShown(b *buffer, c *atomicity.Cycle, n int, addr uintptr) bool {
	for i := range n {
		if e := &c.Edges[i]; e.Kind != atomicity.Go && b.together(e.Addr, addr) {
			return true
		}
	}
	return false
}
