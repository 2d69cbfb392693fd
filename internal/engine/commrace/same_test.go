// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// A sameWorld knows what the last Load of each thread and key has returned.
type sameWorld struct {
	*world
	returned map[[2]int]int
	told     int // Loads whose value was told
	wrong    []string
}

func (w *sameWorld) Race(_ *commrace.Object, r commrace.Race) {
	if w.ecl.Methods[r.First.Method].Name != "Load" || r.First.ValueUnknown() {
		return
	}
	args := r.First.Args()
	number := func(i int) int { return int(binary.LittleEndian.Uint64(args[i].Bytes())) }
	who := int(r.First.Goid) - 1
	w.told++
	if want, got := w.returned[[2]int{who, number(0)}], number(1); got != want {
		w.wrong = append(w.wrong, w.ecl.Methods[r.Second.Method].Name)
	}
}

// sameStep has thread i make a random call on the object that m stands for.
func (w *sameWorld) sameStep(r *rand.Rand, i int, m map[int]int) {
	t, k := w.threads[i], r.Intn(2)
	w.place, w.goid = uintptr(i)+1, uint64(i)+1
	old, ok := m[k]
	switch r.Intn(8) {
	case 0, 1, 2:
		c := engineCall(w.ecl, call{"Load", []any{k, old, ok}})
		c.SetPlace(commrace.Place{Site: w.place})
		w.returned[[2]int{i, k}] = old
		observe(w.obj, c, t, w)
	case 3, 4, 5:
		m[k] = r.Intn(1000)
		c := engineCall(w.ecl, call{"Store", []any{k, m[k], old, ok}})
		c.SetPlace(commrace.Place{Site: w.place + 100})
		w.obj.Begin(c, t, w)
		w.seen.End(w.obj, c, t, w)
	case 6:
		if r.Intn(4) == 0 { // a Store that has taken effect, and did not return
			c := engineCall(w.ecl, call{"Store", []any{k, old, old, ok}})
			w.obj.Begin(c, t, w)
			m[k] = r.Intn(1000)
			w.obj.Abandon(c, w)
		}
	default:
		w.learns(i, r.Intn(len(w.threads)))
	}
}

// A race with a Load tells the value that the Load has returned, whatever came between it and the
// one whose record it has.
func TestLoadTellsItsValue(t *testing.T) {
	et, ct := syncMap(t)
	told, again, renewed, seeds := 0, 0, 0, 4000
	if testing.Short() {
		seeds = 1000
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(int64(seed)))
		w := &sameWorld{world: newWorld(et, ct, 2+r.Intn(2)), returned: map[[2]int]int{}}
		seen := make([]commrace.Seen, len(w.threads))
		m := map[int]int{0: 1, 1: 2}
		turns := 1 + r.Intn(6) // a thread makes as many calls in a row
		for n := range 100 {
			if n == seed%150 {
				w.obj.Divide()
			}
			i := n / turns % len(w.threads)
			w.seen = &seen[i]
			if w.sameStep(r, i, m); w.wrong != nil {
				t.Fatalf("seed %d, step %d: a race with a %s tells another value", seed, n,
					w.wrong[0])
			}
		}
		told, again, renewed = told+w.told, again+w.again, renewed+w.renewed
		w.end()
	}
	if told < seeds || again < seeds || renewed < seeds {
		t.Errorf("%d values were told, %d Loads remembered and %d records renewed", told, again,
			renewed)
	}
}

// An observation that did not return was counted nowhere, so it is not taken off there.
func TestAbandonedObservation(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 2)
	defer w.end()
	var sn commrace.Seen
	w.load(1, &sn, "a", 1)
	w.obj.Abandon(engineCall(et, call{"Load", []any{"a", nil, false}}), w)
	if !w.repeatsHere(1, &sn, "a", 1) {
		t.Error("the Load is not remembered any more")
	}
}

// What a Load has returned is known again once a later one has its record. That is charged to the
// later one's test.
func TestLoadKnowsItsValueAgain(t *testing.T) {
	et, ct := syncMap(t)
	for _, later := range []bool{false, true} {
		w := newWorld(et, ct, 3)
		sn := new(commrace.Seen)
		w.load(2, nil, "b", 3) // nobody owns the object
		for range 2 {          // the second Store repeats the first, and the second Load too
			c := engineCall(et, call{"Store", []any{"a", 1, nil, false}})
			c.SetPlace(commrace.Place{Site: 2})
			w.place, w.goid = 2, 2
			w.obj.Begin(c, w.threads[1], w)
			sn.End(w.obj, c, w.threads[1], w)
			w.load(1, sn, "a", 1)
		}
		for range 2 {
			before := w.renewed
			w.threads[0].Tick()
			if w.learns(1, 0); later && (!w.repeatsHere(1, sn, "a", 1) || w.renewed != before+1) {
				t.Error("the Load has not taken the record of the one before")
			}
		}
		f := &values{world: w}
		w.goid = 3
		w.obj.End(engineCall(et, call{"Store", []any{"a", 99, 98, true}}), w.threads[2], f)
		if f.unknown == later {
			t.Errorf("a later Load: %v; value unknown: %v", later, f.unknown)
		}
		w.end()
	}
}

// defaultSpec has an observation with a parameter that is no key.
const defaultSpec = `//ecl:type example.com/n.Defaults
//ecl:observer Get(k, d)/v
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2, d2)/v2: k1 != k2
`

// A defaults world notes with which default the Get of a race was called.
type defaults struct {
	*world
	told int
}

func (w *defaults) Race(_ *commrace.Object, r commrace.Race) {
	if w.ecl.Methods[r.First.Method].Name == "Get" {
		w.told = int(binary.LittleEndian.Uint64(r.First.Args()[1].Bytes()))
	}
}

// A race tells with what the last Get was called, also where that has the record of an earlier one.
func TestGetTellsItsDefault(t *testing.T) {
	et, ct := tables(t, defaultSpec)
	w := newWorld(et, ct, 3)
	defer w.end()
	w.seen = new(commrace.Seen)
	get := func(i, key, d int) {
		c := engineCall(et, call{"Get", []any{key, d, 0}})
		c.SetPlace(commrace.Place{Site: uintptr(i) + 1})
		w.place, w.goid = uintptr(i)+1, uint64(i)+1
		observe(w.obj, c, w.threads[i], w)
	}
	get(2, 8, 1) // nobody owns the object
	before := w.again
	for d := range 5 {
		get(1, 7, d)
		w.threads[0].Tick()
		w.learns(1, 0)
	}
	if w.again == before {
		t.Fatal("no Get is remembered")
	}
	f := &defaults{world: w, told: -1}
	w.goid = 3
	w.obj.End(engineCall(et, call{"Put", []any{7, 1}}), w.threads[2], f)
	if f.told != 4 {
		t.Errorf("the race tells default %d, want 4", f.told)
	}
}

// A call that its object's owner has begun, and that did not return, has no record any more, also
// where the object was divided meanwhile.
func TestOwnersCallAbandoned(t *testing.T) {
	et, ct := syncMap(t)
	for _, divides := range []bool{false, true} {
		w := newWorld(et, ct, 2)
		w.owns = true
		w.load(1, nil, "b", 1)
		c := engineCall(et, call{"Store", []any{"a", 1, nil, false}})
		begin(w, c, w.threads[1], w)
		if w.owned[0] != 1 {
			t.Fatal("the owner's Store has a record from the start")
		}
		if divides {
			w.obj.Divide()
		}
		w.obj.Abandon(c, w)
		if n := w.obj.Pending(); n != 0 {
			t.Errorf("divided: %v: %d calls are under way, want none", divides, n)
		}
		w.end()
	}
}
