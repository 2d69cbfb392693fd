// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// learn makes a Load of thread i that leaves no touch.
func learn(w *world, sn *commrace.Seen, i int, c call) bool {
	ec := engineCall(w.ecl, c)
	return sn.Learn(w.obj, ec.Method, ec.Beta, ec.Keys[0], w.threads[i])
}

// learnPlain is learn in the plain vectors.
func learnPlain(w *world, i int, c call) {
	before := clone(w.clocks[i])
	for _, p := range w.past {
		if before[p.who] < p.time && !w.ecl.Commute(c.method, p.method, c.values, p.values) {
			join(w.clocks[i], p.clock)
		}
	}
}

// A Load without a touch orders its goroutine after just those calls that it doesn't commute with,
// and no later call meets it.
func TestLearn(t *testing.T) {
	et, ct := withoutResidue(t)
	learned, remembered := 0, 0
	var sn commrace.Seen
	for seed := range int64(2000) {
		r := rand.New(rand.NewSource(seed))
		w := newWorld(et, ct, 2+r.Intn(4))
		var epochs []vclock.Epoch // of the calls of w.past
		m := map[int]int{}
		for n := range 20 + r.Intn(80) {
			i := r.Intn(len(w.threads))
			if r.Intn(4) == 0 {
				w.synchronize(r, i)
				continue
			}
			if seed%4 == 3 && r.Intn(20) == 0 {
				w.obj.Divide()
			}
			c := apply(r, m)
			for c.method != "Load" && r.Intn(3) > 0 {
				c = apply(r, m)
			}
			if c.method != "Load" {
				if checker, direct := w.step(i, c); checker != direct {
					t.Fatalf("seed %d, event %d: %s%v: a race: %v, direct approach: %v",
						seed, n, c.method, c.values, checker, direct)
				}
				epochs = append(epochs, w.threads[i].Now())
				continue
			}
			now, before := w.threads[i].Now(), vclock.Learned(w.threads[i])
			if !learn(w, &sn, i, c) {
				t.Fatalf("seed %d, event %d: the Load leaves a touch", seed, n)
			}
			learnPlain(w, i, c)
			if vclock.Learned(w.threads[i]) != before {
				learned++
			} else if w.threads[i].Now() == now {
				remembered++
			}
			for k, p := range w.past {
				got, want := w.threads[i].Knows(epochs[k]), w.clocks[i][p.who] >= p.time
				if got != want {
					t.Fatalf("seed %d, event %d: thread %d makes %s%v, and knows %s%v of %d: %v, "+
						"direct approach: %v", seed, n, i, c.method, c.values, p.method, p.values,
						p.who, got, want)
				}
			}
		}
		w.end()
	}
	if learned < 5000 || remembered < 5000 {
		t.Errorf("%d Loads have told something, %d nothing: too few for a test", learned,
			remembered)
	}
}

// A Store that is under way may have taken effect. A Load beside it learns of it, even where the
// same Load has told nothing just before.
func TestLearnBesidePending(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	load := call{"Load", []any{1, nil, false}}
	learn(w, &sn, 2, load)
	learn(w, &sn, 2, load)
	before := w.threads[1].Tick()
	store := engineCall(et, call{"Store", []any{1, "x", nil, false}})
	w.obj.Begin(store, w.threads[1], w)
	learn(w, &sn, 2, call{"Load", []any{7, nil, false}})
	if w.threads[2].Knows(before) {
		t.Error("a Load of another key learns from the Store")
	}
	learn(w, &sn, 2, load)
	if !w.threads[2].Knows(before) {
		t.Error("the Load does not come after what the Store comes after")
	}
	w.races = 0
	w.obj.End(store, w.threads[1], w)
	if w.races != 0 {
		t.Error("the Store is in a race with a Load that has left no touch")
	}
}

// What one goroutine knows says nothing of another one. TestLearn has threads in slots of earlier
// ones.
func TestLearnedByAnother(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	load := call{"Load", []any{1, "x", true}}
	w.step(1, call{"Store", []any{1, "x", nil, false}})
	stored := w.threads[1].Now()
	learn(w, &sn, 1, load)
	if learn(w, &sn, 2, load); !w.threads[2].Knows(stored) {
		t.Error("thread 2 has not learned of the Store")
	}
}

// BenchmarkLearn is a Load that tells nothing.
func BenchmarkLearn(b *testing.B) {
	et, ct := syncMap(b)
	w := newWorld(et, ct, 2)
	defer w.end()
	sn := new(commrace.Seen)
	w.step(1, call{"Store", []any{1, "x", nil, false}})
	c := engineCall(et, call{"Load", []any{1, "x", true}})
	for b.Loop() {
		sn.Learn(w.obj, c.Method, c.Beta, c.Keys[0], w.threads[1])
	}
}
