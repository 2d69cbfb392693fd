// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package native reads and writes commute's binary traces (packages spec and raw) as events.
//
// Input and output: a file's bytes, and events (package trace). A [Reader] brings the steps into
// the order of their numbers, gives addresses numbers, and makes events of the steps: an atomic
// load is an acquire, a store a release, and a read-modify- write an acquire and a merging
// release. Calls, ends of goroutines and tests are for those who read the records; here they are
// passed over. A [Writer] writes events in their order.
//
// # Traces that start in the middle
//
// A ring (package spec) has lost the steps below some number, and no step above it, up to where
// its end is; what it has of those below is not given out. The events that are left are a suffix
// of the whole in the order in which all events are given out, and before its first event a
// thread says what it is doing, so that the suffix is well-formed: the transactions that are open
// begin there, and what is hidden is known to be. What checkers find in it they would find in the
// whole, for these reasons.
//
// Happens-before. All its edges go from an event to a later one. So a chain between two events
// that are kept consists of events that are kept, and of edges between these. Each such edge is
// there: which release an acquire sees, and whether a later one has replaced it, is decided by
// what lies between the two. What a merging release added to before the start orders only lost
// events. A fork, a join and an AcquireAll order what comes before them, of the threads that are
// left: others have no event. (An AcquireAll is releases by the threads that acted since the last
// one, and an acquire.) Thus two events that are kept are ordered in the suffix if they are in
// the whole, and no race is new. Memory that was freed between two accesses was so after the
// first, hence in the suffix; so they are of one variable there if they are in the whole.
//
// Transactions. Each one of the suffix is one of the whole, or the end of one that was open, and
// no two are parts of the same; each edge between two is one of the whole. So is a cycle. A
// goroutine of which nothing is known (there is none in what package recorder writes) is taken
// for hidden: what it does orders and races, and is in no cycle.
//
// Calls. Touches whose call is lost are touches. That of two objects at one address is told by
// steps between, as with memory. The name of an object is that of its points' type.
//
// What is missed is what needs a lost event: a race with it, or a cycle through it. Locks, if
// they are mutexes, may be held from before the start (event.Validator.Middle).
package native
