// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package vclock keeps the vector clocks that represent happens-before: section 3.2 and table 1 of
// Dimitrov et al., "Commutativity Race Detection" (PLDI 2014), made to scale with goroutines.
//
// Input: the synchronization events of threads (goroutines), as calls on [Thread], [SingletonClock] and [LockClock].
// Output: [Thread.Knows], whether an earlier moment of another thread, an [Epoch], happens before
// the thread's present.
//
// # Representation
//
// A vector is a persistent tree, 16 ways wide, whose leaves hold one time per slot; a slot is a
// place in the vector, used by one goroutine after another. Trees share nodes, which are counted
// references: a release stores a pointer, a fork passes it on, and a join visits only nodes that
// are not the same on both sides. Two entries live beside the tree: the thread's own time, so that
// a step of its own changes no node; and one more epoch, which for a new goroutine is its parent's
// at the go statement, so that a goroutine that does little never owns a node.
//
// The clock of a lock, a channel slot or an atomic variable is a [SingletonClock] as long as it is what one
// release set: two words, the moment and its tree. A [LockClock] can be the join of several.
//
// What makes a re-acquire O(1) is one rule:
//
//	(R) Who knows epoch (s, t) knows all that the thread of slot s knew up to its time t.
//
// So a thread's time must move on before it learns something new, if its present time was given
// away; [Thread.Join] sees to that, and [Thread.Tick] before something new is marked with it.
//
// # Costs
//
// n is the highest slot in use. Fork, release, and a re-acquire of what is known: O(1) and O(log n)
// with base 16. A join: O(d), d the nodes that differ. Memory: a thread without knowledge of its
// own shares its parent's tree.
package vclock
