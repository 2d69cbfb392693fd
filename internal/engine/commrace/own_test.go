// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A world in which the only caller of an object owns it finds the same races, lets the same calls
// be known, and moves at the same steps, as one without owners. Others come at any time, while a
// call of the owner's is under way too.
func TestOwnedAsAny(t *testing.T) {
	type kind struct {
		name  string
		types func(*testing.T) (*ecl.Table, *commrace.Table)
		step  func(*twins, *rand.Rand, map[int]int) (what, differs string)
	}
	for _, k := range []kind{
		{"map", withoutResidue, (*twins).step},
		{"cache", cache, (*twins).cacheStep},
		{"arbiters", withoutResidue, (*twins).arbiterStep},
	} {
		t.Run(k.name, func(t *testing.T) {
			et, ct := k.types(t)
			seeds := 3000
			if testing.Short() {
				seeds = 500
			}
			var owned [2]int
			met, found := 0, 0
			for seed := range seeds {
				r := rand.New(rand.NewSource(int64(seed)))
				tw := newTwins(et, ct, 2+r.Intn(3), 1+r.Intn(2))
				tw.firstKey = seed * 16
				if seed%2 == 1 {
					tw.tick()
				}
				w := tw.worlds[1]
				w.seen, w.ends, w.owns = &remembered, true, true
				steps := 30 + r.Intn(120)
				tw.owner, tw.alone = r.Intn(len(tw.open)), r.Intn(steps)
				m := map[int]int{}
				var log []string
				for n := range steps {
					was := tw.alone
					if was > 0 && r.Intn(6) == 0 { // the owner may learn of others' locks
						i, lock, acquire := r.Intn(len(tw.open)), r.Intn(2), r.Intn(2) == 0
						log = append(log, fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire))
						tw.synchronize(i, lock, acquire)
					}
					what, differs := k.step(tw, r, m)
					log = append(log, fmt.Sprint(n, ": ", what))
					if differs != "" {
						t.Fatalf("seed %d, of %d: %s\n%s", seed, tw.owner, differs, fmt.Sprint(log))
					}
					found += tw.worlds[0].races
					if was == 1 && tw.open[tw.owner] != nil {
						met++
					}
				}
				for i, c := range tw.open {
					if c != nil {
						tw.end(i, 1)
					}
				}
				for i := range owned {
					owned[i] += w.owned[i]
				}
				for _, w := range tw.worlds {
					if n := w.obj.Pending(); n != 0 {
						t.Fatalf("seed %d: %d calls are under way that have ended", seed, n)
					}
					w.end()
				}
			}
			if min(owned[0], 3*owned[1]) < seeds || met < seeds/10 || found < 2*seeds {
				t.Errorf("only %d changes have begun as an owner's and %d ended so, others came"+
					" in %d of them, and %d races were found", owned[0], owned[1], met, found)
			}
		})
	}
}

// own makes a call of an owner, thread 1, at a place.
func own(w *world, c call, place uintptr) {
	ec := engineCall(w.ecl, c)
	ec.SetPlace(commrace.Place{Site: place})
	w.owns, w.goid, w.place = true, 2, place
	if c.method == "Load" {
		observe(w.obj, ec, w.threads[1], w)
		return
	}
	begin(w, ec, w.threads[1], w)
	w.endChange(ec, w.threads[1], w)
}

// What a race tells of an owner's calls is what the last ones were, with their values, though they
// have taken the records of earlier ones, and what they touch of the object lags behind.
func TestOwnersLastCalls(t *testing.T) {
	et, ct := syncMap(t)
	for value, last := range map[byte]call{
		33: {"Clear", []any{false}},
		32: {"Store", []any{1, 99, 98, true}},
	} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		for n := range 4 {
			for key := range 3 {
				own(w, call{"Store", []any{key, 10*n + key + 1, 10*n + key - 9, n > 0}}, 1)
				own(w, call{"Load", []any{key, 10*n + key + 1, true}}, 2)
			}
		}
		if w.owned[0] < 11 || w.owned[1] < 5 {
			t.Fatalf("%d Stores have begun as an owner's, and %d ended so", w.owned[0], w.owned[1])
		}
		w.goid = 3
		f := &seenRaces{world: w}
		w.obj.End(engineCall(et, last), w.threads[2], f)
		for i, m := range f.methods {
			if f.values[i] != value {
				t.Errorf("a race of a %s with a %s of %d, want the last of %d", last.method, m,
					f.values[i], value)
			}
		}
		if len(f.methods) != 2 || f.methods[0] == f.methods[1] {
			t.Errorf("races of a %s with %v, want a Store and a Load", last.method, f.methods)
		}
		w.end()
	}
}

// An owner's act has its check, and no earlier one's. The last act of three has none.
func TestOwnersCheck(t *testing.T) {
	et, ct := syncMap(t)
	for last := range byte(3) {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		s := deciding{w}
		for _, key := range []int{1, 2, 1, 2} {
			own(w, call{"Store", []any{key, 5, 0, true}}, 2)
		}
		for n := range last + 1 {
			if n < 2 {
				own(w, call{"Load", []any{1, int(5 + n), true}}, 3)
			}
			for _, key := range []int{1, 2} {
				c := engineCall(et, call{"Store", []any{key, int(6 + n), int(5 + n), true}})
				c.SetPlace(commrace.Place{Site: 2})
				begin(w, c, w.threads[1], s)
				w.endChange(c, w.threads[1], s)
			}
		}
		if w.owned[1] < 3 {
			t.Fatalf("%d Stores have ended as an owner's, want 3 at least", w.owned[1])
		}
		f := &checkedRaces{deciding: s}
		w.goid = 3
		c := engineCall(et, call{"Store", []any{1, 99, 98, true}})
		w.obj.Begin(c, w.threads[2], f)
		w.obj.End(c, w.threads[2], f)
		want := [][2]byte{{6 + last, 5 + last}}
		if last == 2 {
			want = nil
		}
		if !slices.Equal(f.values, want) {
			t.Errorf("acts and checks with values %v, want %v", f.values, want)
		}
		w.end()
	}
}

// An act of an owner's that touches no key asks of the last observation whether it is its check,
// though what that has touched of the object lags behind.
func TestOwnersCheckLags(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 4)
	defer w.end()
	w.seen = new(commrace.Seen)
	s := &asked{world: w}
	clears := func() {
		c := engineCall(et, call{"Clear", []any{false}})
		c.SetPlace(commrace.Place{Site: 2})
		begin(w, c, w.threads[1], s)
		w.endChange(c, w.threads[1], s)
	}
	load := func(key int) { own(w, call{"Load", []any{key, 10 + key, true}}, 3) }
	own(w, call{"Store", []any{1, 11, 0, true}}, 1)
	clears()
	w.threads[3].Tick()
	w.learns(1, 3) // so that the next Clear takes the record of the first over
	for n := range 2 {
		load(2)
		load(1)
		own(w, call{"Store", []any{8 + n, 11, 0, true}}, 1)
	}
	load(2)
	n := w.owned[1]
	s.value = 0
	if clears(); w.owned[1] != n+1 {
		t.Fatal("the second Clear has not ended as an owner's")
	}
	if s.value != 12 {
		t.Errorf("it may depend on a Load of %d, want 12", s.value)
	}
}

// asked keeps what the last check returned of which an act was asked.
type asked struct {
	*world
	value byte
}

func (w *asked) Decides(_ *commrace.Table, check, act *commrace.Action) bool {
	if act != nil {
		w.value = check.Args()[1].Bytes()[0]
	}
	return false
}

// What an owner's call has returned is told, or that it isn't known.
func TestOwnersValues(t *testing.T) {
	et, ct := syncMap(t)
	store := func(value int) call { return call{"Store", []any{1, value, value - 1, true}} }
	load := func(value int) call { return call{"Load", []any{1, value, true}} }
	finds := func(value int) call { return call{"LoadOrStore", []any{1, value, value, true}} }
	other := call{"Store", []any{2, 1, 0, true}}
	first := []call{store(4), other, store(5)}
	moved := []call{store(4), other, load(6), other, load(6), other, load(6), other}
	for _, c := range []struct {
		name    string
		calls   []call
		method  string
		value   byte
		unknown bool
	}{
		{"a Load after a Store", slices.Concat(first, []call{load(6), other, store(7), load(7)}),
			"Load", 7, false},
		{"one Load more", slices.Concat(first, []call{load(6), other, store(7), load(7), load(7)}),
			"Load", 7, true},
		{"a Load before", []call{other, load(6), other, load(6), store(7), load(7), load(7)},
			"Load", 7, true},
		{"a Load that moved on, after a Store", slices.Concat(moved, []call{store(7), load(7)}),
			"Load", 7, false},
		{"one Load more, too", slices.Concat(moved, []call{store(7), load(7), other, load(7)}),
			"Load", 7, true},
		{"LoadOrStore", slices.Concat(first, []call{finds(6), other, store(7), finds(7)}),
			"LoadOrStore", 7, false},
	} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		for _, c := range c.calls {
			own(w, c, map[string]uintptr{"Store": 1, "Load": 2, "LoadOrStore": 2}[c.method])
		}
		f := w.raced(1)
		for i, m := range f.methods {
			if m == c.method && (f.values[i] != c.value || f.unknown != c.unknown) {
				t.Errorf("%s: a race with a value of %d, unknown: %v; want %d, %v", c.name,
					f.values[i], f.unknown, c.value, c.unknown)
			}
		}
		if !slices.Contains(f.methods, c.method) {
			t.Errorf("%s: races with %v, want a %s", c.name, f.methods, c.method)
		}
		w.end()
	}
}

// While an owner's call is under way the object has another generation, and observations look for
// what it may change.
func TestOwnersCallUnderWay(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.owns = true
	var sn commrace.Seen
	w.load(1, &sn, 1, 1)
	w.step1(1, call{"Store", []any{2, 1, 0, true}})
	if !w.repeatsHere(1, &sn, 1, 1) {
		t.Fatal("the Load is not remembered")
	}
	w.step1(1, call{"Store", []any{2, 1, 0, true}})
	gen, c := w.obj.Generation(), engineCall(et, call{"Store", []any{2, 1, 0, true}})
	if begin(w, c, w.threads[1], w); w.owned[0] != 1 || w.obj.Generation() == gen {
		t.Errorf("an owner has begun %d calls, and the generation went from %d to %d", w.owned[0],
			gen, w.obj.Generation())
	}
	if w.repeatsHere(1, &sn, 1, 1) {
		t.Error("the Load doesn't look at the call that is under way")
	}
	w.obj.End(c, w.threads[1], w)
}

// An object has no owner once two goroutines have called it, and one whose memory is used anew has
// a new one. A call that was begun by an owner is given up by whoever it is.
func TestOwnershipEnds(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	c := func() *commrace.Call { return engineCall(et, call{"Store", []any{1, 2, 0, true}}) }
	begins := func(i int, t *vclock.Thread) bool {
		ec := c()
		_, _, ok := commrace.BeginOwned(w.obj, ec, t)
		if ok {
			w.obj.Abandon(ec, w)
		}
		return ok
	}
	if begins(1, w.threads[1]) {
		t.Error("an object that nobody has called has an owner")
	}
	w.step1(1, call{"Store", []any{1, 2, 0, true}})
	if !begins(1, w.threads[1]) {
		t.Error("the only caller is no owner")
	}
	if begins(2, w.threads[2]) {
		t.Error("another one is an owner")
	}
	w.step1(2, call{"Store", []any{1, 2, 0, true}})
	if begins(1, w.threads[1]) || begins(2, w.threads[2]) {
		t.Error("one of two callers is an owner")
	}
	w.obj.Drop()
	w.obj.Init(ct, &clocks)
	w.step1(2, call{"Store", []any{1, 2, 0, true}})
	if !begins(2, w.threads[2]) {
		t.Error("the first caller of an object in used memory is no owner")
	}
	if w.obj.Pending() != 0 {
		t.Error("a call that was given up is under way")
	}
}

// Who comes second waits for an observation of the owner's that is just made, without the lock.
func TestOwnersTouchIsBusy(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	w.seen = new(commrace.Seen)
	load := call{"Load", []any{1, 0, false}}
	own(w, load, 2)
	own(w, call{"Store", []any{2, 1, 0, true}}, 1)
	own(w, load, 2) // what it touches of the object lags behind
	c := engineCall(et, load)
	c.SetPlace(commrace.Place{Site: 2})
	settle := w.seen.Busy(w.obj, observation(c), w.threads[1])
	paused, over := capture.Pause(t), make(chan bool)
	w.races, w.goid = 0, 3
	go func() {
		w.obj.End(engineCall(et, call{"Clear", []any{false}}), w.threads[2], w)
		close(over)
	}()
	select {
	case <-over:
		t.Error("the second goroutine doesn't wait")
	case <-paused:
	}
	settle()
	<-over
	if w.races == 0 {
		t.Error("the Clear is in no race")
	}
	w.end()
}
