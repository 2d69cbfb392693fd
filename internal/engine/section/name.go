// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

// name notes a touch of what is at a place, the first one. Elements of a slice have no name.
func (p *place) name(t *compiled.SectionTouch) {
	if p.of.Load() == nil && t.Op < compiled.ReadBacking {
		p.of.Store(t)
	}
}

// TouchOf is a touch of the variable, field or map at an address, in a critical section; nil if
// none was made since the memory was allocated. For a struct and its first field, the touch may be
// of either.
func (w *World) TouchOf(addr uintptr) *compiled.SectionTouch {
	if !w.On() {
		return nil
	}
	p := w.tracked.find(addr)
	if p == nil {
		return nil
	}
	n := p.generation.Load()
	of := p.of.Load()
	if p.addr.Load() != addr || p.generation.Load() != n {
		return nil // the record has been freed
	}
	return of
}
