// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// breakings lists the atomicity violations that were reported: one line for two places of a marked
// function and who came in between, the lines of a function together, in the order in which they
// were found.
func breakings(b *buffer) {
	n := uintptr(0)
	for v := broken; v != nil; v = v.next {
		n++
	}
	list := unsafe.Slice((**violation)(host.Alloc(2*unsafe.Sizeof(uintptr(0))*n)), 2*n)
	list, spare := list[:n], list[n:]
	for v := broken; v != nil; v = v.next {
		n-- // the last that was found comes first
		v.order, list[n] = n, v
	}
	sort(list, spare,
		func(v, w *violation) bool {
			return v.place < w.place ||
				v.place == w.place && v.order < w.order
		})
	var lead *violation
	for _, v := range list {
		if lead == nil || lead.place != v.place {
			lead = v
		}
		v.lead = lead.order
	}
	sort(list, spare,
		func(v, w *violation) bool {
			return v.lead < w.lead ||
				v.lead == w.lead && v.order < w.order
		})
	lead = nil
	for _, v := range list {
		if v.tells == 0 {
			continue // reported as observed, and not again as predicted
		}
		if lead == nil || lead.place != v.place {
			lead = v
			p := markAt(v.place)
			b.text("  ")
			function(b, base(p.Name))
			b.texts(" (", base(p.Pos), ")\n")
		}
		v.line(b)
	}
}

// line writes the places of a violation, and how often there was one.
func (v *violation) line(b *buffer) {
	b.text("    ")
	v.places(b)
	b.text(": ")
	if v.isCapped() {
		b.text("at least ")
	}
	b.uint(v.count)
	b.text(plural(v.count, " time\n", " times\n"))
}

// places writes where a violation begins and ends, and who came in between.
func (v *violation) places(b *buffer) {
	name := markAt(v.place).Name
	place(b, frameIn(name, v.sites[0]))
	b.text(" to ")
	place(b, frameIn(name, v.sites[1]))
	b.text(pick(v.predicted, ", can be interfered with", ", interfered with"))
	if fr := ownFrame(v.sites[2]); fr.File != "" {
		b.text(" at ")
		place(b, fr)
		b.text(" by ")
		function(b, base(fr.Func))
	}
}

// printRepeat writes the report of a violation for a test that is not the first.
func (v *violation) printRepeat(b *buffer) {
	b.text("WARNING: ATOMICITY VIOLATION again, reported in full for an earlier test: ")
	function(b, base(markAt(v.place).Name))
	b.text(", ")
	v.places(b)
	b.text("\n")
}

// isCapped reports whether there were more violations of the place than were looked at.
func (v *violation) isCapped() bool {
	for i := range seen {
		if seen[i].place == v.place && seen[i].n > maxSeen {
			return true
		}
	}
	return false
}

// ownFrame is the innermost frame of a site that is not in the standard library.
func ownFrame(site uint32) (found host.Frame) {
	eachFrame(site, func(fr host.Frame) bool {
		if ofLibrary(fr.Func) {
			return true
		}
		found = fr
		return false
	})
	return found
}
