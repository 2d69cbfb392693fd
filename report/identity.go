// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Identity is the same for findings of one kind between the same functions on the same declaration,
// whatever their lines: 32 hexadecimal digits. So it survives changes of the program elsewhere, and
// moved files of a package. Two findings between the same functions on one declaration share it, if
// they call the same methods. [Finding.Fingerprint] distinguishes these by their lines.
func (f *Finding) Identity() string {
	parts := []string{string(f.Kind)}
	switch {
	case len(f.Nodes) > 0:
		var list []string
		for i := range f.Nodes {
			list = append(list, function(&f.Nodes[i].From), function(&f.Nodes[i].To))
		}
		parts = append(parts, sortedBy(2, list)...)
	case f.Decided != nil:
		act, other := f.actAndOther()
		parts = append(parts, function(f.Decided), function(act), function(other))
	case f.Previous != nil:
		parts = append(parts, sorted(function(&f.At), function(f.Previous))...)
	case f.Evidence == Static:
		at, _, _ := strings.Cut(f.At.At, ":")
		parts = append(parts, f.Check, path.Base(at), withoutLines(f.Headline))
	default:
		parts = append(parts, f.transaction(0).Name)
		var list []string
		for i := range f.Edges {
			list = append(list, function(&f.Edges[i].From), function(&f.Edges[i].To))
		}
		parts = append(parts, slices.Compact(sorted(list...))...)
	}
	if f.Object != nil && f.Kind != DataRace { // which may have no name in another run
		parts = append(parts, f.Object.Type, f.Object.Name)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return fmt.Sprintf("%x", sum[:16])
}

// function is what an event does, and the function of the program that does it.
func function(e *Event) string {
	if e == nil {
		return ""
	}
	if f := programFrame(e.Stack); f != nil {
		return e.Op + " " + e.Method + " " + f.Func
	}
	return place(e)
}

// withoutLines is a text without the numbers of places, "file.go:12".
func withoutLines(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == ':' {
			for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				i++
			}
		}
	}
	return b.String()
}

// Rule is the rule of a finding for tools that have rules: "check-then-act-race/lost-update".
func (f *Finding) Rule() string {
	if f.Evidence == Static {
		return "vet/" + f.Check
	}
	name := strings.ReplaceAll(string(f.Kind), " ", "-")
	if f.Effect != "" {
		name += "/" + f.Effect.page()
	}
	return name
}

// Level is the level of a finding for tools that have levels: "warning" if no run has shown that it
// is possible, and otherwise "error".
func (f *Finding) Level() string {
	if f.Evidence == Potential || f.Evidence == Static {
		return "warning"
	}
	return "error"
}

// AllStacks lists the stacks of all sides of a finding.
func (f *Finding) AllStacks() (list [][]Frame) {
	for _, e := range f.Events() {
		if len(e.Stack) > 0 {
			list = append(list, e.Stack)
		}
	}
	return list
}

// Functions lists the program's functions that make the events of a finding, one for each event.
func (f *Finding) Functions() (list []string) {
	for _, e := range f.Events() {
		if fr := programFrame(e.Stack); fr != nil {
			list = append(list, fr.Func)
		}
	}
	return list
}

// Events lists the events of all sides: At, Previous and Decided, and those of edges and nodes.
func (f *Finding) Events() (list []*Event) {
	list = append(list, &f.At)
	for _, e := range []*Event{f.Previous, f.Decided} {
		if e != nil {
			list = append(list, e)
		}
	}
	for i := range f.Edges {
		list = append(list, &f.Edges[i].From, &f.Edges[i].To)
	}
	for i := range f.Nodes {
		list = append(list, &f.Nodes[i].From, &f.Nodes[i].To)
	}
	return list
}
