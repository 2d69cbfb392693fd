// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// An inheritance collects, while the touches of a point go that a call subsumes, the checks among
// their calls. Acts of other goroutines may depend on those. Such an act finds the check with the
// call that has inherited it, because the act conflicts with that call too. So does each call that
// subsumes what the check touched, and it takes the check away in turn.
type inheritance struct {
	by     *Action // the call that inherits
	nGoids int
	// The goroutines whose touches were visited. Of each the first touch in the list is the latest:
	// only the latest observation can be the check of an act that is still to come.
	goids [8]uint64
}

// applies reports whether a call's touch of p inherits from the touches of the point of. It does
// not if the two points don't conflict: then an act that conflicts with one of them need not meet
// the other.
func (h *inheritance) applies(t *Table, a *Action, p, of uint8) bool {
	h.by = a
	return t.points[p].conflicts>>of&1 != 0
}

// take is for each of the touches, whether it goes or not.
func (h *inheritance) take(t *Table, b *Action, gone bool, s Sink) {
	// While there is room, a goroutine that is not in the list has its latest touch here.
	lastOfG := h.nGoids < len(h.goids)
	for _, g := range h.goids[:h.nGoids] {
		lastOfG = lastOfG && g != b.Goid
	}
	if h.nGoids < len(h.goids) {
		h.goids[h.nGoids] = b.Goid
		h.nGoids++
	}
	if !gone {
		return
	}
	if lastOfG && b.Goid != h.by.Goid &&
		t.Methods[b.Method].Role == Observer && s.Decides(t, b, nil) {
		h.by.inherited.keep(b, maxInherited)
	}
	// What the subsumed call has inherited goes on to this one.
	for k := b.inherited.head.P(); k != nil; k = k.next.P() {
		if k.call.P().Goid != h.by.Goid {
			h.by.inherited.keep(k.call.P(), maxInherited)
		}
	}
}
