// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"encoding/binary"
	"math/rand"
	"unsafe"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A world runs calls of threads through the checker, and through the direct approach of section
// 5.1 with plain vectors: every earlier call is looked at.
type world struct {
	ecl     *ecl.Table
	obj     *commrace.Object
	threads []*vclock.Thread
	clocks  []map[int]int
	locks   [2]vclock.LockClock
	plain   [2]map[int]int
	past    []pastCall
	races   int      // reported by the checker during the last call
	place   uintptr  // where the last call was made; others may be made there
	places  int      // how many each thread has
	goid    uint64   // of the goroutine that makes a call
	firsts  []origin // of the earlier calls of those races
	wrong   []origin // those of them of calls that all come before the last one

	observes bool           // Loads are handed over as observations
	whole    bool           // which are made in one step
	seen     *commrace.Seen // what remembers them, if it is not nil
	ends     bool           // by End
	again    int            // how many have repeated one that was remembered
	changed  int            // how many changes have, perhaps
	owns     bool           // the only caller of the object owns it
	owned    [2]int         // how many of its changes have begun, and ended
	repeated int            // how many have repeated another one
	renewed  int            // how many observations have taken the record of another one
	// The observation that each thread has made last, if that is noted, and how many were repeated.
	last  map[*vclock.Thread]*commrace.Last
	lasts int
}

// An origin is a method, where it is called, and with which key.
type origin struct {
	method string
	place  uintptr
	key    int
}

// told is what a race tells of an origin. A Load that repeats one at another place is told with the
// place of either.
func (w *world) told(at origin) origin {
	if w.observes && at.method == "Load" {
		at.place = 1
	}
	return at
}

// key is the key of a call, 0 if it has none.
func (c *call) key() int {
	k, _ := c.values[0].(int)
	return k
}

type pastCall struct {
	call
	who, time int
	clock     map[int]int
	place     uintptr
}

func (*world) Begins() {}

func (*world) Joins()   {}
func (*world) Leaves()  {}
func (*world) Resumes() {}

func (*world) Abandons() {}

func (w *world) Ends() vclock.Epoch { return w.Epoch() }

func (w *world) Epoch() vclock.Epoch                                { return 0 }
func (w *world) Began() vclock.Epoch                                { return 0 }
func (w *world) Conflict(_ *commrace.Object, _, _ *commrace.Action) {}
func (w *world) Unused(*commrace.Table, *commrace.Action) bool      { return false }

func (w *world) Race(_ *commrace.Object, r commrace.Race) {
	w.races++
	first := origin{w.ecl.Methods[r.First.Method].Name, r.First.Stack, 0}
	if b := r.First.Args()[0].Bytes(); len(b) == 8 {
		first.key = int(binary.LittleEndian.Uint64(b))
	}
	w.firsts = append(w.firsts, first)
}

func (w *world) Recapture(a *commrace.Action, args unsafe.Pointer) {
	w.renewed++
	w.Capture(a, args)
}

func (w *world) Capture(a *commrace.Action, _ unsafe.Pointer) { a.Stack, a.Goid = w.place, w.goid }

func (*world) Decides(*commrace.Table, *commrace.Action, *commrace.Action) bool { return false }
func (*world) SameCheck(_ *commrace.Table, _, _, _ *commrace.Action) bool       { return true }

func join(a, b map[int]int) {
	for k, v := range b {
		a[k] = max(a[k], v)
	}
}

func clone(a map[int]int) map[int]int {
	b := map[int]int{}
	join(b, a)
	return b
}

// live are the threads of all worlds that have not ended. The clocks refer to them, and the garbage
// collector does not see that. A test that fails leaves some.
var live = map[*vclock.Thread]bool{}

func newWorld(et *ecl.Table, ct *commrace.Table, n int) *world {
	clocks.MergedInCall.Store(0)
	w := &world{ecl: et, obj: new(commrace.Object), places: 1}
	w.obj.Init(ct, &clocks)
	for i := range n {
		th := new(vclock.Thread)
		live[th] = true
		c := map[int]int{i: 1}
		if i == 0 {
			clocks.Start(th)
		} else {
			w.threads[0].Fork(th)
			join(c, w.clocks[0])
			w.clocks[0][0]++
		}
		w.threads, w.clocks = append(w.threads, th), append(w.clocks, c)
	}
	w.plain = [2]map[int]int{{}, {}}
	return w
}

func (w *world) end() {
	w.obj.Drop()
	for _, t := range w.threads {
		t.End()
		delete(live, t)
	}
	w.locks[0].Clear()
	w.locks[1].Clear()
}

// engineCall is c as the instrumented method would hand it over.
func engineCall(et *ecl.Table, c call) *commrace.Call {
	for i, m := range et.Methods {
		if m.Name != c.method {
			continue
		}
		ec := &commrace.Call{Method: uint32(i), Beta: m.BetaOf(c.values), State: 1}
		for k, arg := range m.Keys {
			ec.Keys[k] = host.Hash(c.values[arg])
		}
		ec.Args, ec.Nargs = unsafe.Pointer(&c.values[0]), uint32(len(c.values))
		return ec
	}
	panic("no method " + c.method)
}

// repeats reports whether an observation repeats an earlier one.
func repeats(o *commrace.Object, c *commrace.Call, t *vclock.Thread) bool {
	at := commrace.Place{Site: c.CalledAt(), Frame: c.CalledIn()}
	how, locked := o.Observe(nil, c.Method, c.Beta, c.Keys[0], t, at)
	if how == commrace.Other {
		o.Release(locked)
	}
	return how != commrace.Other
}

// observe makes an observation. The result says whether it repeats an earlier one.
func observe(
	o *commrace.Object, c *commrace.Call, t *vclock.Thread, s commrace.Sink,
) commrace.Repeated {
	at := commrace.Place{Site: c.CalledAt(), Frame: c.CalledIn()}
	var sn *commrace.Seen
	if r, ok := s.(interface{ remembers() *commrace.Seen }); ok {
		sn = r.remembers()
	}
	if sn != nil {
		if how := sn.AgainAs(o, observation(c), t, s); how != commrace.Other {
			if w, ok := s.(interface{ noteAgain() }); ok {
				w.noteAgain()
			}
			return how
		}
	}
	how, locked := o.Observe(sn, c.Method, c.Beta, c.Keys[0], t, at)
	if how == commrace.Other {
		o.EndObserved(locked, sn, c, t, s)
	}
	return how
}

func (w *world) noteAgain() { w.again++ }

// endAgain is End for an observation that is to be remembered.
func (w *world) endAgain(c *commrace.Call, t *vclock.Thread, s commrace.Sink) {
	if w.seen.EndAgain(w.obj, c, t, s, w.last[t]) {
		w.again++
	} else {
		w.seen.End(w.obj, c, t, s)
	}
}

// begin is Begin for a change, of an owner if there is one.
func begin(w *world, c *commrace.Call, t *vclock.Thread, s commrace.Sink) {
	if w.owns && w.obj.Table().Methods[c.Method].Owns {
		if _, _, ok := commrace.BeginOwned(w.obj, c, t); ok {
			w.owned[0]++
			return
		}
	}
	w.obj.Begin(c, t, s)
}

// endChange is End for a change that is to be remembered.
func (w *world) endChange(c *commrace.Call, t *vclock.Thread, s commrace.Sink) {
	if m := &w.obj.Table().Methods[c.Method]; w.owns {
		if _, _, ok := commrace.EndOwned(w.obj, m, c, t, s, w.last[t]); ok {
			w.owned[1]++
			return
		}
	}
	if w.seen.RemembersChange(w.obj, c, t) {
		w.changed++
	}
	w.seen.End(w.obj, c, t, s)
}

// observation is a call as Again takes it.
func observation(c *commrace.Call) *commrace.Observation {
	return &commrace.Observation{
		Key: c.Keys[0], At: commrace.Place{Site: c.CalledAt(), Frame: c.CalledIn()},
		Args: c.Args, Method: c.Method, Beta: c.Beta, Nargs: c.Nargs,
	}
}

func (w *world) remembers() *commrace.Seen { return w.seen }

// step makes one call of thread i, and reports whether the checker and the direct approach find a
// race with some earlier call.
func (w *world) step(i int, c call) (checker, direct bool) {
	w.races, w.firsts, w.wrong = 0, nil, nil
	w.goid = uint64(i) + 1
	ec := engineCall(w.ecl, c)
	w.place = uintptr(w.places*i + len(w.past)*7%11%w.places + 1)
	at, now, stays := commrace.Place{Site: w.place}, w.threads[i].Now(), false
	ec.SetPlace(at)
	switch {
	case !w.observes || c.method != "Load":
		w.obj.End(ec, w.threads[i], w)
	default:
		if w.seen != nil {
			how := w.seen.AgainAs(w.obj, observation(ec), w.threads[i], w)
			if how != commrace.Other {
				w.again++
				stays = how == commrace.Again
				break
			}
		}
		how, locked := w.obj.Observe(w.seen, ec.Method, ec.Beta, ec.Keys[0], w.threads[i], at)
		switch {
		case how != commrace.Other:
			w.repeated++
			stays = w.threads[i].Now() == now
		case w.whole:
			w.obj.EndObserved(locked, w.seen, ec, w.threads[i], w)
		default:
			w.obj.Release(locked)
			w.obj.EndOther(ec, w.threads[i], w)
		}
	}
	var learned []map[int]int
	unordered := make(map[origin]bool)
	for _, p := range w.past {
		if w.clocks[i][p.who] >= p.time {
			continue
		}
		unordered[w.told(origin{p.method, p.place, p.key()})] = true
		if !w.ecl.Commute(c.method, p.method, c.values, p.values) {
			learned = append(learned, p.clock)
		}
	}
	for _, at := range w.firsts {
		if at.place != 0 && !unordered[w.told(at)] { // observe tells no place
			w.wrong = append(w.wrong, at)
		}
	}
	if stays { // the call that it repeats stands for it, where that is
		return w.races > 0, len(learned) > 0
	}
	for _, l := range learned {
		join(w.clocks[i], l)
	}
	w.past = append(w.past, pastCall{c, i, w.clocks[i][i], clone(w.clocks[i]), w.place})
	w.clocks[i][i]++
	return w.races > 0, len(learned) > 0
}

func (w *world) synchronize(r *rand.Rand, i int) {
	l := r.Intn(2)
	if r.Intn(2) == 0 {
		w.locks[l].Acquire(w.threads[i])
		join(w.clocks[i], w.plain[l])
	} else {
		w.locks[l].ReleaseMerge(w.threads[i])
		join(w.plain[l], w.clocks[i])
		w.clocks[i][i]++
	}
}
