// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// What can be done about a race of calls: how to mend it, and how to keep its report silent.

// printMend writes how to mend a race.
func printMend(b *text.Buffer, r *Race, f *Finding) {
	if r.Violation != commrace.NoViolation {
		mendCheckAct(b, r, f)
		return
	}
	change := mutator(r)
	switch f.Effect {
	case term.LostUpdate:
		printHint(b, text.Pick(r.Keyed, "let one goroutine have the key", "let one goroutine do it"))
		b.Text(", or look and change in one step: ")
		if hasArbiter(r.Table, change) {
			b.Text("by ")
			printArbiters(b, r.Table, change)
			b.Text(", or ")
		}
		b.Text("under one lock\n")
	case term.StaleCheck:
		printHint(b, "change it by a method that checks and acts in one, too")
		if hasArbiter(r.Table, change) {
			b.Text(", as ")
			printArbiters(b, r.Table, change)
		}
		b.Text("; or hold one lock around both calls\n")
	case term.Arbitration:
		printHint(b, "look at what both calls return, and go by that\n")
	default:
		printHint(b, "have one call come after the other: wait for it by a channel or a "+
			"WaitGroup\n")
	}
}

// mutator is the method of the call that changes something, the second one's if both do.
func mutator(r *Race) *commrace.Method {
	if m := &r.Table.Methods[r.Second.Method]; m.Role == commrace.Mutator {
		return m
	}
	return &r.Table.Methods[r.First.Method]
}

// mendCheckAct is printMend for a check and act.
func mendCheckAct(b *text.Buffer, r *Race, f *Finding) {
	if act := &r.Table.Methods[r.Act().Method]; hasArbiter(r.Table, act) {
		printHint(b, "check and act in one step, by ")
		printArbiters(b, r.Table, act)
		b.Texts(" in place of ", r.methodName(r.Check), " and ", act.Name, "; or hold one lock ")
	} else {
		printHint(b, "hold one lock ")
	}
	b.Text("from ")
	stack.Place(b, f.Check)
	b.Text(" to ")
	stack.Place(b, f.At[0])
	b.Text(text.Pick(r.Violation == commrace.SymmetricCheck, "\n",
		", and around what comes in between\n"))
}

// printSilence writes how to keep the report of calls at two places silent, if it is not to be
// mended. Declared is where their object is declared, if a comment there keeps it silent.
func printSilence(b *text.Buffer, first, second host.Frame, declared string) {
	if isForeign(first.File) {
		suppress(b, first.Func)
		return
	}
	b.Text("How to keep it silent: //commute:ignore and why, at ")
	stack.Place(b, first)
	if first.File != second.File || first.Line != second.Line {
		b.Text(" or ")
		stack.Place(b, second)
	}
	if declared != "" && !isForeign(declared) {
		b.Texts("; or //commute:concurrent and why, at ", text.Base(declared))
	}
	b.Text("\n")
}

// isForeign reports whether a file is not the user's to write comments in: it is in the cache of
// modules, or is vendored.
func isForeign(file string) bool {
	return text.Contains(file, "/pkg/mod/") || text.Contains(file, "/vendor/")
}

// suppress writes how to keep reports about a function silent without a comment in it.
func suppress(b *text.Buffer, function string) {
	b.Text("How to keep it silent: -suppressions=FILE, with the line ^")
	stack.Function(b, function)
	b.Text("$\n")
}

// printPage names the page that says more of an effect.
func printPage(b *text.Buffer, effect string) {
	b.Text("More of it: commute explain ")
	for effect != "" {
		var word string
		word, effect = text.Cut(effect, ' ')
		b.Texts(word, text.Pick(effect != "", "-", "\n"))
	}
}
