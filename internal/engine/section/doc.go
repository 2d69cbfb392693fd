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
//	section      the events of a goroutine from the acquire of a lock to its release
//	complete     of a section: each access to shared memory in it is a touch
//	opaque       of a section: it is not complete, or has another section in it
//	point        the subject of conflicts: a variable, a key of a map, its length, all its keys, or
//	             the block of memory that elements of slices are in
//	version      a number of a point that moves when a section changes its value
//	look         a check that an activation has made, with the value that it has seen
//	act          a write in a later section of the activation that depends on the look
//	weak clock   the clock that has no order by the locks of complete sections
//	weakly known of an event: the weak clock has it
//
// # The weak order
//
// The order of two complete sections of a lock is the program's accident, unless they are in
// conflict: they touch a point, and one of them changes it. So the weak clock has all
// synchronization of the program except that of complete sections. When a complete section ends, it
// is checked first. Then its goroutine's weak clock joins those of the earlier sections that it
// conflicts with. Opaque sections keep full order: they come after all sections so far, and before
// all later ones.
//
// Events that a goroutine does not weakly know can be put after its own event. This gives the
// witness of a finding: first all that the other's event depends on, in its order, then that event,
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
// section. So these conditions must hold:
//
//   - If S reads a variable that the act's section has written, then right before that section the
//     variable had the value that the check's section has read. (This is for a twin; in a
//     prediction, S reads no such variable.) By this rule, a function that claims something in the
//     section of the check, and gives it back in that of the act, is right.
//   - All other values that S reads are from sections that don't weakly know the act's section.
//   - S writes no variable that the act's section reads to decide something.
//
// For a twin, the other's act comes after the first act's section. So the first act's section must
// not change the variables that it reads itself. The values that sections between the check and the
// act have read must be there before or after it. Moreover, neither goroutine may have read
// anything in an opaque section of the activation: such values can't be compared, and the other's
// act may depend on them.
//
// A lock that is held from the check to the act, and by the other at its event, makes all of this
// impossible. Sections of such a lock have other sections in them. So they are opaque and keep full
// order, and no finding is possible.
//
// # Linked pairs
//
// A pair may be of two variables that belong together. Then a function that changes them in two
// sections has pairs, and so have the functions that read both. The other's section S is one of the
// latter. It is moved in the same way, and reads what the act's section writes. See link.go.
//
// # Atomic operations
//
// An operation of sync/atomic that code announces is a complete section by itself; any other
// operation of the same variable is opaque. See atomic.go, and reader.go for loads that repeat the
// last one.
//
// # Bounds
//
// A section has at most 16 touches, and is opaque otherwise. An activation has 8 looks and
// remembers 24 reads. A point keeps 4 acts. All that is forgotten leads to fewer findings only.
//
// At the end of an opaque section that excludes others, the points of keys that no activation has
// seen are freed: see points.go.
//
// A section that only reads, and repeats the last one of its goroutine with nothing in between, is
// not recorded: see again.go.
//
// Nothing is done until a function is registered. Each lock has a spin lock, which is held while a
// section of it ends.
package section
