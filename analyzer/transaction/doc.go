// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package transaction finds the code that a program marks as atomic: its effect is meant to be the
// one that it would have if it ran alone.
//
// Input: the syntax of a package, and the patterns of -atomic. Output: [Mark]s, for package bracket
// to instrument, and diagnostics for go vet. A marked function or block is a transaction in the
// sense of Velodrome and AeroDrome (conflict serializability). This package finds only where it
// begins and ends.
//
// # Terms
//
//	annotation   a comment that marks code, or nearly: its form says how it is written
//	mark         code that is one transaction: a function, a function literal or a block
//	target       what an annotation is about
//	pattern      an argument of -atomic: names of functions, with *, or the word exported
//	to wait      of a function: to block until another goroutine does something
//
// [Analyzer] is for any driver of go/analysis. All else serves commute's own build and vet tool: it
// is exported for those alone, and may change in any version.
//
// # Analyzer atomic
//
// atomic: check the form and the place of //atomic annotations
//
// A comment marks code that is meant to be atomic, and commute test reports runs that show that it
// is not:
//
//	//atomic
//	func (a *Account) Deposit(n int) { ... }
//
// The word stands alone on its line. In a doc comment, gofmt makes "// atomic" of it. That counts
// there as well, as the first or last line of a paragraph; elsewhere it is prose. Everywhere, and
// with room for a reason, it may be written
//
//	//commute:atomic money is neither made nor lost
//
// It marks the function, method, function literal, block or loop that begins on the line below the
// comment, or on the comment's own line. Of a loop, each round of the body is a transaction of its
// own. Over a type, it marks the exported methods that the package declares, except those with
//
//	//commute:notatomic why
//
// As with all comments that keep reports silent, it needs a reason; one that asks for more reports
// doesn't.
//
// The analyzer reports
//
//	//atomic                      // want "belongs to no function, type or block"
//	x++
//
//	//Atomic                      // want "did you mean //atomic?"
//	func f() { ... }
//
//	//atomic                      // want "would leave out the condition"
//	if n := len(queue); n > 0 { ... }
//
// and annotations of functions that have no body in Go, or to which nothing can be added
// (//go:nosplit, //go:norace). It reports those of interfaces, of types without exported methods,
// and of a function that is marked both ways. It does not judge whether the code is atomic. A
// comment that says more than the word is never taken for an annotation, nor is one beside a
// variable or a field.
package transaction
