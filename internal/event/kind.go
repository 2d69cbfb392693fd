// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package event

// A Kind is what an event does, or what a record of a trace defines.
type Kind uint8

// A set is a set of kinds, with a bit for each number.
type set uint64

func (s set) has(k Kind) bool { return s>>(k&63)&1 != 0 }

// Acquires reports whether what was released before comes before what follows.
func (k Kind) Acquires() bool { return acquires.has(k) }

// Releases reports whether later acquires come after what came before.
func (k Kind) Releases() bool { return releases.has(k) }

// Merges reports whether it is a release that keeps the earlier ones.
func (k Kind) Merges() bool { return merges.has(k) }

// Atomic reports whether it is an operation of package sync/atomic.
func (k Kind) Atomic() bool { return atomics.has(k) }

// Library reports whether the library orders goroutines by it for itself, so that transactions
// don't conflict by it.
func (k Kind) Library() bool { return library.has(k) }

// Reads reports whether it reads a variable, and does not write it.
func (k Kind) Reads() bool { return reads.has(k) }

// Writes reports whether it writes a variable.
func (k Kind) Writes() bool { return writes.has(k) }

// Class is what it conflicts by.
func (k Kind) Class() Class { return classes[k&63] }

// Access is what it does to a variable, if it does anything.
func (k Kind) Access() Access { return accesses[k&63] }

// Recorded are the kinds that stand for it in a trace; the second is 0 if there is only one.
func (k Kind) Recorded() (first, second Kind) { return recorded[k&63][0], recorded[k&63][1] }

// Name is the name of the kind's constant, "ReleaseMerge". Records of traces have these names.
func (k Kind) Name() string { return named(&names, k) }

// String is the kind's name in words, "release-merge". Messages about events have these.
func (k Kind) String() string { return named(&words, k) }

func named(names *[size]string, k Kind) string {
	if k >= size || names[k] == "" {
		return "no kind"
	}
	return names[k]
}

// A Class is what two events have in common that conflict. Of two conflicts between the same
// transactions, that of the lower class tells a reader more.
type Class uint8

// The classes of kinds.
const (
	NoClass  Class = iota
	OfMemory       // they access a variable
	OfObject       // they are calls of methods with a specification
	OfAtomic       // they are operations of package sync/atomic on one variable
	OfSync         // the second acquires what the first releases
	OfFork         // the first starts the goroutine of the second
	Classes        // how many there are
)

// An Access is what an event does to a variable: WriteAccess or not, with AtomicAccess added if it
// is an operation of package sync/atomic.
type Access uint8

// Accesses. Two of one variable conflict unless both read, and race unless both are atomic.
const (
	ReadAccess   Access = 0
	WriteAccess  Access = 1
	AtomicAccess Access = 2
)
