// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// What can be done about a race of calls: how to mend it, and how to keep its report silent.

// printMend writes how to mend a race.
func printMend(b *text.Buffer, r *Race, f *Finding) {
	c := advice.Calls{Table: r.Table, First: r.First.Method, Second: r.Second.Method,
		Keyed: r.Keyed, Effect: f.Effect, Violation: r.Violation}
	if r.Violation != commrace.NoViolation {
		c.First, c.Second, c.Check = r.Act().Method, r.Interfering().Method, r.Check.Method
		c.From, c.To = f.Check, f.At[0]
	}
	printHint(b, "")
	c.Mend(b)
	b.Text("\n")
}

// silent begins the line that says how to keep a report silent.
const silent = "How to keep it silent: "

// printSilence writes how to keep the report of calls at two places silent, if it is not to be
// mended. Declared is where their object is declared, if a comment there keeps it silent.
func printSilence(b *text.Buffer, first, second host.Frame, declared string) {
	b.Text(silent)
	advice.Silence(b, first, second, declared)
	b.Text("\n")
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
