// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package advice

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// Calls is a race of two calls, or a check and act that a call breaks, by methods of their type.
type Calls struct {
	Table         *commrace.Table
	First, Second uint32 // the methods of the two calls; of a violation, the act's and the other's
	Keyed         bool   // they meet on a key
	Effect        string

	Violation commrace.Violation // how a check and act is broken
	Check     uint32             // of a violation, the method of the check
	From, To  host.Frame         // and where the function checks and acts
}

// Mend writes how to mend it, in a line without its end.
func (c *Calls) Mend(b *text.Buffer) {
	if c.Violation != commrace.NoViolation {
		c.mendCheckAct(b)
		return
	}
	change := c.mutator()
	switch c.Effect {
	case term.LostUpdate:
		b.Text(text.Pick(c.Keyed, "let one goroutine have the key", "let one goroutine do it"))
		b.Text(", or look and change in one step: ")
		if HasArbiter(c.Table, change) {
			b.Text("by ")
			Arbiters(b, c.Table, change)
			b.Text(", or ")
		}
		b.Text("under one lock")
	case term.StaleCheck:
		b.Text("change it by a method that checks and acts in one, too")
		if HasArbiter(c.Table, change) {
			b.Text(", as ")
			Arbiters(b, c.Table, change)
		}
		b.Text("; or hold one lock around both calls")
	case term.Arbitration:
		b.Text("look at what both calls return, and go by that")
	default:
		b.Text("have one call come after the other: wait for it by a channel or a WaitGroup")
	}
}

// mutator is the method of the call that changes something, the second one's if both do.
func (c *Calls) mutator() *commrace.Method {
	if m := &c.Table.Methods[c.Second]; m.Role == commrace.Mutator {
		return m
	}
	return &c.Table.Methods[c.First]
}

// mendCheckAct is Mend for a check and act.
func (c *Calls) mendCheckAct(b *text.Buffer) {
	if act := &c.Table.Methods[c.First]; HasArbiter(c.Table, act) {
		b.Text("check and act in one step, by ")
		Arbiters(b, c.Table, act)
		b.Texts(" in place of ", c.Table.Methods[c.Check].Name, " and ", act.Name, "; or ")
	}
	b.Text("hold one lock ")
	extent(b, c.From, c.To)
	if c.Violation != commrace.SymmetricCheck {
		b.Text(", and around what comes in between")
	}
}

// HasArbiter reports whether a type has methods that check and act in one, where m only acts.
func HasArbiter(t *commrace.Table, m *commrace.Method) bool {
	for i := range t.Len() {
		if t.Methods[i].Role == commrace.Arbiter {
			return m.Role == commrace.Mutator
		}
	}
	return false
}

// Arbiters writes the methods of a type that check and act in one as m acts. These have m's name in
// theirs, or more parameters than m; if there are none, all are written.
func Arbiters(b *text.Buffer, t *commrace.Table, m *commrace.Method) {
	like := func(a *commrace.Method) bool {
		return text.Contains(a.Name, m.Name) || m.Values() > 0 && a.Values() > m.Values()
	}
	list := func(fits func(a *commrace.Method) bool) (n int) {
		for i := range t.Len() {
			if a := &t.Methods[i]; a.Role == commrace.Arbiter && fits(a) {
				if n > 0 {
					b.Text(" or ")
				}
				b.Text(a.Name)
				n++
			}
		}
		return n
	}
	if list(like) == 0 {
		list(func(*commrace.Method) bool { return true })
	}
}
