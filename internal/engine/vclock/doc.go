// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package vclock keeps the vector clocks that represent happens-before: section 3.2 and table 1 of
// Dimitrov et al., "Commutativity Race Detection" (PLDI 2014), made to scale with goroutines.
//
// Input: the synchronization events of threads (goroutines), as calls on [Thread],
// [SingletonClock] and [LockClock]. Output: [Thread.Knows], whether an earlier [Epoch] of another
// thread happens before the thread's present.
//
// # Terms
//
//	slot             a component of the vectors; one thread after another uses it
//	time             the value of one component; the present time is the thread's own component
//	epoch            a slot and a time in one word: an event is known by its epoch
//	vector           a map from slots to times; the vector clock of a thread is T(t) in table 1
//	to know e        a clock knows epoch e if its component for e's slot is e's time or more
//	snapshot         the value of a clock at one epoch, to be joined into other clocks later
//	published        of an epoch: another thread may know it, or come to know it
//	pinned           of an epoch: events are known by it, so the next thread in its slot skips it
//	singleton clock  the clock of a lock that holds one release, the latest
//	spare clock      a singleton clock with room for an epoch beside the vector
//	lock clock       the clock of a lock that can hold the join of several releases
//	delta            a vector that differs from a tree, which others have, in few slots
//	to fold          to put epochs that are beside a tree into it
//	exhausted        a slot has no times left
//	collector        a thread of its world that learns of all others for those that ask
//	basis            of a thread: an epoch of another one, which then knew all that the thread knows
//	borrowed         of an epoch: a thread with nothing to add has released at its basis
//
// # Epochs of a thread
//
// An epoch may stand for several events, as long as the thread neither learns anything between
// them nor lets another thread learn a part of them. These are the ways to take the present epoch:
//
//	method          moves on if the epoch is          sets            for
//	Now             never                             nothing         comparing only
//	Tick            marked, pinned, published to all  marked          one event, such as a call
//	AccessEpoch     marked, published at all          pinned          accesses, while EpochID != 0
//	Pin             never                             pinned          a transaction, a section
//	Hold            as for Tick                       marked, held    a call: Tick then repeats it
//	Advance         always                            nothing         a begin: a new epoch for it
//	Snapshot        never                             snapshotTaken   the clock of an event
//	RemoteSnapshot  never                             published       the clock of another thread
//
// The flags are: marked, an event has the present time; pinned, accesses or a transaction have it;
// snapshotTaken, an unpublished snapshot of it may exist. A move to a new epoch clears all three.
// When a thread ends with a time that has no flag and is unpublished, no event is known by that
// time: the next thread in the slot begins with it. Otherwise that thread begins with the time
// after it.
//
// # Representation
//
// A vector is a persistent tree, 16 ways wide, with the times of 128 slots in a block at its foot.
// These have as few bits as the greatest needs: where there are many threads, each does little. A
// vector of 16 slots is one leaf. Trees share nodes, which are counted references: a release
// stores a pointer, a fork passes it on, and a join visits only nodes that are not the same on both
// sides. Where it finds that two nodes hold the same, it keeps one of them.
//
// Two entries live beside the tree. One is the thread's own time, so that a step of its own changes
// no node. The other is one more epoch, called extra: the one that the thread has joined last. For
// a new goroutine extra is its parent's epoch at the go statement, so that a goroutine that does
// little never owns a node. For a goroutine that waits for others one after another, extra is the
// end of the last one, whose slot the next one reuses.
//
// If several goroutines take one lock in turn, each would copy a path of the tree to add the epoch
// of the previous release. So they make a delta instead: the lock's tree, and a short list of later
// epochs. A list without room is folded into the tree, at a release if possible: a thread that only
// waits for the lock shares the lock's tree, whatever it has learned besides.
//
// A clock that is the join of several releases has a list of epochs beside its tree, as goroutines
// that do little all release the tree that they began with: see mergers.
//
// By (R) a clock that knows a thread's basis knows all that the thread does, and the join of both
// is that clock. So goroutines that are started by one, and woken by it later, share its tree. A
// thread that has marked nothing releases that clock, at the basis. So goroutines that synchronize
// share one clock, until one of them has a marked event.
//
// Most clocks of locks, channel slots and atomic variables are singleton clocks: two words, the
// epoch of the release and its tree.
//
// What makes a re-acquire O(1) is one rule:
//
//	(R) A clock that knows (s, t) knows all that the thread of slot s knew up to its time t.
//
// So a thread must not learn anything at an epoch that is published: the threads that know the
// epoch would have to know the news, too. [Thread.Join] moves to a new epoch first. For the same
// reason [Thread.Tick] leaves a published epoch before a new event is marked.
//
// # Costs
//
// n is the highest slot in use. Fork, release, and a re-acquire of what is known: O(1) and O(log n)
// with base 16. An acquire of a lock that others have taken meanwhile: one node, and about every
// eighth time the nodes of a path. A join where both sides have much news: O(d), d the nodes that
// differ, each compared as a whole. To join all threads: one step for each live thread, and for the
// changes since the last such join. Memory: a thread that has learned nothing since its start
// shares its parent's tree; the first epoch of 128 slots that it learns besides costs a block.
package vclock
