// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// A crossing is what an open candidate has instead of First: its transaction has not accessed the
// bytes of Second before the cut. It becomes a prediction when another goroutine makes two accesses
// that the witness keeps: Entry, which conflicts with any access before the cut, and Other.
type crossing struct {
	open         bool
	begin, since vclock.Epoch // of the transaction, and of its section
	nEntries     uint8
	nOthers      uint8
	nReadFirst   uint8
	entries      [maxGoroutines]entry    // one of each goroutine, its first
	others       [maxGoroutines]other    // one of each goroutine, its last
	readFirst    [maxReadFirst]firstRead // reads before the cut, of which others don't know
}

// A firstRead is a read before the cut that another read has taken the place of.
type firstRead struct {
	first   Access
	addr    uintptr
	bytes   uint8
	version uint32 // of the memory: it is another variable's if this changes
}

// An entry is an access that conflicts with an earlier one, first, of a candidate's transaction.
type entry struct {
	first, access Access
	addr          uintptr
}

// An other is an access in a transaction that conflicts with Second. An entry may follow it.
type other struct {
	access Access
	begin  vclock.Epoch // of its transaction
}

const (
	maxGoroutines = 4
	maxReadFirst  = 4
	maxOpen       = 16 // open candidates, as long as there is room
	minOpen       = 8  // open candidates that keep their places
	maxOpenTries  = 8  // in a section
)

// MayEnter reports whether an access at epoch e may be First for some entry. It takes no lock.
func (p *Predictor) MayEnter(e vclock.Epoch) bool {
	r := p.registry.Load()
	if r == nil || r.open.Load() == 0 {
		return false
	}
	from := r.begins[e.Slot()%256].Load()
	return from != 0 && e.Time() >= from
}

// Open reports whether there may be candidates that wait for an entry.
//
//go:nosplit
func (p *Predictor) Open() bool {
	r := p.registry.Load()
	return r != nil && r.open.Load() != 0
}

// Enter reports that t makes an access, a, to memory at addr, and that a conflicts with first,
// which a thread has made at an epoch. The site and the operation of first are known. The caller
// calls ReadsFrom and Access for a before Enter: if a sees a write that the witness doesn't have,
// it is no Entry.
func (p *Predictor) Enter(t *Thread, addr uintptr, epoch vclock.Epoch, first, a Access) {
	r := p.registry.Load()
	if r == nil {
		return
	}
	a.Code = t.code
	r.lockAndDropFreed()
	for rest := r.open.Load() &^ r.present(t.dependsOn); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		if x := &r.candidate[g]; !x.waiting && x.before(epoch) {
			r.entered(p, g, t, &entry{first, a, addr})
		}
	}
	r.lock.Unlock()
}

// Displace reports that a read is about to replace first, a read of bytes of the 8 at addr. Without
// this call, a later write would not be known to conflict with first. Version changes if the memory
// is freed.
func (p *Predictor) Displace(addr uintptr, bytes uint8, version uint32, first Access) {
	r := p.registry.Load()
	if r == nil {
		return
	}
	r.lockAndDropFreed()
	for rest := r.open.Load(); rest != 0; rest &= rest - 1 {
		x := &r.candidate[trailingZeros(rest)]
		if x.waiting || !x.before(first.Epoch) {
			continue
		}
		known := x.nReadFirst == maxReadFirst
		for _, f := range x.readFirst[:x.nReadFirst] {
			known = known || f.addr == addr && f.bytes == bytes && f.version == version
		}
		if !known {
			x.readFirst[x.nReadFirst] = firstRead{first, addr, bytes, version}
			x.nReadFirst++
			r.filter[filterOf(addr)].Store(1)
		}
	}
	r.lock.Unlock()
}

// EnterDisplaced is Enter for a write to bytes of the 8 at addr, and the reads reported by
// Displace.
func (p *Predictor) EnterDisplaced(
	t *Thread, addr uintptr, bytes uint8, version uint32, a Access,
) {
	r := p.registry.Load()
	if r == nil {
		return
	}
	a.Code = t.code
	r.lockAndDropFreed()
	for rest := r.open.Load() &^ r.present(t.dependsOn); rest != 0; rest &= rest - 1 {
		g := trailingZeros(rest)
		x := &r.candidate[g]
		for i := range x.readFirst[:x.nReadFirst] {
			if f := &x.readFirst[i]; !x.waiting && f.addr == addr && f.bytes&bytes != 0 &&
				f.version == version {
				r.entered(p, g, t, &entry{f.first, a, addr})
			}
		}
	}
	r.lock.Unlock()
}

// before reports whether an access at an epoch is one of the transaction before the cut.
func (c *crossing) before(e vclock.Epoch) bool {
	return e.Slot() == c.begin.Slot() && e >= c.begin && e < c.since
}

// entered takes an entry by t for candidate g.
func (r *registry) entered(p *Predictor, g uint32, t *Thread, e *entry) {
	x := &r.candidate[g]
	e.first.Code, e.first.Goid, e.first.Owner = x.First.Code, x.First.Goid, x.First.Owner
	o := x.otherOf(t, &e.access)
	if o == nil {
		x.keep(e)
		return
	}
	// Other came first. So its read, if it is one, saw what it sees in the witness.
	x.enter(e)
	x.Other, x.waiting, x.OtherReads = *o, true, false
	x.Entry.Epoch = max(x.Entry.Epoch, o.Epoch+1) // reports go by the order of epochs
	x.ValuesDiffer = r.present(t.valuesDependOn)>>g&1 != 0
	r.confirm(p, x)
}

// enter makes an entry the candidate's.
func (x *candidate) enter(e *entry) {
	x.First, x.Entry, x.FirstAddr = e.first, e.access, e.addr
}

// keep keeps an entry, if there is room and none of its goroutine.
func (c *crossing) keep(e *entry) {
	for i := range c.entries[:c.nEntries] {
		if c.entries[i].access.Goid == e.access.Goid {
			return
		}
	}
	if c.nEntries < maxGoroutines {
		c.entries[c.nEntries] = *e
		c.nEntries++
	}
}

// entryOf reports whether the goroutine of an access has made an entry, which then is Entry.
func (x *candidate) entryOf(a *Access) bool {
	for i := range x.entries[:x.nEntries] {
		if e := &x.entries[i]; e.access.Goid == a.Goid {
			x.enter(e)
			return true
		}
	}
	return false
}

// note keeps an access that conflicts with Second and is in a transaction.
func (c *crossing) note(t *Thread, a *Access) {
	if t.code == 0 {
		return
	}
	at := c.nOthers
	for i := range c.others[:c.nOthers] {
		if c.others[i].access.Goid == a.Goid {
			at = uint8(i)
		}
	}
	if at < maxGoroutines {
		c.others[at] = other{*a, t.begin}
		c.nOthers = max(c.nOthers, at+1)
	}
}

// otherOf is an earlier access in t's transaction that conflicts with Second, nil if there is none.
func (c *crossing) otherOf(t *Thread, a *Access) *Access {
	for i := range c.others[:c.nOthers] {
		if o := &c.others[i]; t.code != 0 && o.access.Goid == a.Goid && o.begin == t.begin {
			return &o.access
		}
	}
	return nil
}
