// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/event"
)

// announced reports whether the hooks in Go's runtime (internal/toolchain/patch/template/memory.go)
// take an access for one that the compiler announces: those have filters of their own.
func announced(n uintptr, kind event.Access, site uint32) bool {
	return n == 1 && kind&Atomic == 0 && site%4 > 0
}

// repeats reports whether the hooks leave out an access.
func repeats(now uint64, addr, n uintptr, kind event.Access, announced bool) bool {
	c := CellOf(addr)
	switch {
	case !announced:
		return Repeats(now, addr, n, kind)
	case kind == Read:
		return c.Wrote(now) || c.ReadBefore(now) || c.ReadAmong(now)
	}
	return c.Wrote(now) || c.WroteAmong(now)
}

// hook makes an access as those hooks do.
func hook(g *goroutine, addr, n uintptr, kind event.Access, site uint32) (r Race, skipped bool) {
	announced, now := announced(n, kind, site), g.clock.EpochID()
	if c := CellOf(addr); announced && kind == Read && site%8 < 6 && !c.Wrote(now) &&
		!c.ReadBefore(now) {
		among, caller := c.ReadAmong(now), callerAt(addr, n, site)
		if g.memory.EasyRead(c, now, Read, site, caller) {
			if !among {
				easyReads.Add(1)
			}
			return r, among
		}
	} else if announced && kind == Write && site%8 < 6 && !c.Wrote(now) &&
		g.memory.EasyWrite(c, now, site, callerAt(addr, n, site)) {
		easyWrites.Add(1)
		return r, false
	}
	if frontOf(now, addr, n, kind) == addr+n || repeats(now, addr, n, kind, announced) {
		return r, true
	}
	if now == 0 && site%8 > 1 {
		if now = g.memory.QuickEpoch(); now != 0 {
			quickEpochs.Add(1)
		}
	}
	if n == 1 && kind == Read|Atomic && site%4 > 0 &&
		g.memory.EasyRead(CellOf(addr), now, kind, site, callerAt(addr, n, site)) {
		easyAtomics.Add(1)
		return r, false
	}
	if n == 1 && kind == Write|Atomic && site%4 > 0 &&
		g.memory.EasyAtomicWrite(CellOf(addr), now, site) {
		easyAtomicWrites.Add(1)
		return r, false
	}
	switch {
	case announced && kind == Read &&
		g.memory.QuickRead(CellOf(addr), now, site, callerAt(addr, n, site)):
		return r, false
	case announced && kind == Write &&
		g.memory.QuickWrite(CellOf(addr), now, site, callerAt(addr, n, site)):
		return r, false
	case n == 1:
		return g.memory.AccessByte(addr, kind, site), false
	}
	from := frontOf(now, addr, n, kind)
	left := g.memory.QuickRange(from, addr+n-from, now, kind, site, callerAt(addr, n, site))
	if left == addr+n {
		return r, false
	}
	return g.memory.Access(left, addr+n-left, kind, site), false
}

// frontOf is the first byte of a range of several that the hooks do not leave out.
func frontOf(now uint64, addr, n uintptr, kind event.Access) uintptr {
	if n == 1 || kind&Atomic != 0 {
		return addr
	}
	from := NewFrom(now, addr, n, kind == Write)
	if addr < from && from < addr+n {
		fronts.Add(1)
	}
	return from
}

var (
	fronts      atomic.Uint32 // how often the front of a range was left out, and not all
	quickEpochs atomic.Uint32 // how often a new epoch's ID was at hand
	easyReads   atomic.Uint32 // how often EasyRead has recorded one
	easyAtomics atomic.Uint32 // how often that was an atomic one
	easyWrites  atomic.Uint32 // how often EasyWrite has recorded one

	easyAtomicWrites atomic.Uint32 // how often EasyAtomicWrite has
)

// callerAt is the caller of a site, 0 if that, or one of the cells of n bytes from addr on, is none
// of the tree's.
func callerAt(addr, n uintptr, site uint32) uint32 {
	fresh := sites.fresh.Load()
	for last := addr + n; addr < last; addr += 8 {
		for _, w := range []Word{lastWrite(addr), lastRead(addr), LastOther(addr),
			lastWrite(last - 1), lastRead(last - 1), LastOther(last - 1)} {
			if site >= fresh || w.Site() >= fresh {
				return 0
			}
		}
	}
	return Caller(site)
}

// lastWrite is what is recorded of writes to the cell of addr.
func lastWrite(addr uintptr) Word {
	if c := CellOf(addr); c.region != nil {
		return Word(c.region.write(addr).Load())
	}
	return 0
}

// lastRead is what is recorded of reads, but by a second goroutine.
func lastRead(addr uintptr) Word {
	if c := CellOf(addr); c.region != nil {
		return Word(c.region.read(addr).Load())
	}
	return 0
}

// access runs an access to n bytes from the window's byte first on.
func (m *model) access(g *goroutine, first, n int, kind event.Access) error {
	m.site = m.nextSite()
	m.accesses++
	addr := m.base + uintptr(first)
	m.logf("g%d %s %d bytes from %d (cells %d to %d), site %d", g.id,
		[...]string{"reads", "writes", "atomically reads", "atomically writes"}[kind],
		n, first, first/8, (first+n-1)/8, m.site)

	forgotten := Forgotten()
	var r Race
	skipped := false
	switch {
	case m.filter:
		r, skipped = hook(g, addr, uintptr(n), kind, m.site)
	case n == 1 && m.accesses%2 == 0:
		r = g.memory.AccessByte(addr, kind, m.site)
	default:
		r = g.memory.Access(addr, uintptr(n), kind, m.site)
	}
	if skipped {
		m.skipped++
		m.logf("  it is left out")
	}
	m.lost += Forgotten() - forgotten
	if r.Word != 0 {
		m.races++
		m.logf("  it races with site %d", r.Site())
		if err := m.confirm(g, &r, first, n, kind); err != nil {
			return err
		}
	}

	var racy [window]bool
	may, must := m.record(g, first, n, kind, &racy)
	if must && r.Word == 0 && m.lost == 0 {
		return differ("missed", "event %d: a race is missed (left out: %v)", m.events, skipped)
	}
	if may && r.Word == 0 {
		m.weaker++
	}
	if r.Word != 0 || must {
		for c := range racy {
			if racy[c] {
				m.free(c, 1)
			}
		}
	}
	return nil
}

// bytesIn are the bytes of a cell that lie from first on.
func bytesIn(cell, first, n int) (b byte) {
	for i := range 8 {
		if at := cell*8 + i; at >= first && at < first+n {
			b |= 1 << i
		}
	}
	return b
}

// record has the oracle note an access, and reports whether it races, and in which cells.
func (m *model) record(
	g *goroutine, first, n int, kind event.Access, racy *[window]bool,
) (may, must bool) {
	for c := first / 8; c <= (first+n-1)/8; c++ {
		bytes := bytesIn(c, first, n)
		for i := range m.cells[c] {
			e := &m.cells[c][i]
			strict, promised := e.races(g, bytes, kind)
			racy[c] = racy[c] || strict
			may, must = may || strict, must || promised
			if kind&Write != 0 && (kind&Atomic == 0 || e.atomic) {
				e.left &^= bytes
			}
		}
		m.cells[c] = append(m.cells[c],
			entry{g.id, g.plain[g.id], bytes, bytes, kind&Write != 0, kind&Atomic != 0, m.site,
				g.memory.epochID, g.memory.Record().Goid})
	}
	return may, must
}

// shared reports whether an access races that is of the same kind, function and epoch as e: several
// of those to one cell may be kept as one, at the site of the last. Where there are no numbers for
// mixtures, the function may be another.
func (m *model) shared(g *goroutine, e *entry, cell []entry, bytes byte, kind event.Access) bool {
	for i := range cell {
		f := &cell[i]
		if may, _ := f.races(g, bytes, kind); may && f.who == e.who && f.moment == e.moment &&
			f.atomic == e.atomic && f.write == e.write &&
			(m.full || inOneFunction(e.site, f.site)) {
			m.strange++
			return true
		}
	}
	return false
}

// confirm checks a race that was reported against the oracle.
func (m *model) confirm(g *goroutine, r *Race, first, n int, kind event.Access) error {
	if r.Addr < m.base+uintptr(first) || r.Addr >= m.base+uintptr(first+n) {
		return differ("address", "the race is said to be at byte %d", int(r.Addr-m.base))
	}
	c := int(r.Addr-m.base) / 8
	for i := range m.cells[c] {
		e := &m.cells[c][i]
		if e.site != r.Site() {
			continue
		}
		if may, _ := e.races(g, bytesIn(c, first, n), kind); !may &&
			!m.shared(g, e, m.cells[c], bytesIn(c, first, n), kind) {
			return differ("false race", "site %d of g%d does not race with this in cell %d", e.site,
				e.who, c)
		}
		if r.Wrote != e.write || r.Word&atomicBit != 0 != e.atomic {
			return differ("wrote", "site %d: wrote %v, word %#x; it is a write: %v, atomic: %v",
				e.site, r.Wrote, uint64(r.Word), e.write, e.atomic)
		}
		l := g.memory.RacedWith()
		if l == nil || l.Goid != e.goid {
			if m.rival == nil {
				m.rival = differ("rival", "site %d of life %d races, but the rival is %+v", e.site,
					e.goid, l)
			}
			return nil
		}
		if l.Ended.Load() != 0 != m.ended[e.goid] {
			return differ("ended", "life %d ended: %v, %d", e.goid, m.ended[e.goid], l.Ended.Load())
		}
		return nil
	}
	return differ("false race", "site %d has no access to cell %d", r.Site(), c)
}
