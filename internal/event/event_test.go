// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package event

import (
	"errors"
	"testing"
	"unsafe"
)

func TestEventIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Event{}); size > 24 {
		t.Errorf("an event has %d bytes, want at most 24", size)
	}
}

func TestStrings(t *testing.T) {
	for want, e := range map[string]Event{
		"thread 1: write 3":         {Op: Write, Thread: 1, Target: 3},
		"thread 2: begin":           {Op: Begin, Thread: 2},
		"thread 0: touch 4.5":       {Op: Touch, Target: 4, Point: 5},
		"thread 7: release-merge 1": {Op: ReleaseMerge, Thread: 7, Target: 1},
		"thread 3: split 5 from 2":  {Op: Split, Thread: 3, Target: 5, Point: 2},
		"thread 0: no kind 0":       {Op: 77},
	} {
		if got := e.String(); got != want {
			t.Errorf("%#v is %q, want %q", e, got, want)
		}
	}
}

// TestCheck has for each thing that can be wrong a stream whose last event has it, and its near
// misses.
func TestCheck(t *testing.T) {
	relation, err := NewRelation(2)
	if err != nil {
		t.Fatal(err)
	}
	read := Event{Op: Read}
	for _, c := range []struct {
		name    string
		want    error // of the last event
		mutexes bool
		events  []Event
	}{
		{"empty", nil, true, nil},
		{"no operation", ErrOp, false, []Event{{}}},
		{"unknown operation", ErrOp, false, []Event{read, {Op: Split + 1}}},
		{"point", nil, false, []Event{{Op: Touch, Point: 1}}},
		{"no such point", ErrPoint, false, []Event{{Op: Touch, Point: 2}}},
		{"nested", nil, false, []Event{{Op: Begin}, {Op: Begin}, {Op: End}, {Op: End}}},
		{"open", nil, false, []Event{{Op: Begin}, {Op: Begin}, {Op: End}}},
		{"end without begin", ErrUnbegun, false, []Event{{Op: Begin}, {Op: End}, {Op: End}}},
		{"end of another thread's", ErrUnbegun, false, []Event{{Op: Begin}, {Op: End, Thread: 1}}},

		{"fork", nil, false, []Event{{Op: Fork, Target: 1}, {Op: Read, Thread: 1}}},
		{"fork itself", ErrForkSelf, false, []Event{{Op: Fork}}},
		{"fork twice", ErrForkTwice, false, []Event{{Op: Fork, Target: 1}, {Op: Fork, Target: 1}}},
		{"fork late", ErrForkLate, false, []Event{{Op: Begin, Thread: 1}, {Op: Fork, Target: 1}}},
		{"fork after join", ErrForkJoined, false,
			[]Event{{Op: Join, Target: 1}, {Op: Fork, Target: 1}}},

		{"join", nil, false, []Event{{Op: Fork, Target: 1}, {Op: Join, Target: 1}}},
		{"join twice", nil, false, []Event{{Op: Join, Target: 1},
			{Op: Join, Target: 1, Thread: 2}}},
		{"join itself", ErrJoinSelf, false, []Event{{Op: Join}}},
		{"join in a transaction", ErrJoinUnended, false,
			[]Event{{Op: Begin, Thread: 1}, {Op: Join, Target: 1}}},
		{"event after join", ErrAfterJoin, false,
			[]Event{{Op: Join, Target: 1}, {Op: Read, Thread: 1}}},
		{"join after join", ErrAfterJoin, false,
			[]Event{{Op: Join, Target: 1}, {Op: Join, Thread: 1, Target: 2}}},

		{"split", nil, false, []Event{read, {Op: Split, Target: 1}}},
		{"split from itself", ErrSplitSelf, false, []Event{read, {Op: Split}}},

		{"any acquires", nil, false, []Event{{Op: Acquire}, {Op: Acquire, Thread: 1}, {Op: Release},
			{Op: Release}}},
		{"acquire twice", nil, true, []Event{{Op: Acquire}, {Op: Acquire}, {Op: Release},
			{Op: Release}}},
		{"released", nil, true, []Event{{Op: Acquire}, {Op: Release}, {Op: Acquire, Thread: 1}}},
		{"held", ErrLockHeld, true, []Event{{Op: Acquire}, {Op: Acquire, Thread: 1}}},
		{"still held", ErrLockHeld, true, []Event{{Op: Acquire}, {Op: Acquire}, {Op: Release},
			{Op: Acquire, Thread: 1}}},
		{"another lock", nil, true, []Event{{Op: Acquire}, {Op: Acquire, Thread: 1, Target: 1}}},
		{"release without acquire", ErrLockNotHeld, true, []Event{{Op: Release, Target: 3}}},
		{"release by another", ErrLockNotHeld, true,
			[]Event{{Op: Acquire}, {Op: Release, Thread: 1}}},
		{"release twice", ErrLockNotHeld, true,
			[]Event{{Op: Acquire}, {Op: Release}, {Op: Release}}},
		{"merging release of a mutex", ErrLockNotSimple, true,
			[]Event{{Op: Acquire}, {Op: ReleaseMerge}}},
		{"merging release", nil, false, []Event{{Op: ReleaseMerge}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Check(c.events, relation, c.mutexes)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if c.want == nil {
				return
			}
			var wrong *Error
			last := len(c.events) - 1
			if !errors.As(err, &wrong) || wrong.Index != uint64(last) ||
				wrong.Event != c.events[last] {
				t.Errorf("got %v, want the error of event %d", err, last)
			}
		})
	}
}

func TestErrorTellsAll(t *testing.T) {
	err := Check([]Event{{Op: Read}, {Op: End, Thread: 4}}, nil, false)
	const want = "event 1, thread 4: end: there is nothing to end"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestValidatorInTheMiddle has a lock be held, more than once, when the stream starts.
func TestValidatorInTheMiddle(t *testing.T) {
	v := Validator{Mutexes: true, Middle: true}
	for i, c := range []struct {
		event Event
		want  error
	}{
		{Event{Op: Release}, nil},
		{Event{Op: Release}, nil},
		{Event{Op: Acquire, Thread: 1}, nil},
		{Event{Op: Release}, ErrLockNotHeld},
		{Event{Op: Release, Thread: 1}, nil},
		{Event{Op: Release, Thread: 1}, ErrLockNotHeld},
		{Event{Op: Acquire, Thread: 1, Target: 1}, nil},
		{Event{Op: Release, Target: 1}, ErrLockNotHeld},
	} {
		if err := v.Event(&c.event); !errors.Is(err, c.want) {
			t.Errorf("event %d: got %v, want %v", i, err, c.want)
		}
	}
}

// TestValidatorGoesOn wants an event that was refused to leave no trace.
func TestValidatorGoesOn(t *testing.T) {
	v := Validator{Mutexes: true}
	for i, c := range []struct {
		event Event
		want  error
	}{
		{Event{Op: Acquire}, nil},
		{Event{Op: Acquire, Thread: 1}, ErrLockHeld},
		{Event{Op: Fork, Target: 1}, nil}, // thread 1 has had no event
		{Event{Op: Release}, nil},
		{Event{Op: Acquire, Thread: 1}, nil},
		{Event{Op: End, Thread: 1}, ErrUnbegun},
		{Event{Op: Begin, Thread: 1}, nil},
		{Event{Op: Join, Target: 1}, ErrJoinUnended},
		{Event{Op: End, Thread: 1}, nil},
		{Event{Op: Touch, Thread: 1}, ErrPoint},
		{Event{Op: Join, Target: 1}, nil},
	} {
		if err := v.Event(&c.event); !errors.Is(err, c.want) {
			t.Errorf("event %d: got %v, want %v", i, err, c.want)
		}
	}
}
