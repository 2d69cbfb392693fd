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

// A cache has observations with a key and without one.
const cacheSpec = `//ecl:type example.com/n.Cache
//ecl:observer Get(k)/v, Size()/n
//ecl:commute Put(k1, v1)/was1, Put(k2, v2)/was2: k1 != k2
//ecl:commute Put(k1, v1)/was1, Get(k2)/v2: k1 != k2
//ecl:commute Put(k1, v1)/was1, Size()/n2: was1
//ecl:commute Reset()/e1, Put(k2, v2)/was2: false
//ecl:commute Reset()/e1, Get(k2)/v2: false
//ecl:commute Reset()/e1, Size()/n2: false
//ecl:commute Reset()/e1, Reset()/e2: false
`

func cache(t *testing.T) (*ecl.Table, *commrace.Table) { return tables(t, cacheSpec) }

// applyCache makes a random call on a plain map that stands for a cache.
func applyCache(r *rand.Rand, m map[int]int) call {
	k := r.Intn(3)
	_, was := m[k]
	switch r.Intn(8) {
	case 0, 1:
		m[k] = 1
		return call{"Put", []any{k, 1, was}}
	case 2:
		if r.Intn(4) == 0 {
			clear(m)
			return call{"Reset", []any{true}}
		}
	case 3, 4, 5:
		return call{"Size", []any{len(m)}}
	}
	return call{"Get", []any{k, m[k]}}
}

// A held observation is one that has released something by a lock of its own, or not.
type held struct {
	holds    bool
	releases int // the lock, negative for none
	acquires bool
}

// observeEnd makes an observation of a thread by End, and in the second world by EndAgain. What it
// moves has the same place in the order.
func (tw *twins) observeEnd(i int, c call, place uintptr, by held) string {
	var moved [2]bool
	lasts := tw.worlds[1].lasts
	differs := tw.each(i, func(k int, w *world, t *vclock.Thread) {
		w.place = place
		ec := engineCall(w.ecl, c)
		ec.SetPlace(commrace.Place{Site: place})
		was := t.Now()
		last := w.last[t]
		if last != nil && !last.Begins(w.obj, ec, t) {
			last = nil
		}
		if by.holds {
			t.Hold()
		}
		if by.releases >= 0 && (last == nil || w.obj.Generation() != last.Generation() ||
			!w.locks[by.releases].ReleaseAgain(t)) {
			t.Hold()
			w.locks[by.releases].ReleaseInCall(t)
		}
		if by.acquires {
			w.locks[0].Acquire(t)
		}
		switch {
		case k == 0:
			w.obj.End(ec, t, w)
		case last != nil && last.Ends(w.obj, ec, t):
			w.lasts++
		default:
			w.endAgain(ec, t, w)
		}
		t.RestoreHeld(0)
		moved[k] = t.Now() != was
	})
	tw.note(i, origin{c.method, place, c.key()})
	if differs == "" && tw.ticks && tw.worlds[1].lasts == lasts && moved[0] != moved[1] {
		differs = fmt.Sprintf("the thread moves: %v; remembered: %v", moved[0], moved[1])
	}
	return differs
}

// cacheStep does something at random with a cache, in both worlds.
func (tw *twins) cacheStep(r *rand.Rand, m map[int]int) (what, differs string) {
	i := tw.who(r)
	place := placesOf*uintptr(i+1) + uintptr(r.Intn(tw.worlds[0].places))
	changes := i%4 == 1
	if changes && tw.loads {
		place = placesOf * uintptr(i+1)
	}
	switch {
	case tw.open[i] != nil && r.Intn(2) == 0:
		return fmt.Sprintf("thread %d ends its call", i), tw.end(i, place)
	case tw.open[i] != nil:
		return "nothing", ""
	case r.Intn(6) == 0:
		lock, acquire := r.Intn(2), r.Intn(2) == 0
		return fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire),
			tw.synchronize(i, lock, acquire)
	}
	c := applyCache(r, m)
	if tw.loads && r.Intn(4) > 0 { // a thread has its key and place, most often
		switch c = (call{"Size", []any{len(m)}}); {
		case changes:
			_, was := m[i]
			m[i] = 1
			c = call{"Put", []any{i, 1, was}}
		case i%2 == 0:
			c = call{"Get", []any{i, m[i]}}
		}
		place = placesOf * uintptr(i+1)
	}
	if k, ok := c.values[0].(int); ok && c.method != "Size" {
		c.values[0] = k + tw.firstKey
	}
	if c.method == "Get" || c.method == "Size" {
		by := held{r.Intn(2) == 0, r.Intn(4) - 2, r.Intn(8) == 0}
		return fmt.Sprintf("thread %d: %v %v", i, c, by), tw.observeEnd(i, c, place, by)
	}
	return fmt.Sprintf("thread %d begins %v", i, c), tw.begin(i, c)
}

// A check has ended when it was repeated last: what had ended by then came before it.
func TestEndAgainEnds(t *testing.T) {
	et, ct := syncMap(t)
	var ended [2]uint32
	for k := range ended {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		for n := range 3 {
			c := engineCall(et, call{"Load", []any{"a", nil, false}})
			if k == 0 {
				w.obj.End(c, w.threads[1], w)
			} else {
				w.endAgain(c, w.threads[1], w)
			}
			w.step1(2, call{"Store", []any{n, 1, nil, false}})
		}
		if w.again != 2*k {
			t.Errorf("%d Loads were remembered, want %d", w.again, 2*k)
		}
		f := &endings{world: w}
		w.obj.End(engineCall(et, call{"Store", []any{"a", 1, nil, false}}), w.threads[2], f)
		ended[k] = f.ended
		w.end()
	}
	if ended[0] == 0 || ended[0] != ended[1] {
		t.Errorf("the Load has ended at %d, remembered at %d", ended[0], ended[1])
	}
}

// endings sees when the first call of a race has ended.
type endings struct {
	*world
	ended uint32
}

func (w *endings) Race(_ *commrace.Object, r commrace.Race) { w.ended = r.First.Ended() }

// What every thread knows is dropped where the table would grow. A change that is remembered then
// touches its key anew.
func TestChangeAfterDrop(t *testing.T) {
	et, ct := cache(t)
	w := newWorld(et, ct, 1)
	defer w.end()
	w.seen = new(commrace.Seen)
	put := func(i, key int) {
		c := engineCall(et, call{"Put", []any{key, 1, true}})
		c.SetPlace(commrace.Place{Site: 1})
		w.obj.Begin(c, w.threads[i], w)
		w.endChange(c, w.threads[i], w)
	}
	for n := range 40 {
		for key := range 8 {
			put(0, n%5*8+key)
			put(0, 0)
		}
	}
	for range 2 {
		put(0, 0)
	}
	if w.changed < 10 {
		t.Errorf("only %d changes were remembered", w.changed)
	}
	child := new(vclock.Thread)
	w.threads[0].Fork(child)
	w.threads = append(w.threads, child)
	put(0, 0)
	w.races, w.goid = 0, 2
	if put(1, 0); w.races == 0 {
		t.Error("the change is in no race with another thread's")
	}
}

// Calls whose ends are remembered find the same races, let the same calls be known, and move at the
// same steps, as ones that are not, whatever is under way and whatever they hold.
func TestEndAgainAsEnd(t *testing.T) {
	et, ct := cache(t)
	again, changed, found, seeds := 0, 0, 0, 2000
	if testing.Short() {
		seeds = 500
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		tw := newTwins(et, ct, 2+r.Intn(4), 1+r.Intn(2))
		tw.firstKey = seed * 4
		if seed%2 == 1 {
			tw.tick()
		}
		tw.worlds[1].seen, tw.worlds[1].ends = &remembered, true
		tw.loads = seed%4 > 0
		m := map[int]int{}
		steps := 20 + r.Intn(180)
		divide := max(0, r.Intn(3*steps)-steps)
		var log []string
		for n := range steps {
			if n == divide {
				tw.worlds[0].obj.Divide()
				tw.worlds[1].obj.Divide()
			}
			what, differs := tw.cacheStep(r, m)
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
		again, changed = again+tw.worlds[1].again, changed+tw.worlds[1].changed
		for _, w := range tw.worlds {
			w.end()
		}
	}
	if again < 10*seeds || changed < seeds || found < 10*seeds {
		t.Errorf("only %d observations and %d changes were remembered, and %d races found", again,
			changed, found)
	}
}
