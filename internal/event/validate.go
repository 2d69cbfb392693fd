// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package event

import (
	"errors"
	"fmt"
	"math"

	"github.com/commutego/commute/internal/check/table"
)

// An Error is an event that makes a stream ill-formed.
type Error struct {
	Index uint64 // of the event, from 0
	Event Event
	Cause error
}

func (e *Error) Error() string { return fmt.Sprintf("event %d, %v: %v", e.Index, e.Event, e.Cause) }

func (e *Error) Unwrap() error { return e.Cause }

// The causes of an [Error].
var (
	ErrOp            = errors.New("no such operation")
	ErrPoint         = errors.New("no such access point")
	ErrAfterJoin     = errors.New("the thread was joined before")
	ErrUnbegun       = errors.New("there is nothing to end")
	ErrForkSelf      = errors.New("a thread cannot fork itself")
	ErrForkTwice     = errors.New("the thread was forked before")
	ErrForkLate      = errors.New("the thread forked had an event before")
	ErrForkJoined    = errors.New("the thread forked was joined before")
	ErrJoinSelf      = errors.New("a thread cannot join itself")
	ErrJoinUnended   = errors.New("the thread joined is in a transaction")
	ErrLockHeld      = errors.New("another thread holds the lock")
	ErrLockNotHeld   = errors.New("the thread doesn't hold the lock")
	ErrLockNotSimple = errors.New("a mutex has no merging release")
	ErrSplitSelf     = errors.New("a variable cannot be split from itself")
)

// Check reports the first event, if any, that makes the stream ill-formed, as an [*Error]. The
// stream may stop anywhere: within a transaction, or with locks held. That the part of a Split had
// no event before is not checked, as that would take a table of all variables. For mutexes see
// [Validator].
func Check(events []Event, relation *Relation, mutexes bool) error {
	v := Validator{Relation: relation, Mutexes: mutexes}
	_, err := v.Events(events)
	return err
}

// A Validator is [Check] an event at a time.
type Validator struct {
	Relation *Relation

	// Mutexes says that each lock is a mutex: held by one thread at a time, though by that more
	// than once, and released by its holder. Otherwise acquires and releases may come in any order.
	Mutexes bool

	// Middle says that the stream starts in the middle of a run. The first event of a lock may be
	// its release by a thread that acquired it before.
	Middle bool

	index   uint64
	threads []threadState
	locks   []lockState
}

// A threadState is what a Validator keeps of a thread.
type threadState struct {
	depth                   uint32
	started, forked, joined bool
}

// A lockState is what a Validator keeps of a mutex.
type lockState struct {
	holder, depth uint32 // the thread that holds it, and how often; depth 0 is free
	known         bool   // the stream has shown its state; otherwise it may be held from before
}

// Event returns nil if the stream is well-formed with e as its next event. Otherwise e is dropped,
// and the stream can go on with another event.
func (v *Validator) Event(e *Event) error {
	if err := v.check(e); err != nil {
		return &Error{Index: v.index, Event: *e, Cause: err}
	}
	v.apply(e)
	return nil
}

// Events is Event for each of a batch of events. It returns the number of those before the first
// that is not well-formed.
func (v *Validator) Events(events []Event) (int, error) {
	for i := range events {
		if e := &events[i]; v.applyQuick(e) {
			v.index++
		} else if err := v.Event(e); err != nil {
			return i, err
		}
	}
	return len(events), nil
}

// applyQuick is the fast path of Event, for frequent kinds. It reports whether it found the event
// well-formed and applied it; the index is the caller's. Otherwise nothing has changed.
func (v *Validator) applyQuick(e *Event) bool {
	if uint64(e.Thread) >= uint64(len(v.threads)) {
		return false
	}
	t := &v.threads[e.Thread]
	if !t.started || t.joined {
		return false
	}
	switch e.Op {
	case Read, Write:
	case Begin:
		t.depth++
	case End:
		if t.depth == 0 {
			return false
		}
		t.depth--
	case Acquire, Release:
		return !v.Mutexes || v.applyQuickLock(e)
	default:
		return false
	}
	return true
}

// applyQuickLock is applyQuick for a mutex.
func (v *Validator) applyQuickLock(e *Event) bool {
	if uint64(e.Target) >= uint64(len(v.locks)) {
		return false
	}
	l := &v.locks[e.Target]
	if held := l.depth > 0 && l.holder == e.Thread; held == (l.depth == 0) ||
		!held && e.Op == Release {
		return false // another thread holds it, or it is free and released
	}
	if e.Op == Release {
		l.depth--
		return true
	}
	l.holder = e.Thread
	l.depth++
	return true
}

// check returns the reason why e is not well-formed as the next event. It changes nothing.
func (v *Validator) check(e *Event) error {
	if v.thread(e.Thread).joined {
		return ErrAfterJoin
	}
	switch e.Op {
	case Read, Write, Begin:
		return nil
	case Split:
		if e.Target == e.Point {
			return ErrSplitSelf
		}
		return nil
	case End:
		if v.thread(e.Thread).depth == 0 {
			return ErrUnbegun
		}
		return nil
	case Touch:
		if e.Point >= v.Relation.Points() {
			return ErrPoint
		}
		return nil
	case Fork:
		return v.checkFork(e)
	case Join:
		return v.checkJoin(e)
	case Acquire, Release, ReleaseMerge:
		return v.checkLock(e)
	}
	return ErrOp
}

// checkFork checks that the forked thread is new.
func (v *Validator) checkFork(e *Event) error {
	switch u := v.thread(e.Target); {
	case e.Target == e.Thread:
		return ErrForkSelf
	case u.started:
		return ErrForkLate
	case u.forked:
		return ErrForkTwice
	case u.joined:
		return ErrForkJoined
	}
	return nil
}

// checkJoin checks that the joined thread is in no transaction. It may be joined more than once.
func (v *Validator) checkJoin(e *Event) error {
	switch {
	case e.Target == e.Thread:
		return ErrJoinSelf
	case v.thread(e.Target).depth > 0:
		return ErrJoinUnended
	}
	return nil
}

// checkLock checks that a mutex is acquired by one thread at a time, and released by its holder.
func (v *Validator) checkLock(e *Event) error {
	if !v.Mutexes {
		return nil
	}
	if e.Op == ReleaseMerge {
		return ErrLockNotSimple
	}
	var l lockState
	if uint64(e.Target) < uint64(len(v.locks)) {
		l = v.locks[e.Target]
	}
	held := l.depth > 0 && l.holder == e.Thread
	switch {
	case e.Op == Acquire && l.depth > 0 && !held:
		return ErrLockHeld
	case e.Op == Release && !held && (l.known || !v.Middle):
		return ErrLockNotHeld
	}
	return nil
}

// thread is the state of a thread, without making an entry for it.
func (v *Validator) thread(t uint32) threadState {
	if uint64(t) < uint64(len(v.threads)) {
		return v.threads[t]
	}
	return threadState{}
}

// apply applies a well-formed event to the state.
func (v *Validator) apply(e *Event) {
	v.index++
	v.threads = table.Grow(v.threads, e.Thread)
	v.threads[e.Thread].started = true
	switch e.Op {
	case Begin:
		v.threads[e.Thread].depth++
	case End:
		v.threads[e.Thread].depth--
	case Fork:
		v.threads = table.Grow(v.threads, e.Target)
		v.threads[e.Target].forked = true
	case Join:
		v.threads = table.Grow(v.threads, e.Target)
		v.threads[e.Target].joined = true
	case Acquire, Release:
		v.applyLock(e)
	}
}

// applyLock applies an acquire or a release of a mutex.
func (v *Validator) applyLock(e *Event) {
	if !v.Mutexes {
		return
	}
	v.locks = table.Grow(v.locks, e.Target)
	l := &v.locks[e.Target]
	if e.Op == Release {
		if l.depth--; l.depth == math.MaxUint32 { // held from before, and it isn't known how often
			l.depth = 0
			return
		}
		l.known = true
		return
	}
	l.known = true
	l.holder = e.Thread
	l.depth++
}
