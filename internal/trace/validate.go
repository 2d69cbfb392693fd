// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"errors"
	"fmt"

	"github.com/commutego/commute/internal/event"
)

// Validate is r, with an [*Error] where the trace is not well-formed: see [event.Validator].
// Checkers rely on well-formed traces. If mutexes is true, one thread at a time holds a lock; nil
// means that r's tables decide.
func Validate(r Reader, mutexes *bool) Reader {
	v := &validatedReader{Reader: r}
	v.Mutexes = r.Tables().Mutexes
	if mutexes != nil {
		v.Mutexes = *mutexes
	}
	return v
}

// A validatedReader is a Reader that checks its events.
type validatedReader struct {
	Reader
	event.Validator
	held error // the error in the event after those of the last Read
}

// Read reads events up to the first that is not well-formed. The error comes with the next call.
func (v *validatedReader) Read(events []event.Event) (int, error) {
	if v.held != nil {
		return 0, v.held
	}
	n, err := v.Reader.Read(events)
	if m, ok := v.Reader.(interface{ Lost() uint64 }); ok {
		v.Middle = m.Lost() > 0
	}
	v.Relation = v.Tables().Relation // Read may have added points
	i, wrong := v.Events(events[:n])
	if wrong == nil {
		return n, err
	}
	v.held = Explain(v.Tables(), &events[i], v.Place(i), wrong)
	if i > 0 {
		return i, nil
	}
	return 0, v.held
}

// anyOrder is the hint for errors of locks.
const anyOrder = "with -mutexes=false, locks may be acquired and released in any order, as " +
	"RAPID has it"

// hints are the hints for errors of [event.Validator].
var hints = map[error]string{
	event.ErrOp:        "is the file damaged?",
	event.ErrPoint:     "define the access points before all steps",
	event.ErrAfterJoin: "is the join too early, or is it of another thread?",
	event.ErrUnbegun: "is a begin missing, or was the beginning cut off? \"commute trace " +
		"cut\" leaves such traces whole",
	event.ErrForkSelf:      "is the fork of another thread?",
	event.ErrForkTwice:     "does each thread have a name of its own?",
	event.ErrForkLate:      "is the fork too late, or is it of another thread?",
	event.ErrForkJoined:    "does each thread have a name of its own?",
	event.ErrJoinSelf:      "is the join of another thread?",
	event.ErrJoinUnended:   "is an end missing?",
	event.ErrLockHeld:      "is a release missing? " + anyOrder,
	event.ErrLockNotHeld:   "is an acquire missing? " + anyOrder,
	event.ErrLockNotSimple: anyOrder,
}

// Explain turns an error of [event.Validator] into an error in a trace, with the names of the
// trace, a place and a hint.
func Explain(t *Tables, e *event.Event, place Place, wrong error) *Error {
	cause := errors.Unwrap(wrong)
	return &Error{Place: place, Text: fmt.Sprintf("%s: %v", t.String(e), cause), Hint: hints[cause]}
}
