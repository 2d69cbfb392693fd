// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package runtime is the top floor of the engine, which watches a program from inside: what hooks
// call. The files of internal/toolchain/patch/template hook it into Go's runtime.
//
// The engine is compiled into Go's package runtime when commute builds a program. So hooks are
// direct calls, from the first instruction on, and the standard library can be watched as well. The
// engine must therefore import nothing but unsafe, sync/atomic's types and its own packages. It
// never allocates from Go's heap, never blocks and never calls back into the program. Its functions
// run with preemption disabled.
//
// The package is not for import: what it exports is for the templates, and changes with them. In a
// program that is not built by commute nothing calls it, and it finds nothing. Tests that speak to
// commute import package commutetest, and programs that read findings import package report.
//
// Input: the hooks that Go's runtime has for its race detector, and those of instrumented code.
// Output: reports on stderr or where option log_path says, the exit status, and failing tests.
//
// # Terms
//
//	hook           a call by Go's runtime or by instrumented code for an event
//	goroutine      the context of a goroutine: racectx in Go's runtime
//	timer context  the context of what runs timers, which relays clocks
//	floor          a package of the engine: it imports those below it, and nothing above
//	part           what one floor keeps of a goroutine
//
// # Floors
//
// Each floor is a package in internal/engine; this is their order, from the bottom. The packages of
// the checks are below all of them: vclock, commrace, atomicity, datarace and predict, and what
// these stand on.
//
//	text     buffers outside of Go's heap, and texts of values
//	output   writes texts without making a goroutine wait
//	option   what COMMUTE and the suppressions file say
//	source   what packages register of their source
//	stack    call stacks, and the lines that they stand for
//	tests    tests, what they expect, and what they are charged with
//	counts   what was watched, in numbers
//	report   findings as data and as text
//	finding  what becomes of a finding: charged, reported, suppressed
//	sync     orders goroutines: clocks, objects and conflict histories, by address
//	record   the trace
//	txn      transactions, and the conflicts that synchronization makes between them
//	call     calls of specified methods
//	access   accesses to memory, and lost updates
//	runtime  this package: the goroutine, and what hooks call
//
// Each floor from sync on has a part of a goroutine, which embeds the part of the floor below. So
// [Goroutine] embeds access.Accessor, which embeds call.Caller, then txn.Transactor, then
// record.Recorded, then sync.Thread at the bottom.
//
// # From a hook to a report
//
// A hook finds the goroutine's context, and calls the method of the floor that the event is of. An
// event of synchronization moves the clocks in sync. A call or an access goes to its check, in
// package commrace or datarace, which compares it with earlier ones by these clocks. A race, or a
// cycle of transactions, goes to finding. That charges it to tests, and posts a message if it
// is new. A goroutine of the runtime's has report make the text, and output writes it.
//
// The package is not for import. What it exports is for the templates, and changes with them. In a
// program that commute hasn't built, nothing calls it. Tests that speak to commute import package
// commutetest; what reads findings imports package report.
package runtime
