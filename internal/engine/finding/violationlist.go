// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// listViolations writes the violations for the summary: one line for two places of marked code and
// an interfering event. Lines of the same code are together, in the order in which they were found.
func listViolations(b *text.Buffer) {
	n := uintptr(0)
	for v := violations; v != nil; v = v.next {
		n++
	}
	list := unsafe.Slice((**violation)(host.Alloc(2*unsafe.Sizeof(uintptr(0))*n)), 2*n)
	list, spare := list[:n], list[n:]
	for v := violations; v != nil; v = v.next {
		n-- // the last that was found comes first
		v.order, list[n] = n, v
	}
	text.Sort(list, spare,
		func(v, w *violation) bool {
			return v.code < w.code ||
				v.code == w.code && v.order < w.order
		})
	var lead *violation
	for _, v := range list {
		if lead == nil || lead.code != v.code {
			lead = v
		}
		v.lead = lead.order
	}
	text.Sort(list, spare,
		func(v, w *violation) bool {
			return v.lead < w.lead ||
				v.lead == w.lead && v.order < w.order
		})
	lead = nil
	for _, v := range list {
		if v.reports == 0 {
			continue // reported as observed, and not again as predicted
		}
		if lead == nil || lead.code != v.code {
			lead = v
			p := report.CodeOf(v.code)
			b.Text("  ")
			stack.Function(b, text.Base(p.Name))
			b.Texts(" (", text.Base(p.Pos), ")\n")
		}
		v.write(b)
	}
}

// listReported writes a line with the code and its mark for each violation that was reported, for
// those who look for more in a trace. found.lock is held.
func listReported(b *text.Buffer) {
	for v := violations; v != nil; v = v.next {
		if v.reports > 0 {
			p := report.CodeOf(v.code)
			b.Texts("reported ", p.Name, " ", p.Pos, "\n")
		}
	}
}

// write writes the places of a violation, and how often there was one.
func (v *violation) write(b *text.Buffer) {
	b.Text("    ")
	v.writePlaces(b)
	b.Text(": ")
	if v.isCapped() {
		b.Text("at least ")
	}
	b.Uint(v.count)
	b.Text(text.Plural(v.count, " time\n", " times\n"))
}

// writePlaces writes where a violation begins and ends, and the event that interfered.
func (v *violation) writePlaces(b *text.Buffer) {
	name := report.CodeOf(v.code).Name
	stack.Range(b, report.FrameIn(name, v.sites[0]), report.FrameIn(name, v.sites[1]))
	b.Text(text.Pick(v.predicted, ", can be interfered with", ", interfered with"))
	if fr := stack.ProgramFrame(v.sites[2]); fr.File != "" {
		b.Text(" at ")
		stack.Place(b, fr)
		b.Text(" by ")
		stack.Function(b, text.Base(fr.Func))
	}
}

// printRepeat writes the report of a violation for a test that is not the first.
func (v *violation) printRepeat(b *text.Buffer) {
	b.Text("WARNING: ATOMICITY VIOLATION again, reported in full for an earlier test: ")
	stack.Function(b, text.Base(report.CodeOf(v.code).Name))
	b.Text(", ")
	v.writePlaces(b)
	b.Text("\n")
}

// isCapped reports whether not all cycles of the code were looked for.
func (v *violation) isCapped() bool {
	for i := range searches {
		if searches[i].code == v.code && searches[i].n > maxSearches {
			return true
		}
	}
	return false
}
