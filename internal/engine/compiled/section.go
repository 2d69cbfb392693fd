// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package compiled

import "sync/atomic"

// A TouchOp says what a touch does to the variable that it is of. A point is what two touches may
// conflict on. A field, global or captured variable has one point, at its address. A map has a
// point for each key, one for its length and one for all its keys, by the address of its header.
// The elements of a slice are one point at the variable that holds the slice, and another one at
// the block of memory that they are in, by which slices that share it conflict.
type TouchOp uint8

// The operations.
const (
	ReadVar      TouchOp = iota // reads a variable, whole
	WriteVar                    // writes a variable, whole
	UpdateVar                   // reads and writes a variable: x++, x += y, x = append(x, y)
	Lookup                      // reads a key of a map; its value is 0 if the key is absent
	Insert                      // writes a key of a map
	Update                      // reads and writes a key: m[k]++
	Delete                      // removes a key
	Len                         // reads the length of a map
	ReadAll                     // reads all keys: range
	WriteAll                    // writes all keys: clear, or one that is not known
	ReadInner                   // reads elements of a slice, or calls an observer of a container
	WriteInner                  // writes an element, or calls a mutator of a container
	ReadBacking                 // reads elements of a slice; its address is that of the block
	WriteBacking                // writes elements of a slice, likewise
)

// A SectionTouch is a place where code reads or writes a point that critical sections guard. Code
// calls the engine there only while Hot is not zero.
type SectionTouch struct {
	Hot    atomic.Uint32 // set by the engine when a pair names the touch
	Op     TouchOp
	Atomic AtomicKind
	Local  bool   // of a variable that is captured or global: Point has no type
	Point  string // what is touched, by its type: example.com/rates.Rates.m
	Name   string // the same for a report: Rates.m
	Decl   string // file:line of the declaration
	At     Line
}

// An AtomicKind is what an atomic operation is on. Its Op is ReadVar, WriteVar or UpdateVar.
type AtomicKind uint8

const (
	NotAtomic AtomicKind = iota
	AtomicBool
	AtomicSigned   // a signed integer
	AtomicUnsigned // an unsigned one
	AtomicPointer  // anything else
)

// A LockSite is a call that takes a lock. Its section is complete if every access in it is a touch,
// or of memory that no other goroutine has. All other sections are opaque.
type LockSite struct {
	Lock     string // the lock by its type, for a report: Rates.mu
	Size     uint32 // the bytes of the lock, with all locks inside
	Read     bool
	Complete bool
	At       Line
}

// A Shape is what a check and an act that are in two critical sections can do together.
type Shape uint8

// The shapes, most severe first.
const (
	LostUpdate   Shape = iota // what is written is computed from what was read
	DeletedAfter              // the act removes or replaces what others have found meanwhile
	Created                   // the act creates what was absent, and it has an identity
	Exceeded                  // the act inserts by what a length or count was
	FlagSet                   // the act sets a flag, and what the flag guards is done twice
	TornPair                  // two variables that belong together are read, or written, apart
	Computed                  // an equal value is computed twice
	HalfSeen                  // the act sets what others take for set, by what was set before it
	EntryGone                 // the act removes a map's entry by what was in the entry
	Registered                // the act registers, and its function returns that it was the first
)

// Minor reports whether a shape is for the level that shows all: little depends on it.
func (s Shape) Minor() bool { return s == TornPair || s == Computed }

// Linked reports whether check and act are of two variables that belong together. Of such a shape
// there are pairs on both sides: of the function that is torn apart, and of functions that use both
// variables.
func (s Shape) Linked() bool { return s == TornPair || s == HalfSeen || s == EntryGone }

// Once reports whether the second of two acts is wrong whatever it stores.
func (s Shape) Once() bool { return s == FlagSet || s == Registered }

// Weaker is that of two shapes of which less depends on the pair.
func (s Shape) Weaker(o Shape) Shape {
	switch {
	case s == Registered && o > FlagSet, o == Registered && s <= FlagSet:
		return o
	case s == Registered || o == Registered:
		return s
	}
	return max(s, o)
}

// A SectionPair is a check in one critical section and an act in a later one, in one function or
// in what it calls. The act depends on what the check saw.
type SectionPair struct {
	Check, Act     *SectionTouch
	CheckBy, ActBy Line // where the function calls what checks, and acts; no line if it does itself
	Shape          Shape
	Value          bool // what the act writes is computed from what the check saw
	Fill           bool // the act stores a plain value that is made of its key alone
	// Always says that the act is made whatever the check, or another read of its point, has seen.
	Always bool
	// Latest says that no act counts before which the function has looked at the point again: the
	// helper that acts is also called for what a later look has seen.
	Latest bool
}

// A SectionFunc is a function with such pairs. Activation is one run of it.
type SectionFunc struct {
	Hot    atomic.Uint32 // set by the engine when the touches of its package are hot
	Code   AtomicCode    // ValueIndependent is false
	Pairs  []SectionPair
	Marked bool // it is checked as a transaction too, which finds what is observed
}

// A SectionRegistration is what a package tells the engine at its start: its functions with pairs,
// all its touches, and those of the packages whose touches its pairs name too.
type SectionRegistration struct {
	Funcs    []SectionFunc
	Touches  []SectionTouch
	Imported [][]SectionTouch
}
