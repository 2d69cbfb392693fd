// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"fmt"
	"io"
	"path"
	"strings"
	"text/tabwriter"
)

// Table writes a line for each object: its name and type, the number of covered pairs, and their
// percentage. The last line is the total.
func Table(w io.Writer, list []Group) error {
	t := tabwriter.NewWriter(w, 0, 8, 1, '\t', 0)
	for _, g := range list {
		fmt.Fprintf(t, "%s\t%s\t%d/%d\t%s\n", g.name(), g.Object.Type, g.Covered(), len(g.Rows),
			percent(g.Covered(), len(g.Rows)))
	}
	covered, all := Sum(list)
	fmt.Fprintf(t, "total:\t(pairs)\t%d/%d\t%s\n", covered, all, percent(covered, all))
	return t.Flush()
}

// name is what the object is called.
func (g *Group) name() string {
	switch g.Object.Name {
	case "":
		return "(all objects)"
	case Nameless:
		return "(other objects)"
	}
	return g.Object.Name
}

// Missing writes the pairs that are not covered, by object, and the percentage of covered pairs.
func Missing(w io.Writer, list []Group) error {
	var b strings.Builder
	for _, g := range list {
		if g.Covered() == len(g.Rows) {
			continue
		}
		fmt.Fprintf(&b, "%s (%s): %s\n", g.name(), g.Object.Type, Part(g.Covered(), len(g.Rows)))
		for _, r := range g.Rows {
			if !Covers(g.Object.Kind, r.State) {
				fmt.Fprintf(&b, "\t%s: %s\n", r.name(), r.Words())
			}
		}
	}
	covered, all := Sum(list)
	fmt.Fprintf(&b, "concurrency coverage: %s\n", Part(covered, all))
	_, err := io.WriteString(w, b.String())
	return err
}

// name is the two operations.
func (r *Row) name() string { return r.First.short() + ", " + r.Second.short() }

// short is the operation without the path of its package.
func (o Operation) short() string {
	if o.Place == "" {
		return o.Method
	}
	return o.Method + " " + path.Base(o.Place)
}

// Words says how a row's pair ran. If the row has methods only, it names places of their calls.
func (r *Row) Words() string {
	first, second := r.Example.First, r.Example.Second
	if first.Method != r.First.Method || r.First.Place != "" && first != r.First {
		first, second = second, first
	}
	ordered := "always ordered"
	if r.Example.Object.Kind == Lock {
		ordered = "in one order only"
	}
	switch r.State {
	case NotRun:
		return "not run"
	case Alone:
		return "by one goroutine only" + r.places(first, second)
	case Before:
		return ordered + ": " + first.short() + " before " + second.short()
	case After:
		return ordered + ": " + second.short() + " before " + first.short()
	case Both:
		if r.Example.Object.Kind == Lock {
			return "in both orders"
		}
		return "always ordered, in both orders"
	}
	return "unordered" + r.places(first, second)
}

// places are those of two operations, if the row doesn't have them already.
func (r *Row) places(first, second Operation) string {
	if r.First.Place != "" {
		return ""
	}
	return ": " + first.short() + ", " + second.short()
}
