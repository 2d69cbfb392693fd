// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Event is a touch in a critical section, as a report shows it. Capture fills in what only the
// rest of the engine knows.
type Event struct {
	Touch offheap.Ref[compiled.SectionTouch]
	Value uint64       // what was read or written, Unknown if it is not known
	Was   uint64       // what was there before a write, Unknown if it is not known
	Epoch vclock.Epoch // the begin of the section, in the weak clock

	// The fields below are 0 if nothing was captured: then only Touch gives the place.
	Goid    uint64
	Creator uint64
	Stack   uintptr // a *stack.Stack
	Origin  uintptr // a *stack.Stack: where the goroutine was started
	Owner   uintptr // a *tests.Test: which test the goroutine is charged to
}

// A Sink is the rest of the engine.
type Sink interface {
	// Capture fills in Goid, Creator, Stack, Origin and Owner of an event of the current goroutine,
	// which is at the touch.
	Capture(e *Event)
	// Report receives a finding, which it must not keep. No lock of this package is held.
	Report(f *Finding)
}

// Evidence is why a check and an act are reported.
type Evidence uint8

// The kinds of evidence.
const (
	Observed  Evidence = iota // the other's write came between the check and the act
	Predicted                 // the other's write can come between them
	Twin                      // the other's check can come between them, so that both act
)

// A Finding is a check and an act between which another goroutine's event came, or can come.
type Finding struct {
	Func     offheap.Ref[compiled.SectionFunc]
	Pair     int // the index in Func.Pairs
	Evidence Evidence
	Check    Event
	Act      Event
	Other    Event // by the other goroutine: a write, or of a twin the same check
	Lock     uintptr
	Site     offheap.Ref[compiled.LockSite] // a call that takes the lock, of the check or the act
	Object   uintptr
	Key      uint64 // the hash of the key, of an operation of a map
	// Seldom says that a run of the function has made the check with the same result, and not
	// acted. So it is not certain that a twin acts.
	Seldom bool
	// Last says that Other came after Act.
	Last bool
}

// Minor reports whether the finding is for level all: it does little harm, or it is not certain
// that the other goroutine acts.
func (f *Finding) Minor() bool {
	return f.pair().Shape.Minor() || f.Evidence == Twin && f.Seldom
}

// pair is the pair of the finding.
func (f *Finding) pair() *compiled.SectionPair { return &f.Func.P().Pairs[f.Pair] }
