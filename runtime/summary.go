// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/term"
)

// rank is how severe a finding is, 0 being the worst: what has happened comes before what can happen.
func (f *finding) rank() int {
	r := 0
	for term.Severity[r] != f.effect {
		r++
	}
	switch f.breach {
	case commrace.Observed:
		return r
	case commrace.Predicted:
		return r + len(term.Severity)
	}
	return r + 2*len(term.Severity)
}

// summary writes, at the end of the program, one group for each declaration that has findings, the
// most severe first, with its pairs of code places; and the directives that nothing was found for.
func summary(b *buffer) {
	if told > 0 {
		b.text("Found ")
		b.uint(told)
		b.text(" data race(s)\n")
	}
	if violated > 0 {
		b.text("commute: found ")
		b.uint(violated)
		b.text(plural(violated, " atomicity violation\n", " atomicity violations\n"))
		breakings(b)
	}
	if n := instance.Transactions.Incomplete(); n > 0 {
		b.text("commute: of ")
		b.uint(uint64(n))
		b.text(" more atomicity violations, too much had happened in between for the cycle to be shown\n")
	}
	if found.reported > 0 {
		b.text("commute: found ")
		b.uint(found.reported)
		b.text(plural(found.reported, " commutativity race", " commutativity races"))
		if n := breaches(); n > 0 {
			b.text(", ")
			if found.reported > 1 {
				b.uint(n)
				b.text(" of ")
			}
			b.text("which ")
			b.text(plural(n, "breaks a check and act", "break a check and act"))
		}
		b.text("\n")
		groups(b)
	}
	if instance.Clocks.Exhausted.Load() != 0 {
		b.text("commute: the clocks were used up after 2^40 steps of a goroutine: " +
			"nothing was reported after that (run less at a time)\n")
	}
	if options.stats {
		stats(b)
	}
	if partial() {
		return
	}
	unused(func(kind, file, line string) {
		b.texts("commute: ", file, ":", line, ": //commute:", kind, " is unused: nothing was found there in this run\n")
	})
	for i := range rules {
		if !rules[i].used {
			b.texts("commute: suppression ", rules[i].pattern, " is unused\n")
		}
	}
}

// stats writes how much there was to check.
func stats(b *buffer) {
	countsLine(b)
	ended, conflicts := instance.Transactions.Totals()
	b.text("commute: ")
	b.uint(ended)
	b.text(plural(ended, " transaction, ", " transactions, "))
	b.uint(conflicts)
	b.text(plural(conflicts, " conflict with others\n", " conflicts with others\n"))
}

// partial reports whether tests are left out of this run. Then what was found nothing for may be
// what they are there for.
func partial() bool {
	for i := 1; ; i++ {
		arg, ok := host.Arg(i)
		if !ok {
			return false
		}
		for _, flag := range [...]string{"-test.run=", "-test.skip=", "-test.short=true", "-test.fuzz=", "-test.list="} {
			if hasPrefix(arg, flag) && arg != "-test.run=." {
				return true
			}
		}
	}
}

// breaches is the number of findings that break a check and act.
func breaches() (n uint64) {
	for f := found.first; f != nil; f = f.next {
		if f.breach != commrace.NoViolation {
			n++
		}
	}
	return n
}

// groups writes the groups, the one with the most severe finding first; of equals, the one that was
// found first.
func groups(b *buffer) {
	n := 2 * found.reported
	list := unsafe.Slice((**finding)(host.Alloc(unsafe.Sizeof(uintptr(0))*uintptr(n))), n)
	list, spare := list[:found.reported], list[found.reported:]
	i := 0
	for f := found.first; f != nil; f = f.next {
		f.order = i
		list[i] = f
		i++
	}
	// In the order of declarations, the most severe of each comes first: that leads the group.
	sort(list, spare, func(f, g *finding) bool { return f.compareDecl(g) < 0 })
	var lead *finding
	for _, f := range list {
		if lead == nil || !f.sameGroup(lead) {
			lead = f
		}
		f.lead = lead
	}
	sort(list, spare, func(f, g *finding) bool {
		if f.lead != g.lead {
			return f.lead.before(g.lead)
		}
		return f.before(g)
	})
	for _, f := range list {
		if f == f.lead {
			group(b, f)
		}
		f.line(b)
	}
}

// before reports whether f is more severe than g, or as severe and was found before.
func (f *finding) before(g *finding) bool {
	if r, s := f.rank(), g.rank(); r != s {
		return r < s
	}
	return f.order < g.order
}

// sameGroup reports whether two findings are of one declaration.
func (f *finding) sameGroup(g *finding) bool {
	return f.decl.key == g.decl.key && f.decl.name != "" && g.decl.name != "" || f == g
}

// compareDecl orders findings by declaration, and those of one by severity.
func (f *finding) compareDecl(g *finding) int {
	switch {
	case f.decl.key < g.decl.key:
		return -1
	case f.decl.key > g.decl.key:
		return 1
	case (f.decl.name == "") != (g.decl.name == ""):
		return order(f.decl.name == "")
	}
	return order(f.before(g))
}

// group writes what is said of all findings of a declaration.
func group(b *buffer, lead *finding) {
	name := lead.decl.name
	if name == "" {
		name = "(declaration unknown)"
	}
	b.texts("  ", lead.table.Type)
	if !isObject(lead.table.Type, name) {
		b.texts(" ", name)
	}
	if lead.decl.pos != "" {
		b.texts(" (", stripped(lead.decl.pos), ")")
	}
	b.text("\n")
}

// line writes the places of a finding, in the order of the program if one is between two others, and what is known of it.
func (f *finding) line(b *buffer) {
	b.text("    ")
	if f.breach == commrace.NoViolation {
		place(b, f.at[0])
		b.text(" and ")
		place(b, f.at[1])
	} else {
		place(b, f.check)
		b.text(" to ")
		place(b, f.at[0])
		b.text(", and ")
		place(b, f.at[1])
		b.text(" in between")
	}
	b.texts(": ", f.effect)
	if f.breach == commrace.Observed || f.breach == commrace.Predicted {
		b.texts(", ", evidence(f.breach))
	}
	b.text(", ")
	b.uint(f.count)
	b.text(plural(f.count, " time\n", " times\n"))
}
