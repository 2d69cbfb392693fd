// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package transaction finds the code that a program marks as atomic. Its effect should be the same
// as if it ran alone.
//
// Input: the syntax of a package, and the patterns of -atomic. Output: [Mark]s, for package bracket
// to instrument, and diagnostics for go vet. A marked function or block is a transaction in the
// sense of Velodrome and AeroDrome (conflict serializability). This package finds only where it
// begins and ends.
//
// # Terms
//
//	annotation   a comment that marks code, or seems meant to; its form is the way it is written
//	mark         code that is one transaction: a function, a function literal or a block
//	target       the declaration or statement that an annotation marks
//	pattern      an argument of -atomic: names of functions, with *, or the word exported
//	to wait      of a function: to block until another goroutine acts
//
// [Analyzer] is for any driver of go/analysis. Everything else is exported only for commute's own
// build and vet tool, and may change in any version.
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
// The word stands alone on its line. In a doc comment, gofmt rewrites it as "// atomic". This form
// counts in doc comments only, as the first or last line of a paragraph; elsewhere it is prose. A
// longer form counts everywhere, and has room for a reason:
//
//	//commute:atomic money is neither made nor lost
//
// It marks the function, method, function literal, block or loop that begins on the line below the
// comment, or on the comment's own line. Of a loop, each iteration of the body is a transaction of
// its own. Over a type, it marks the exported methods that the package declares, except those with
//
//	//commute:notatomic why
//
// Like all comments that suppress reports, it needs a reason; a comment that asks for more reports
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
// comment with more than the word is never an annotation, and neither is one beside a variable or a
// field.
package transaction
