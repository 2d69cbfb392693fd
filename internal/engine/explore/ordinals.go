// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import "github.com/commutego/commute/internal/engine/offheap"

// Ordinals are numbers for addresses, for hashes of maps: the same in each run, as addresses are
// not. An address keeps its number for good, as it may be a key of a map. So the memory that these
// take grows with the addresses that were ever keys, and an address that is used again, after a
// collection, has its old number. The zero value is ready for use.
type Ordinals struct {
	numbers offheap.Memo
	last    uint64
}

// unordered is set in the numbers of addresses that were seen where there is no order.
const unordered = 1 << 63

// Of is the number of an address. In order says that the caller is the only one that says so, at a
// time. Other callers may come beside it. It takes constant time on average.
func (o *Ordinals) Of(addr uintptr, inOrder bool) uint64 {
	if addr == 0 {
		return 0
	}
	if n, ok := o.numbers.Get(uint64(addr)); ok {
		return n
	}
	if !inOrder {
		return o.numbers.Put(uint64(addr), unordered|uint64(addr))
	}
	o.last++
	return o.numbers.Put(uint64(addr), o.last)
}

// Restart has numbers begin again. So what a run makes has those of a run that is alone in its
// process. Two addresses may have one number then.
func (o *Ordinals) Restart() { o.last = 0 }
