// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/commrace"
)

// A world in which an object is handed over from one goroutine to another finds the same races,
// lets the same calls be known, and moves at the same steps, as one without owners. Mostly the
// second one knows all that the first has done, and no call is under way.
func TestHandedAsAny(t *testing.T) {
	for _, k := range []struct {
		name  string
		types func(*testing.T) (*ecl.Table, *commrace.Table)
		step  func(*twins, *rand.Rand, map[int]int) (what, differs string)
	}{
		{"map", withoutResidue, (*twins).step},
		{"cache", cache, (*twins).cacheStep},
		{"arbiters", withoutResidue, (*twins).arbiterStep},
	} {
		t.Run(k.name, func(t *testing.T) {
			et, ct := k.types(t)
			seeds := 1500
			if testing.Short() {
				seeds = 200
			}
			handed, found := 0, 0
			var after [2]int // changes that have begun and ended as those of an owner by then
			for seed := range seeds {
				r := rand.New(rand.NewSource(int64(seed)))
				tw := newTwins(et, ct, 2+r.Intn(3), 1+r.Intn(2))
				tw.firstKey = seed * 16
				if seed%2 == 1 {
					tw.tick()
				}
				w := tw.worlds[1]
				w.seen, w.ends, w.owns = &remembered, true, true
				m := map[int]int{}
				var log []string
				fails := func(differs string) {
					if differs != "" {
						t.Fatalf("seed %d: %s\n%s", seed, differs, fmt.Sprint(log))
					}
				}
				for range 1 + r.Intn(6) {
					tw.alone = 10 + r.Intn(80)
					before := w.owned
					for tw.alone > 0 {
						what, differs := k.step(tw, r, m)
						log = append(log, what)
						fails(differs)
					}
					if commrace.Handed(w.obj) > 0 {
						after[0] += w.owned[0] - before[0]
						after[1] += w.owned[1] - before[1]
					}
					what, differs := tw.hand(r)
					log = append(log, what)
					fails(differs)
				}
				for range 20 {
					what, differs := k.step(tw, r, m)
					log = append(log, what)
					fails(differs)
					found += tw.worlds[0].races
				}
				for i, c := range tw.open {
					if c != nil {
						fails(tw.end(i, 1))
					}
				}
				handed += commrace.Handed(w.obj)
				for _, w := range tw.worlds {
					if n := w.obj.Pending(); n != 0 {
						t.Fatalf("seed %d: %d calls are under way that have ended", seed, n)
					}
					w.end()
				}
			}
			if min(handed, after[0], 3*after[1], found) < seeds/2 {
				t.Errorf("handed over %d times, then %d changes have begun and ended as an "+
					"owner's, and %d races were found", handed, after, found)
			}
		})
	}
}

// hand has another thread make all calls from now on. Mostly the call under way ends first, and the
// thread learns of all that was done.
func (tw *twins) hand(r *rand.Rand) (what, differs string) {
	was := tw.owner
	if tw.open[was] != nil && r.Intn(8) > 0 {
		differs = tw.end(was, placesOf*uintptr(was+1))
	}
	tw.owner = r.Intn(len(tw.open))
	what = fmt.Sprintf("thread %d hands over to %d", was, tw.owner)
	for n, acquire := range []bool{false, true} {
		if differs == "" && r.Intn(8) > 0 {
			differs = tw.synchronize([]int{was, tw.owner}[n], 0, acquire)
		}
	}
	return what, differs
}

// An object is handed over to a thread that knows all its touches, so often, and to no other one.
func TestHandedTo(t *testing.T) {
	et, ct := syncMap(t)
	store := func(key int) call { return call{"Store", []any{key, 2, 0, true}} }
	for _, c := range []struct {
		name    string
		between func(w *world)
		want    bool
	}{
		{"all is known", func(w *world) { w.learns(2, 1) }, true},
		{"nothing is known", func(*world) {}, false},
		{"the last Load is not known", func(w *world) {
			w.learns(2, 1)
			w.seen = new(commrace.Seen)
			own(w, call{"Load", []any{1, 2, true}}, 7)
		}, false},
		{"a Range is not known", func(w *world) {
			w.learns(2, 1)
			w.step1(1, call{"Range", []any{nil}})
		}, false},
		{"a call is under way", func(w *world) {
			c := engineCall(et, store(1))
			begin(w, c, w.threads[1], w)
			w.learns(2, 1)
		}, false},
	} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		for key := range 20 {
			own(w, store(key), 1)
		}
		c.between(w)
		w.goid = 3
		w.step1(2, store(3))
		handed, owns := commrace.Handed(w.obj) == 1, false
		ec := engineCall(et, store(3))
		if _, _, owns = commrace.BeginOwned(w.obj, ec, w.threads[2]); owns {
			w.obj.Abandon(ec, w)
		}
		if handed != c.want || owns != c.want {
			t.Errorf("%s: handed over: %v, is owner: %v; want %v", c.name, handed, owns, c.want)
		}
		if ec = engineCall(et, store(3)); c.want {
			if _, _, owns = commrace.BeginOwned(w.obj, ec, w.threads[1]); owns {
				t.Errorf("%s: the thread that has called before is an owner", c.name)
			}
		}
		w.end()
	}
}

// Another goroutine than the owner looks at no touch of its own without the lock, as the owner's
// calls are not counted.
func TestHandedIsNoLongerStill(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, 1, 1)
	if !w.repeatsHere(1, &sn, 1, 1) {
		t.Fatal("the Load is not remembered")
	}
	w.learns(2, 1)
	w.step1(2, call{"Store", []any{2, 1, 0, true}})
	if commrace.Handed(w.obj) != 1 {
		t.Fatal("the object is not handed over")
	}
	if w.repeatsHere(1, &sn, 1, 1) {
		t.Error("the first goroutine's Load is made as if no call could be under way")
	}
}

// A goroutine that gets an object back makes the first call of each kind the long way: others may
// have called in between. What it finds then is checked.
func TestHandedBack(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 4)
	defer w.end()
	w.seen = new(commrace.Seen)
	store := call{"Store", []any{1, 2, 0, true}}
	own(w, store, 1)
	own(w, call{"Store", []any{2, 2, 0, true}}, 1)
	own(w, store, 1)
	if w.owned[1] != 1 {
		t.Fatalf("%d Stores have ended as an owner's, want 1", w.owned[1])
	}
	w.learns(2, 1)
	w.goid = 3
	w.step1(2, store)
	w.learns(1, 2)
	for n := range 3 {
		own(w, call{"Store", []any{1, 3 + n, 2, true}}, 1)
		own(w, call{"Store", []any{2, 2, 0, true}}, 1)
	}
	if n := commrace.Handed(w.obj); n != 2 || w.owned[1] != 1+4 {
		t.Errorf("handed over %d times, and %d Stores have ended as an owner's; want 2 and 5", n,
			w.owned[1])
	}
}

// An object that goes to and fro has no owner in the end.
func TestHandedToAndFro(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	store := call{"Store", []any{1, 2, 0, true}}
	for n := range 8 {
		from, to := 1+(n+1)%2, 1+n%2
		w.learns(to, from)
		w.step1(to, store)
		ec := engineCall(et, store)
		_, _, owns := commrace.BeginOwned(w.obj, ec, w.threads[to])
		if owns != (n < 4) {
			t.Errorf("after %d times the last caller is owner: %v", n, owns)
		}
		if owns {
			w.obj.Abandon(ec, w)
		}
	}
}

// An object is not handed over once a call has inherited the check of another goroutine: an act of
// that one's has to look for it each time.
func TestHandedInherited(t *testing.T) {
	et, ct := syncMap(t)
	for _, checks := range []bool{false, true} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		s := commrace.Sink(w)
		if checks {
			s = deciding{w}
		}
		does := func(i int, c call) {
			w.goid = uint64(i) + 1
			w.obj.End(engineCall(et, c), w.threads[i], s)
		}
		does(1, call{"Load", []any{1, nil, false}})
		w.learns(2, 1)
		does(2, call{"Store", []any{1, 2, 0, false}})
		w.learns(1, 2)
		does(1, call{"Store", []any{2, 2, 0, false}})
		if n := commrace.Handed(w.obj); (n == 1) != checks {
			t.Errorf("checks: %v: the object is handed over %d times", checks, n)
		}
		w.end()
	}
}

// Who is to get the object waits for a Load of the owner's that is just made without the lock. A
// Load that begins meanwhile is made as if it was in the way.
func TestHandedTouchIsBusy(t *testing.T) {
	list, err := ecl.Parse("keyed.ecl", 1, 1, keyedSpec)
	if err != nil {
		t.Fatal(err)
	}
	et, err1 := ecl.Compile(list[0])
	if err1 != nil {
		t.Fatal(err1)
	}
	ct := build(t, et)
	w := newWorld(et, ct, 3)
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, 1, 1)
	w.load(1, &sn, 2, 1)
	w.learns(2, 1)
	c := engineCall(et, call{"Load", []any{1, nil, false}})
	c.SetPlace(commrace.Place{Site: 1})
	settle := sn.Busy(w.obj, observation(c), w.threads[1])
	paused, over := capture.Pause(t), make(chan bool)
	other := newWorld(et, ct, 0) // which takes what the second goroutine's call tells
	defer other.obj.Drop()
	go func() {
		w.obj.End(engineCall(et, call{"Store", []any{3, 2, 0, true}}), w.threads[2], other)
		close(over)
	}()
	select {
	case <-over:
		t.Error("the second goroutine doesn't wait")
	case <-paused:
	}
	if !commrace.IsOwner(w.obj, w.threads[2]) {
		t.Error("the second goroutine waits, and is not the owner")
	}
	if w.repeatsHere(1, &sn, 2, 1) {
		t.Error("a Load is made while the object is handed over")
	}
	settle()
	<-over
	if commrace.Handed(w.obj) != 1 {
		t.Error("the object is not handed over")
	}
}

// No Load touches the object, so none needs the lock.
const keyedSpec = `//ecl:type example.com/n.Keyed
//ecl:observer Load(k)/v, Count()/n
//ecl:commute Store(k1, v1)/p1, Store(k2, v2)/p2: k1 != k2
//ecl:commute Store(k1, v1)/p1, Load(k2)/v2: k1 != k2
//ecl:commute Store(k1, v1)/p1, Count()/n2: false
`
