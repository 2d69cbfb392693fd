// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/check/atomicity"
	"github.com/commutego/commute/check/commrace"
	"github.com/commutego/commute/internal/host"
)

// severity orders effects, the worst first.
var severity = [...]string{lostUpdate, duplicate, staleCheck, staleRead, dependent, arbitration}

// rank is how severe a finding is, 0 being the worst: what has happened comes before what can happen.
func (f *finding) rank() int {
	r := 0
	for severity[r] != f.effect {
		r++
	}
	switch f.breach {
	case commrace.Observed:
		return r
	case commrace.Predicted:
		return r + len(severity)
	}
	return r + 2*len(severity)
}

const maxRank = 3 * len(severity)

// summary writes, at the end of the program, one group for each declaration that has findings, the
// most severe first, with its pairs of code places; and the directives that nothing was found for.
func summary(b *buffer) {
	found.closed = true
	if told > 0 {
		b.text("Found ")
		b.uint(told)
		b.text(" data race(s)\n")
	}
	if violated > 0 {
		b.text("commute: found ")
		b.uint(violated)
		b.text(plural(violated, " atomicity violation\n", " atomicity violations\n"))
	}
	if n := atomicity.Lost(); n > 0 {
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
			b.uint(n)
			b.text(plural(n, " of which breaks", " of which break"))
			b.text(" a check and act")
		}
		b.text("\n")
		for worst := range maxRank {
			for f := found.first; f != nil; f = f.next {
				if f.rank() == worst && f.leads() {
					group(b, f)
				}
			}
		}
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
	eachRule(func(i int, rule string) bool {
		if i < 64 && usedRules>>i&1 == 0 {
			b.texts("commute: suppression ", rule, " is unused\n")
		}
		return true
	})
}

// stats writes how much there was to check.
func stats(b *buffer) {
	countsLine(b)
	ended, conflicts := atomicity.Totals()
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

// sameGroup reports whether two findings are of one declaration.
func (f *finding) sameGroup(g *finding) bool {
	return f.decl.key == g.decl.key && (f.decl.name != "" || f == g)
}

// leads reports whether f is the finding that its group is listed at: the most severe, and of those
// the first in order.
func (f *finding) leads() bool {
	for worst := range maxRank {
		for g := found.first; g != nil; g = g.next {
			if g.rank() == worst && g.sameGroup(f) {
				return g == f
			}
		}
	}
	return false
}

// breaches is the number of findings that break a check and act.
func breaches() (n uint64) {
	for f := found.first; f != nil; f = f.next {
		if f.breach != commrace.NoBreach {
			n++
		}
	}
	return n
}

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
	for worst := range maxRank {
		for f := found.first; f != nil; f = f.next {
			if f.rank() == worst && f.sameGroup(lead) {
				f.line(b)
			}
		}
	}
}

// line writes the places of a finding, in the order of the program if one is between two others, and what is known of it.
func (f *finding) line(b *buffer) {
	b.text("    ")
	if f.breach == commrace.NoBreach {
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

func place(b *buffer, fr host.Frame) {
	b.texts(base(fr.File), ":")
	b.int(int64(fr.Line))
}

func plural(n uint64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
