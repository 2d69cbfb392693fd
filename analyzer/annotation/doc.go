// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package annotation finds the specifications that a package gives its own types: //ecl: directives
// in doc comments. It checks them against the types' methods.
//
// Input: the syntax of a package. Output: [ecl.Spec]s, or the errors in them. The language is
// package ecl's (sections 4 and 6 of Dimitrov et al., "Commutativity Race Detection", PLDI 2014).
//
// # Terms
//
//	directive      a line of a doc comment that begins with //ecl:
//	object         a package-level variable with a specification; its methods are functions
//	abstract       of a type: an interface, whose implementations are watched
//	condition      an atom of a formula: Go that the instrumented method computes
//	to watch       to report calls of a method as its specification says
//
// Most checks need only syntax, since instrumenting a package begins before its types are known.
// [Typed] makes the checks that need types.
//
// [Analyzer] is for any driver of go/analysis. Everything else is exported only for commute's own
// build and vet tool, and may change in any version.
//
// # Analyzer ecl
//
// ecl: check commutativity specifications
//
// In the doc comment of a type, //ecl: directives say under which conditions two calls of its
// methods commute. Then commute test reports calls that may happen in either order and don't:
//
//	// A Counter counts words.
//	//
//	//ecl:observer Count(word)/n, Len()/n
//	//ecl:commute Add(w1)/n1, Add(w2)/n2: w1 != w2
//	//ecl:commute Add(w1)/n1, Count(w2)/n2: w1 != w2
//	//ecl:commute Add(w1)/n1, Len()/n2: n1 > 1
//	type Counter struct{ ... }
//
// The analyzer reports lines that are no directive, formulas that are not in the logic or not
// symmetric, and pairs of methods without a formula. It reports methods that the type doesn't
// declare or that have other parameters or results, and conditions that are not Go. It also reports
// methods that cannot be watched: those with a value receiver, without a body, or with a function
// for a parameter that no //ecl:callback names.
package annotation
