// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Fingerprint is the same for findings of one check at the same places of a program, in whatever
// trace and by whatever threads: 32 hexadecimal digits. It depends on positions, marks and
// declarations. It does not depend on the order of the two sides of a race, of the conflicts of a
// cycle or of the threads of a deadlock. Nor does it depend on evidence, addresses, keys,
// goroutines and event numbers, or on the event of another goroutine between a check and an act in
// two critical sections. An event without a position counts by its target.
func (f *Finding) Fingerprint() string {
	parts := []string{string(f.Kind), f.Check}
	switch {
	case len(f.Nodes) > 0:
		parts = append(parts, f.nodePlaces()...)
	case f.Check == inSections && f.Decided != nil: // whatever comes between, or can
		parts = append(parts, f.sectionPlaces()...)
	case f.Decided != nil: // the sides of a check and act are what they are
		parts = append(parts, f.Act, place(f.Decided), place(&f.At), place(f.Previous))
	case f.Previous != nil:
		parts = append(parts, sorted(place(&f.At), place(f.Previous))...)
	case len(f.Edges) > 0:
		var edges []string
		for i := range f.Edges {
			edges = append(edges, place(&f.Edges[i].From), place(&f.Edges[i].To))
		}
		parts = append(parts, f.mark())
		parts = append(parts, sortedBy(2, edges)...)
	default:
		parts = append(parts, f.mark(), place(&f.At))
	}
	if f.Object != nil && f.Kind != DataRace { // which may have no name in another run
		parts = append(parts, f.Object.Type, f.Object.Name, f.Object.DeclaredAt)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x", sum[:16])
}

// sectionPlaces are the function that checks and acts in two critical sections, and where it does.
func (f *Finding) sectionPlaces() []string {
	name, _, _ := strings.Cut(f.Headline, " ")
	if f.Sections != nil {
		name = f.Sections.Func
	}
	list := []string{name}
	for _, e := range []*Event{f.Decided, &f.At} {
		at := place(e)
		for _, frame := range e.Stack {
			if frame.Func == name {
				at = fmt.Sprintf("%s:%d", frame.File, frame.Line)
				break
			}
		}
		list = append(list, at)
	}
	return list
}

// nodePlaces are the places of what is potential. The threads of a deadlock have no order.
func (f *Finding) nodePlaces() (list []string) {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		lock := n.Lock
		if f.Recorded || f.Report != "" {
			lock = "" // it is a number of that run, or a letter of that report
		}
		list = append(list, place(&n.From), place(&n.To), lock)
	}
	if f.Kind == Deadlock {
		list = sortedBy(3, list)
	}
	return list
}

// mark is where the violating transaction begins, in the source if that is known.
func (f *Finding) mark() string {
	if len(f.Transactions) == 0 {
		return ""
	}
	if t := &f.Transactions[0]; t.MarkedAt == "" {
		return t.At
	}
	return f.Transactions[0].MarkedAt
}

// place is an event's place in the program.
func place(e *Event) string {
	switch {
	case e == nil:
		return ""
	case e.At == "", e.At == "0":
		return e.Op + " " + e.Target
	}
	return e.Op + " " + e.Method + " " + e.At
}

func sorted(list ...string) []string {
	slices.Sort(list)
	return list
}

// sortedBy sorts groups of n strings.
func sortedBy(n int, list []string) []string {
	groups := slices.Collect(slices.Chunk(list, n))
	slices.SortFunc(groups, slices.Compare[[]string])
	return slices.Concat(groups...)
}
