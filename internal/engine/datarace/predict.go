// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
)

// What package predict has to know of accesses, the shadow has: the last write of a cell, and what
// the goroutine has accessed earlier in its transaction.

// orderedMatter reports whether accesses by several goroutines to one word matter though they are
// ordered: they do to transactions and to predictions. The quick path may then skip no access of
// another goroutine's word.
//
//go:nosplit
func orderedMatter() bool { return instance.Transactions.Running() || instance.Predictor.Busy() }

// Written is what stands for the last writes to the 8 bytes at an address: it changes if they do.
func Written(addr uintptr) uint64 {
	r := findRegion(addr)
	if r == nil || r.page(addr).Load()&pageWritten == 0 {
		return 0
	}
	return r.write(addr).Load()
}

// Counts reports whether an access at a site is one by the program itself, so that it counts for
// transactions and predictions. Package runtime sets it.
var Counts func(site uint32) bool

// predict hands package predict an access to the bytes from addr to end, on one page, before it's
// recorded.
func (x *access) predict(r *region, addr, end uintptr) {
	has, now := uint32(0), x.by.clock.P().Pin()
	if r != nil {
		has = r.page(addr).Load()
	}
	counts := !x.txn.InCall && x.kind&Atomic == 0 && x.by.record.P() != nil && Counts(x.site)
	for addr < end {
		n := min(8-addr&7, end-addr)
		x.predictCell(r, addr, bytesOf(addr, n), has, now, counts)
		addr += n
	}
}

// predictCell is predict for bytes of one cell.
func (x *access) predictCell(
	r *region, addr uintptr, bytes Word, has uint32, now vclock.Epoch, counts bool,
) {
	p, write := x.past, x.kind&Write != 0
	me := predict.Access{}
	if counts {
		me = predict.Access{
			Epoch: now, Goid: x.by.record.P().Goid, Site: x.site, PC: PC(x.site),
			Writes: write, Owner: x.by.test,
		}
	}
	if instance.Predictor.Tracked(addr &^ 7) {
		if write {
			instance.Predictor.Overwrites(p, addr&^7)
		}
		if counts {
			instance.Predictor.Access(p, addr&^7, uint8(bytes), me)
		}
	}
	// A read takes its value from the last writes: it cannot be moved before them.
	if !write && has&pageWritten != 0 {
		var s set
		if w := Word(r.write(addr).Load()); w != 0 && s.load(w) {
			if e := r.earlierWrite(addr, w); e != 0 {
				s.add(e)
			}
			for _, v := range s.word[:s.n] {
				if v&bytes != 0 && v.epochBlock().record.Load() != x.by.record.P() {
					instance.Predictor.ReadsFrom(p, epochOf(v.epochID()), now)
				}
			}
		}
	}
	if counts && r != nil && instance.Predictor.Open() {
		x.predictEntries(r, addr, bytes, has, me)
	}
	// In a transaction the access may be the second of a pair.
	if begin, since, ok := p.Eligible(); ok {
		if counts {
			x.by.predictPair(r, addr, bytes, has, begin, since, me, p)
		}
		if !write && !x.txn.InCall {
			instance.Predictor.ReadInSection(p, addr&^7, Written(addr))
		}
	}
	if write && x.kind&Atomic == 0 && !x.txn.InCall {
		instance.Predictor.WroteInSection(p)
	}
}

// predictEntries hands package predict the earlier accesses by others to bytes of the cell at addr
// with which an access conflicts, as far as they may be of a transaction that matters; and the
// reads of which it takes the place.
func (x *access) predictEntries(
	r *region, addr uintptr, bytes Word, has uint32, me predict.Access,
) {
	if has&pageWritten != 0 {
		x.predictEntry(r.write(addr), addr, bytes, true, me)
		if Word(r.write(addr).Load()).hasEarlier() {
			x.predictEntry(r.earlier(addr), addr, bytes, true, me)
		}
	}
	if has&pageRead != 0 {
		x.predictEntry(r.read(addr), addr, bytes, false, me)
	}
	if has&pageOther != 0 {
		x.predictEntry(r.other(addr), addr, bytes, false, me)
	}
	if me.Writes && instance.Predictor.Tracked(addr&^7) {
		version := freesAt(addr)[0]
		instance.Predictor.EnterDisplaced(x.past, addr&^7, uint8(bytes), version, me)
	}
}

// predictEntry is predictEntries for one of the cell's words. The word must still be there in the
// end: else the block may have been another cell's when it was read.
func (x *access) predictEntry(
	c *atomic.Uint64, addr uintptr, bytes Word, wrote bool, me predict.Access,
) {
	whole := Word(c.Load())
	var s set
	if whole == 0 || !s.load(whole) {
		return
	}
	for _, v := range s.word[:s.n] {
		from := epochOf(v.epochID())
		if v&bytes == 0 || v&atomicBit != 0 || !instance.Predictor.MayEnter(from) {
			continue
		}
		for v, rest := v.cut(); v != 0; v, rest = rest.cut() {
			version := freesAt(addr)[0]
			if v&bytes == 0 || x.by.own(v) || !Counts(v.Site()) || Word(c.Load()) != whole {
				continue
			}
			first := predict.Access{Epoch: from, Site: v.Site(), PC: PC(v.Site()), Writes: wrote}
			if wrote || me.Writes {
				instance.Predictor.Enter(x.past, addr&^7, from, first, me)
			} else {
				instance.Predictor.Displace(addr&^7, uint8(v&bytes), version, first)
			}
		}
	}
}

// predictPair finds what t has done to bytes of the cell at addr earlier in its transaction, before
// the section that it is in. The two accesses are a pair that another goroutine's access could come
// between. Only the first access in the section to a byte makes one. If there is no earlier one,
// that access may come after another goroutine's, which comes after what was done elsewhere: so
// does the section's first write, though it may have read the byte.
func (t *knowledge) predictPair(
	r *region, addr uintptr, bytes Word, has uint32, begin, since vclock.Epoch,
	me predict.Access, p *predict.Thread,
) {
	var first Word
	wrote, opens := false, bytes
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
		if e := r.earlierWrite(addr, whole); i == 0 && e != 0 {
			s.add(e)
		}
		for _, v := range s.word[:s.n] {
			if v&bytes == 0 || v&atomicBit != 0 || v.epochBlock().record.Load() != t.record.P() {
				continue
			}
			switch e := epochOf(v.epochID()); {
			case e >= since && e.Slot() == since.Slot():
				bytes &^= v & allBytes // this access is not the first in the section
				if i == 0 || !me.Writes {
					opens &^= v & allBytes
				}
			case e >= begin && e.Slot() == begin.Slot() && first == 0:
				first, wrote = v, i == 0
				opens &^= v & allBytes
			}
		}
	}
	if first == 0 && opens&allBytes != 0 {
		instance.Predictor.Pair(p, addr&^7, uint8(opens), predict.Access{
			Goid: me.Goid, Owner: me.Owner,
		}, me)
	}
	first = first.among(bytes)
	if first == 0 || first&bytes&allBytes == 0 || !Counts(first.Site()) {
		return
	}
	instance.Predictor.Pair(p, addr&^7, uint8(first&bytes), predict.Access{
		Epoch: epochOf(first.epochID()), Goid: me.Goid, Site: first.Site(), PC: PC(first.Site()),
		Writes: wrote, Owner: me.Owner,
	}, me)
}
