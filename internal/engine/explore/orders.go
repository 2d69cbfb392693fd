// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// Orders in which operations are made. If a task goes on with an operation while another one is
// about to make one on the same object, either could have come first: that one was the first is an
// order that was seen, and the other order is possible.

// operates reports whether a kind is an operation on an object that is about to be made.
func (k Kind) operates() bool {
	switch k {
	case Lock, WLock, RLock, Send, Recv, Close, Select, Atomic, Load, Begin, Wait, Signal:
		return true
	}
	return false
}

// reads reports whether an operation makes no difference for others that read.
func (k Kind) reads() bool { return k == RLock || k == Load || k == Wait }

// conflict reports whether the order of two operations on one object may make a difference.
func conflict(j, k Kind) bool { return !j.reads() || !k.reads() }

// A Site is a place in the program with what it does there. The number is a hash of what they are
// called, so it is the same in each build of the program, and never 0.
type Site uint64

// Short is a number of 31 bits for the site, which is not 0.
func (s Site) Short() uint32 { return max(1, uint32(s>>33)) }

var knownSites offheap.Memo

// siteOf is the site of an operation that the program makes at a return address.
func siteOf(pc uintptr, k Kind) Site {
	place, ok := knownSites.Get(uint64(pc))
	if !ok {
		place = knownSites.Put(uint64(pc), hashPlace(pc))
	}
	return siteAt(place, k)
}

func siteAt(place uint64, k Kind) Site {
	if k == WLock {
		k = Lock
	}
	return Site(max(1, Mix(place+uint64(k))))
}

// SiteAt is the site of an operation in a function, at a line of a file.
func SiteAt(fn, file string, line int, k Kind) Site { return siteAt(hashOf(fn, file, line), k) }

// hashPlace is a hash of where the program is at a return address.
func hashPlace(pc uintptr) uint64 {
	fn, file, line := ProgramAt(pc)
	if fn == "" {
		return Mix(uint64(pc))
	}
	return hashOf(fn, file, line)
}

func hashOf(fn, file string, line int) uint64 {
	h := uint64(14695981039346656037)
	for _, s := range [...]string{fn, text.Base(file)} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
	}
	return Mix(h + uint64(line))
}

// An Order is that a task went on with an operation, Before, while another one was about to make
// the other one, After. The task that was to go on for the other order is a candidate of the run's
// decision.
type Order struct {
	Before, After         Site
	BeforePC, AfterPC     uintptr
	BeforeKind, AfterKind Kind
	Decision, Choice      uint32
}

const (
	// mostOrders is how many new orders of a run are told.
	mostOrders = 1 << 9
	// crossed is the number of candidates that are looked at.
	crossed = 64
)

// Orders are those that were seen in a process, and those that are new in a run.
type Orders struct {
	seen  table
	sites table // that were told
	list  [mostOrders]Order
	n     uint32
	met   bool // policy Pair has got what it wants
	one   bool // it holds a task, and is to hold no other: the two places are one
}

// cross notes the orders of the operation with which the i-th of n candidates goes on.
func (os *Orders) cross(c *Control, holder, n, i uint32) {
	t := c.tasks.at(c.candidate(holder, i))
	if !t.about || t.run != c.run {
		return
	}
	for j := range min(n, crossed) {
		u := c.tasks.at(c.candidate(holder, j))
		if j == i || !u.about || u.run != c.run || u.object != t.object || u.pc == t.pc ||
			!conflict(t.kind, u.kind) {
			continue
		}
		os.note(Order{siteOf(t.pc, t.kind), siteOf(u.pc, u.kind), t.pc, u.pc, t.kind, u.kind,
			c.decided, j})
	}
}

func (os *Orders) note(o Order) {
	if o.Before == o.After || os.n == mostOrders {
		return
	}
	known := os.seen.n
	os.seen.find(Mix(uint64(o.Before))^uint64(o.After)|1, true)
	if os.seen.n != known {
		os.list[os.n] = o
		os.n++
	}
}

// New is how many orders the run has that the process has not seen before.
func (os *Orders) New() int { return int(os.n) }

// At is one of them.
func (os *Orders) At(i int) Order { return os.list[i] }

// First reports whether a site is asked for the first time.
func (os *Orders) First(s Site) bool {
	known := os.sites.n
	os.sites.find(uint64(s), true)
	return os.sites.n != known
}

// goOn notes that a task gets the token, and makes the operation that it was about to make.
func (os *Orders) goOn(c *Control, id uint32) {
	t := c.tasks.at(id)
	if c.spec.Policy == Pair && t.about && siteOf(t.pc, t.kind).Short() == c.spec.next.Choice {
		os.met = true
		for i := range c.pending.n {
			c.tasks.at(*c.pending.at(i)).held = false
		}
	}
	t.about = false
}

// hold has policy Pair hold a task that comes to the first of the two sites, until another one
// has gone on with the operation of the second.
func (os *Orders) hold(c *Control, t *Task) {
	if !os.met && !os.one && t.about && siteOf(t.pc, t.kind).Short() == c.spec.next.Decision &&
		c.next()%4 != 0 {
		t.held, t.heldAt = true, c.decided
		os.one = c.spec.next.Decision == c.spec.next.Choice
	}
}
