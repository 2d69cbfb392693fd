// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package trace reads, writes and checks recorded traces: what the goroutines of one run did, in
// the order in which it was observed.
//
// A trace is a sequence of [Event] values. [Open] reads one from a file, in any of four formats,
// gzipped or not; [NewWriter] writes one; and [Check] looks for atomicity violations, data races
// and commutativity races in it, as "commute analyze" does:
//
//   - [Binary] is what "commute test -trace" records, and [Text] the same, readable;
//   - [STD] and [RoadRunner] are the text formats of the tool RAPID.
//
// Which of them a file has is found out from its content.
//
// # Events
//
// Threads, variables, locks, objects and access points have names. Within a trace, a name of one
// of these sorts stands for one thing; things of different sorts may share it. Names have no white
// space. A position is where in the source an event happened: a number in STD, and any text in the
// other formats.
//
// A trace is well-formed if its forks, joins, transactions and locks fit together: no thread has an
// event before its fork or after its join, each end has a begin, and what is released is held. In
// STD and RoadRunner, a lock is held by one thread at a time, and released by that; in the other
// formats, acquires and releases may come in any order. A trace may stop anywhere. A [Writer]
// refuses events that make a trace ill-formed, and [Check] stops at the first; a [Reader] does not
// look.
//
// # Errors
//
// What is wrong with a trace is an [*Error], which has the place in the file and mostly what to do
// about it. Other errors are those of the file system, and of decompression.
package trace
