// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What package predict has to know of accesses is what the shadow says: it has the last write, and what the goroutine
// itself has accessed earlier in its transaction.

// watching reports whether accesses by several goroutines to one word matter, though they are ordered.
//
//go:nosplit
func watching() bool { return atomicity.Running() || predict.Busy() }

// Written is what stands for the last writes to the 8 bytes at an address.
func Written(addr uintptr) uint64 {
	r := findRegion(addr)
	if r == nil || r.page(addr).Load()&pageWritten == 0 {
		return 0
	}
	return r.write(addr).Load()
}

// Counts reports whether an access at a site is one that can be foreseen: one by the program itself.
var Counts func(site uint32) bool

// foresee tells package predict of an access to the bytes from addr to end, on one page, before it's recorded.
func (t *Thread) foresee(r *region, addr, end uintptr, kind int, site uint32) {
	p := t.past.P()
	has, now := uint32(0), t.clock.P().Bear()
	if r != nil {
		has = r.page(addr).Load()
	}
	counts := !t.txn.P().Hidden && kind&Atomic == 0 && t.life.P() != nil && Counts(site)
	for addr < end {
		n := min(8-addr&7, end-addr)
		t.foreseeCell(r, addr, bytesOf(addr, n), has, now, kind, site, counts, p)
		addr += n
	}
}

// foreseeCell is foresee for bytes of one cell.
func (t *Thread) foreseeCell(r *region, addr uintptr, bytes Word, has uint32, now vclock.Epoch, kind int, site uint32, counts bool, p *predict.Thread) {
	write := kind&Write != 0
	me := predict.Side{}
	if counts {
		me = predict.Side{Epoch: now, Goid: t.life.P().Goid, Site: site, PC: PC(site), Writes: write, Owner: t.test}
	}
	if predict.Haunted(addr &^ 7) {
		if write {
			p.Overwrites(addr &^ 7)
		}
		if counts {
			p.Access(addr&^7, uint8(bytes), me)
		}
	}
	if !write && has&pageWritten != 0 {
		var s set
		if w := Word(r.write(addr).Load()); w != 0 && s.load(w) {
			for _, v := range s.word[:s.n] {
				if v&bytes != 0 && v.run().life.Load() != t.life.P() {
					p.ReadsFrom(epochOf(v.moment()), now)
				}
			}
		}
	}
	if begin, since, ok := p.In(); ok {
		if counts {
			t.pair(r, addr, bytes, has, begin, since, me, p)
		}
		if !write && !t.txn.P().Hidden {
			p.Saw(addr&^7, Written(addr))
		}
	}
	if write && kind&Atomic == 0 && !t.txn.P().Hidden {
		p.Wrote()
	}
}

// pair finds out what t has done to bytes of the cell at addr earlier in its transaction, before the segment that it is in.
func (t *Thread) pair(r *region, addr uintptr, bytes Word, has uint32, begin, since vclock.Epoch, me predict.Side, p *predict.Thread) {
	var first Word
	wrote := false
	if r == nil {
		return
	}
	for i, c := range [...]*atomic.Uint64{r.write(addr), r.read(addr), r.other(addr)} {
		if has&[...]uint32{pageWritten, pageRead, pageOther}[i] == 0 {
			continue
		}
		whole := Word(c.Load())
		var s set
		if whole == 0 || !s.load(whole) {
			continue
		}
		for _, v := range s.word[:s.n] {
			if v&bytes == 0 || v&atomicBit != 0 || v.run().life.Load() != t.life.P() {
				continue
			}
			switch e := epochOf(v.moment()); {
			case e >= since && e.Slot() == since.Slot():
				bytes &^= v & allBytes // it's not the first in the segment
			case e >= begin && e.Slot() == begin.Slot() && first == 0:
				first, wrote = v, i == 0
			}
		}
	}
	if first == 0 || first&bytes&allBytes == 0 || !Counts(first.Site()) {
		return
	}
	p.Pair(addr&^7, uint8(first&bytes), predict.Side{
		Epoch: epochOf(first.moment()), Goid: me.Goid, Site: first.Site(), PC: PC(first.Site()), Writes: wrote, Owner: me.Owner,
	}, me)
}
