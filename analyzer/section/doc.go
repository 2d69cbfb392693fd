// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package section finds functions that check in one critical section and act in a later one, in
// code without marks. It also finds the accesses that the engine must record at run time to decide
// whether such a function does harm.
//
// Input: the typed syntax of one package, and the facts of those that it imports. Output: a
// [Result]. The package serves commute's own build; it is not for import by other modules.
//
// # Terms
//
//	site       an instruction that accesses a variable that other goroutines may have
//	event      a site of a function or of a function that it calls, with the locks held there
//	section    the instructions between a lock and its unlock
//	summary    the events of a function, in terms of its parameters
//	check      a read in a section
//	act        a write in a later section of the same lock, which depends on the check
//	pair       a check and its act, of one variable or of one key of a map
//	hot lock   the lock of a pair
//	touch      a site that is recorded at run time
//	operation  a call of sync/atomic, which counts as a section by itself
//	fact       an event of an exported function, for packages that import this one
//	linked     of a pair: of two variables that belong together
//	complete   a section is complete if each access in it that others may see is a touch
//	block      of memory: slices of one block may share elements
//
// What an act depends on is computed by forward slices: see package flow. Locks that are held on
// every path are found by data flow. The rules of rules.go drop candidates whose act repeats the
// check, or is on a variable that the function has claimed before.
//
// # Sources
//
// Static dependence with a dynamic check finds wrong compositions of calls (Liu, Dolby and Zhang,
// Detecting Atomic Composition Failures, FSE 2013). The idioms are those of Lin and Dig,
// Check-Then-Act Misuse of Java Concurrent Collections, ICST 2013. A pair only says where to look:
// the run decides whether it is reported.
//
// # Files
//
//	result.go, find.go        the result
//	program.go                the package, its functions, their callers
//	name.go                   variables by their types
//	memory.go, escape.go      which variables other goroutines may have
//	event.go, update.go,      sites
//	container.go
//	locks.go                  which locks are held
//	calls.go, summary.go      what a call does
//	facts.go                  the same, for other packages
//	pairs.go, rules.go        pairs
//	shape.go, registers.go    what a pair can do
//	linked.go, entry.go,      linked pairs
//	torn.go
//	atomic.go, atomicrules.go operations of sync/atomic
//	complete.go               complete sections
//	backing.go, lent.go,      elements, by the blocks of memory that they are in
//	buffers.go
//	syntax.go, express.go,    how a site stands in the source, and whether code can be added there
//	expressbacking.go, pure.go
package section
