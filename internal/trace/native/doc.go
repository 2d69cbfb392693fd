// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package native reads and writes commute's binary traces (packages spec and raw) as events.
//
// Input and output: a file's bytes, and events (package trace). A [Reader] puts the steps into the
// order of their numbers, numbers the addresses, and turns the steps into events. An atomic load
// becomes an acquire, a store a release, and a read-modify-write an acquire and a merging release.
// A Reader skips ends of goroutines and tests; readers of records (package raw) see them.
// [Reader.WantCalls] collects the steps of calls. A [Writer] writes events in their order.
//
// # Terms
//
//	step      a record of an event of the program; it has a number
//	run       steps with consecutive numbers
//	low       the header of a chunk says: lower numbers are in this chunk or an earlier one
//	dense     of numbers: small and counted from 0, unlike addresses
//	hidden    of a step: it orders goroutines and can race, but is in no cycle
//	extent    the bytes that one variable stands for
//	ring      a file that keeps the last steps of a program; the steps before are lost
//	suffix    the events of a ring: the last ones of all that the program made
//
// # Files
//
//	reader.go     chunks in their order, and the events of a call of Read
//	decode.go     the fast decoder of chunks whose steps are in order
//	order.go      steps that must be put in order
//	convert.go    the events of a step
//	numbers.go    numbers for addresses; extents.go: those of variables
//	define.go     definitions
//	callstep.go   the steps of calls, for package replay; lockstep.go: of locks
//	objects.go    which addresses are one channel's
//	middle.go     rings
//	writer.go     the Writer
//
// # Traces that start in the middle
//
// A ring (package spec) has lost the steps below some number. It has every step above, up to its
// end. If the ring has some of the lower steps, a Reader does not return them. The remaining events
// are a suffix of the whole trace, in the order in which a Reader would return all events.
//
// Before its first event, each thread has a State, which makes the suffix well-formed. The open
// transactions begin there, and the Reader knows which threads are hidden. All findings of checkers
// in the suffix are findings in the whole trace, for the following reasons.
//
// Happens-before. All edges go from an event to a later one. So a chain between two events that are
// kept consists of events that are kept, and of edges between these. Each such edge is there: the
// steps between two events decide which release an acquire sees, and whether a later one has
// replaced it. If a merging release adds to releases from before the start, these order only lost
// events. A fork, a join and an AcquireAll order what comes before them in the threads that are
// left; other threads have no event. (An AcquireAll is releases by the threads that acted since the
// last one, and an acquire.) Thus two events that are kept are ordered in the suffix if they are
// ordered in the whole, and no race is new. If memory was freed between two accesses, the suffix
// has that step, too. So two accesses are to one variable in the suffix if they are to one variable
// in the whole.
//
// Transactions. Each transaction of the suffix is a transaction of the whole, or the end of one
// that was open. No two are parts of the same transaction, and each edge between two is an edge of
// the whole. So each cycle is a cycle of the whole. A goroutine without a State counts as hidden:
// its steps order and race, and are in no cycle. (Package recorder writes no such goroutine.)
//
// Calls. A touch whose call is lost stays a touch. Steps between the touches tell two objects at
// one address apart, as they do for memory. The name of an object is that of its points' type.
//
// A checker misses what needs a lost event: a race with it, or a cycle through it. Locks, if
// they are mutexes, may be held from before the start (event.Validator.Middle).
package native
