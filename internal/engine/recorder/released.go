// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/event"
)

// What an acquire has to come after is what was released at its address. So for each address the
// recorder knows a number that is greater than those of all releases there: an acquire whose
// processor has such numbers in hand takes no new ones. Many addresses share an entry; of them all
// it has the greatest number.
//
// Besides, an entry counts the releases. A goroutine that finds the count of its last acquire at an
// address would learn nothing by another.
//
// A release changes its entry once it has a number, and before the program makes it. Who sees that
// it was made sees its entry changed.

// A releases is the entry of some addresses.
type releases struct {
	after atomic.Uint64 // greater than the numbers of all releases
	count atomic.Uint64 // of all releases
}

const releasedBits = 12 // of the number of entries

var released [1 << releasedBits]releases

// releasedAt is the entry of an address.
func releasedAt(addr uint64) *releases {
	return &released[addr*0x9E3779B97F4A7C15>>(64-releasedBits)]
}

// note notes a release that has a number below after.
func (r *releases) note(after uint64) {
	for {
		old := r.after.Load()
		if old >= after || r.after.CompareAndSwap(old, after) {
			break
		}
	}
	r.count.Add(1)
}

// Released changes when a release is recorded at addr. An acquire of a goroutine that has recorded
// one there since Released was the same adds nothing: there is nothing more to acquire.
func Released(addr uint64) uint64 { return releasedAt(addr).count.Load() }

// afterAll is greater than any number.
const afterAll = ^uint64(0)

// syncAfter is not above the number that synchronization at an address needs. A load and a release
// come after what was released there. An atomic store comes after the loads too, which leave no
// trace in the entry, and so after all.
func syncAfter(k event.Kind, r *releases) uint64 {
	if k == event.AtomicLoad || k.Releases() && k != event.AtomicStore && !k.Acquires() {
		return r.after.Load()
	}
	return afterAll
}

// Sync records synchronization at addr: those from Acquire to AtomicRMW.
func Sync(k event.Kind, t *Thread, pos uint32, addr uint64) {
	r := releasedAt(addr)
	recordSync(k, t, pos, addr, r, syncAfter(k, r))
}

// AcquireLoaded records an acquire by a load of a word that is atomic. Unlike other acquires it has
// a number after those of the releases at addr only, as AtomicLoad has.
func AcquireLoaded(t *Thread, pos uint32, addr uint64) {
	r := releasedAt(addr)
	recordSync(event.Acquire, t, pos, addr, r, r.after.Load())
}

func recordSync(k event.Kind, t *Thread, pos uint32, addr uint64, r *releases, after uint64) {
	if s := beginAs(k, t, pos, after); s != nil {
		s.signed(addr - s.sync)
		s.sync = addr
		if k.Releases() {
			r.note(s.next)
		}
		s.lock.Unlock()
	}
}
