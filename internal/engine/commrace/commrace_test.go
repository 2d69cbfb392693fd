// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"math/rand"
	"os"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/rewrite/instrument"
	"github.com/commutego/commute/specs"
)

// clocks has the threads of all tests.
var clocks vclock.World

// TestMain wants all threads to have ended. The world of clocks keeps the address of a thread, and
// the collector may give its memory to others: then a later test waits for its lock for ever.
func TestMain(m *testing.M) {
	code := m.Run()
	if n := clocks.Live(); n > 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "%d threads have not ended\n", n)
		code = 1
	}
	os.Exit(code)
}

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

// remembered is the observations of all worlds that are made one after the other.
var remembered commrace.Seen

func TestAgreesWithDirectApproach(t *testing.T) {
	et, ct := withoutResidue(t)
	found, silent, repeated, renewed, again := 0, 0, 0, 0, 0
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		w := newWorld(et, ct, 2+r.Intn(4))
		w.places, w.observes, w.whole = 1+r.Intn(3), seed%2 == 1, seed%16 > 7
		loads := seed%4 == 3
		if w.observes && seed%32 > 7 {
			w.seen = &remembered
		}
		m := map[int]int{}
		for n := range 20 + r.Intn(80) {
			i := r.Intn(len(w.threads))
			if r.Intn(3) == 0 {
				w.synchronize(r, i)
				continue
			}
			if seed%8 >= 4 && r.Intn(20) == 0 {
				w.obj.Divide()
			}
			c := apply(r, m)
			for loads && c.method != "Load" && r.Intn(4) > 0 {
				c = apply(r, m)
			}
			if w.seen != nil && r.Intn(2) > 0 { // a thread has its key, most often
				was, loaded := m[i%3]
				if c = (call{"Load", []any{i % 3, nil, loaded}}); loaded {
					c.values[1] = was
				}
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
		repeated, renewed, again = repeated+w.repeated, renewed+w.renewed, again+w.again
		w.end()
	}
	if found < 10000 || silent < 10000 || repeated < 1000 || renewed < 1000 || again < 1000 {
		t.Errorf("%d calls in races and %d in none, %d repeat others and %d renew others, "+
			"%d are remembered: too few for a test", found, silent, repeated, renewed, again)
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
