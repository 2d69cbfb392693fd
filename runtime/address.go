// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// A memory is what was known of some addresses at the time of a finding. Later the addresses may
// belong to other objects.
type memory struct {
	n  int
	at [maxNoted]noted
}

// maxNoted is the number of addresses in a cycle.
const maxNoted = atomicity.MaxEdges + atomicity.MaxSyncEdges

// noted is the block of the heap that an address is in, and the site where that was allocated.
type noted struct {
	addr        uintptr
	start, size uintptr
	heap        bool
	home        uint32
}

func (m *memory) note(addr uintptr) {
	if m.n < len(m.at) {
		m.at[m.n] = lookAt(addr)
		m.n++
	}
}

func lookAt(addr uintptr) (k noted) {
	k.addr = addr
	if k.start, k.size, k.heap = host.Block(addr); k.heap {
		k.home = datarace.AllocSite(k.start)
	}
	return k
}

// at is what is known of an address.
func (b *buffer) at(addr uintptr) noted {
	if m := b.mem.P(); m != nil {
		for i := range m.n {
			if m.at[i].addr == addr {
				return m.at[i]
			}
		}
	}
	return lookAt(addr)
}

// homeOf is the site where the block of the heap was allocated that an address is in, 0 if that is not known.
func homeOf(addr uintptr) uint32 {
	k := lookAt(addr)
	return k.home
}

// together reports whether two addresses are in one block of the heap, as the parts of a channel are.
func (b *buffer) together(x, y uintptr) bool {
	first := b.at(x).start
	return x == y || first != 0 && first == b.at(y).start
}
