// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package directive reads the comments by which a program talks to commute, and
// finds the declarations that commute's reports name.
//
// Input: the syntax of a package, with types where they are to be had. Output:
// diagnostics for go vet, and the directives, calls and variables that a watched
// package registers with the engine. There is no paper behind it.
//
// [Analyzer] is for any driver of go/analysis. All else serves commute's own build and vet tool: it
// is exported for those alone, and may change in any version.
//
// # Analyzer directive
//
// directive: check the form and the place of //commute: comments
//
// Two comments are about findings; those about atomicity are analyzer atomic's. On the line of a
// call, or on the line above it,
//
//	//commute:ignore the second Load is only for the log
//	v, _ := cache.Load(key)
//
// keeps findings silent in which that call takes part. At the declaration of a
// variable or a field,
//
//	//commute:concurrent last write wins, readers poll
//	var cache sync.Map
//
// says that readers and writers are meant to race there, so that only broken
// transactions are reported. Both need a reason. The analyzer reports
//
//	//commute:ignore              // want "//commute:ignore needs a reason"
//	//commute:ignroe why          // want "unknown directive //commute:ignroe"
//	// commute:ignore why         // want "did you mean //commute:ignore?"
//
// and a comment with no call or no declaration to belong to. It does not know
// whether a comment is still needed: a call that is no longer reported looks the
// same to it.
package directive
