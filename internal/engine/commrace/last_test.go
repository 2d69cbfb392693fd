// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// keptSpec is cacheSpec without what results decide.
const keptSpec = `//ecl:type example.com/n.Kept
//ecl:observer Get(k)/v, Peek(k)/v, Size()/n
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2)/v2: k1 != k2
//ecl:commute Put(k1, v1), Peek(k2)/v2: k1 != k2
//ecl:commute Put(k1, v1), Size()/n2: false
//ecl:commute Lift(k1), Peek(k2)/v2: k1 != k2
//ecl:default true
`

// casesSpec has an observation whose points depend on what it returns.
const casesSpec = `//ecl:type example.com/n.Cases
//ecl:observer Get(k)/(v, ok)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2)/(v2, ok2): k1 != k2
//ecl:commute Reset()/e1, Get(k2)/(v2, ok2): ok2
//ecl:default true
`

func kept(t *testing.T) (*ecl.Table, *commrace.Table) { return tables(t, keptSpec) }

func cases(t *testing.T) (*ecl.Table, *commrace.Table) { return tables(t, casesSpec) }

// tables compiles the text of a specification.
func tables(t *testing.T, spec string) (*ecl.Table, *commrace.Table) {
	list, err := ecl.Parse("test.ecl", 1, 1, spec)
	if err != nil {
		t.Fatal(err)
	}
	et, err1 := ecl.Compile(list[0])
	if err1 != nil {
		t.Fatal(err1)
	}
	return et, build(t, et)
}

// noteLast has the world note the last observation of each thread.
func noteLast(w *world) {
	w.last = map[*vclock.Thread]*commrace.Last{}
	for _, t := range w.threads {
		w.last[t] = new(commrace.Last)
	}
}

// repeatStep does something at random in both worlds. A thread often repeats what it has observed,
// and takes the lock that it took.
func (tw *twins) repeatStep(r *rand.Rand, doing []observing) (what, differs string) {
	i := tw.who(r)
	do := &doing[i]
	switch {
	case tw.open[i] != nil:
		place := placesOf * uintptr(i+1)
		return fmt.Sprintf("thread %d ends its call", i), tw.end(i, place)
	case r.Intn(12) == 0:
		lock, acquire := r.Intn(2), r.Intn(2) == 0
		return fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire),
			tw.synchronize(i, lock, acquire)
	case r.Intn(12) == 0:
		c := call{"Put", []any{r.Intn(2) + tw.firstKey, 1}}
		if r.Intn(3) == 0 {
			c = call{"Lift", []any{c.values[0]}}
		}
		return fmt.Sprintf("thread %d begins %v", i, c), tw.begin(i, c)
	case do.c.method == "" || r.Intn(6) == 0:
		do.c = call{"Get", []any{r.Intn(2) + tw.firstKey, 1}}
		switch r.Intn(4) {
		case 0:
			do.c = call{"Size", []any{1}}
		case 1:
			do.c.method = "Peek"
		}
		do.lock, do.place = r.Intn(3)-1, placesOf*uintptr(i+1)+uintptr(r.Intn(2))
	}
	by := held{false, do.lock, false}
	if r.Intn(12) == 0 {
		by = held{r.Intn(2) == 0, r.Intn(3) - 1, r.Intn(2) == 0}
	}
	return fmt.Sprintf("thread %d: %v %v", i, do.c, by), tw.observeEnd(i, do.c, do.place, by)
}

// An observing thread makes a call at a place, and releases a lock in it, or none if that is
// negative.
type observing struct {
	c     call
	lock  int
	place uintptr
}

// Threads whose repeated observations have one epoch find the same races as others, and learn of
// the same calls.
func TestLastAsAny(t *testing.T) {
	et, ct := kept(t)
	lasts, found, seeds := 0, 0, 6000
	if testing.Short() {
		seeds = 1500
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		tw := newTwins(et, ct, 2+r.Intn(3), 1)
		tw.firstKey = seed * 16
		steps := 20 + r.Intn(100)
		w := tw.worlds[1]
		w.seen, w.ends, w.owns = &remembered, true, seed%2 == 0
		noteLast(w)
		tw.owner, tw.alone = r.Intn(len(tw.open)), r.Intn(steps)
		doing := make([]observing, len(tw.open))
		var log []string
		for n := range steps {
			what, differs := tw.repeatStep(r, doing)
			log = append(log, fmt.Sprint(n, ": ", what))
			if differs != "" {
				t.Fatalf("seed %d, of %d: %s\n%s", seed, tw.owner, differs, fmt.Sprint(log))
			}
			found += tw.worlds[0].races
		}
		for i, c := range tw.open {
			if c != nil {
				tw.end(i, 1)
			}
		}
		lasts += w.lasts
		for _, w := range tw.worlds {
			w.end()
		}
	}
	if lasts < 5*seeds || found < 2*seeds {
		t.Errorf("only %d observations were repeated at their epoch, and %d races found", lasts,
			found)
	}
}

// repeat1 makes an observation of thread 1 at a place, with a frame above 8 bits, and releases
// locks in it, after something that others do. The result is whether it is repeated at its epoch.
func repeat1(w *world, c call, place uintptr, during func(), locks ...int) bool {
	t := w.threads[1]
	ec := engineCall(w.ecl, c)
	ec.SetPlace(commrace.Place{Site: place & 0xff, Frame: place >> 8})
	w.goid, w.place = 2, place
	last := w.last[t]
	begins := last.Begins(w.obj, ec, t)
	if during != nil {
		during()
	}
	for _, l := range locks {
		if !begins || w.obj.Generation() != last.Generation() || !w.locks[l].ReleaseAgain(t) {
			t.Hold()
			w.locks[l].ReleaseInCall(t)
		}
	}
	ends := begins && last.Ends(w.obj, ec, t)
	if !ends {
		w.goid, w.place = 2, place
		w.endAgain(ec, t, w)
	}
	t.RestoreHeld(0)
	return ends
}

// An observation has an epoch of its own where it may differ from the last one, for anybody.
func TestLastDiffers(t *testing.T) {
	et, ct := kept(t)
	get := func(key int) call { return call{"Get", []any{key, 1}} }
	put := func(key int) call { return call{"Put", []any{key, 1}} }
	began := func(w *world, i int, c call) *commrace.Call {
		ec := engineCall(et, c)
		w.goid = uint64(i) + 1
		w.obj.Begin(ec, w.threads[i], w)
		return ec
	}
	change := func(w *world, i int, c call) {
		ec := began(w, i, c)
		w.obj.End(ec, w.threads[i], w)
	}
	snapshot := func(w *world) {
		s := w.locks[0].Snapshot()
		s.Drop()
	}
	for _, c := range []struct {
		what   string
		none   bool // the calls before have released no lock
		before func(*world)
		c      call
		place  uintptr
		during func(*world)
		locks  []int
		want   bool
	}{
		{what: "nothing else", c: get(1), place: 1, locks: []int{0}, want: true},
		{what: "its lock twice", c: get(1), place: 1, locks: []int{0, 0}, want: true},
		{what: "no lock", c: get(1), place: 1},
		{what: "no lock at all", c: get(1), place: 1, none: true, want: true},
		{what: "a first lock", c: get(1), place: 1, none: true, locks: []int{0}},
		{what: "no lock, and an own event", c: get(1), place: 1, none: true,
			before: func(w *world) { w.threads[1].Tick() }},
		{what: "no lock, and a release", c: get(1), place: 1, none: true,
			before: func(w *world) { w.locks[1].ReleaseMerge(w.threads[1]) }},
		{what: "another lock", c: get(1), place: 1, locks: []int{1}},
		{what: "another lock, too", c: get(1), place: 1, locks: []int{1, 0}},
		{what: "two locks before", c: get(1), place: 1, locks: []int{0}, before: func(w *world) {
			repeat1(w, get(1), 1, nil, 1, 0)
			repeat1(w, get(1), 1, nil, 1, 0)
		}},
		{what: "another key", c: get(2), place: 1, locks: []int{0}},
		{what: "another method", c: call{"Peek", []any{1, 1}}, place: 1, locks: []int{0}},
		{what: "another place", c: get(1), place: 2, locks: []int{0}},
		{what: "another frame", c: get(1), place: 1 + 1<<8, locks: []int{0}},
		{what: "an own event", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { w.threads[1].Tick() }},
		{what: "an own change", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { change(w, 1, put(2)) }},
		{what: "another one's lock", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { w.locks[0].Acquire(w.threads[2]) }},
		{what: "another one's lock meanwhile", c: get(1), place: 1, locks: []int{0},
			during: func(w *world) { w.locks[0].Acquire(w.threads[2]) }},
		{what: "a snapshot of its lock", c: get(1), place: 1, locks: []int{0}, before: snapshot},
		{what: "a snapshot between", c: get(1), place: 1, locks: []int{0}, before: func(w *world) {
			snapshot(w)
			w.locks[0].ReleaseInCall(w.threads[1])
		}},
		{what: "what it learns", c: get(1), place: 1, locks: []int{0}, before: func(w *world) {
			w.threads[2].Tick() // there is something to learn
			w.locks[1].ReleaseMerge(w.threads[2])
			w.locks[1].Acquire(w.threads[1])
		}},
		{what: "a change of its key", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { change(w, 2, put(1)) }},
		{what: "a change of another key", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { change(w, 2, put(2)) }},
		{what: "a change under way", c: get(1), place: 1, locks: []int{0},
			before: func(w *world) { began(w, 2, put(1)) }},
		{what: "a change that begins", c: get(1), place: 1, locks: []int{0},
			during: func(w *world) { began(w, 2, put(1)) }},
		{what: "a change meanwhile", c: get(1), place: 1, locks: []int{0},
			during: func(w *world) { change(w, 2, put(1)) }},
	} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		noteLast(w)
		was := []int{0}
		if c.none {
			was = nil
		}
		for range 3 {
			repeat1(w, get(1), 1, nil, was...)
		}
		now := w.threads[1].Now()
		if c.before != nil {
			c.before(w)
		}
		var during func()
		if c.during != nil {
			during = func() { c.during(w) }
		}
		if got := repeat1(w, c.c, c.place, during, c.locks...); got != c.want {
			t.Errorf("with %s: it has the last one's epoch: %v", c.what, got)
		}
		if c.want && w.threads[1].Now() != now {
			t.Errorf("with %s: it moves on", c.what)
		}
		if c.during != nil && w.threads[2].Knows(w.threads[1].Now()) {
			t.Errorf("with %s: it is known", c.what)
		}
		w.end()
	}
}

// What a Load touches depends on what it returns. So no Load has the epoch of the last one.
func TestLastOfCases(t *testing.T) {
	et, ct := cases(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	w.seen = new(commrace.Seen)
	noteLast(w)
	for range 4 {
		if repeat1(w, call{"Get", []any{1, 1, true}}, 1, nil, 0) {
			t.Fatal("a Load that may touch something else has the epoch of the last one")
		}
	}
	if w.again == 0 {
		t.Error("no Load is remembered")
	}
}
