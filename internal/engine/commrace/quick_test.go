// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// load makes a Load of thread i at a place, on a processor that remembers it.
func (w *world) load(i int, sn *commrace.Seen, key any, place uintptr) commrace.Repeated {
	c := engineCall(w.ecl, call{"Load", []any{key, nil, false}})
	c.SetPlace(commrace.Place{Site: place})
	w.seen, w.place, w.goid = sn, place, uint64(i)+1
	return observe(w.obj, c, w.threads[i], w)
}

// repeatsHere reports whether a Load of thread i is remembered, and makes it if it is.
func (w *world) repeatsHere(i int, sn *commrace.Seen, key any, place uintptr) bool {
	c := engineCall(w.ecl, call{"Load", []any{key, nil, false}})
	c.SetPlace(commrace.Place{Site: place})
	return sn.AgainAs(w.obj, observation(c), w.threads[i], w) != commrace.Other
}

// What a processor remembers of a Load does not hold once the Load was repeated at another place.
func TestAgainElsewhere(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	var one, two commrace.Seen
	w.load(1, &one, "a", 1)
	if !w.repeatsHere(1, &one, "a", 1) {
		t.Fatal("the Load is not remembered")
	}
	if w.repeatsHere(1, &two, "a", 1) {
		t.Error("the Load is remembered on a processor where it was not made")
	}
	w.load(1, &two, "a", 2)
	if w.repeatsHere(1, &one, "a", 1) {
		t.Error("the Load is told at the place where it was made before")
	}
	if w.repeatsHere(0, &two, "a", 2) {
		t.Error("the Load is remembered of another thread")
	}
}

// While a thread holds an epoch all its touches have that one. So none is remembered, or moved.
func TestAgainHeld(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	var sn commrace.Seen
	th := w.threads[1]
	w.load(1, &sn, "a", 1)
	w.step1(1, call{"Store", []any{"b", 1, nil, false}}) // what the Load has touched has to move
	th.Hold()
	if w.repeatsHere(1, &sn, "a", 1) {
		t.Error("a touch has moved to an epoch that is held")
	}
	w.load(1, &sn, "c", 1)
	th.RestoreHeld(0)
	if w.repeatsHere(1, &sn, "c", 1) {
		t.Error("a touch at an epoch that was held is remembered")
	}
	w.load(1, &sn, "d", 1)
	w.step1(1, call{"Store", []any{"b", 2, 1, true}})
	th.Hold()
	w.load(1, &sn, "d", 1)
	th.RestoreHeld(0)
	if w.repeatsHere(1, &sn, "d", 1) {
		t.Error("a touch that has moved to an epoch that was held is still remembered")
	}
}

// A call that was under way when the object was divided is counted in its key's part.
func TestAgainDivided(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, "a", 1)
	load := engineCall(et, call{"Load", []any{"a", nil, false}})
	store := engineCall(et, call{"Store", []any{"b", 1, nil, false}})
	for n := 0; commrace.SamePart(store, load); n++ { // hashes differ from run to run
		store = engineCall(et, call{"Store", []any{n, 1, nil, false}})
	}
	w.obj.Begin(store, w.threads[2], w)
	if w.repeatsHere(1, &sn, "a", 1) {
		t.Error("the Load doesn't look at a call that is under way")
	}
	w.obj.Divide()
	if !w.repeatsHere(1, &sn, "a", 1) {
		t.Error("the Load looks at a call of another key")
	}
	w.obj.End(store, w.threads[2], w)
	if !w.repeatsHere(1, &sn, "a", 1) {
		t.Error("the Load is not remembered when the other call is over")
	}
}

// A touch says itself which call it stands for, whoever looks there for another one.
func TestTouchStandsForItsCall(t *testing.T) {
	et, ct := syncMap(t)
	w, other := newWorld(et, ct, 2), newWorld(et, ct, 0)
	defer other.obj.Drop()
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, "a", 1)
	stands := func(o *commrace.Object, c call, at commrace.Place, i int) bool {
		ec := engineCall(et, c)
		ec.SetPlace(at)
		return sn.Stands(o, ec, w.threads[i])
	}
	a, here := call{"Load", []any{"a", nil, false}}, commrace.Place{Site: 1}
	if !stands(w.obj, a, here, 1) {
		t.Fatal("the touch doesn't stand for the Load")
	}
	for what, stands := range map[string]bool{
		"another object": stands(other.obj, a, here, 1),
		"another key":    stands(w.obj, call{"Load", []any{"b", nil, false}}, here, 1),
		"another method": stands(w.obj, call{"LoadOrStore", []any{"a", 1, 1, true}}, here, 1),
		"another site":   stands(w.obj, a, commrace.Place{Site: 2}, 1),
		"another frame":  stands(w.obj, a, commrace.Place{Site: 1, Frame: 64}, 1),
		"another thread": stands(w.obj, a, here, 0),
	} {
		if stands {
			t.Errorf("the touch stands for a call of %s", what)
		}
	}
}

// A touch of the object that stands for a call with a key from now on stands for no other one.
func TestGlobalStandsForAnother(t *testing.T) {
	list, err := ecl.Parse("cap.ecl", 1, 1, capSpec)
	if err != nil {
		t.Fatal(err)
	}
	et, err1 := ecl.Compile(list[0])
	if err1 != nil {
		t.Fatal(err1)
	}
	w := newWorld(et, build(t, et), 2)
	defer w.end()
	sn := new(commrace.Seen)
	end := func(c call) bool {
		ec := engineCall(et, c)
		ec.SetPlace(commrace.Place{Site: 1})
		w.seen, w.goid, w.again = sn, 2, 0
		w.endAgain(ec, w.threads[1], w)
		return w.again == 1
	}
	capacity, get := call{"Cap", []any{8}}, call{"Get", []any{1, 1}}
	end(get)
	end(capacity)
	if !end(capacity) {
		t.Fatal("the second Cap is not remembered")
	}
	if !end(get) {
		t.Fatal("the second Get is not remembered")
	}
	if end(capacity) {
		t.Error("a Cap is remembered where a Get has touched the object since")
	}
}

// Cap and Get touch the same point of the object.
const capSpec = `//ecl:type example.com/n.Capped
//ecl:observer Get(k)/v, Cap()/n
//ecl:commute Reset()/e1, Get(k2)/v2: false
//ecl:commute Reset()/e1, Cap()/n2: false
//ecl:commute Reset()/e1, Reset()/e2: false
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2)/v2: k1 != k2
//ecl:commute Put(k1, v1), Reset()/e2: false
//ecl:commute Put(k1, v1), Cap()/n2: true
`

// While the object is being divided, calls are counted where a Load can't look yet.
func TestAgainDividing(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, "a", 1)
	commrace.BeginDivision(w.obj)
	if w.repeatsHere(1, &sn, "a", 1) {
		t.Error("the Load is made as if no call could be under way")
	}
}

// A Store subsumes what its thread has touched of the object by a Load of another key. The next
// such Load touches the object again. So a Clear by a thread that knows of the Store is in a race
// with it.
func TestLoadAfterOwnStore(t *testing.T) {
	et, ct := syncMap(t)
	for _, remembers := range []bool{false, true} {
		w := newWorld(et, ct, 3)
		sn := new(commrace.Seen)
		if !remembers {
			sn = nil
		}
		w.load(1, sn, "a", 1)
		w.step1(1, call{"Store", []any{"b", 1, nil, false}})
		w.load(1, sn, "a", 1)
		w.load(2, nil, "b", 2) // learns of the Store
		w.races = 0
		w.step1(2, call{"Clear", []any{false}})
		if w.races == 0 {
			t.Errorf("remembered: %v: the Clear is in no race with the last Load", remembers)
		}
		w.end()
	}
}

// A Load that follows a Store and a Load of its goroutine may return something else than that Load.
// This is noted, also where the Store is repeated in between.
func TestAgainMayDiffer(t *testing.T) {
	et, ct := syncMap(t)
	for _, between := range []bool{false, true} {
		for _, remembers := range []bool{false, true} {
			w := newWorld(et, ct, 3)
			sn := new(commrace.Seen)
			if !remembers {
				sn = nil
			}
			w.goid = 2
			w.step1(1, call{"Store", []any{"a", 1, nil, false}})
			w.load(1, sn, "a", 1)
			if between {
				w.step1(1, call{"Store", []any{"a", 2, 1, true}})
			}
			w.load(1, sn, "a", 1)
			w.again = min(w.again, 1)
			if w.again == 1 != remembers {
				t.Fatalf("remembered: %v, want %v", w.again, remembers)
			}
			f := &values{world: w}
			w.obj.End(engineCall(et, call{"Store", []any{"a", 3, 1, true}}), w.threads[2], f)
			if !f.unknown {
				t.Errorf("a Store between: %v, remembered: %v: the second Load's value is told",
					between, remembers)
			}
			w.end()
		}
	}
}

// values sees whether a Load in a race may have returned something else than its record says.
type values struct {
	*world
	unknown bool
}

func (w *values) Race(_ *commrace.Object, r commrace.Race) {
	if w.ecl.Methods[r.First.Method].Name == "Load" {
		w.unknown = r.First.ValueUnknown()
	}
}

// Two threads have released something in calls of their own, and a third one has learned both. The
// first one can't tell, so its next Store repeats the one before, and leaves no mark. The third
// one's next Load is in a race with it, whatever it has learned of others.
func TestAgainAfterMergedRelease(t *testing.T) {
	et, ct := syncMap(t)
	for _, remembers := range []bool{false, true} {
		w := newWorld(et, ct, 4)
		for _, th := range w.threads {
			th.Tick() // no release is at a basis, which a thread with a new slot begins with
		}
		sn := new(commrace.Seen)
		if !remembers {
			sn = nil
		}
		store := func() { w.goid = 2; w.step1(1, call{"Store", []any{"a", 1, nil, false}}) }
		store()
		for i := range 2 {
			w.threads[i].Hold()
			w.locks[0].ReleaseInCall(w.threads[i])
			w.threads[i].RestoreHeld(0)
		}
		w.locks[0].Acquire(w.threads[2])
		w.load(2, sn, "a", 1)
		store()
		w.learns(2, 3)
		w.races = 0
		if w.load(2, sn, "a", 1); w.races == 0 {
			t.Errorf("remembered: %v: the Load is not in a race with the second Store", remembers)
		}
		w.end()
	}
}

// While transactions run, an observation whose thread has learned something is one of its own.
func TestAgainInTransaction(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	for _, running := range []bool{true, false} {
		w.load(1, &sn, "a", 1)
		w.threads[2].Tick()
		w.learns(1, 2)
		c := engineCall(et, call{"Load", []any{"a", nil, false}})
		c.SetPlace(commrace.Place{Site: 1})
		got := sn.AgainAs(w.obj, observation(c), w.threads[1], transactions{w, running})
		if (got == commrace.Other) != running {
			t.Errorf("transactions run: %v: the Load is told as %v", running, got)
		}
	}
}

type transactions struct {
	*world
	running bool
}

func (w transactions) Ends() vclock.Epoch {
	if w.running {
		return 1
	}
	return 0
}
