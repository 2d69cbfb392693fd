// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// Threads that end, and others that begin in their slots. What was remembered of one at an epoch at
// which it has marked nothing must not hold for the next one.

// counterSpec has changes that commute with each other.
const counterSpec = `//ecl:type example.com/n.Counter
//ecl:observer Load(k)/v
//ecl:commute Add(k1, d1), Add(k2, d2): true
//ecl:commute Add(k1, d1), Load(k2)/v2: k1 != k2
`

// succeeded ends thread i of a world, of whose first event its parent knows, and has the parent
// start another one, which may get its slot. In between the thread learns what the first caller has
// done, and does something.
func succeeded(w *world, i int, does func(t *vclock.Thread)) *vclock.Thread {
	var told, tells vclock.LockClock
	defer told.Clear()
	defer tells.Clear()
	t := w.threads[i]
	t.Tick()
	told.Release(t)
	told.Acquire(w.threads[0])
	tells.Release(w.threads[1])
	tells.Acquire(t)
	does(t)
	t.End()
	delete(live, t)
	slot := t.Now().Slot()
	for range 8 { // free slots are in a queue
		next := new(vclock.Thread)
		live[next] = true
		w.threads[0].Fork(next)
		w.threads = append(w.threads, next)
		if w.threads[i] = next; next.Now().Slot() == slot {
			break
		}
	}
	w.threads = w.threads[:len(w.threads)-1] // it is the i-th
	return w.threads[i]
}

// A goroutine gets an object by a call that leaves no touch, and ends. The next one in its slot is
// no owner: it doesn't know what the first caller has done.
func TestHandedToEnded(t *testing.T) {
	list, err := ecl.Parse("counter.ecl", 1, 1, counterSpec)
	if err != nil {
		t.Fatal(err)
	}
	et, err1 := ecl.Compile(list[0])
	if err1 != nil {
		t.Fatal(err1)
	}
	w := newWorld(et, build(t, et), 4)
	defer w.end()
	w.seen, w.owns = new(commrace.Seen), true
	var lock vclock.LockClock
	defer lock.Clear()
	learns := func(to, from int) {
		lock.Release(w.threads[from])
		lock.Acquire(w.threads[to])
	}
	add := func(i int) {
		w.goid = uint64(i) + 1
		c := engineCall(et, call{"Add", []any{1, 2}})
		c.SetPlace(commrace.Place{Site: 5})
		begin(w, c, w.threads[i], w)
		w.endChange(c, w.threads[i], w)
	}
	add(1)
	succeeded(w, 2, func(g *vclock.Thread) {
		w.goid = 3
		c := engineCall(et, call{"Add", []any{1, 2}})
		begin(w, c, g, w)
		w.obj.Abandon(c, w)
	})
	if commrace.Handed(w.obj) != 1 {
		t.Fatal("the object was not handed over")
	}
	add(2)
	w.threads[0].Tick()
	learns(2, 0)
	add(2)
	learns(3, 2)
	w.races, w.goid = 0, 4
	w.obj.End(engineCall(et, call{"Load", []any{1, 0}}), w.threads[3], w)
	if w.races != 1 {
		t.Errorf("a Load is in %d races, want 1, with the first Add", w.races)
	}
}

// What an observation has told a goroutine, the next one in its slot has still to learn.
func TestLearnAfterEnd(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	w.step(1, call{"Store", []any{1, 2, nil, false}})
	w.step(0, call{"Store", []any{3, 2, nil, false}}) // so that nobody owns the object
	stored := w.threads[1].Now()
	load := call{"Load", []any{1, 2, true}}
	next := succeeded(w, 2, func(*vclock.Thread) { learn(w, &sn, 2, load) })
	if next.Knows(stored) {
		t.Fatal("the goroutine knows the Store before it loads")
	}
	if learn(w, &sn, 2, load); !next.Knows(stored) {
		t.Error("the goroutine does not know the Store that its Load has seen")
	}
}
