// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"math/bits"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
)

// A shadowModel holds the shadow against plain maps.
type shadowModel struct {
	t     *testing.T
	g     *Thread
	r     *rand.Rand
	bases []uintptr
	table *commrace.Table
	syncs map[uintptr]bool
	objs  map[uintptr]bool
}

func newShadowModel(t *testing.T, seed int64) *shadowModel {
	m := &shadowModel{
		t:     t,
		g:     startThread(),
		r:     rand.New(rand.NewSource(seed)),
		table: fixture.MapTable(t),
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
		base += uintptr(m.r.Intn(200)) // the same block
	default:
		base += uintptr(m.r.Intn(3 << pageBits))
	}
	return max(base, 4096) // what went around
}

// length returns a size from 0 to 200 MB that doesn't go beyond the end of memory.
func (m *shadowModel) length(addr uintptr) uintptr {
	var n uintptr
	switch m.r.Intn(6) {
	case 0:
		n = uintptr(m.r.Intn(16))
	case 1:
		n = pageSize - 16 + uintptr(m.r.Intn(32))
	case 2:
		n = regionSize - 16 + uintptr(m.r.Intn(32))
	case 3:
		n = uintptr(m.r.Intn(200 << 20))
	default:
		n = uintptr(1 + m.r.Intn(300))
	}
	return min(n, -addr-1)
}

func (m *shadowModel) add() {
	addr := m.address()
	if m.r.Intn(2) == 0 {
		m.g.Clock.Tick()
		switch m.r.Intn(3) {
		case 0:
			m.g.Set(addr)
		case 1:
			m.g.ReleaseAcquire(addr)
		default:
			m.g.Release(addr)
		}
		m.syncs[addr] = true
	} else {
		o := FindObject(addr, m.table, 0)
		if o.Addr.Load() != addr || o.Table() != m.table {
			m.t.Fatalf("findObject(%#x) is that of %#x", addr, o.Addr.Load())
		}
		m.objs[addr] = true
	}
}

// free frees a range, or those of its objects of 48 bytes that are even.
func (m *shadowModel) free() {
	addr := m.address()
	size := m.length(addr)
	all := m.r.Intn(2) == 0
	even := func(a uintptr) bool {
		if a-addr >= size {
			m.t.Fatalf("Sweep(%#x, %#x) asks for %#x", addr, size, a)
		}
		return (a-addr)/48%2 == 0
	}
	if all {
		Free(addr, size)
	} else {
		Sweep(addr, size, even)
	}
	for _, set := range []map[uintptr]bool{m.syncs, m.objs} {
		for a := range set {
			if a-addr < size && (all || even(a)) {
				set[a] = false
			}
		}
	}
	m.check(addr, size)
}

// knows reports whether there is an object at an address; it makes none.
func (m *shadowModel) knows(addr uintptr) bool {
	p := PageAt(addr)
	return p != nil && p.objects[blockOf(addr)].Load().seek(addr, m.table) != nil
}

// records is the number of singleton clocks, variables and objects on a page.
func (p *Page) records() (n int) {
	for i := range p.blocks {
		b := &p.blocks[i]
		for j := range b.singletons {
			if b.tags.Load()>>(j*tagBits)&tagMask != 0 {
				n++
			}
		}
		if o := b.more.Load(); o != nil {
			if cs := o.common.Load(); cs != nil {
				for j := range cs {
					n += bits.OnesCount64(cs[j].words.Load())
				}
			}
			if x := o.annex.Load(); x != nil {
				n += bits.OnesCount32(x.used)
			}
			lists := o.lists()
			for j := range lists {
				for v := lists[j].Load(); v != nil; v = v.next.Load() {
					n++
				}
			}
		}
	}
	for i := range p.objects {
		for o := p.objects[i].Load(); o != nil; o = o.next.Load() {
			n++
		}
	}
	return n
}

// check compares all, and the pages.
func (m *shadowModel) check(addr, size uintptr) {
	records := make(map[*Page]int)
	count := func(a uintptr, there bool) {
		if p := PageAt(a); there {
			records[p]++
		} else if p != nil {
			records[p] += 0
		}
	}
	for a, there := range m.syncs {
		if got := released(a); got != there {
			m.t.Fatalf("after Free(%#x, %#x): a variable at %#x: %v, want %v",
				addr, size, a, got, there)
		}
		count(a, there)
		if !there {
			delete(m.syncs, a)
		}
	}
	for a, there := range m.objs {
		if got := m.knows(a); got != there {
			m.t.Fatalf("after Free(%#x, %#x): an object at %#x: %v, want %v",
				addr, size, a, got, there)
		}
		count(a, there)
		if !there {
			delete(m.objs, a)
		}
	}
	for p, n := range records {
		if got := p.records(); got != n {
			m.t.Fatalf("after Free(%#x, %#x): a page has %d records, want %d", addr, size, got, n)
		}
	}
}

func TestShadow(t *testing.T) {
	for seed := range int64(40) {
		m := newShadowModel(t, seed)
		defer m.g.Finish()
		for range 300 {
			if m.r.Intn(4) != 0 {
				m.add()
			} else {
				m.free()
			}
		}
		for _, set := range []map[uintptr]bool{m.syncs, m.objs} {
			for a := range set {
				Free(a, 1)
				set[a] = false
			}
		}
		m.check(0, 0)
	}
}
