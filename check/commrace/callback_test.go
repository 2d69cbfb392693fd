// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import "testing"

// A call that calls back into the program learns what the others did before it is known what it did
// itself. They race all the same, unless they turn out to commute.
func TestRaceWithLearnedCall(t *testing.T) {
	et, ct := syncMap(t)
	for _, c := range []struct {
		name   string
		first  call
		second call
		racing bool
	}{
		{"two stores", call{"Store", []any{1, "x", nil, false}}, call{"Store", []any{1, "y", "x", true}}, true},
		{"residue", call{"Store", []any{1, "x", nil, false}}, call{"Store", []any{1, "x", "x", true}}, false},
		{"another key", call{"Store", []any{1, "x", nil, false}}, call{"Store", []any{2, "y", nil, false}}, false},
		{"a change that was none", call{"Load", []any{1, nil, false}}, call{"Swap", []any{1, "x", "x", true}}, false},
		{"a change", call{"Load", []any{1, nil, false}}, call{"Swap", []any{1, "x", nil, false}}, true},
	} {
		w := newWorld(et, ct, 3)
		w.step(1, c.first)
		e := engineCall(et, c.second)
		beta := e.Beta
		w.obj.Begin(e, w.threads[2])
		e.Beta = 0 // that of the results is known at the end
		w.obj.Learn(e, w.threads[2])
		w.obj.Learn(e, w.threads[2])
		e.Beta, w.races = beta, 0
		w.obj.End(e, w.threads[2], w)
		if w.races > 0 != c.racing {
			t.Errorf("%s: %d races", c.name, w.races)
		}
		e = engineCall(et, c.second)
		w.obj.Begin(e, w.threads[0])
		w.obj.Learn(e, w.threads[0])
		w.obj.Abandon(e)
		w.end()
	}
}
