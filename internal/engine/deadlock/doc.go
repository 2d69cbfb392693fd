// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package deadlock finds potential deadlocks: goroutines take locks in such orders that each of
// them can hold one and wait for the next, though that has not happened.
//
// Input: events of goroutines: a lock is taken, with what is needed to know its place later, or let
// go; memory is freed. And a clock of each goroutine that has all synchronization but that of
// locks. Output: a [Cycle] for each way to deadlock, handed to a [Sink].
//
// The algorithm is Goodlock (Havelund, "Using Runtime Analysis to Guide Model Checking of Java
// Programs", SPIN 2000), with gates, and with the order that is forced. Package lockorder has it
// for recorded traces.
//
// # Terms
//
//	hold        a lock that a goroutine holds, and where it was taken
//	use         a goroutine takes a lock while it holds another one: it holds the one and wants the
//	            other
//	gate        a lock that two goroutines of a cycle hold: it keeps out one of them
//	repetition  a use of one RWMutex: it is locked for reading by a goroutine that has done so
//	writer      a goroutine that locks an RWMutex
//
// # Cycles
//
// The uses of a cycle are of distinct goroutines. Each wants the lock that the next one holds, not
// both for reading. No two hold a lock in common, unless both hold it for reading. No use is known
// to another one's goroutine when that makes its own. There are cycles of two to [MaxLength] uses;
// and a repetition with a writer, for a writer that waits keeps out new readers.
//
// A use counts once its goroutine has let go of the lock that it holds: if another one does, the
// lock doesn't wait for its goroutine.
//
// # Costs
//
// A goroutine that holds nothing when it takes a lock notes that. One that holds locks looks the
// pair up in a table of its own; it is done if the pair is there and nothing has been released
// since. Otherwise there is one lock for all, and a search with a budget.
package deadlock
