// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"encoding/binary"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/specs"
)

// clocks has the threads of all tests.
var clocks vclock.World

// syncMap is the compiled specification of sync.Map, in both forms.
func syncMap(t testing.TB) (*ecl.Table, *commrace.Table) { return spec(t, "sync", "sync.Map") }

// spec is the compiled specification of a type of the standard library.
func spec(t testing.TB, pkg, name string) (*ecl.Table, *commrace.Table) {
	for _, s := range specs.For(pkg) {
		if s.TypeName() != name {
			continue
		}
		et, err := ecl.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		return et, build(t, et)
	}
	t.Fatalf("no specification of %s", name)
	return nil, nil
}

// built are what tables refer to from where the garbage collector does not look.
var built []*compiled.Table

// build makes a table as the engine does.
func build(t testing.TB, et *ecl.Table) *commrace.Table {
	c := instrument.Describe(et)
	built = append(built, c)
	ct, ok := commrace.Build(c)
	if !ok {
		t.Fatal("the table of package ecl is more than one can hold")
	}
	return ct
}

// A call of a map, with its results.
type call struct {
	method string
	values []any // parameters and results, shadows included
}

// apply makes a random call on a plain map that stands for a sync.Map.
func apply(r *rand.Rand, m map[int]int) call {
	k, v := r.Intn(4), r.Intn(2)
	old, loaded := m[k]
	was := any(nil)
	if loaded {
		was = old
	}
	switch r.Intn(10) {
	case 0:
		return call{"Range", []any{nil}}
	case 1:
		m[k] = v
		return call{"Store", []any{k, v, was, loaded}}
	case 2:
		delete(m, k)
		return call{"Delete", []any{k, was, loaded}}
	case 3:
		m[k] = v
		return call{"Swap", []any{k, v, was, loaded}}
	case 4:
		if r.Intn(4) == 0 {
			empty := len(m) == 0
			clear(m)
			return call{"Clear", []any{empty}}
		}
	case 5:
		if !loaded {
			m[k] = v
			return call{"LoadOrStore", []any{k, v, v, false}}
		}
		return call{"LoadOrStore", []any{k, v, old, true}}
	case 6:
		delete(m, k)
		return call{"LoadAndDelete", []any{k, was, loaded}}
	case 7:
		if loaded && old == v {
			m[k] = 1 - v
			return call{"CompareAndSwap", []any{k, v, 1 - v, true}}
		}
		return call{"CompareAndSwap", []any{k, v, 1 - v, false}}
	case 8:
		if loaded && old == v {
			delete(m, k)
			return call{"CompareAndDelete", []any{k, v, true}}
		}
		return call{"CompareAndDelete", []any{k, v, false}}
	}
	return call{"Load", []any{k, was, loaded}}
}

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
	firsts  []origin // of the earlier calls of those races
	wrong   []origin // those of them of calls that all come before the last one

	observes bool // Loads are handed over as observations
	repeated int  // how many have repeated another one
	renewed  int  // how many observations have taken the record of another one
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

func (w *world) Capture(a *commrace.Action, _ unsafe.Pointer) { a.Stack = w.place }

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

func newWorld(et *ecl.Table, ct *commrace.Table, n int) *world {
	w := &world{ecl: et, obj: new(commrace.Object), places: 1}
	w.obj.Init(ct, &clocks)
	for i := range n {
		th := new(vclock.Thread)
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

// step makes one call of thread i, and reports whether the checker and the direct approach find a
// race with some earlier call.
func (w *world) step(i int, c call) (checker, direct bool) {
	w.races, w.firsts, w.wrong = 0, nil, nil
	ec := engineCall(w.ecl, c)
	w.place = uintptr(w.places*i + len(w.past)*7%11%w.places + 1)
	at, now, stays := commrace.Place{Site: w.place}, w.threads[i].Now(), false
	ec.SetPlace(at)
	switch {
	case !w.observes || c.method != "Load":
		w.obj.End(ec, w.threads[i], w)
	case !w.obj.Observe(ec.Method, ec.Beta, ec.Keys[0], w.threads[i], at):
		w.obj.EndOther(ec, w.threads[i], w)
	default:
		w.repeated++
		stays = w.threads[i].Now() == now
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

// withoutResidue is the specification of sync.Map less what isn't compiled to points: a touch
// subsumes another by what the points say, so a semantic exception may hide the one that is kept.
func withoutResidue(t *testing.T) (*ecl.Table, *commrace.Table) {
	et, _ := syncMap(t)
	s := *et.Spec
	s.Also = nil
	et, err := ecl.Compile(&s)
	if err != nil {
		t.Fatal(err)
	}
	return et, build(t, et)
}

func TestAgreesWithDirectApproach(t *testing.T) {
	et, ct := withoutResidue(t)
	found, silent, repeated, renewed := 0, 0, 0, 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		w := newWorld(et, ct, 2+r.Intn(4))
		w.places, w.observes = 1+r.Intn(3), seed%2 == 1
		loads := seed%4 == 3
		m := map[int]int{}
		for n := range 20 + r.Intn(80) {
			i := r.Intn(len(w.threads))
			if r.Intn(3) == 0 {
				w.synchronize(r, i)
				continue
			}
			c := apply(r, m)
			for loads && c.method != "Load" && r.Intn(4) > 0 {
				c = apply(r, m)
			}
			checker, direct := w.step(i, c)
			if checker != direct {
				for k, p := range w.past {
					t.Logf("%d: thread %d %s%v commutes: %v, known: %v", k, p.who, p.method,
						p.values, et.Commute(c.method, p.method, c.values, p.values), p.clock)
				}
				t.Logf("clock %v", w.clocks[i])
				t.Fatalf("seed %d, event %d, thread %d: %s%v: "+
					"checker finds a race: %v, direct approach: %v",
					seed, n, i, c.method, c.values, checker, direct)
			}
			if len(w.wrong) > 0 {
				t.Fatalf("seed %d, event %d, thread %d: %s%v: "+
					"a race is told with calls of %v, which come before it",
					seed, n, i, c.method, c.values, w.wrong)
			}
			if checker {
				found++
			} else {
				silent++
			}
		}
		repeated, renewed = repeated+w.repeated, renewed+w.renewed
		w.end()
	}
	if found < 10000 || silent < 10000 || repeated < 1000 || renewed < 1000 {
		t.Errorf("%d calls in races and %d in none, %d repeat others and %d renew others: "+
			"too few for a test", found, silent, repeated, renewed)
	}
}

func TestResidueIsNoRace(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.step(1, call{"Store", []any{1, "x", nil, false}})
	if checker, _ := w.step(2, call{"Store", []any{1, "x", "x", true}}); checker {
		t.Error("two Stores of one value are told to be in a race")
	}
	if checker, _ := w.step(0, call{"Store", []any{1, "y", "x", true}}); !checker {
		t.Error("Stores of different values are not told to be in a race")
	}
}

// A Store that is under way may have taken effect: a Load that ends meanwhile comes after what the
// storing goroutine did before.
func TestPendingCallIsLearnedFrom(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	before := w.threads[1].Tick()
	store := engineCall(et, call{"Store", []any{1, "x", nil, false}})
	w.obj.Begin(store, w.threads[1], w)
	w.step(2, call{"Load", []any{7, nil, false}})
	if w.threads[2].Knows(before) {
		t.Error("a Load of another key learns from the Store")
	}
	w.step(2, call{"Load", []any{1, "x", true}})
	if !w.threads[2].Knows(before) {
		t.Error("the Load does not come after what the Store comes after")
	}
	w.races = 0
	w.obj.End(store, w.threads[1], w)
	if w.races == 0 {
		t.Error("the Store is not in a race with the Load")
	}
	lost := engineCall(et, call{"Store", []any{1, "x", nil, false}})
	w.obj.Begin(lost, w.threads[1], w)
	w.obj.Abandon(lost, w)
	w.obj.Begin(lost, w.threads[1], w)
	w.obj.Abandon(lost, w)
}

// What all live threads know is dropped when the table would grow.
func TestKnownTouchesAreDropped(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 1)
	defer w.end()
	for i := range 100000 {
		w.step1(0, call{"Store", []any{i, i, nil, false}})
	}
	if n := w.obj.Cells(); n > 64 {
		t.Errorf("%d keys are kept of a map that one goroutine fills", n)
	}
	child := new(vclock.Thread)
	w.threads[0].Fork(child)
	w.threads, w.clocks = append(w.threads, child), append(w.clocks, map[int]int{})
	for i := range 1000 {
		w.step1(1, call{"Store", []any{i, -i, i, true}})
	}
	for i := range 1000 {
		w.races = 0
		w.step1(0, call{"Store", []any{i, i, nil, true}})
		if w.races == 0 && i > 0 {
			t.Fatalf("the race on key %d is not found", i)
		}
	}
}

// step1 is step without the direct approach.
func (w *world) step1(i int, c call) { w.obj.End(engineCall(w.ecl, c), w.threads[i], w) }
