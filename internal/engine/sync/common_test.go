// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"fmt"
	"maps"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A clockModel holds clocks of addresses in two blocks against sets of events.
type clockModel struct {
	*rand.Rand
	of     side // 0 for call clocks
	page   *Page
	clocks []*sideclock.Clock // of threads, if they are side clocks
	calls  []*Thread          // and if they are call clocks; the last one is a timer context
	events []vclock.Epoch
	knows  []map[int]bool           // of each thread
	at     map[uintptr]map[int]bool // released
	shared int
	spare  int
}

const (
	commonBase = uintptr(0xc740000000)
	modelled   = 4 // threads
)

func newClockModel(seed int64, of side) *clockModel {
	m := &clockModel{Rand: rand.New(rand.NewSource(seed)), of: of, page: makePageAt(commonBase),
		at: make(map[uintptr]map[int]bool)}
	for i := range modelled {
		c, g := sideclock.New(), startThread()
		if g.TimerContext = m.timer(i); g.TimerContext {
			g.Clock.End()
			c.Started = true
		} else {
			c.Start(&instance.Clocks, nil, false)
		}
		m.clocks, m.calls = append(m.clocks, c), append(m.calls, g)
		m.knows = append(m.knows, make(map[int]bool))
	}
	return m
}

// finish ends the threads.
func (m *clockModel) finish() {
	for i := range modelled {
		m.clocks[i].Free(m.timer(i))
		m.calls[i].Finish()
	}
}

func (m *clockModel) timer(i int) bool { return i == modelled-1 }

func (m *clockModel) thread(i int) *vclock.Thread {
	if m.of == 0 {
		return &m.calls[i].Clock
	}
	return &m.clocks[i].Thread
}

// address is one of the two blocks. A test has few of them, or many.
func (m *clockModel) address(n int) uintptr {
	addr := commonBase + uintptr(m.Intn(2))*BlockSize + 4*uintptr(m.Intn(n))
	if m.Intn(8) == 0 {
		addr ^= 1 // as for calls of an object
	}
	return addr
}

func join(to, from map[int]bool) map[int]bool {
	if to == nil {
		to = make(map[int]bool)
	}
	maps.Copy(to, from)
	return to
}

// acquire, release and the like do the same in the engine and in the model.
func (m *clockModel) acquire(i int, addr uintptr) string {
	if m.of == 0 {
		m.calls[i].Acquire(addr)
	} else {
		m.page.acquireSide(m.clocks[i], addr, m.of, m.timer(i))
	}
	if m.timer(i) && (m.of != 0 || m.at[addr] != nil) {
		m.knows[i] = nil
	}
	m.knows[i] = join(m.knows[i], m.at[addr])
	return fmt.Sprintf("%d acquires %#x", i, addr)
}

func (m *clockModel) release(i int, addr uintptr, merge bool) string {
	switch {
	case m.of != 0:
		m.page.releaseSide(m.clocks[i], addr, m.of, m.timer(i), merge)
	case merge:
		m.calls[i].ReleaseMerge(addr)
	default:
		m.calls[i].Release(addr)
	}
	if !merge {
		m.at[addr] = nil
	}
	m.at[addr] = join(m.at[addr], m.knows[i])
	return fmt.Sprintf("%d releases %#x, merges %v", i, addr, merge)
}

func (m *clockModel) order(i int, addr uintptr) string {
	if m.of == 0 {
		m.calls[i].AtomicRMW(addr)
		m.calls[i].Acquire(addr)
	} else {
		m.page.orderSide(m.clocks[i], addr, m.of, m.timer(i))
	}
	was := m.at[addr]
	if m.timer(i) {
		m.knows[i] = join(nil, was) // what it relays is what it has acquired last
	}
	join(m.knows[i], was)
	m.at[addr] = join(m.at[addr], m.knows[i])
	return fmt.Sprintf("%d orders %#x", i, addr)
}

func (m *clockModel) exchange(i int, addr uintptr) string {
	if m.of == 0 {
		m.calls[i].ReleaseAcquire(addr)
	} else {
		m.page.exchangeSide(m.clocks[i], addr, m.of, m.timer(i))
	}
	was := m.at[addr]
	m.at[addr] = join(nil, m.knows[i])
	if !m.timer(i) {
		join(m.knows[i], was)
	}
	return fmt.Sprintf("%d exchanges %#x", i, addr)
}

// free frees some bytes, or every other four of them.
func (m *clockModel) free() string {
	from, size := m.address(64)&^3, uintptr(4+4*m.Intn(80))
	every := func(uintptr) bool { return true }
	if m.Intn(2) == 0 {
		every = func(a uintptr) bool { return a&4 == 0 }
	}
	Sweep(from, size, every)
	for a := range m.at {
		if a-from < size && every(a) {
			delete(m.at, a)
		}
	}
	return fmt.Sprintf("%#x bytes at %#x are freed", size, from)
}

func (m *clockModel) step(n int) string {
	i, addr := m.Intn(len(m.clocks)), m.address(n)
	switch k := m.Intn(20); {
	case k < 4:
		if m.timer(i) {
			i = 0
		}
		m.knows[i][len(m.events)] = true
		m.events = append(m.events, m.thread(i).Tick())
		return fmt.Sprintf("%d has event %d", i, len(m.events)-1)
	case k < 7:
		return m.acquire(i, addr)
	case k < 10:
		return m.release(i, addr, false)
	case k < 12:
		return m.release(i, addr, true)
	case k < 14:
		if m.timer(i) && m.of == 0 {
			i = 0 // it has a release, and then an acquire
		}
		return m.order(i, addr)
	case k == 14:
		return m.exchange(i, addr)
	case k == 15 && m.Intn(3) == 0:
		return m.free()
	}
	did := "" // it sets the fields of an object
	for range 1 + m.Intn(10) {
		did += m.release(i, m.address(n), m.Intn(8) == 0) + "; "
	}
	return did
}

// check compares what all threads know, and the addresses, and counts those with a common clock.
func (m *clockModel) check() string {
	for i := range modelled {
		for n, e := range m.events {
			if !m.timer(i) && m.thread(i).Knows(e) != m.knows[i][n] {
				return fmt.Sprintf("%d knows event %d: %v", i, n, !m.knows[i][n])
			}
		}
	}
	for a := range m.at {
		if m.page.block(a).commonOf(a|uintptr(m.of)) != nil {
			m.shared++
		}
		if m.of == 0 && a&3 == 0 && m.page.block(a).spare(a) != nil {
			m.spare++
		}
	}
	return ""
}

// sidesInTests are the clocks that several addresses may have in common.
func sidesInTests() []side {
	if wordBits != 64 { // addresses have no room for the marks of others
		return []side{0}
	}
	return []side{0, ofWeak, ofOrder, ofMemory}
}

// TestCommonClocks holds clocks, which several addresses may have in common, against sets of
// events.
func TestCommonClocks(t *testing.T) {
	seeds := int64(700)
	if testing.Short() {
		seeds = 60
	}
	for _, of := range sidesInTests() {
		shared, spare := 0, 0
		for seed := range seeds {
			m := newClockModel(seed, of)
			n := []int{2, 6, 64}[m.Intn(3)]
			var log []string
			for range 80 {
				log = append(log, m.step(n))
				if wrong := m.check(); wrong != "" {
					t.Fatalf("side %#x, seed %d: %s:\n%q", of, seed, wrong, log)
				}
			}
			Free(commonBase, 2*BlockSize)
			for _, a := range []uintptr{commonBase, commonBase + BlockSize} {
				if m.page.block(a).more.Load() != nil {
					t.Fatalf("side %#x, seed %d: something is left of what was freed", of, seed)
				}
			}
			m.finish()
			shared += m.shared
			spare += m.spare
		}
		if (spare < 5*int(seeds)) != (of != 0) {
			t.Errorf("side %#x: %d times an address had a clock in an annex", of, spare)
		}
		if (shared < 5*int(seeds)) != (of == ofMemory) {
			t.Errorf("side %#x: %d times an address had a common clock", of, shared)
		}
	}
}

// TestCommonClocksAtOnce has a goroutine set the fields of one object after the other, and others
// that look at them, and set them anew, at once. Who has acquired a field knows all that came
// before it was set.
func TestCommonClocksAtOnce(t *testing.T) {
	objects := 300
	if testing.Short() {
		objects = 100
	}
	for _, of := range sidesInTests() {
		m := newClockModel(1, of)
		for n := range objects {
			if !m.objectAtOnce(n) {
				t.Fatalf("side %#x: who has acquired a field doesn't know what came before it was set",
					of)
			}
		}
		m.finish()
	}
}

// objectAtOnce is what TestCommonClocksAtOnce does with its n-th object. The model is not kept.
func (m *clockModel) objectAtOnce(n int) (right bool) {
	const fields, others = 64, 2
	object := commonBase + BlockSize*uintptr(n%8)
	// do makes an event without the model.
	do := func(i int, what int, addr uintptr) {
		switch {
		case m.of != 0 && what == 0:
			m.page.acquireSide(m.clocks[i], addr, m.of, false)
		case m.of != 0 && what == 1:
			m.page.orderSide(m.clocks[i], addr, m.of, false)
		case m.of != 0:
			m.page.releaseSide(m.clocks[i], addr, m.of, false, what == 2)
		case what == 0:
			m.calls[i].Acquire(addr)
		case what == 1:
			m.calls[i].AtomicRMW(addr)
			m.calls[i].Acquire(addr)
		case what == 2:
			m.calls[i].ReleaseMerge(addr)
		default:
			m.calls[i].Release(addr)
		}
	}
	event := m.thread(others).Tick()
	for i := range uintptr(fields) {
		do(others, 3, object+4*i)
	}
	var wrong atomic.Bool
	var wg sync.WaitGroup
	for i := range others {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(n*others + i)))
			for range 40 {
				addr := object + 4*uintptr(r.Intn(fields))
				switch r.Intn(8) {
				case 0:
					do(i, 0, addr)
					m.thread(i).Tick()
					do(i, 2, addr)
				case 1:
					do(i, 1, addr)
				default:
					do(i, 0, addr)
				}
				if !m.thread(i).Knows(event) {
					wrong.Store(true)
				}
			}
		})
	}
	for i := range uintptr(fields) { // meanwhile
		do(others, 2, object+4*i)
		m.thread(others).Tick()
	}
	wg.Wait()
	Free(object, BlockSize)
	return !wrong.Load()
}

// TestCommonClockStays has other goroutines learn from a common clock, which all addresses still
// have then, and release at one of them, which leaves it.
func TestCommonClockStays(t *testing.T) {
	for k, of := range sidesInTests()[:max(1, len(sidesInTests())-1)] {
		m := newClockModel(1, of)
		for i := range uintptr(11) {
			m.release(0, commonBase+8*i, false)
		}
		// Of the call clocks, some are in the block itself.
		first, want := uintptr(0), uint64(0x155555)
		if of == 0 {
			first, want = 8*inBlock, want&^(1<<(2*inBlock)-1)
		}
		words := func() uint64 {
			return m.page.block(commonBase).more.Load().common.Load()[k].words.Load()
		}
		m.acquire(1, commonBase+first)
		m.order(0, commonBase+first+8)
		m.release(0, commonBase+first+16, true)
		if got := words(); got != want {
			t.Errorf("side %#x: addresses %#x have the common clock, want %#x", of, got, want)
		}
		m.thread(1).Tick()
		m.release(1, commonBase+first, false)
		m.order(1, commonBase+first+8)
		if got, want := words(), want&^(5<<(first/4)); got != want {
			t.Errorf("side %#x: addresses %#x have the common clock, after others have released "+
				"there, want %#x", of, got, want)
		}
		// Who has found the common clock, and locks it where it has a variable by now, gets that.
		v := m.page.lockFound(nil, commonBase+first|uintptr(of), false)
		if v == nil {
			t.Fatalf("side %#x: there is no variable for an address that has left", of)
		}
		v.lock.Unlock()
		Free(commonBase, BlockSize)
		m.finish()
	}
}
