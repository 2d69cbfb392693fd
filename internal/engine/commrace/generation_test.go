// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// An observation is between the changes around it, though it moves no generation on: it came before
// a change that began later, and not before one that was under way.
func TestGenerationOfObservation(t *testing.T) {
	et, ct := syncMap(t)
	for _, meanwhile := range []bool{false, true} {
		var o commrace.Object
		a, b := watchers(t, &o, ct)
		was := o.Generation()
		if !meanwhile {
			b.observe(et, &o, "Load", 1, "x", true)
			if o.Generation() != was {
				t.Errorf("a Load moves the generation from %d to %d", was, o.Generation())
			}
		}
		gone := a.call(et, &o, "Delete", 1, "x", true)
		o.Begin(gone, &a.clock, a)
		if meanwhile {
			b.observe(et, &o, "Load", 1, "x", true)
		}
		o.End(gone, &a.clock, a)
		if got := len(a.conflicts); (got == 1) == meanwhile {
			t.Errorf("the Load made while the Delete was under way: %v: it came before the Delete "+
				"in %d cases", meanwhile, got)
		}
	}
}

// A decider is a world in which each act depends on each check.
type decider struct{ *world }

func (decider) Decides(*commrace.Table, *commrace.Action, *commrace.Action) bool { return true }

// A Load that another goroutine's Store has inherited as a check stays as it is.
func TestInheritedIsNotRenewed(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.observe(1, "a")
	w.learns(2, 1)
	store := engineCall(et, call{"Store", []any{"a", 1, nil, false}})
	w.obj.Begin(store, w.threads[2], w)
	w.obj.End(store, w.threads[2], decider{w})
	w.learns(1, 2)
	if w.observe(1, "a"); w.renewed != 0 {
		t.Error("the second Load takes the record of the first, which the Store has inherited")
	}
}
