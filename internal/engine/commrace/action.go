// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An Action is the record of a call that was made. It lives as long as a touch, a list of checks
// or a race refers to it. It keeps no object of the program alive.
//
// A call that repeats an earlier one (repeat.go) makes no action of its own. The earlier call's
// action then stands for both, and the flags repeatMayDiffer, valueUnknown and maybeStale say how
// much of it holds for the later one. They matter to check-then-act only.
type Action struct {
	// What the checks of other calls look at comes first, in one line of the processor's cache.
	// What changes where an observation takes the record (renew.go) is in that line and the next,
	// and where args are.
	refs   uint32 // see references
	Method uint32
	Txn    vclock.Epoch // the transactions' epoch at which the call was made; 0 if none ran
	Goid   uint64

	gen   uint32 // the object's generation when the call was recorded, or repeated last
	began uint32 // the generation when it began; 0 for observers, whose begin is not seen
	ended uint32 // the generation when it ended

	// A repetition may return another value than this call did. The call's own goroutine may have
	// changed the object in between, or a racing call may take effect. So the next repetition must
	// be noted (noteRepeat), which the fast path leaves out otherwise.
	repeatMayDiffer bool
	// The call was repeated, and the repetition perhaps returned something else. The arguments
	// and results that are kept are not necessarily those of the last repetition.
	valueUnknown bool
	// What an observation saw may have been changed before the observation ended, or since then
	// by its own goroutine.
	maybeStale bool

	// Where it was called; the last time, if it was repeated.
	At    Place
	nargs uint32
	// For an observation with callbacks: calls that began up to this generation may have come
	// before what it saw, or after. 0 for other calls.
	unknownUntil uint32

	snapshot vclock.Snapshot
	Owner    uintptr // the sink's: the test or the like to which a report is charged
	args     [maxArgs]Arg

	// Checks by other goroutines whose touches this call has subsumed (inherit.go). An act that
	// looks for its check finds it here.
	inherited checkList
	checks    checkList // the checks that this call depends on, if it is an act (checkact.go)
	// Checks by other goroutines that this call raced with. An act that comes after this call, by
	// a lock say, may depend on one of them: then this call came in between.
	raced checkList

	beta    uint32
	Elided  uint32 // the sink's: the number of frames of Stack that are not kept
	keys    [maxKeys]uint64
	Stack   uintptr         // the sink's: where it was called
	Origin  uintptr         // the sink's: where its goroutine was started
	Creator uint64          // the goroutine that started its goroutine
	argHash [maxArgs]uint64 // of the arguments that semantic exceptions compare
	_       [24]byte        // an Action is 7 lines of the processor's cache long
}

var actions offheap.Slab[Action]

// newAction makes an action with one reference from a call that is being made. It hashes those
// arguments only that a semantic exception compares, as hashing may be expensive.
func newAction(t *Table, c *Call) *Action {
	a := actions.Get()
	*a = Action{} // in place, and not by a copy
	a.Method, a.beta, a.At, a.keys = c.Method, c.Beta, c.Place(), c.Keys
	host.Publish32(a.references(), 1)
	a.keepArgs(&t.Methods[c.Method], c.Args, c.Nargs)
	return a
}

// keepArgs keeps the arguments and results of a call of m. The action has none.
func (a *Action) keepArgs(m *Method, args unsafe.Pointer, nargs uint32) {
	if args == nil {
		return
	}
	a.nargs = min(nargs, maxArgs)
	for i := range a.nargs {
		v := (*eface)(unsafe.Add(args, uintptr(i)*unsafe.Sizeof(eface{})))
		a.args[i].keep(v)
		if m.hashed>>i&1 != 0 {
			a.argHash[i] = host.Hash(*(*any)(unsafe.Pointer(v)))
		}
	}
}

// capture makes the record of a call that is over.
func capture(t *Table, c *Call, s Sink) *Action {
	a := newAction(t, c)
	s.Capture(a, c.Args)
	return a
}

// Recall sets what is kept of an argument or result of a call that was recorded: bytes that are
// equal where those of the value are, at most [MaxText], and the value's hash.
func (a *Action) Recall(i int, kept []byte, hash uint64) {
	if i >= maxArgs {
		return
	}
	a.nargs = max(a.nargs, uint32(i)+1)
	a.args[i].Keep(kept)
	a.argHash[i] = hash
}

// isCallOf reports whether a is a call of method m with the same keys. A call of another method
// may touch the same points. A keyed touch of a method with one key needs no comparison: the list
// that the touch was found in is that key's.
func (a *Action) isCallOf(m *Method, method uint32, keyed bool, keys *[maxKeys]uint64) bool {
	return a.Method == method && (keyed && m.nkeys == 1 || a.keys == *keys)
}

// references is the number of references. Calls of different keys may change that of one action at
// once. It is no atomic.Uint32 in the record, of which a report makes a copy.
func (a *Action) references() *atomic.Uint32 { return (*atomic.Uint32)(unsafe.Pointer(&a.refs)) }

// ref adds a reference. The lock of a list that has the action is held, or the caller has a
// reference.
func (a *Action) ref() *Action {
	a.references().Add(1)
	return a
}

// unref takes a reference away. The last one gives the record back, with all that it owns.
func (a *Action) unref() {
	if a.references().Add(^uint32(0)) == 0 {
		a.checks.drop()
		a.inherited.drop()
		a.raced.drop()
		a.snapshot.Drop()
		a.Drop()
		actions.Put(a)
	}
}

// Args are the call's parameters and results, as many as the method's specification names.
func (a *Action) Args() []Arg { return a.args[:a.nargs] }

// OwnTexts gives a copy of an action texts of its own, so that the copy outlives the action. Drop
// gives them back.
func (a *Action) OwnTexts() {
	args := a.Args()
	for i := range args {
		if args[i].long() {
			text := args[i].outside().P()
			copy(args[i].room(), text[:])
		}
	}
}

// Drop forgets the arguments, and gives back the texts that they have outside of the record.
func (a *Action) Drop() {
	args := a.Args()
	for i := range args {
		args[i].Drop()
	}
	a.nargs = 0
}
