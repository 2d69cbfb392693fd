// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package trace reads, writes and checks recorded traces. A trace has the events of the goroutines
// of one run, in the order in which they were observed.
//
// A trace is a sequence of [Event] values. [Open] reads one from a file, in any of four formats,
// gzipped or not; [NewWriter] writes one; and [Check] looks for atomicity violations, data races
// and commutativity races in it, as "commute analyze" does:
//
//   - [Binary] is what "commute test -trace" records, and [Text] the same, readable;
//   - [STD] and [RoadRunner] are the text formats of the tool RAPID.
//
// The format of a file is detected from its content.
//
// # Events
//
// Threads, variables, locks, objects and access points have names. Within a trace, a name of one of
// these sorts identifies one thing; things of different sorts may have the same name. Names have no
// white space. A position is the place of an event in the source: a number in STD, and any text in
// the other formats.
//
// A trace is well-formed if its forks, joins, transactions and locks fit together: no thread has an
// event before its fork or after its join, each end has a begin, and a released lock is held. In
// STD and RoadRunner, one thread at a time holds a lock, and the same thread releases it; in the
// other formats, acquires and releases may come in any order. A trace may stop anywhere. A [Writer]
// refuses events that make a trace ill-formed, and [Check] stops at the first such event; a
// [Reader] does not check this.
//
// # Errors
//
// An error in a trace is an [*Error], which has the place in the file and in most cases a hint.
// Other errors are those of the file system, and of decompression.
package trace
