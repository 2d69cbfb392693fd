// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// rank is how severe a finding is, 0 being the worst: what has happened comes before what can
// happen.
func rank(f *report.Finding) int {
	r := 0
	for term.Severity[r] != f.Effect {
		r++
	}
	switch f.Violation {
	case commrace.Observed:
		return r
	case commrace.Predicted:
		return r + len(term.Severity)
	}
	return r + 2*len(term.Severity)
}

// summary writes, at the end of the program, what was found: a group for each declaration, the most
// severe first. Then it writes the directives and suppressions that nothing was found for.
func summary(b *text.Buffer) {
	listFindings(b)
	if !partial() {
		listUnused(b)
	}
}

// listFindings writes what was found.
func listFindings(b *text.Buffer) {
	if dataRaces > 0 {
		b.Text("commute: found ")
		b.Uint(dataRaces)
		b.Text(text.Plural(dataRaces, " data race\n", " data races\n"))
	}
	if violationReports > 0 {
		b.Text("commute: found ")
		b.Uint(violationReports)
		b.Text(text.Plural(violationReports, " atomicity violation\n", " atomicity violations\n"))
		listViolations(b)
	}
	if n := instance.Transactions.Incomplete(); n > 0 {
		b.Text("commute: of ")
		b.Uint(uint64(n))
		b.Text(" more atomicity violations, too much had happened in between for the cycle to be " +
			"shown\n")
	}
	if found.number > 0 {
		b.Text("commute: found ")
		b.Uint(found.number)
		b.Text(text.Plural(found.number, " commutativity race", " commutativity races"))
		if n := brokenChecks(); n > 0 {
			b.Text(", ")
			if found.number > 1 {
				b.Uint(n)
				b.Text(" of ")
			}
			b.Text("which ")
			b.Text(text.Plural(n, "breaks a check and act", "break a check and act"))
		}
		b.Text("\n")
		writeGroups(b)
	}
	if sectionReports > 0 {
		listSections(b)
	}
	if deadlockReports > 0 {
		listDeadlocks(b)
	}
	if leakReports > 0 {
		listLeaks(b)
	}
	if hiddenReports > 0 {
		b.Text("commute: not shown: ")
		b.Uint(hiddenReports)
		b.Text(text.Plural(hiddenReports, " more report", " more reports"))
		b.Text(" (-max_reports=0 shows all, -report=html=FILE has all in a page)\n")
	}
	if readsBeside > 0 {
		b.Text("commute: not reported: ")
		b.Uint(readsBeside)
		b.Text(text.Plural(readsBeside, " pair of calls", " pairs of calls"))
		b.Text(" of which one reads while the other writes (level=races reports them)\n")
	}
	if instance.Clocks.Exhausted.Load() != 0 {
		b.Text("commute: the clocks were used up after 2^40 steps of a goroutine: " +
			"nothing was reported after that (run less at a time)\n")
	}
	if option.Current.Stats {
		stats(b)
	}
}

// endHead ends the line that says how much was found of what an option has fail or not. It names
// the flag by which that fails, if it doesn't.
func endHead(b *text.Buffer, n uint64, what option.Outcome, flag string) {
	if what != option.Fail {
		b.Texts(text.Plural(n, " (a warning; -", " (warnings; -"), flag,
			text.Plural(n, "=fail makes it fail)", "=fail makes them fail)"))
	}
	b.Text("\n")
}

// SoFar writes what the summary would be now, and what was watched, while the program goes on. The
// lock is held for it, so who finds something meanwhile waits: the caller must not be preempted.
func SoFar() {
	option.Ready()
	found.lock.Lock()
	if !found.closed {
		t := output.NewText(option.Current.Out, false)
		b := &t.Buffer
		b.Text("commute: so far:\n")
		listFindings(b)
		if !option.Current.Stats {
			counts.Print(b)
		}
		t.Send()
	}
	found.lock.Unlock()
	Wake()
}

// listUnused writes the comments and suppressions that nothing was found for.
func listUnused(b *text.Buffer) {
	source.Unused(func(d *compiled.Directive) {
		b.Texts("commute: ", d.File, ":")
		b.Uint(uint64(d.Line))
		b.Texts(": //commute:", string(d.Kind), " is unused: nothing was found there in this run\n")
	})
	if counts.Wanted() {
		return // the command says which lines of the file no program has used
	}
	for i := range option.Suppressions {
		if !option.Suppressions[i].Used {
			b.Texts("commute: suppression ", option.Suppressions[i].Pattern, " is unused\n")
		}
	}
}

// listFound writes a line for each kind of which something was found that fails tests: how much it
// is. The summary has the same numbers.
func listFound(b *text.Buffer) {
	deadlocks := deadlockReports
	if option.Current.Deadlock != option.Fail {
		deadlocks = 0
	}
	for _, k := range [...]struct {
		name string
		n    uint64
	}{{"data-race", dataRaces}, {"violation", violationReports}, {"race", found.number},
		{"broken", brokenChecks()}, {"sections", sectionReports}, {"deadlock", deadlocks},
		{"leak", failingLeaks()}} {
		if k.n > 0 {
			b.Texts("found ", k.name, " ")
			b.Uint(k.n)
			b.Text("\n")
		}
	}
}

// stats writes how much there was to check.
func stats(b *text.Buffer) {
	counts.Print(b)
	ended, conflicts := instance.Transactions.Totals()
	b.Text("commute: ")
	b.Uint(ended)
	b.Text(text.Plural(ended, " transaction, ", " transactions, "))
	b.Uint(conflicts)
	b.Text(text.Plural(conflicts, " conflict with others\n", " conflicts with others\n"))
}

// partial reports whether tests are left out of this run. Then an unused directive may be there for
// one of these.
func partial() bool {
	for i := 1; ; i++ {
		arg, ok := host.Arg(i)
		if !ok {
			return false
		}
		for _, flag := range [...]string{"-test.run=", "-test.skip=", "-test.short=true",
			"-test.fuzz=", "-test.list="} {
			if text.HasPrefix(arg, flag) && arg != "-test.run=." {
				return true
			}
		}
	}
}

// brokenChecks is the number of findings that break a check and act.
func brokenChecks() (n uint64) {
	for f := found.first; f != nil; f = f.Next {
		if f.Violation != commrace.NoViolation && f.Into == nil {
			n++
		}
	}
	return n
}

// writeGroups writes the groups, the one with the most severe finding first; of equals, the one
// that was found first.
func writeGroups(b *text.Buffer) {
	n := 2 * found.number
	list := unsafe.Slice((**report.Finding)(host.Alloc(unsafe.Sizeof(uintptr(0))*uintptr(n))), n)
	list, spare := list[:found.number], list[found.number:]
	i := 0
	for f := found.first; f != nil; f = f.Next {
		if f.Into != nil {
			continue
		}
		f.Order = i
		list[i] = f
		i++
	}
	// In the order of declarations, the most severe of each comes first: that leads the group.
	text.Sort(list, spare, func(f, g *report.Finding) bool { return compareDecl(f, g) < 0 })
	var lead *report.Finding
	for _, f := range list {
		if lead == nil || !sameGroup(f, lead) {
			lead = f
		}
		f.Lead = lead
	}
	text.Sort(list, spare, func(f, g *report.Finding) bool {
		if f.Lead != g.Lead {
			return moreSevere(f.Lead, g.Lead)
		}
		return moreSevere(f, g)
	})
	for _, f := range list {
		if f == f.Lead {
			writeGroup(b, f)
		}
		writeFinding(f, b)
	}
}

// moreSevere reports whether f is more severe than g, or as severe and was found before.
func moreSevere(f *report.Finding, g *report.Finding) bool {
	if r, s := rank(f), rank(g); r != s {
		return r < s
	}
	return f.Order < g.Order
}

// sameGroup reports whether two findings are of one declaration.
func sameGroup(f *report.Finding, g *report.Finding) bool {
	return f.Decl.Key == g.Decl.Key && f.Decl.Name != "" && g.Decl.Name != "" || f == g
}

// compareDecl orders findings by declaration, and those of one by severity.
func compareDecl(f *report.Finding, g *report.Finding) int {
	if c := f.Decl.Key.Compare(&g.Decl.Key); c != 0 {
		return c
	}
	if (f.Decl.Name == "") != (g.Decl.Name == "") {
		return text.Order(f.Decl.Name == "")
	}
	return text.Order(moreSevere(f, g))
}

// writeGroup writes what is said of all findings of a declaration.
func writeGroup(b *text.Buffer, lead *report.Finding) {
	name := lead.Decl.Name
	if name == "" {
		name = "(declaration unknown)"
	}
	b.Texts("  ", lead.Table.Type)
	if !report.IsObject(lead.Table.Type, name) {
		b.Texts(" ", name)
	}
	if lead.Decl.Pos != "" {
		b.Texts(" (", stack.Stripped(lead.Decl.Pos), ")")
	}
	b.Text("\n")
}

// writeFinding writes the places of a finding, and what is known of it. If one place is between two
// others, they are in the order of the program.
func writeFinding(f *report.Finding, b *text.Buffer) {
	b.Text("    ")
	if f.Violation == commrace.NoViolation {
		stack.Place(b, f.At[0])
		b.Text(" and ")
		stack.Place(b, f.At[1])
	} else {
		stack.Range(b, f.Check, f.At[0])
		b.Text(", and ")
		stack.Place(b, f.At[1])
		b.Text(" in between")
	}
	b.Texts(": ", f.Effect)
	if f.Violation == commrace.Observed || f.Violation == commrace.Predicted {
		b.Texts(", ", report.Evidence(f.Violation))
	}
	b.Text(", ")
	b.Uint(f.Count)
	b.Text(text.Plural(f.Count, " time\n", " times\n"))
}
