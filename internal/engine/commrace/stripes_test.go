// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"math/rand"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A method is narrow if its calls conflict with those of other narrow methods in points of the same
// key only.
func TestNarrow(t *testing.T) {
	_, ct := syncMap(t)
	want := []string{"Load", "Store", "Delete", "Swap", "LoadOrStore", "LoadAndDelete",
		"CompareAndSwap", "CompareAndDelete"} // and neither Range nor Clear
	if got := ct.Narrow(); !slices.Equal(got, want) {
		t.Errorf("narrow methods: %v, want %v", got, want)
	}
}

// An object is divided where calls of several keys wait, and no wide call is among them.
func TestWhenDivided(t *testing.T) {
	et, ct := syncMap(t)
	load := func(key int) *commrace.Call {
		return engineCall(et, call{"Load", []any{key, nil, false}})
	}
	for _, test := range []struct {
		name    string
		keys, n int // the number of keys, and of calls that wait
		wide    int // a wide call comes after so many, 0 if none does
		divided bool
	}{
		{"two keys", 2, 100, 0, true},
		{"one key", 1, 1000, 0, false},
		{"few waits", 2, 40, 0, false},
		{"wide calls", 2, 1000, 40, false},
		{"rare wide calls", 2, 1000, 400, true},
	} {
		w := newWorld(et, ct, 1)
		for i := range test.n {
			w.obj.Waits(load(i % test.keys))
			if test.wide > 0 && i%test.wide == test.wide-1 {
				w.step1(0, call{"Range", []any{nil}})
			}
		}
		if w.obj.Divided() != test.divided {
			t.Errorf("%s: divided: %v, want %v", test.name, w.obj.Divided(), test.divided)
		}
		w.end()
	}
}

// A wide call learns from a narrow one that is under way, and a narrow one from a wide one.
func TestDividedLearns(t *testing.T) {
	et, ct := syncMap(t)
	for _, calls := range [][2]call{
		{{"Store", []any{1, "x", nil, false}}, {"Load", []any{1, "x", true}}},
		{{"Store", []any{1, "x", nil, false}}, {"Range", []any{nil}}},
		{{"Clear", []any{false}}, {"Load", []any{1, nil, false}}},
	} {
		for _, meanwhile := range []bool{false, true} {
			w := newWorld(et, ct, 3)
			if !meanwhile {
				w.obj.Divide()
			}
			before := w.threads[1].Tick()
			first := engineCall(et, calls[0])
			w.obj.Begin(first, w.threads[1], w)
			w.obj.Divide()
			w.step(2, calls[1])
			if !w.threads[2].Knows(before) {
				t.Errorf("divided meanwhile: %v: the %s does not come after what the %s comes after",
					meanwhile, calls[1].method, calls[0].method)
			}
			w.races = 0
			w.obj.End(first, w.threads[1], w)
			if w.races == 0 {
				t.Errorf("divided meanwhile: %v: the %s is not in a race with the %s",
					meanwhile, calls[0].method, calls[1].method)
			}
			if n := w.obj.Pending(); n != 0 {
				t.Errorf("divided meanwhile: %v: %d calls are under way that have ended", meanwhile, n)
			}
			w.end()
		}
	}
}

// A Load that repeats an earlier one learns from a wide call that is under way all the same.
func TestDividedRepeatLearns(t *testing.T) {
	et, ct := syncMap(t)
	for _, knows := range []bool{false, true} {
		w := newWorld(et, ct, 3)
		w.obj.Divide()
		load := func() {
			c := engineCall(et, call{"Load", []any{1, nil, false}})
			observe(w.obj, c, w.threads[2], w)
		}
		load()
		load()
		if knows { // no touch is fresh then: the Load would renew its earlier one
			w.learns(2, 0)
		}
		before := w.threads[1].Tick()
		clearing := engineCall(et, call{"Clear", []any{false}})
		w.obj.Begin(clearing, w.threads[1], w)
		load()
		if !w.threads[2].Knows(before) {
			t.Errorf("renewed: %v: the Load does not come after what the Clear comes after", knows)
		}
		w.obj.Abandon(clearing, w)
		w.end()
	}
}

// A call is told to be in a race with those that no other call stands for.
func TestSubsumedIsNotTold(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.step(1, call{"Load", []any{1, nil, false}})
	w.learns(2, 1)
	w.step(2, call{"Store", []any{1, "x", nil, false}})
	w.step(0, call{"Store", []any{1, "y", "x", true}})
	if w.races != 1 {
		t.Errorf("the second Store is told to be in %d races, want 1: the first stands for the Load",
			w.races)
	}
}

// A numbered world has a goroutine's number in its actions.
type numbered struct {
	*world
	goid uint64
}

func (w numbered) Capture(a *commrace.Action, args unsafe.Pointer) {
	w.world.Capture(a, args)
	a.Goid = w.goid
}

// together runs f in n goroutines at once, each with a thread of its own.
func together(n int, f func(i int, t *vclock.Thread)) {
	first := new(vclock.Thread)
	clocks.Start(first)
	var wg sync.WaitGroup
	for i := range n {
		th := new(vclock.Thread)
		first.Fork(th)
		wg.Go(func() {
			f(i, th)
			th.End()
		})
	}
	wg.Wait()
	first.End()
}

// A guardedKey is a key whose calls a lock orders.
type guardedKey struct {
	sync.Mutex
	clock vclock.LockClock
	value any
}

// Calls of several goroutines at once, those of a key ordered by a lock, are in no race, whether
// the object is divided meanwhile or not.
func TestDividedInOrder(t *testing.T) {
	et, ct := syncMap(t)
	var o commrace.Object
	o.Init(ct, &clocks)
	var keys [40]guardedKey
	together(4, func(i int, th *vclock.Thread) {
		w := numbered{&world{ecl: et, obj: &o, seen: new(commrace.Seen)}, uint64(i) + 1}
		r := rand.New(rand.NewSource(int64(i)))
		for n := range 3000 {
			if i == 0 && n == 1000 {
				o.Divide()
			}
			k := r.Intn(len(keys))
			g := &keys[k]
			g.Lock()
			g.clock.Acquire(th)
			if was := g.value; r.Intn(4) == 0 {
				g.value = n
				c := engineCall(et, call{"Store", []any{k, n, was, was != nil}})
				o.Begin(c, th, w)
				o.End(c, th, w)
			} else {
				c := engineCall(et, call{"Load", []any{k, was, was != nil}})
				observe(&o, c, th, w)
			}
			g.clock.Release(th)
			g.Unlock()
		}
		if w.races > 0 {
			t.Errorf("goroutine %d: %d races of calls that a lock orders", i, w.races)
		}
	})
	if !o.Divided() {
		t.Error("the object was not divided")
	}
	for i := range keys {
		keys[i].clock.Clear()
	}
	o.Drop()
}

// Calls of all methods at once, narrow and wide ones, with no order, of an object that is divided
// meanwhile. Go's race detector sees whether they have locked what they use.
func TestDividedAtOnce(t *testing.T) {
	et, ct := withoutResidue(t)
	var o commrace.Object
	o.Init(ct, &clocks)
	races := [3]int{}
	together(3, func(i int, th *vclock.Thread) {
		w := numbered{&world{ecl: et, obj: &o, seen: new(commrace.Seen)}, uint64(i) + 1}
		r := rand.New(rand.NewSource(int64(i)))
		m := map[int]int{}
		for n := range 3000 {
			if i == 0 && n == 500 {
				o.Divide()
			}
			c := engineCall(et, apply(r, m))
			load := et.Methods[c.Method].Name == "Load"
			if !load {
				o.Begin(c, th, w)
			}
			switch { // a third of the calls is remembered where it ends
			case load && n%3 == 0 && w.seen.EndAgain(&o, c, th, w, nil):
			case n%3 == 0:
				w.seen.End(&o, c, th, w)
			case load:
				observe(&o, c, th, w)
			default:
				o.End(c, th, w)
			}
		}
		races[i] = w.races
	})
	if races[0]+races[1]+races[2] == 0 {
		t.Error("no races")
	}
	o.Drop()
}
