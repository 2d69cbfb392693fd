// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"fmt"
	"sync"

	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// clocks has the threads of all tests.
var clocks vclock.World

const (
	maxAlive   = 8
	maxStarted = 20
	window     = 7 // cells that a model accesses
)

// plain is a vector clock as the textbooks have it. Goroutines are numbered, and no number is used
// again.
type plain [maxStarted]int

func (p *plain) join(q *plain) {
	for i, v := range q {
		p[i] = max(p[i], v)
	}
}

// A goroutine has its accesses checked by the code under test; beside that it has its plain clock.
type goroutine struct {
	clock  vclock.Thread
	memory Thread
	plain  plain
	id     int
	first  int // its last access
	n      int
}

// newGoroutine is one that is on the heap whatever the compiler thinks: tables of the code under
// test lead to it.
//
//go:noinline
func newGoroutine(id int) *goroutine { return &goroutine{id: id} }

// newClock is another such.
//
//go:noinline
func newClock() *vclock.Thread { return new(vclock.Thread) }

// An entry is an earlier access to a cell.
type entry struct {
	who, time     int
	bytes         byte
	left          byte // those that no later write of a kind that is as strong was to
	write, atomic bool
	site          uint32
	moment        uint32
	goid          uint64 // the GoroutineRecord's
}

// races reports whether an access by g races with e: in the strict sense, or as far as the package
// promises to tell, where a write counts for all that it follows.
func (e *entry) races(g *goroutine, bytes byte, kind event.Access) (may, must bool) {
	switch {
	case e.bytes&bytes == 0, !e.write && kind&Write == 0, e.atomic && kind&Atomic != 0:
		return false, false
	case g.plain[e.who] >= e.time: // its own as well
		return false, false
	}
	return true, e.left&bytes != 0
}

// A model runs events on the code under test and on an oracle, which has plain clocks and a list of
// all accesses to each cell.
type model struct {
	filter  bool // repeated accesses are left out, as the hooks in Go's runtime do
	careful bool // most accesses are made with a lock
	joining bool // sites are of two functions, so that reads by one may be joined
	collect bool // the collector goes on in between
	full    bool // there are no more numbers for mixtures
	endless bool // goroutines that can't be followed by others don't end
	base    uintptr
	root    *vclock.Thread         // starts the first goroutine of each sequence
	pool    [maxStarted]*goroutine // used again by the next sequence
	started int
	alive   []*goroutine
	locks   [3]lock
	cells   [window][]entry
	ended   []bool // by the Goid of a GoroutineRecord
	site    uint32 // of the last access: no two are the same
	events  int
	rival   error                            // the first race of which Rival was not the other side
	log     func(format string, args ...any) // nil: none

	accessesBefore int    // this sequence
	unfill         func() // undoes full

	ran, accesses, races, skipped, weaker, strange, lost int
}

// noSites are numbers from here on, which Context never returns; realSites are some that it did, of
// two functions in turn.
const noSites = 2 * maxSites

var realSites = sync.OnceValue(func() (list [64]uint32) {
	f, g := Context(Context(0, 0x1000), 0x1010), Context(0, 0x2000)
	for i := range list {
		list[i] = Context([...]uint32{f, g}[i%2], 0x3000+uintptr(i))
	}
	return list
})

func (m *model) nextSite() uint32 {
	i := m.accesses - m.accessesBefore
	if list := realSites(); m.joining && i < len(list) {
		return list[i]
	}
	return uint32(noSites + i%(mixedBit-noSites))
}

func newModel() *model {
	m := &model{root: newClock()}
	for i := range m.pool {
		m.pool[i] = newGoroutine(i)
	}
	clocks.Start(m.root)
	return m
}

func (m *model) close() { m.root.End() }

// bases are where the window may lie: within a page, across two, and across two regions.
var bases = [...]uintptr{5*regionSize + 0x1200, 5*regionSize + 7*pageSize - 24, 6*regionSize - 32,
	6*regionSize - 8}

// An event is 4 bytes of a sequence, so that sequences remain some where events are taken out.
const eventSize = 4

// A difference is a way in which the two sides differ, and the details.
type difference struct {
	kind, text string
}

func (d *difference) Error() string { return d.kind + ": " + d.text }

func differ(kind, format string, args ...any) error {
	return &difference{kind, fmt.Sprintf(format, args...)}
}

// run runs a sequence of events: options, and events. The error is how the two sides differ.
func (m *model) run(in []byte) error {
	if len(in) < eventSize {
		return nil
	}
	m.begin(in[0])
	defer m.end()
	for in = in[eventSize:]; len(in) >= eventSize; in = in[eventSize:] {
		if err := m.event(in[0], in[1], in[2], in[3]); err != nil {
			return err
		}
	}
	return m.rival
}

func (m *model) begin(options byte) {
	m.filter, m.careful = options&1 != 0, options&2 != 0
	m.joining, m.endless = options&64 != 0, false
	m.base = bases[options>>2%byte(len(bases))]
	m.started, m.site, m.events, m.rival = 0, noSites, 0, nil
	m.alive, m.ended = m.alive[:0], m.ended[:0]
	for i := range m.locks {
		m.locks[i].plain = plain{}
		m.locks[i].wide = false
	}
	m.accessesBefore = m.accesses
	m.unfill = func() {}
	if m.full = options&48 == 48; m.full {
		m.unfill = fillMixtures()
	}
	if options&128 != 0 {
		renew(m.base, window*8)
	}
	g := m.start(plain{})
	m.root.Fork(&g.clock)
	m.startMemory(g)
}

func (m *model) end() {
	for len(m.alive) > 0 {
		m.stop(0)
	}
	for i := range m.locks {
		m.locks[i].mark.Clear()
		m.locks[i].sync.Clear()
	}
	m.free(0, window)
	m.unfill()
	forgetMixtures()
	if m.ran++; m.ran%8 == 0 {
		m.root.JoinAll() // so that slots are used again
	}
}

// renew makes pages what they were before the first access there; all memory there has been freed.
func renew(addr, n uintptr) {
	for last := addr + n; addr < last; addr = addr&^(pageSize-1) + pageSize {
		if r := findRegion(addr); r != nil && r.page(addr).Swap(0)&(pageWritten|pageRead) != 0 {
			shadow.count.Add(^uint32(0))
		}
	}
}

// start is the next goroutine, its clocks being for the caller to start.
func (m *model) start(p plain) *goroutine {
	g := m.pool[m.started]
	g.id, g.plain, g.first, g.n = m.started, p, 0, 1
	g.plain[g.id] = 1
	m.started++
	m.alive = append(m.alive, g)
	return g
}

func (m *model) startMemory(g *goroutine) {
	m.ended = append(m.ended, false)
	g.memory.Start(&g.clock).Goid = uint64(len(m.ended) - 1)
}

func (m *model) endMemory(g *goroutine) {
	m.ended[g.memory.Record().Goid] = true
	g.memory.End()
}

// stop ends the i-th of those alive.
func (m *model) stop(i int) {
	g := m.alive[i]
	m.endMemory(g)
	g.clock.End()
	m.alive = append(m.alive[:i], m.alive[i+1:]...)
}

func (m *model) free(first, n int) {
	for i := range n {
		m.cells[first+i] = m.cells[first+i][:0]
	}
	Free(m.base+uintptr(first)*8, uintptr(n)*8)
}

func (m *model) logf(format string, args ...any) {
	if m.log != nil {
		m.log(format, args...)
	}
}

// event runs one event of a goroutine.
func (m *model) event(op, who, a, b byte) error {
	m.events++
	i := int(who) % len(m.alive)
	g, l := m.alive[i], &m.locks[int(a)%len(m.locks)]
	lockNumber := int(a) % len(m.locks)
	defer func() { g.plain[g.id]++ }()
	switch op % 32 {
	case 0, 1:
		if len(m.alive) < maxAlive && m.started < maxStarted {
			child := m.start(g.plain)
			m.logf("g%d forks g%d", g.id, child.id)
			g.clock.Fork(&child.clock)
			m.startMemory(child)
		}
	case 2:
		if len(m.alive) < maxAlive && m.started < maxStarted {
			child := m.start(l.plain)
			m.logf("a timer starts g%d after lock %d", child.id, lockNumber)
			st := l.take()
			clocks.StartAfter(&child.clock, &st)
			st.Drop()
			m.startMemory(child)
		}
	case 3:
		if len(m.alive) > 1 && !(m.endless && m.started == maxStarted) {
			if b%4 > 0 {
				m.logf("g%d releases (merge) lock %d", g.id, lockNumber)
				l.releaseMerge(g)
			}
			m.logf("g%d ends", g.id)
			m.stop(i)
		}
	case 4, 5, 6:
		m.logf("g%d acquires lock %d", g.id, lockNumber)
		l.acquire(g)
	case 7, 8:
		m.logf("g%d releases lock %d", g.id, lockNumber)
		l.release(g)
	case 9:
		m.logf("g%d releases (merge) lock %d", g.id, lockNumber)
		l.releaseMerge(g)
	case 10:
		m.logf("g%d releases and acquires lock %d", g.id, lockNumber)
		l.transfer(g)
	case 11:
		first := int(a) % window
		n := min(1+int(b)%3, window-first)
		m.logf("cells %d to %d are freed", first, first+n-1)
		m.free(first, n)
	case 12:
		m.logf("g%d begins a test", g.id)
		m.endMemory(g)
		m.startMemory(g)
	case 13:
		m.special(g, l, lockNumber, b)
	default:
		if m.careful && b&3 != 0 {
			l.acquire(g)
			m.logf("g%d acquires lock %d, and releases it below", g.id, lockNumber)
			defer func() {
				g.plain[g.id]++
				l.release(g)
			}()
		}
		if op%32 < 27 { // else it's where the last one was
			g.first, g.n = span(op, a, b)
		}
		return m.access(g, g.first, g.n, event.Access(a>>6))
	}
	return nil
}

// special has what is rarer.
func (m *model) special(g *goroutine, l *lock, number int, b byte) {
	switch b % 5 {
	case 0:
		m.logf("g%d touches", g.id)
		g.clock.Tick()
	case 1:
		m.logf("g%d releases (within a call) lock %d", g.id, number)
		l.widen()
		l.sync.ReleaseInCall(&g.clock)
		l.plain.join(&g.plain)
	case 2:
		m.logf("lock %d becomes wide", number)
		l.widen()
	case 3:
		h := m.alive[int(b/5)%len(m.alive)]
		if h == g {
			return
		}
		m.logf("g%d and g%d meet", g.id, h.id)
		g.clock.Rendezvous(&h.clock)
		g.plain.join(&h.plain)
		h.plain.join(&g.plain)
		h.plain[h.id]++
	case 4:
		if m.collect {
			m.logf("the collector goes on: %d", b)
			step(uint32(b) << 9)
		}
	}
}

// span is the bytes of an access. One byte is what the most are to.
func span(op, a, b byte) (first, n int) {
	n = [...]int{1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 8, 16, 40, 0, 0}[a>>2%16]
	if n == 0 {
		n = 1 + int(b>>2)%40
	}
	return (int(b>>2) + int(op>>5)*64) % (window*8 - n + 1), n
}
