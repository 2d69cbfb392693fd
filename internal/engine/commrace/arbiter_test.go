// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// arbiterStep does something at random with a map, in both worlds. Most calls ask at the thread's
// place whether a key is there, of which each thread has several.
func (tw *twins) arbiterStep(r *rand.Rand, m map[int]int) (what, differs string) {
	i := tw.who(r)
	place := placesOf * uintptr(i+1)
	switch {
	case tw.open[i] != nil && r.Intn(4) > 0:
		return fmt.Sprintf("thread %d ends its call", i), tw.end(i, place)
	case tw.open[i] != nil:
		return "nothing", ""
	case r.Intn(8) == 0:
		lock, acquire := r.Intn(2), r.Intn(2) == 0
		return fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire),
			tw.synchronize(i, lock, acquire)
	}
	c := apply(r, m)
	if r.Intn(8) > 0 {
		k := r.Intn(2)
		if r.Intn(4) > 0 {
			k = 4 + 2*i + r.Intn(2)
		}
		was, loaded := m[k]
		m[k] = was
		c = call{"LoadOrStore", []any{k, 0, was, loaded}}
	}
	if k, ok := c.values[0].(int); ok {
		c.values[0] = k + tw.firstKey
	}
	if c.method == "Load" {
		return fmt.Sprintf("thread %d: %v", i, c), tw.observe(i, c, place)
	}
	return fmt.Sprintf("thread %d begins %v", i, c), tw.begin(i, c)
}

// Calls that may change something, and mostly find that nothing is to change, are remembered with
// several keys. They find the same races, let the same calls be known, and move at the same steps,
// as ones that are not remembered.
func TestArbiterAgainAsEnd(t *testing.T) {
	et, ct := withoutResidue(t)
	changed, found, seeds := 0, 0, 1500
	if testing.Short() {
		seeds = 400
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		tw := newTwins(et, ct, 2+r.Intn(3), 1)
		tw.firstKey = seed * 16
		if seed%2 == 1 {
			tw.tick()
		}
		tw.worlds[1].seen, tw.worlds[1].ends = &remembered, true
		m := map[int]int{}
		steps := 40 + r.Intn(160)
		divide := max(0, r.Intn(3*steps)-steps)
		var log []string
		for n := range steps {
			if n == divide {
				tw.worlds[0].obj.Divide()
				tw.worlds[1].obj.Divide()
			}
			what, differs := tw.arbiterStep(r, m)
			log = append(log, fmt.Sprint(n, ": ", what))
			if differs != "" {
				t.Fatalf("seed %d, divided at %d: %s\n%s", seed, divide, differs, fmt.Sprint(log))
			}
			found += tw.worlds[0].races
		}
		for i, c := range tw.open {
			if c != nil {
				tw.end(i, 1)
			}
		}
		changed += tw.worlds[1].changed
		for _, w := range tw.worlds {
			w.end()
		}
	}
	if changed < 5*seeds || found < 5*seeds {
		t.Errorf("only %d calls were remembered, and %d races found", changed, found)
	}
}

// A call that is remembered is the one that its touch of the object stands for, whatever key the
// call before it had. But an act looks for its check each time.
func TestRememberedOfKeys(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.seen = new(commrace.Seen)
	s := deciding{w}
	end := func(place uintptr, c call) {
		ec := engineCall(et, c)
		ec.SetPlace(commrace.Place{Site: place})
		w.goid, w.place = 2, place
		w.obj.Begin(ec, w.threads[1], s)
		w.endChange(ec, w.threads[1], s)
	}
	for _, key := range []int{1, 2, 1} {
		end(1, call{"LoadOrStore", []any{key, 0, 0, true}})
	}
	if w.changed != 1 {
		t.Fatalf("%d calls were remembered, want 1", w.changed)
	}
	w.firsts, w.goid = nil, 3
	w.obj.End(engineCall(et, call{"Clear", []any{false}}), w.threads[2], w)
	if len(w.firsts) != 1 || w.firsts[0].key != 1 {
		t.Errorf("a race with calls %v, want the last one, of key 1", w.firsts)
	}
	for _, key := range []int{1, 2, 1, 2} { // the first two meet the Clear
		end(2, call{"Store", []any{key, 5, 0, true}})
	}
	c := engineCall(et, call{"Load", []any{1, 5, true}})
	c.SetPlace(commrace.Place{Site: 3})
	w.obj.End(c, w.threads[1], s)
	end(2, call{"Store", []any{1, 6, 5, true}})
	f := &checkedRaces{deciding: s}
	w.goid = 3
	last := engineCall(et, call{"Store", []any{1, 99, 98, true}})
	w.obj.Begin(last, w.threads[2], f)
	w.obj.End(last, w.threads[2], f)
	if len(f.values) != 1 || f.values[0] != [2]byte{6, 5} {
		t.Errorf("acts and checks with values %v, want 6 and 5", f.values)
	}
}
