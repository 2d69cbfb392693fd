// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// Violations of a check and an act: how they are described, and reported.

// DescribeViolation puts the act first, and adds the check.
func (r *Race) DescribeViolation(f *Finding, prefix string) {
	if r.ActSecond {
		f.Swap()
	}
	f.Violation = r.Violation
	s := stack.SiteStack(r.CheckAt.Site)
	f.Check, f.CheckCode = s.Top(prefix), s.CodePlace(prefix)
	f.Decl = source.Declare(f.Check, r.methodName(r.Check))
	if n := stack.Depth(r.Table, r.Check, r.Act()); n > 0 {
		f.Check, f.CheckCode = stack.StackOf(r.Check.Stack).Caller(prefix, n)
		f.CheckDepth = n
	}
}

// Worsens notes how r breaks the finding's check and act. It reports whether that is worse than
// what was known.
func (f *Finding) Worsens(r *Race) bool {
	if r.Violation <= f.Violation {
		return false
	}
	f.Violation, f.Effect, f.Reports = r.Violation, r.Effect(), 0
	return true
}

// violationEffect says what a broken check and act can lead to.
func (r *Race) violationEffect() string {
	act, x := &r.Table.Methods[r.Act().Method], &r.Table.Methods[r.Interfering().Method]
	twice := r.Violation == commrace.SymmetricCheck || r.SameCode && r.checkFoundNothing()
	return term.ViolationEffect(byte(act.Role), byte(x.Role), twice, r.onlyResults())
}

// checkFoundNothing reports whether all that the check returned is zero: then the act makes what
// wasn't there.
func (r *Race) checkFoundNothing() bool {
	args := r.Check.Args()
	n := r.Table.Methods[r.Check.Method].NParams()
	if r.ValueUnknown || n >= len(args) {
		return false
	}
	for i := n; i < len(args); i++ {
		if args[i].Type != nil && !text.IsZero(&args[i]) {
			return false
		}
	}
	return true
}

// Evidence is the word for what is known of a violation.
func Evidence(b commrace.Violation) string {
	switch b {
	case commrace.Observed:
		return term.Observed
	case commrace.Predicted:
		return term.Predicted
	}
	return term.Race
}

// printCheckAct writes the report of a broken check and act.
func (r *Race) printCheckAct(b *text.Buffer, f *Finding, prefix string) {
	b.Texts(Ruler, "WARNING: CHECK-THEN-ACT RACE\n")
	r.printHeadline(b, f)
	r.printOrder(b, f, prefix)
	b.Texts("What can go wrong: ", r.Effect(), ": ")
	r.explainViolation(b)
	b.Texts("\nEvidence: ", Evidence(r.Violation), ": ")
	r.explainEvidence(b)
	b.Text("\n")
	if r.CameLast() {
		printHappened(b, r.Interfering().Goid, r.Act().Goid)
	}
	printMend(b, r, f)
	printSilence(b, f.Check, f.At[0], "")
	printPage(b, r.Effect())
	r.printObject(b, f)
	r.printKey(b)
	b.Text("\n")
	r.printSides(b, f, prefix)
	r.printOrigins(b)
	r.printFormulas(b)
	b.Text(Ruler)
}

// printSides writes the three calls, each with its stack.
func (r *Race) printSides(b *text.Buffer, f *Finding, prefix string) {
	b.Text("Check: ")
	r.printCheck(b)
	b.Text(" by goroutine ")
	b.Uint(r.Act().Goid)
	b.Text(", in the function that acts:\n")
	for i := range f.CheckDepth {
		fr, _ := stack.StackOf(r.Check.Stack).Caller(prefix, i)
		stack.PrintFrame(b, fr)
	}
	stack.PrintFrame(b, f.Check)
	b.Text("\n")
	r.printSide(b, r.Act(), "Act: ", prefix)
	r.printSide(b, r.Interfering(),
		text.Pick(r.Violation == commrace.SymmetricCheck, "The other's check: ", "In between: "),
		prefix)
}

// printFormulas writes when the calls commute.
func (r *Race) printFormulas(b *text.Buffer) {
	act, x := r.Act(), r.Interfering()
	if r.Violation == commrace.SymmetricCheck {
		b.Text("Act and check commute only if: ")
		r.printFormula(b, act.Method, x.Method)
		return
	}
	b.Text("The check and what is in between commute only if: ")
	r.printFormula(b, r.Check.Method, x.Method)
	b.Text("What is in between and the act commute only if: ")
	r.printFormula(b, x.Method, act.Method)
}

// printHeadline says what is not atomic.
func (r *Race) printHeadline(b *text.Buffer, f *Finding) {
	stack.Function(b, f.Check.Func)
	b.Texts(" checks with ", r.methodName(r.Check), " and then acts with ", r.methodName(r.Act()),
		", which is not atomic: goroutine ")
	if r.Violation == commrace.SymmetricCheck {
		b.Uint(r.Interfering().Goid)
		b.Text(" can check before goroutine ")
		b.Uint(r.Act().Goid)
		b.Text(" acts\n\n")
		return
	}
	b.Uint(r.Act().Goid)
	b.Text(text.Pick(r.Violation == commrace.Observed, " was interfered with by goroutine ",
		" can be interfered with by goroutine "))
	b.Uint(r.Interfering().Goid)
	b.Text("\n\n")
}

// printOrder writes the interleaving, one goroutine a column, and then the lines of the source.
func (r *Race) printOrder(b *text.Buffer, f *Finding, prefix string) {
	other := stack.StackOf(r.Interfering().Stack).Top(prefix)
	act := stack.StackOf(r.Act().Stack).Top(prefix)
	printGoroutines(b, r.Act().Goid, r.Interfering().Goid)
	r.printStep(b, r.Check, f.Check, !r.ValueUnknown)
	b.Text("  ")
	pad(b, b.N)
	// What the other's check has returned in this run, it has not in this order.
	r.printStep(b, r.Interfering(), other, r.Violation == commrace.Observed)
	b.Text("  ")
	r.printStep(b, r.Act(), act, r.Violation == commrace.Observed)
	b.Text("\n")
	var x advice.Excerpt
	x.AddFrame(f.Check)
	x.AddFrame(act)
	x.AddFrame(other)
	x.Print(b)
}

// printGoroutines writes the head of an interleaving of two goroutines, and begins its first line.
func printGoroutines(b *text.Buffer, left, right uint64) {
	b.Text("  ")
	start := b.N
	b.Text("goroutine ")
	b.Uint(left)
	pad(b, start)
	b.Text("goroutine ")
	b.Uint(right)
	b.Text("\n  ")
}

// printStep writes a place and the call there, with what it returned if that is asked for.
func (r *Race) printStep(b *text.Buffer, a *commrace.Action, at host.Frame, results bool) {
	stack.Place(b, at)
	b.Text("  ")
	r.printBare(b, a, results)
	b.Text("\n")
}

// methodName is the name of a call's method.
func (r *Race) methodName(a *commrace.Action) string { return r.Table.Methods[a.Method].Name }

// printCheck writes the check, with what it returned if that is known.
func (r *Race) printCheck(b *text.Buffer) {
	if !r.ValueUnknown {
		r.PrintCall(b, r.Check)
		return
	}
	n := 0
	b.Texts(r.methodName(r.Check), "(")
	printNamed(b, r.Table.Methods[r.Check.Method].Params, r.Check.Args(), &n, 1<<30)
	b.Text(")")
}

// explainViolation says what the effect means for these calls.
func (r *Race) explainViolation(b *text.Buffer) {
	parts := term.WhyViolation(r.Effect(), r.methodName(r.Check), r.methodName(r.Act()),
		r.methodName(r.Interfering()))
	b.Texts(parts[:]...)
}

// explainEvidence says why the calls can be made in that order.
func (r *Race) explainEvidence(b *text.Buffer) {
	parts := term.WhyPossible(Evidence(r.Violation), r.methodName(r.Act()),
		r.methodName(r.Interfering()))
	b.Texts(parts[:]...)
}
