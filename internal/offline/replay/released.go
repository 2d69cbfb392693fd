// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"github.com/commutego/commute/internal/engine/sideclock"
	"github.com/commutego/commute/internal/engine/vclock"
)

// released are the weak clocks of addresses, by page: memory that is freed is forgotten.
type released struct {
	pages map[uintptr]map[uintptr]*vclock.LockClock
	last  map[uintptr]*vclock.LockClock // the page that was asked for last
	at    uintptr                       // its number, if last is not nil
}

const releasedBits = 12

// page is the page of an address. It is nil if nothing was released there, and create is not set.
func (r *released) page(addr uintptr, create bool) map[uintptr]*vclock.LockClock {
	n := addr >> releasedBits
	if r.last != nil && r.at == n {
		return r.last
	}
	p := r.pages[n]
	if p == nil && create {
		if r.pages == nil {
			r.pages = make(map[uintptr]map[uintptr]*vclock.LockClock)
		}
		p = make(map[uintptr]*vclock.LockClock)
		r.pages[n] = p
	}
	r.last, r.at = p, n
	return p
}

// clock is the clock of an address, which is made if there is none.
func (r *released) clock(addr uintptr) *vclock.LockClock {
	p := r.page(addr, true)
	c := p[addr]
	if c == nil {
		c = new(vclock.LockClock)
		p[addr] = c
	}
	return c
}

// The methods of [sideclock.Addresses].

func (r *released) Acquire(c *sideclock.Clock, addr uintptr, timer bool) {
	if of := r.page(addr, false)[addr]; of != nil {
		c.Acquire(of, timer)
	} else if timer {
		c.Relay(vclock.Snapshot{})
	}
}

func (r *released) Release(c *sideclock.Clock, addr uintptr, timer, merge bool) {
	c.Release(r.clock(addr), timer, merge)
}

func (r *released) Order(c *sideclock.Clock, addr uintptr, timer bool) {
	c.Order(r.clock(addr), timer)
}

func (r *released) Exchange(c *sideclock.Clock, addr uintptr, timer bool) {
	c.Exchange(r.clock(addr), timer)
}

// forget forgets the clocks of the addresses from addr to end-1.
func (r *released) forget(addr, end uintptr) {
	first, last := addr>>releasedBits, (end-1)>>releasedBits
	if last-first >= uintptr(len(r.pages)) {
		for n := range r.pages {
			if n >= first && n <= last {
				r.forgetIn(n, addr, end)
			}
		}
		return
	}
	for n := first; n <= last; n++ {
		r.forgetIn(n, addr, end)
	}
}

// forgetIn is forget for one page.
func (r *released) forgetIn(page, addr, end uintptr) {
	p := r.pages[page]
	for a, c := range p {
		if a >= addr && a < end {
			c.Clear()
			delete(p, a)
		}
	}
	if p != nil && len(p) == 0 {
		delete(r.pages, page)
		r.last = nil
	}
}
