// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package directive reads the comments in which a program gives commute directives, and finds the
// declarations that commute's reports name.
//
// Input: the syntax of a package, with types where they are known. Output: diagnostics for go vet,
// and the directives, calls and variables that a watched package registers with the engine.
//
// [Analyzer] is for any driver of go/analysis. Everything else is exported only for commute's own
// build and vet tool, and may change in any version.
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
// suppresses the findings in which that call takes part. At the declaration of a variable or a
// field,
//
//	//commute:concurrent last write wins, readers poll
//	var cache sync.Map
//
// says that readers and writers of it are meant to race, so that only broken transactions are
// reported. Both need a reason. The analyzer reports
//
//	//commute:ignore              // want "//commute:ignore needs a reason"
//	//commute:ignroe why          // want "unknown directive //commute:ignroe"
//	// commute:ignore why         // want "did you mean //commute:ignore?"
//
// and a comment with no call or no declaration to belong to. It does not know whether a comment is
// still needed: only a run shows whether the call would be reported.
package directive
