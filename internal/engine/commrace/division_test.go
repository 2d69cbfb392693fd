// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// twins are two worlds in which the same is done. The object of the second one is divided at some
// time. A thread may have a call under way in both.
type twins struct {
	worlds   [2]*world
	open     []*openCall       // of each thread
	ticks    bool              // each step is at an epoch of its own
	past     [][2]vclock.Epoch // if it is: the epochs at which something was done
	ended    []endedCall
	firstKey int     // keys begin with it: each has its stripes
	loads    bool    // most calls are Loads
	parted   bool    // the two needn't be the same from now on
	stays    [2]bool // the last observation is at an earlier one's time
	owner    int     // the thread that makes all calls, so many steps long
	alone    int
}

// An openCall is one that is under way in both worlds, with the calls that had ended before it
// began and of which its thread did not know.
type openCall struct {
	calls   [2]*commrace.Call
	unknown []origin
}

// An endedCall is a call that has ended, and at which epoch of the second world.
type endedCall struct {
	origin
	at vclock.Epoch
}

func newTwins(et *ecl.Table, ct *commrace.Table, n, places int) *twins {
	tw := &twins{open: make([]*openCall, n)}
	for i := range tw.worlds {
		tw.worlds[i] = newWorld(et, ct, n)
		tw.worlds[i].places = places
	}
	return tw
}

// tick has each step be at an epoch of its own, so that no thread releases at its basis. A thread
// has a basis where its slot is new, which may be so in one of the worlds only. Other threads would
// learn less there.
func (tw *twins) tick() {
	tw.ticks = true
	for _, w := range tw.worlds {
		for _, t := range w.threads {
			t.Tick()
		}
	}
}

// each does something in both worlds, and returns how the results differ.
func (tw *twins) each(i int, do func(k int, w *world, t *vclock.Thread)) string {
	unknown := tw.unknown(i)
	if c := tw.open[i]; c != nil {
		unknown = append(unknown, c.unknown...)
	}
	var now [2]vclock.Epoch
	for k, w := range tw.worlds {
		w.races, w.firsts, w.goid = 0, nil, uint64(i)+1
		do(k, w, w.threads[i])
		for n, o := range w.firsts {
			w.firsts[n] = anyPlace(o)
		}
		if tw.ticks {
			now[k] = w.threads[i].Tick()
		}
	}
	tw.past = append(tw.past, now)
	a, b := tw.worlds[0], tw.worlds[1]
	if !sameTold(a.firsts, b.firsts, unknown, !b.ends) {
		return fmt.Sprintf("races with %v; divided: with %v; ended, but not known: %v",
			a.firsts, b.firsts, unknown)
	}
	for n, p := range tw.past {
		x, y := a.threads[i].Knows(p[0]), b.threads[i].Knows(p[1])
		if x != y {
			return fmt.Sprintf("knows of step %d: %v; divided: %v", n, x, y)
		}
	}
	return ""
}

// who is the thread that does something next.
func (tw *twins) who(r *rand.Rand) int {
	i := r.Intn(len(tw.open))
	if tw.alone > 0 {
		tw.alone--
		i = tw.owner
	}
	return i
}

// note notes that a call of a thread has ended.
func (tw *twins) note(i int, o origin) {
	tw.ended = append(tw.ended, endedCall{anyPlace(o), tw.worlds[1].threads[i].Now()})
}

// unknown are the calls that have ended and that a thread of the second world doesn't know of.
func (tw *twins) unknown(i int) (calls []origin) {
	for _, c := range tw.ended {
		if !tw.worlds[1].threads[i].Knows(c.at) {
			calls = append(calls, c.origin)
		}
	}
	return calls
}

// placesOf is more than how many places a thread has, in whose numbers that of the thread is.
const placesOf = 16

// anyPlace is what is told of a call's origin: a Load that repeats one at another place is told
// with the place of either. Size has no key: what it returns is unknown if it was repeated.
func anyPlace(o origin) origin {
	switch o.method {
	case "Load":
		o.place = o.place / placesOf * placesOf
	case "Size":
		o.key = 0
	}
	return o
}

// mostTold is how many races a call is told to be in.
const mostTold = 4

// sameTold reports whether an object that is divided tells races with the calls of the same threads
// as one that is not. It may tell more, up to a number: a touch of a point without a key stands for
// those of its part. Of a thread's calls that stand for each other, either may be told.
//
// With all set, each is told. It isn't where one of the worlds remembers: a call that has a record
// of its own subsumes what others have touched, and one that takes an earlier record over doesn't.
func sameTold(whole, divided, unknown []origin, all bool) bool {
	if (len(whole) > 0) != (len(divided) > 0) {
		return false
	}
	for _, o := range whole {
		same := func(d origin) bool { return d.place/placesOf == o.place/placesOf }
		if all && len(divided) < mostTold && !slices.ContainsFunc(divided, same) {
			return false
		}
	}
	for _, o := range divided {
		if !slices.Contains(whole, o) && !slices.Contains(unknown, o) {
			return false
		}
	}
	return true
}

// begin begins a call of a thread.
func (tw *twins) begin(i int, c call) string {
	open := &openCall{unknown: tw.unknown(i)}
	tw.open[i] = open
	return tw.each(i, func(k int, w *world, t *vclock.Thread) {
		ec := engineCall(w.ecl, c)
		open.calls[k] = ec
		begin(w, ec, t, w)
	})
}

// end ends the call of a thread.
func (tw *twins) end(i int, place uintptr) string {
	calls := tw.open[i].calls
	differs := tw.each(i, func(k int, w *world, t *vclock.Thread) {
		w.place = place
		calls[k].SetPlace(commrace.Place{Site: place})
		if w.ends {
			w.endChange(calls[k], t, w)
		} else {
			w.obj.End(calls[k], t, w)
		}
	})
	tw.open[i] = nil
	tw.note(i, tw.origin(calls[1], place))
	return differs
}

// origin is a call's method, place and key.
func (tw *twins) origin(c *commrace.Call, place uintptr) origin {
	o := origin{tw.worlds[1].ecl.Methods[c.Method].Name, place, 0}
	if k, ok := (*(*any)(c.Args)).(int); ok {
		o.key = k
	}
	return o
}

// observe makes an observation of a thread. If it repeats an earlier one in one world only, as
// another call is under way, the worlds have parted: to repeat is to be made at the earlier time.
func (tw *twins) observe(i int, c call, place uintptr) string {
	var how [2]commrace.Repeated
	differs := tw.each(i, func(k int, w *world, t *vclock.Thread) {
		w.place = place
		before := t.Now()
		ec := engineCall(w.ecl, c)
		ec.SetPlace(commrace.Place{Site: place})
		how[k] = observe(w.obj, ec, t, w)
		tw.stays[k] = how[k] != commrace.Other && t.Now() == before
	})
	tw.parted = how[0] != how[1]
	tw.note(i, origin{c.method, place, c.key()})
	return differs
}

// synchronize has a thread take or release a lock.
func (tw *twins) synchronize(i, lock int, acquire bool) string {
	return tw.each(i, func(_ int, w *world, t *vclock.Thread) {
		if acquire {
			w.locks[lock].Acquire(t)
		} else {
			w.locks[lock].ReleaseMerge(t)
		}
	})
}

// step does something in both worlds at random.
func (tw *twins) step(r *rand.Rand, m map[int]int) (what, differs string) {
	i := tw.who(r)
	place := placesOf*uintptr(i+1) + uintptr(r.Intn(tw.worlds[0].places))
	switch {
	case tw.open[i] != nil && r.Intn(2) == 0:
		return fmt.Sprintf("thread %d ends its call", i), tw.end(i, place)
	case tw.open[i] != nil:
		return "nothing", ""
	case r.Intn(4) == 0:
		lock, acquire := r.Intn(2), r.Intn(2) == 0
		return fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire),
			tw.synchronize(i, lock, acquire)
	}
	var c call
	if tw.loads && r.Intn(4) > 0 { // a thread has its key and place, most often
		was, loaded := m[i%3]
		if c = (call{"Load", []any{i % 3, nil, loaded}}); loaded {
			c.values[1] = was
		}
		place = placesOf * uintptr(i+1)
	} else {
		c = apply(r, m)
	}
	if k, ok := c.values[0].(int); ok {
		c.values[0] = k + tw.firstKey
	}
	if c.method == "Load" {
		return fmt.Sprintf("thread %d: %v", i, c), tw.observe(i, c, place)
	}
	return fmt.Sprintf("thread %d begins %v", i, c), tw.begin(i, c)
}

// An object that is divided finds the same races, and lets the same calls be known, as one that is
// not, whatever is under way.
func TestDividedAsWhole(t *testing.T) {
	et, ct := withoutResidue(t)
	compared, seeds := 0, int64(4000)
	if testing.Short() {
		seeds = 500
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		tw := newTwins(et, ct, 2+r.Intn(4), 1+r.Intn(3))
		tw.firstKey = int(seed) * 4
		if seed%2 == 1 {
			tw.tick()
		}
		m := map[int]int{}
		steps := 20 + r.Intn(80)
		divide := r.Intn(steps)
		var log []string
		for n := range steps {
			if n == divide {
				tw.worlds[1].obj.Divide()
			}
			what, differs := tw.step(r, m)
			log = append(log, fmt.Sprint(n, ": ", what))
			if tw.parted {
				break
			}
			compared++
			if differs != "" {
				t.Fatalf("seed %d, divided at %d: %s\n%s", seed, divide, differs,
					fmt.Sprint(log))
			}
		}
		for i, c := range tw.open {
			if c != nil {
				tw.end(i, 1)
			}
		}
		for _, w := range tw.worlds {
			if n := w.obj.Pending(); n != 0 {
				t.Fatalf("seed %d: %d calls are under way that have ended", seed, n)
			}
			w.end()
		}
	}
	if compared < 25*int(seeds) {
		t.Errorf("only %d steps were compared", compared)
	}
}

// Observations that are remembered find the same races, let the same calls be known, and move at
// the same steps, as ones that are not, whatever is under way.
func TestAgainAsObserve(t *testing.T) {
	et, ct := withoutResidue(t)
	again, seeds := 0, int64(4000)
	if testing.Short() {
		seeds = 500
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		tw := newTwins(et, ct, 2+r.Intn(4), 1+r.Intn(3))
		tw.firstKey = int(seed) * 4
		if seed%2 == 1 {
			tw.tick()
		}
		tw.loads, tw.worlds[1].seen = seed%4 > 0, &remembered
		m := map[int]int{}
		steps := 20 + r.Intn(180)
		divide := max(0, r.Intn(3*steps)-steps)
		var log []string
		for n := range steps {
			if n == divide {
				tw.worlds[0].obj.Divide()
				tw.worlds[1].obj.Divide()
			}
			step := len(tw.past)
			what, differs := tw.step(r, m)
			log = append(log, fmt.Sprint(step, ": ", what))
			// A touch of the object may be in another part than that of the call's key. There it is
			// found if it is remembered only.
			if tw.stays[0] != tw.stays[1] && n >= divide {
				break
			}
			if tw.stays[0] != tw.stays[1] && tw.ticks {
				differs = "only one of the observations repeats an earlier one at its time"
			}
			tw.stays = [2]bool{}
			if differs != "" {
				t.Fatalf("seed %d, divided at %d: %s\n%s", seed, divide, differs,
					fmt.Sprint(log))
			}
		}
		for i, c := range tw.open {
			if c != nil {
				tw.end(i, 1)
			}
		}
		again += tw.worlds[1].again
		for _, w := range tw.worlds {
			w.end()
		}
	}
	if again < 5*int(seeds) {
		t.Errorf("only %d observations were remembered", again)
	}
}
