// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
)

// Wants reports whether a cycle is to be looked for of a transaction of g at p.
func (g *Transactor) Wants(p *atomicity.AtomicCode) bool {
	place, test := uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(g.test.P()))
	found.lock.Lock()
	n := uint32(0) // where there is no room, it's always looked for
	for i := range uintptr(8) {
		s := &seen[(place>>4^test>>4+i)%uintptr(len(seen))]
		if s.n == 0 {
			s.place, s.test = place, test
		}
		if s.place == place && s.test == test {
			s.n++
			n = s.n
			break
		}
	}
	found.lock.Unlock()
	return n <= maxSeen
}

// Cycle reports that a transaction of g, which is over, is not serializable.
func (g *Transactor) Cycle(c *atomicity.Cycle) {
	tellCycle(c, g.test.P(), nil)
}

// atExit is told of transactions that are not over when the program is.
type atExit struct{}

func (atExit) Wants(*atomicity.AtomicCode) bool { return true }

func (atExit) Cycle(c *atomicity.Cycle) {
	tellCycle(c, nil, nil)
}
