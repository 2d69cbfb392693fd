// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// A PCNumber is a return address and a small number that was found out about it. Both are in one
// word, on any port, so that no reader sees the address of one and the number of another. What it
// has lost to another address has to be found out again.
type PCNumber struct{ word atomic.Uint64 }

const (
	pcNumberBits = 3
	maxPCNumber  = 1<<pcNumberBits - 1
)

// Get is the number of a return address; ok is false if none is remembered.
func (p *PCNumber) Get(pc uintptr) (number int, ok bool) {
	v := p.word.Load()
	return int(v & maxPCNumber), v>>pcNumberBits == uint64(pc)
}

// Put remembers the number of a return address, from 0 to 7.
func (p *PCNumber) Put(pc uintptr, number int) {
	host.Publish64(&p.word, uint64(pc)<<pcNumberBits|uint64(number))
}
