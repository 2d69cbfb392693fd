// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/event"
)

// A numbers is a set of variables: 64 of them in each word.
type numbers []uint64

func (n *numbers) add(v uint32) {
	*n = table.Grow(*n, v/64)
	(*n)[v/64] |= 1 << (v % 64)
}

func (n numbers) has(v uint32) bool {
	return int(v/64) < len(n) && n[v/64]>>(v%64)&1 != 0
}

// A maker knows what memory a schedule has to have written before it reads it: that which was
// written first of all in the trace, before somebody read it. Who reads it would not know of it
// before it is initialized.
type maker struct {
	initial map[uint32]bool // variables whose first access in the trace is a write in the piece
	now     map[uint32]bool // those of them that the schedule has written
}

func newMaker(p *reorder.Piece, before numbers) maker {
	m := maker{initial: make(map[uint32]bool), now: make(map[uint32]bool)}
	for i := range p.Events {
		e := &p.Events[i]
		if e.Op != event.Read && e.Op != event.Write || before.has(e.Target) {
			continue
		}
		if _, known := m.initial[e.Target]; !known {
			m.initial[e.Target] = e.Op == event.Write
		}
	}
	return m
}

// make takes a step of the schedule, and reports whether it may be made.
func (m *maker) make(e *event.Event) bool {
	if e.Op != event.Read && e.Op != event.Write || !m.initial[e.Target] {
		return true
	}
	if e.Op == event.Write {
		m.now[e.Target] = true
	}
	return m.now[e.Target]
}
