// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/term"
)

// Races that break a check and an act: how they are described, and reported.

// describeBreach puts the act first, and adds the check.
func (r *race) describeBreach(f *finding, prefix string) {
	if r.ActSecond {
		f.turn()
	}
	f.breach = r.Violation
	s := siteStack(r.CheckAt.Site)
	f.check, f.seen = s.top(prefix), s.codePlace(prefix)
	f.decl = declare(f.check, r.name(r.Check))
}

// isTwinOf reports whether f says no more than k, of the same check and act: that two goroutines may both come to act.
func (f *finding) isTwinOf(k *finding) bool {
	return f.breach == commrace.SymmetricCheck && k.code[0] == f.code[0] && k.method[0] == f.method[0]
}

// worsens notes how r breaks the finding's check and act, and reports whether that is worse than what was known.
func (f *finding) worsens(r *race) bool {
	if r.Violation <= f.breach {
		return false
	}
	f.breach, f.effect, f.tells = r.Violation, r.effect(), 0
	return true
}

// breachEffect classes what comes of a broken check and act.
func (r *race) breachEffect() string {
	act, x := &r.table.Methods[r.Act().Method], &r.table.Methods[r.Interfering().Method]
	twice := r.Violation == commrace.SymmetricCheck || r.SameCode && r.foundNothing()
	return term.BreachEffect(byte(act.Role), byte(x.Role), twice, r.onlyResults())
}

// foundNothing reports whether all that the check returned is zero: then the act makes what wasn't there.
func (r *race) foundNothing() bool {
	args := r.Check.Args()
	n := r.table.Methods[r.Check.Method].NParams()
	if r.ValueUnknown || n >= len(args) {
		return false
	}
	for i := n; i < len(args); i++ {
		if args[i].Type != nil && !isZero(&args[i]) {
			return false
		}
	}
	return true
}

// isZero reports whether a value is zero, as far as it was kept: of structs and the like that isn't known.
func isZero(a *commrace.Arg) bool {
	switch kind := host.Kind(a.Type); {
	case kind == kindString:
		return a.Len == 0
	case kind > kindFloat64 && kind < kindChan, kind == kindStruct:
		return false
	}
	for _, c := range a.Bytes() {
		if c != 0 {
			return false
		}
	}
	return a.Len > 0
}

// evidence says what is known of a breach.
func evidence(b commrace.Violation) string {
	switch b {
	case commrace.Observed:
		return term.Observed
	case commrace.Predicted:
		return term.Predicted
	}
	return term.Race
}

// printBreach writes the report of a broken check and act.
func (r *race) printBreach(b *buffer, f *finding, prefix string) {
	act, x := r.Act(), r.Interfering()
	b.texts(ruler, "WARNING: CHECK-THEN-ACT RACE\n")
	r.notAtomic(b, f)
	r.order(b, f, prefix)
	b.text("Check: ")
	r.seenBy(b)
	b.text(" by goroutine ")
	b.uint(act.Goid)
	b.text(", in the function that acts:\n")
	printFrame(b, f.check)
	b.text("\n")
	r.side(b, act, "Act: ", prefix)
	r.side(b, x, pick(r.Violation == commrace.SymmetricCheck, "The other's check: ", "In between: "), prefix)
	r.origins(b)
	r.object(b, f)
	r.key(b)
	if r.Violation == commrace.SymmetricCheck {
		b.text("Act and check commute only if: ")
		r.formula(b, act.Method, x.Method)
	} else {
		b.text("The check and what is in between commute only if: ")
		r.formula(b, r.Check.Method, x.Method)
		b.text("What is in between and the act commute only if: ")
		r.formula(b, x.Method, act.Method)
	}
	b.texts("What can go wrong: ", r.effect(), ": ")
	r.explainBreach(b)
	b.texts("\nEvidence: ", evidence(r.Violation), ": ")
	r.explainEvidence(b)
	b.texts("\n", ruler)
}

// notAtomic says in words what is not atomic.
func (r *race) notAtomic(b *buffer, f *finding) {
	function(b, f.check.Func)
	b.texts(" checks with ", r.name(r.Check), " and then acts with ", r.name(r.Act()), ", which is not atomic: goroutine ")
	if r.Violation == commrace.SymmetricCheck {
		b.uint(r.Interfering().Goid)
		b.text(" can check before goroutine ")
		b.uint(r.Act().Goid)
		b.text(" acts\n\n")
		return
	}
	b.uint(r.Act().Goid)
	b.text(pick(r.Violation == commrace.Observed, " was interfered with by goroutine ", " can be interfered with by goroutine "))
	b.uint(r.Interfering().Goid)
	b.text("\n\n")
}

// order writes the interleaving, one goroutine a column.
func (r *race) order(b *buffer, f *finding, prefix string) {
	b.text("  ")
	start := b.n
	b.text("goroutine ")
	b.uint(r.Act().Goid)
	pad(b, start)
	b.text("goroutine ")
	b.uint(r.Interfering().Goid)
	b.text("\n  ")
	r.step(b, r.Check, f.check)
	b.text("  ")
	pad(b, b.n)
	r.step(b, r.Interfering(), stackOf(r.Interfering().Stack).top(prefix))
	b.text("  ")
	r.step(b, r.Act(), stackOf(r.Act().Stack).top(prefix))
	b.text("\n")
}

func (r *race) step(b *buffer, a *commrace.Action, at host.Frame) {
	b.texts(r.name(a), "  ")
	place(b, at)
	b.text("\n")
}

// name is the name of a call's method.
func (r *race) name(a *commrace.Action) string { return r.table.Methods[a.Method].Name }

// seenBy writes the check, with what it returned if that is known.
func (r *race) seenBy(b *buffer) {
	if !r.ValueUnknown {
		r.call(b, r.Check)
		return
	}
	n := 0
	b.texts(r.name(r.Check), "(")
	named(b, r.table.Methods[r.Check.Method].Params, r.Check.Args(), &n, 1<<30)
	b.text(")")
}

// explainBreach says in one line what the effect means for these calls.
func (r *race) explainBreach(b *buffer) {
	parts := term.WhyBreach(r.effect(), r.name(r.Check), r.name(r.Act()), r.name(r.Interfering()))
	b.texts(parts[:]...)
}

// explainEvidence says why the calls can be made in that order.
func (r *race) explainEvidence(b *buffer) {
	parts := term.Sure(evidence(r.Violation), r.name(r.Act()), r.name(r.Interfering()))
	b.texts(parts[:]...)
}
