// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package runtime is the top floor of the engine, which watches a program from inside. It has the
// functions that hooks call. The files of internal/toolchain/patch/template hook it into Go's
// runtime.
//
// The engine is compiled into Go's package runtime when commute builds a program. So hooks are
// direct calls, from the first instruction on, and the standard library can be watched as well. The
// engine must therefore import nothing but unsafe, sync/atomic's types and its own packages. It
// never allocates from Go's heap, never blocks and never calls back into the program. Its functions
// run with preemption disabled.
//
// Input: the hooks that Go's runtime has for its race detector, and those of instrumented code.
// Output: reports on stderr or where option log_path says, the exit status, and failing tests.
//
// # Terms
//
//	hook           a call by Go's runtime or by instrumented code for an event
//	goroutine      the context of a goroutine: racectx in Go's runtime
//	timer context  the context of the code that runs timers, which relays clocks
//	floor          a package of the engine: it imports those below it, and nothing above
//	part           the data that one floor keeps for a goroutine
//
// # Floors
//
// Each floor is a package in internal/engine; this is their order, from the bottom. The packages of
// the checks are below all of them: vclock, commrace, atomicity, datarace and predict, and what
// these stand on.
//
//	text     buffers outside of Go's heap, and texts of values
//	output   writes texts without making a goroutine wait
//	option   the options in COMMUTE, and the suppressions file
//	source   what packages register about their source
//	stack    call stacks, and the lines that they stand for
//	tests    tests, the findings that they expect, and those that they are charged with
//	counts   what was watched, in numbers
//	report   findings as data and as text
//	finding  decides about a finding: charged, reported, suppressed
//	sync     orders goroutines: clocks, objects and conflict histories, by address
//	record   the trace
//	txn      transactions, and the conflicts that synchronization makes between them
//	call     calls of specified methods
//	access   accesses to memory, and lost updates
//	runtime  this package: the goroutine, and the functions that hooks call
//
// Each floor from sync on has a part of a goroutine, which embeds the part of the floor below. So
// [Goroutine] embeds access.Accessor, which embeds call.Caller, then txn.Transactor, then
// record.Recorded, then sync.Thread at the bottom.
//
// # From a hook to a report
//
// A hook finds the goroutine's context, and calls the method of the floor that handles the event.
// An event of synchronization moves the clocks in sync. A call or an access goes to its check, in
// package commrace or datarace, which compares it with earlier ones by these clocks. A race, or a
// cycle of transactions, goes to finding. That charges it to tests, and posts a message if it is
// new. A goroutine of the runtime calls report to make the text, and output to write it.
//
// The package is not for import. What it exports is for the templates, and changes with them. In a
// program that commute hasn't built, nothing calls it. Tests that direct commute import package
// commutetest; programs that read findings import package report.
package runtime
