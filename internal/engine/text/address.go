// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// Addresses is what was known of some addresses at the time of a finding. Later the addresses may
// belong to other objects.
type Addresses struct {
	N  int // how many there are
	at [maxNoted]AddressInfo
}

// maxNoted is the number of addresses in a cycle.
const maxNoted = atomicity.MaxEdges + atomicity.MaxSyncEdges

// An AddressInfo is the block of the heap that an address is in, and the site that allocated the
// block.
type AddressInfo struct {
	addr        uintptr
	Start, Size uintptr // of the block
	Heap        bool    // the address is in a block
	AllocSite   uint32
}

// Note adds an address, with what is known of it now.
func (m *Addresses) Note(addr uintptr) {
	if m.N < len(m.at) {
		m.at[m.N] = lookAt(addr)
		m.N++
	}
}

// lookAt returns what is known of an address now.
func lookAt(addr uintptr) (k AddressInfo) {
	k.addr = addr
	if k.Start, k.Size, k.Heap = host.Block(addr); k.Heap {
		k.AllocSite = datarace.AllocSite(k.Start)
	}
	return k
}

// At is what is known of an address that the text is about.
func (b *Buffer) At(addr uintptr) AddressInfo {
	if m := b.Addresses.P(); m != nil {
		for i := range m.N {
			if m.at[i].addr == addr {
				return m.at[i]
			}
		}
	}
	return lookAt(addr)
}

// AllocSiteOf is the site that allocated the block of the heap that an address is in, 0 if that is
// not known.
func AllocSiteOf(addr uintptr) uint32 {
	k := lookAt(addr)
	return k.AllocSite
}

// SameBlock reports whether two addresses are in one block of the heap, as the parts of a channel
// are.
func (b *Buffer) SameBlock(x, y uintptr) bool {
	first := b.At(x).Start
	return x == y || first != 0 && first == b.At(y).Start
}
