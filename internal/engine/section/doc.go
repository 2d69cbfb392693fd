// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package section finds a check and an act that are in two critical sections, where another
// goroutine comes between them, or can come between them.
//
// Input: the functions with such pairs, as the analysis has found them (compiled.SectionFunc), and
// events of goroutines: calls that take locks, acquires and releases, touches of variables and
// maps, and activations of the functions. Output: a [Finding] for each check and act with a reason
// to say that another goroutine can come between, handed to a [Sink].
//
// # Terms
//
//	lock         an address where a goroutine acquires, after a call that announced it
//	section      what a goroutine does from the acquire of a lock to its release
//	complete     of a section: each access to shared memory in it is a touch
//	opaque       of a section: it is not complete, or has another section in it
//	point        what touches conflict on: a variable, a key of a map, its length, all its keys, or
//	             the block of memory that elements of slices are in
//	version      a number of a point that moves when a section changes its value
//	look         a check that an activation has made, with what it has seen
//	act          a write in a later section of the activation that depends on the look
//	weak clock   the clock that has no order by the locks of complete sections
//	weakly known of an event: the weak clock has it
//
// # The weak order
//
// The order of two complete sections of a lock is the program's accident, unless they are in
// conflict: they touch a point, and one of them changes it. So the weak clock has all
// synchronization of the program but that of complete sections. When one ends, its goroutine
// learns the earlier sections that it is in conflict with, after it was judged. Opaque sections
// keep full order: they come after all sections so far, and before all later ones.
//
// What a goroutine has not weakly known can be put after what it does. That is the witness of a
// finding: all that the other's event needs, in the order in which it happened, then the event,
// and then the act's section.
//
// # Evidence
//
//	observed   another goroutine changed what the check saw before the act was made, and the act's
//	           goroutine had not learned of that
//	predicted  another goroutine wrote after the act, not weakly knowing it, and whatever the act
//	           wrote: it could have written right before the act's section
//	twin       another goroutine made the same check after the act, not weakly knowing it, and
//	           right before the act's section it would have seen what the act's check saw; or it
//	           made the check before the act, and repeated the act, which changed nothing then
//
// For a twin and a prediction the other's section S is moved as a whole, to right before the act's
// section. So all of this must hold:
//
//   - What S reads and the act's section has written was right before that as the check's section
//     has read it (for a twin; what is predicted reads no such thing). Who claims something in the
//     section of the check, and gives it back in that of the act, is right by this rule.
//   - What else S reads is from no section that weakly knows the act's.
//   - S writes nothing that the act's section reads to decide something.
//
// And for a twin, the other's act comes after the first one's section. So that must leave as it was
// what it reads itself, and what sections between the check and the act have read must be there
// before or after it. And neither goroutine may have read anything in an opaque section of the
// activation: that can't be compared, and whether the other acts may depend on it.
//
// A lock that is held from the check to the act, and by the other at its event, makes all of this
// impossible. Sections of such a lock have other sections in them. So they are opaque and keep full
// order, which tells.
//
// # Linked pairs
//
// A pair may be of two variables that belong together. Then both a function that changes them in
// two sections and the functions that read both have pairs, and the other's section S is one of
// those. It is moved likewise, and reads what the act's section writes. See link.go.
//
// # Atomic operations
//
// An operation of sync/atomic that code announces is a complete section of its own; any other one
// of the same variable is opaque. See atomic.go, and reader.go for loads that repeat the last one.
//
// # Bounds
//
// A section has at most 16 touches, and is opaque otherwise. An activation has 8 looks and
// remembers 24 reads. A point keeps 4 acts. Whatever is forgotten makes for fewer findings.
//
// At the end of an opaque section that excludes others, the points of keys that no activation has
// seen are freed: see points.go.
//
// A section that only reads, and repeats the last one of its goroutine, is not recorded, as nothing
// has come between: see again.go.
//
// Nothing is done until a function is registered. Each lock has a spin lock, which is held while a
// section of it ends.
package section
