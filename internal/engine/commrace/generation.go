// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// Generation is the object's generation. Changes move it on by two, observations have the odd
// numbers between.
func (o *Object) Generation() uint32 { return o.gen.Load() }

// advances moves the generation on, and returns it. The caller has locked some part.
func (o *Object) advances() uint32 {
	if o.divided.Load() != nil {
		return o.gen.Add(2)
	}
	gen := o.gen.Load() + 2
	host.Publish32(&o.gen, gen)
	return gen
}

// ends is the generation of a call of m that ends. An observation doesn't move it on, unless calls
// that are under way may have to join it: its own is between those of the changes around it.
func (h held) ends(m *Method) uint32 {
	if m.Role == Observer && !h.Table().observersMove {
		return h.gen.Load() + 1
	}
	return h.advances()
}

// fresh makes the generation of an object that is used anew differ from those before.
func fresh(gen *atomic.Uint32) { host.Publish32(gen, gen.Load()+2) }
