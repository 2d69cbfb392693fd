// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/commutego/commute/check/commrace"
)

const (
	pageSize   = uintptr(1) << pageBits
	regionSize = uintptr(1) << regionBits
)

// A shadowModel holds the shadow against plain maps.
type shadowModel struct {
	t     *testing.T
	r     *rand.Rand
	bases []uintptr
	table *commrace.Table
	syncs map[uintptr]bool
	objs  map[uintptr]bool
}

func newShadowModel(t *testing.T, seed int64) *shadowModel {
	m := &shadowModel{
		t:     t,
		r:     rand.New(rand.NewSource(seed)),
		table: mapTable(t),
		syncs: make(map[uintptr]bool),
		objs:  make(map[uintptr]bool),
	}
	m.bases = []uintptr{
		0x1000,                // the lowest that a program can have
		0x08048000,            // where programs of 32 bits begin
		0xfffff000 - pageSize, // and where their addresses end
		0xc000000000,          // the Go heap
		0xc000000000 + 3*regionSize,
		1<<47 - 2*pageSize, // the end of user space
		^uintptr(0) - 3*pageSize,
		^uintptr(0) - 2*regionSize,
		0xffff << 47, // above the bits of the tree
	}
	return m
}

// address returns an address, near a border of pages or regions more often than not.
func (m *shadowModel) address() uintptr {
	base := m.bases[m.r.Intn(len(m.bases))]
	switch m.r.Intn(4) {
	case 0:
		base = base&^(pageSize-1) + pageSize - 16 + uintptr(m.r.Intn(32))
	case 1:
		base = base&^(regionSize-1) + regionSize - 16 + uintptr(m.r.Intn(32))
	case 2:
		base += uintptr(m.r.Intn(200)) // the same lists
	default:
		base += uintptr(m.r.Intn(3 << pageBits))
	}
	return max(base, 4096) // what went around
}

// length returns a size from 1 byte to 200 MB that doesn't go beyond the end of memory.
func (m *shadowModel) length(addr uintptr) uintptr {
	var n uintptr
	switch m.r.Intn(6) {
	case 0:
		n = uintptr(m.r.Intn(4))
	case 1:
		n = pageSize - 8 + uintptr(m.r.Intn(16))
	case 2:
		n = regionSize - 8 + uintptr(m.r.Intn(16))
	case 3:
		n = uintptr(m.r.Intn(200 << 20))
	default:
		n = uintptr(1 + m.r.Intn(300))
	}
	return min(n, -addr-1+1)
}

func (m *shadowModel) add() {
	addr := m.address()
	if m.r.Intn(2) == 0 {
		v := lockSync(addr, true)
		if v.addr.Load() != addr {
			m.t.Fatalf("lockSync(%#x) is that of %#x", addr, v.addr.Load())
		}
		v.lock.Unlock()
		m.syncs[addr] = true
	} else {
		o := findObject(addr, m.table)
		if o.addr.Load() != addr || o.Table() != m.table {
			m.t.Fatalf("findObject(%#x) is that of %#x", addr, o.addr.Load())
		}
		m.objs[addr] = true
	}
}

func (m *shadowModel) malloc() {
	addr := m.address()
	size := m.length(addr)
	Malloc(addr, size)
	for _, set := range []map[uintptr]bool{m.syncs, m.objs} {
		for a := range set {
			if a-addr < max(size, 1) {
				set[a] = false
			}
		}
	}
	m.check(addr, size)
}

// knows reports whether there is an object at an address; it makes none.
func (m *shadowModel) knows(addr uintptr) bool {
	p := findPage(addr)
	return p != nil && p.objs[stretch(addr)].Load().seek(addr, m.table) != nil
}

// check compares all, and the pages' counts.
func (m *shadowModel) check(addr, size uintptr) {
	pages := make(map[*page]uint32)
	for a, there := range m.syncs {
		if got := findSync(a) != nil; got != there {
			m.t.Fatalf("after Malloc(%#x, %#x): a variable at %#x: %v, want %v", addr, size, a, got, there)
		}
		if lockSync(a, false) != nil != there {
			m.t.Fatalf("lockSync(%#x) and findSync disagree", a)
		} else if there {
			findSync(a).lock.Unlock()
		}
		m.count(pages, a, there)
		if !there {
			delete(m.syncs, a)
		}
	}
	for a, there := range m.objs {
		if got := m.knows(a); got != there {
			m.t.Fatalf("after Malloc(%#x, %#x): an object at %#x: %v, want %v", addr, size, a, got, there)
		}
		m.count(pages, a, there)
		if !there {
			delete(m.objs, a)
		}
	}
	for p, n := range pages {
		if got := p.count.Load(); got != n {
			m.t.Fatalf("after Malloc(%#x, %#x): a page with %d records counts %d", addr, size, n, got)
		}
	}
}

func (m *shadowModel) count(pages map[*page]uint32, addr uintptr, there bool) {
	if p := findPage(addr); there {
		pages[p]++
	} else if p != nil {
		pages[p] += 0
	}
}

func TestShadow(t *testing.T) {
	for seed := range int64(40) {
		m := newShadowModel(t, seed)
		for range 300 {
			if m.r.Intn(4) != 0 {
				m.add()
			} else {
				m.malloc()
			}
		}
		for _, set := range []map[uintptr]bool{m.syncs, m.objs} {
			for a := range set {
				Malloc(a, 1)
				set[a] = false
			}
		}
		m.check(0, 0)
	}
}

// TestMallocBorders has records before, at both ends of and behind what is allocated.
func TestMallocBorders(t *testing.T) {
	const base = uintptr(0xc100000000)
	table := mapTable(t)
	for _, start := range []uintptr{base, base + 1, base + 63, base + pageSize - 1, base + regionSize - 1, base + regionSize - pageSize} {
		for _, size := range []uintptr{1, 2, 63, 64, 65, 511, 512, 513, pageSize - 1, pageSize, pageSize + 1,
			regionSize - 1, regionSize, regionSize + 1, 2*regionSize + 1, 200 << 20} {
			in := []uintptr{start, start + size/2, start + size - 1}
			out := []uintptr{start - 1, start + size}
			for _, a := range append(in, out...) {
				lockSync(a, true).lock.Unlock()
				findObject(a, table)
			}
			Malloc(start, size)
			m := &shadowModel{table: table}
			for _, a := range in {
				if findSync(a) != nil || m.knows(a) {
					t.Fatalf("Malloc(%#x, %#x) forgets nothing at %#x", start, size, a)
				}
			}
			for _, a := range out {
				if findSync(a) == nil || !m.knows(a) {
					t.Fatalf("Malloc(%#x, %#x) forgets %#x", start, size, a)
				}
				Malloc(a, 1)
			}
		}
	}
}

// TestTwoTables has objects of two types at one address: a struct and its first field.
func TestTwoTables(t *testing.T) {
	const addr = uintptr(0xc200000000)
	a, b := mapTable(t), mapTable(t)
	x, y := findObject(addr, a), findObject(addr, b)
	if x == y || findObject(addr, a) != x || findObject(addr, b) != y {
		t.Error("objects of different types are not kept apart")
	}
	Malloc(addr, 8)
	if n := findPage(addr).count.Load(); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

// TestRecordsAreReused counts the records that come and go.
func TestRecordsAreReused(t *testing.T) {
	const base = uintptr(0xc300000000)
	table := mapTable(t)
	seen := make(map[any]bool)
	for i := range uintptr(20000) {
		addr := base + i*48
		v := lockSync(addr, true)
		v.lock.Unlock()
		seen[v], seen[findObject(addr, table)] = true, true
		Malloc(addr, 48)
	}
	if len(seen) > 1000 {
		t.Errorf("%d records for 2 at a time", len(seen))
	}
}

// TestForgetsClocks has a lock whose memory is used again: what was released to the old one must
// not order who acquires the new one.
func TestForgetsClocks(t *testing.T) {
	const addr = uintptr(0xc400000000)
	g, h := Main(), Main()
	defer g.Exit()
	defer h.Exit()
	now := g.clock.Touch()
	g.Release(addr)
	Malloc(addr&^15, 16)
	h.Acquire(addr)
	third := Main()
	defer third.Exit()
	third.ReleaseMerge(addr) // by the old one's record, most likely
	h.Acquire(addr)
	if h.clock.Knows(now) {
		t.Error("a new lock knows the old one's releases")
	}
	g.Release(addr)
	h.Acquire(addr)
	if !h.clock.Knows(now) {
		t.Error("an acquire doesn't know the release")
	}
	Malloc(addr, 1)
}

// TestShadowConcurrently has goroutines with addresses of their own, whose lists they share.
func TestShadowConcurrently(t *testing.T) {
	const (
		base    = uintptr(0xc500000000)
		workers = 8
		slots   = 400
	)
	table := mapTable(t)
	var wg sync.WaitGroup
	for w := range uintptr(workers) {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(w)))
			g := Main()
			defer g.Exit()
			syncs, objs := make(map[uintptr]bool), make(map[uintptr]bool)
			for range 20000 {
				addr := base + uintptr(r.Intn(slots))*workers*8 + w*8
				// Its own records are there, whatever becomes of others on their lists: a lookup that
				// missed one would lose the order of a release and an acquire.
				if got := findSync(addr) != nil; got != syncs[addr] {
					t.Errorf("a variable at %#x: %v, want %v", addr, got, syncs[addr])
					return
				}
				switch r.Intn(5) {
				case 0:
					g.Release(addr)
					syncs[addr] = true
				case 1:
					g.Acquire(addr)
				case 2:
					g.AtomicRMW(addr)
					syncs[addr] = true
				case 3:
					if o := findObject(addr, table); o.addr.Load() != addr {
						t.Errorf("the object at %#x says %#x", addr, o.addr.Load())
						return
					}
					objs[addr] = true
				default:
					Malloc(addr, 8)
					delete(syncs, addr)
					delete(objs, addr)
				}
			}
			m := &shadowModel{table: table}
			for i := range uintptr(slots) {
				addr := base + i*workers*8 + w*8
				if m.knows(addr) != objs[addr] && !objs[addr] {
					t.Errorf("at %#x is not what was put there", addr)
				}
			}
		})
	}
	wg.Wait()
	Malloc(base, slots*workers*8)
	for a := base; a < base+slots*workers*8; a += pageSize {
		if n := findPage(a).count.Load(); n != 0 {
			t.Errorf("page %#x counts %d records when all are forgotten", a, n)
		}
	}
}

// TestLookupIsNotLedAstray has a variable that stays while its neighbour on the list comes and
// goes, its record being used on other lists in between.
func TestLookupIsNotLedAstray(t *testing.T) {
	const (
		stays     = uintptr(0xc600001000)
		neighbour = stays + 8
		elsewhere = stays + 4*pageSize
	)
	lockSync(stays, true).lock.Unlock()
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !done.Load() {
			for _, addr := range [...]uintptr{neighbour, elsewhere} {
				lockSync(addr, true).lock.Unlock()
				Malloc(addr, 8)
			}
		}
	})
	// Threads beyond the processors' number are stopped by the system in the middle of a lookup.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	var missed atomic.Int32
	for range 2 * runtime.NumCPU() {
		wg.Go(func() {
			for !done.Load() {
				if findSync(stays) == nil {
					missed.Add(1)
				}
			}
		})
	}
	time.Sleep(400 * time.Millisecond)
	done.Store(true)
	wg.Wait()
	if n := missed.Load(); n > 0 {
		t.Errorf("a variable was missed %d times", n)
	}
	Malloc(stays, 8)
}
