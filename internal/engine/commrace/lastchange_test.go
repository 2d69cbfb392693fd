// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An owned change is one of a thread that may own the object, and may have the epoch of the last.
type ownedChange struct {
	*commrace.Call
	repeats bool   // it may
	began   uint32 // then: at which generation
}

// beginAgain begins a change of a thread.
func beginAgain(w *world, c *commrace.Call, t *vclock.Thread) ownedChange {
	last := w.last[t]
	may := last != nil && last.Begins(w.obj, c, t)
	if _, after, ok := commrace.BeginOwned(w.obj, c, t); ok {
		w.owned[0]++
		return ownedChange{c, may, after}
	}
	w.obj.Begin(c, t, w)
	return ownedChange{c, false, 0}
}

// release releases a lock in the change, which is under way.
func (c ownedChange) release(w *world, t *vclock.Thread, lock int) {
	if !c.repeats || w.obj.Generation() != c.began || !w.locks[lock].ReleaseAgain(t) {
		t.Hold()
		w.locks[lock].ReleaseInCall(t)
	}
}

// end ends the change. The result is whether it has the epoch of the last one.
func (c ownedChange) end(w *world, t *vclock.Thread) bool {
	ends := c.repeats && w.last[t].EndsOwned(w.obj, c.Call, t)
	switch {
	case ends:
		w.lasts++
	case w.seen == nil:
		w.obj.End(c.Call, t, w)
	default:
		w.endChange(c.Call, t, w)
	}
	t.RestoreHeld(0)
	return ends
}

// A times struct is what others do while a change is under way: when it has begun, and when it has
// released its locks.
type times struct{ during, late func(*world) }

// change1 makes a change of thread 1, as repeat1 makes an observation.
func change1(w *world, c call, place uintptr, do times, locks ...int) bool {
	t := w.threads[1]
	ec := engineCall(w.ecl, c)
	ec.SetPlace(commrace.Place{Site: place & 0xff, Frame: place >> 8})
	w.goid, w.place, w.owns = 2, place, true
	oc := beginAgain(w, ec, t)
	if do.during != nil {
		do.during(w)
	}
	for _, l := range locks {
		oc.release(w, t, l)
	}
	if do.late != nil {
		do.late(w)
	}
	w.goid, w.place = 2, place
	return oc.end(w, t)
}

// A change of an object's owner has an epoch of its own where it may differ from the last one, for
// anybody.
func TestLastChangeDiffers(t *testing.T) {
	et, ct := kept(t)
	put := func(key int) call { return call{"Put", []any{key, 1}} }
	get := func(i, key int) func(*world) {
		return func(w *world) {
			ec := engineCall(et, call{"Get", []any{key, 1}})
			ec.SetPlace(commrace.Place{Site: 7})
			w.goid, w.place = uint64(i)+1, 7
			w.seen.End(w.obj, ec, w.threads[i], w)
		}
	}
	learns := func(w *world) {
		w.threads[2].Tick() // there is something to learn
		w.locks[1].ReleaseMerge(w.threads[2])
		w.locks[1].Acquire(w.threads[1])
	}
	takes := func(w *world) { w.locks[0].Acquire(w.threads[2]) }
	for _, c := range []struct {
		what   string
		none   bool // the calls before have released no lock
		before func(*world)
		c      call
		place  uintptr
		do     times
		locks  []int
		want   bool
	}{
		{what: "nothing else", c: put(1), place: 1, locks: []int{0}, want: true},
		{what: "no lock", c: put(1), place: 1},
		{what: "no lock at all", c: put(1), place: 1, none: true, want: true},
		{what: "a first lock", c: put(1), place: 1, none: true, locks: []int{0}},
		{what: "another lock", c: put(1), place: 1, locks: []int{1}},
		{what: "another lock before", c: put(1), place: 1, locks: []int{1, 0}},
		{what: "another lock after", c: put(1), place: 1, locks: []int{0, 1}, want: true},
		{what: "another key", c: put(2), place: 1, locks: []int{0}},
		{what: "another method", c: call{"Lift", []any{1}}, place: 1, locks: []int{0}},
		{what: "another place", c: put(1), place: 2, locks: []int{0}},
		{what: "another frame", c: put(1), place: 1 + 1<<8, locks: []int{0}},
		{what: "an own event", c: put(1), place: 1, locks: []int{0},
			before: func(w *world) { w.threads[1].Tick() }},
		{what: "an own observation", c: put(1), place: 1, locks: []int{0}, before: get(1, 1)},
		{what: "an own change of another key", c: put(1), place: 1, locks: []int{0},
			before: func(w *world) { change1(w, put(2), 1, times{}, 0) }},
		{what: "one that has not returned", c: put(1), place: 1, locks: []int{0},
			before: func(w *world) {
				ec := engineCall(et, put(1))
				beginAgain(w, ec, w.threads[1])
				w.obj.Abandon(ec, w)
			}},
		{what: "another one's lock", c: put(1), place: 1, locks: []int{0}, before: takes},
		{what: "another one's lock meanwhile", c: put(1), place: 1, locks: []int{0},
			do: times{during: takes}},
		{what: "what it learns", c: put(1), place: 1, locks: []int{0}, before: learns},
		{what: "what it learns meanwhile", c: put(1), place: 1, none: true,
			do: times{during: learns}},
		{what: "another one's call", c: put(1), place: 1, locks: []int{0}, before: get(2, 2)},
		{what: "another one's call meanwhile", c: put(1), place: 1, locks: []int{0},
			do: times{during: get(2, 2)}},
		{what: "another one's call after the lock", c: put(1), place: 1, locks: []int{0},
			do: times{late: get(2, 2)}},
	} {
		w := newWorld(et, ct, 3)
		w.seen = new(commrace.Seen)
		noteLast(w)
		was := []int{0}
		if c.none {
			was = nil
		}
		for range 5 {
			change1(w, put(1), 1, times{}, was...)
		}
		now := w.threads[1].Now()
		if c.before != nil {
			c.before(w)
		}
		if got := change1(w, c.c, c.place, c.do, c.locks...); got != c.want {
			t.Errorf("with %s: it has the last one's epoch: %v", c.what, got)
		}
		if c.want && w.threads[1].Now() != now {
			t.Errorf("with %s: it moves on", c.what)
		}
		if c.do.during != nil && w.threads[2].Knows(w.threads[1].Now()) {
			t.Errorf("with %s: it is known", c.what)
		}
		w.races = 0
		if w.step(2, put(c.c.key())); w.races == 0 {
			t.Errorf("with %s: it is in no race with another one's", c.what)
		}
		if n := w.obj.Pending(); n != 0 {
			t.Errorf("with %s: %d calls are under way still", c.what, n)
		}
		w.end()
	}
}

// The key of a change may be known when it ends only. Then it is compared with the last one's.
func TestLastChangeOfAnotherKey(t *testing.T) {
	et, ct := kept(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	w.seen, w.owns = new(commrace.Seen), true
	noteLast(w)
	th := w.threads[1]
	change := func(key uint64) bool {
		ec := engineCall(et, call{"Put", []any{1, 1}})
		ec.SetPlace(commrace.Place{Site: 1})
		ec.Keys[0] = 0
		w.goid, w.place = 2, 1
		c := beginAgain(w, ec, th)
		ec.Keys[0] = key
		return c.end(w, th)
	}
	for range 5 {
		change(0)
	}
	if !change(0) {
		t.Fatal("a change has not the epoch of the last one")
	}
	if change(1) {
		t.Error("a change of another key has the epoch of the last one")
	}
}

// changeStep does something at random in both worlds. A thread often repeats its change, and takes
// the lock that it took, which the others may take.
func (tw *twins) changeStep(r *rand.Rand, doing []observing, open []*[2]ownedChange) (
	what, differs string,
) {
	i := tw.who(r)
	do := &doing[i]
	switch {
	case open[i] != nil: // nobody comes between the release and the end, see package commrace
		differs = tw.each(i, func(k int, w *world, t *vclock.Thread) {
			if do.lock >= 0 {
				open[i][k].release(w, t, do.lock)
			}
			w.place = do.place
			open[i][k].end(w, t)
		})
		tw.note(i, tw.origin(open[i][1].Call, do.place))
		open[i], tw.open[i] = nil, nil
		return fmt.Sprintf("thread %d releases %d and ends its call", i, do.lock), differs
	case r.Intn(12) == 0:
		lock, acquire := r.Intn(2), r.Intn(2) == 0
		return fmt.Sprintf("thread %d locks %d: %v", i, lock, acquire),
			tw.synchronize(i, lock, acquire)
	case r.Intn(12) == 0:
		c := call{"Get", []any{r.Intn(2) + tw.firstKey, 1}}
		return fmt.Sprintf("thread %d: %v", i, c),
			tw.observeEnd(i, c, placesOf*uintptr(i+1)+2, held{false, -1, false})
	case do.c.method == "" || r.Intn(6) == 0:
		do.c = call{"Put", []any{r.Intn(2) + tw.firstKey, 1}}
		do.lock, do.place = r.Intn(3)-1, placesOf*uintptr(i+1)+uintptr(r.Intn(2))
	}
	tw.open[i] = &openCall{unknown: tw.unknown(i)}
	open[i] = new([2]ownedChange)
	return fmt.Sprintf("thread %d begins %v", i, do.c),
		tw.each(i, func(k int, w *world, t *vclock.Thread) {
			ec := engineCall(w.ecl, do.c)
			ec.SetPlace(commrace.Place{Site: do.place})
			if k == 0 {
				w.obj.Begin(ec, t, w)
				open[i][k] = ownedChange{ec, false, 0}
			} else {
				open[i][k] = beginAgain(w, ec, t)
			}
		})
}

// Owners whose repeated changes have one epoch find the same races as others, and learn of the same
// calls.
func TestLastChangeAsAny(t *testing.T) {
	et, ct := kept(t)
	lasts, met, found, seeds := 0, 0, 0, 6000
	if testing.Short() {
		seeds = 1500
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		tw := newTwins(et, ct, 2+r.Intn(3), 1)
		tw.firstKey = seed * 16
		steps := 20 + r.Intn(100)
		w := tw.worlds[1]
		w.seen, w.ends, w.owns = &remembered, true, true
		noteLast(w)
		tw.owner, tw.alone = r.Intn(len(tw.open)), r.Intn(steps)
		doing, open := make([]observing, len(tw.open)), make([]*[2]ownedChange, len(tw.open))
		var log []string
		for n := range steps {
			was := tw.alone
			what, differs := tw.changeStep(r, doing, open)
			log = append(log, fmt.Sprint(n, ": ", what))
			if differs != "" {
				t.Fatalf("seed %d, of %d: %s\n%s", seed, tw.owner, differs, fmt.Sprint(log))
			}
			if was == 1 && open[tw.owner] != nil && open[tw.owner][1].repeats {
				met++
			}
			found += tw.worlds[0].races
		}
		lasts += w.lasts
		for k, w := range tw.worlds {
			for i, c := range open {
				if c != nil {
					w.goid = uint64(i) + 1
					c[k].end(w, w.threads[i])
				}
			}
			if n := w.obj.Pending(); n != 0 {
				t.Fatalf("seed %d: %d calls are under way that have ended", seed, n)
			}
			w.end()
		}
	}
	if lasts < 2*seeds || met < seeds/20 || found < 2*seeds {
		t.Errorf("only %d changes were repeated at their epoch, others came in %d, and %d races"+
			" were found", lasts, met, found)
	}
}
