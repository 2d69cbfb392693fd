// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
)

// stores makes a Store of thread i at a place, with nothing remembered.
func (w *world) stores(i int, key, value, was any, place uintptr) {
	c := engineCall(w.ecl, call{"Store", []any{key, value, was, was != nil}})
	c.SetPlace(commrace.Place{Site: place})
	w.place, w.goid = place, uint64(i)+1
	w.obj.Begin(c, w.threads[i], w)
	w.obj.End(c, w.threads[i], w)
}

// raced are the calls of the races that thread 2's Store of a key closes.
func (w *world) raced(key any) *seenRaces {
	f := &seenRaces{world: w}
	w.goid = 3
	w.obj.End(engineCall(w.ecl, call{"Store", []any{key, 99, 98, true}}), w.threads[2], f)
	return f
}

// seenRaces keeps what races tell of their first calls.
type seenRaces struct {
	*world
	methods []string
	values  []byte // the last byte of the value
	unknown bool
}

func (w *seenRaces) Race(_ *commrace.Object, r commrace.Race) {
	w.methods = append(w.methods, w.ecl.Methods[r.First.Method].Name)
	w.values = append(w.values, r.First.Args()[1].Bytes()[0])
	w.unknown = w.unknown || r.First.ValueUnknown()
}

// A call that changes something takes the record of its goroutine's last one at the place, with the
// key. What a race tells is of the later call. Calls of several keys take turns, so that none
// repeats another.
func TestChangeTakesRecord(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	for n := range 4 {
		for key := range 3 {
			w.stores(1, key, 10*n+key+1, 10*n+key-9, 1)
			if n == 2 { // repeats it, and what it has found there is not kept
				w.stores(1, key, 10*n+key+1, 10*n+key-9, 1)
			}
		}
	}
	if w.renewed != 9 {
		t.Errorf("%d records were taken over, want 9", w.renewed)
	}
	f := w.raced(1)
	if len(f.methods) != 1 || f.methods[0] != "Store" || f.values[0] != 32 || f.unknown {
		t.Errorf("a race with %v of values %v, unknown: %v; want that with the last Store of 32",
			f.methods, f.values, f.unknown)
	}
	// A record that a list of races has kept stays as it is.
	if w.stores(1, 1, 42, 99, 2); w.renewed != 9 {
		t.Error("the record of a call at another place was taken over")
	}
}

// A call that takes a record over may have touched other points of the object.
func TestRecordHasItsCase(t *testing.T) {
	et, ct := cache(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	put := func(key, value int, was bool) {
		c := engineCall(et, call{"Put", []any{key, value, was}})
		c.SetPlace(commrace.Place{Site: 1})
		w.goid = 2
		w.obj.Begin(c, w.threads[1], w)
		w.obj.End(c, w.threads[1], w)
	}
	put(1, 1, false)
	put(2, 1, false)
	if put(1, 2, true); w.renewed != 1 {
		t.Fatalf("%d records were taken over, want 1", w.renewed)
	}
	f := &seenPoints{world: w, table: ct}
	w.goid = 3
	w.obj.End(engineCall(et, call{"Reset", []any{false}}), w.threads[2], f)
	if f.points[2] != "r" {
		t.Errorf("the Puts meet the Reset in points %v, by value; want r for 2", f.points)
	}
}

// seenPoints keeps the names of the points that the first calls of races have touched, by the last
// byte of their second argument.
type seenPoints struct {
	*world
	table  *commrace.Table
	points map[byte]string
}

func (w *seenPoints) Race(_ *commrace.Object, r commrace.Race) {
	if i, _, ok := w.table.Where(r.First, r.Second); ok {
		if w.points == nil {
			w.points = make(map[byte]string)
		}
		w.points[r.First.Args()[1].Bytes()[0]] = w.table.Point(w.table.Touched(r.First, i))
	}
}

// A Load after a Store of its goroutine takes the record of the Load before that, if there have
// been several. It tells what it has returned itself.
func TestLoadAfterStoreTakesRecord(t *testing.T) {
	et, ct := syncMap(t)
	for _, loads := range []int{1, 3} {
		w := newWorld(et, ct, 3)
		sn := new(commrace.Seen)
		load := func(value int) {
			c := engineCall(et, call{"Load", []any{"a", value, true}})
			c.SetPlace(commrace.Place{Site: 1})
			w.seen, w.place, w.goid = sn, 1, 2
			observe(w.obj, c, w.threads[1], w)
		}
		for range loads {
			w.stores(1, "b", 1, nil, 2) // what the Load has touched has to move
			load(1)
		}
		w.renewed = 0
		w.stores(1, "a", 7, 1, 3)
		load(7)
		if took := w.renewed == 1; took != (loads > 1) {
			t.Errorf("%d Loads before: a record was taken over: %v", loads, took)
		}
		f := w.raced("a")
		if len(f.methods) != 2 || f.values[0] != 7 || f.values[1] != 7 || f.unknown {
			t.Errorf("%d Loads before: races with %v of values %v, unknown: %v; want values 7",
				loads, f.methods, f.values, f.unknown)
		}
		w.end()
	}
}

// What is told of a race outlives the record's next call: a check that an act depends on keeps its
// record, and so does the act.
func TestActKeepsRecord(t *testing.T) {
	et, ct := syncMap(t)
	w := newWorld(et, ct, 3)
	defer w.end()
	s := deciding{w}
	for n := range 3 {
		c := engineCall(et, call{"Load", []any{"a", n, true}})
		c.SetPlace(commrace.Place{Site: 1})
		w.goid = 2
		w.obj.End(c, w.threads[1], s)
		c = engineCall(et, call{"Store", []any{"a", n + 1, n, true}})
		c.SetPlace(commrace.Place{Site: 2})
		w.obj.Begin(c, w.threads[1], s)
		w.obj.End(c, w.threads[1], s)
		w.stores(1, "b", n+1, n, 3) // so that no act repeats one
	}
	f := &checkedRaces{deciding: s}
	w.goid = 3
	last := engineCall(et, call{"Store", []any{"a", 99, 98, true}})
	w.obj.Begin(last, w.threads[2], f)
	w.obj.End(last, w.threads[2], f)
	if len(f.values) != 1 || f.values[0] != [2]byte{3, 2} {
		t.Errorf("acts and checks with values %v, want 3 and 2", f.values)
	}
}

// deciding is a world in which each act depends on the check before it.
type deciding struct{ *world }

func (deciding) Decides(_ *commrace.Table, _, act *commrace.Action) bool {
	return act == nil || act.At.Site == 2
}

type checkedRaces struct {
	deciding
	values [][2]byte // of an act and its check
}

func (w *checkedRaces) Race(_ *commrace.Object, r commrace.Race) {
	if r.Check != nil {
		w.values = append(w.values,
			[2]byte{r.First.Args()[1].Bytes()[0], r.Check.Args()[1].Bytes()[0]})
	}
}
