// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"maps"
	"math/rand"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/engine/commrace"
)

// tellAll makes a random stream of calls and looks at all that is reported. Where fresh is set no
// call repeats another, so that all there is to know is known.
func tellAll(
	t *testing.T, et *ecl.Table, ct *commrace.Table, seed int64, fresh bool, count map[string]int,
) {
	r := rand.New(rand.NewSource(seed))
	w := &timeline{world: newWorld(et, ct, 2+r.Intn(2)), pairs: map[[2]uintptr]bool{},
		open: map[int]*made{}, raced: map[*made]bool{}}
	defer w.end()
	if seed%2 == 1 {
		w.seen, w.ends = &remembered, seed%4 == 3
	}
	w.owns = seed%8 == 7
	alone := -1
	defer func() {
		count["remembered"] += w.again
		count["changes remembered"] += w.changed
		count["owned"] += w.owned[1]
		count["handed"] += commrace.Handed(w.obj)
	}()
	for range 3 {
		w.pairs[[2]uintptr{site(r, true), site(r, false)}] = true
	}
	m := map[int]int{}
	for n := range 80 {
		i := r.Intn(len(w.threads))
		if w.owns && n < 60 { // one is alone, and then another one
			if alone < 0 {
				alone = i
			} else if n%20 == 0 && w.open[alone] == nil {
				w.hands(alone, i)
				alone = i
			}
			i = alone
		}
		switch {
		case w.open[i] != nil:
			for _, told := range w.finish(i) {
				w.examine(t, told, seed, fresh, count)
			}
		case r.Intn(8) == 0:
			w.synchronize(r, i)
		default:
			if fresh {
				st := w.threads[i].RemoteSnapshot()
				st.Drop()
			}
			apply := keyed(r)
			check := isObserver(apply(maps.Clone(m)).method)
			w.begin(i, commrace.Place{Site: site(r, check), Frame: 8}, m, apply)
		}
	}
	for i := range w.open {
		w.finish(i)
	}
}

// hands lets a thread know all that another one has done.
func (w *timeline) hands(from, to int) {
	w.locks[0].ReleaseMerge(w.threads[from])
	join(w.plain[0], w.clocks[from])
	w.clocks[from][from]++
	w.locks[0].Acquire(w.threads[to])
	join(w.clocks[to], w.plain[0])
}

// examine compares what was reported with what it means.
func (w *timeline) examine(t *testing.T, told told, seed int64, fresh bool, count map[string]int) {
	t.Helper()
	count[fmt.Sprint("breach ", told.breach)]++
	if bad := w.disprove(told); bad != "" {
		w.log(t)
		t.Fatalf("seed %d: told %+v, but %s", seed, told, bad)
	}
	want, exact := w.expected(w.calls[told.first], w.calls[told.second])
	if !fresh || !exact {
		return
	}
	count[fmt.Sprint("exactly ", want)]++
	if told.breach != want {
		w.log(t)
		t.Fatalf("seed %d: told %+v, want %d", seed, told, want)
	}
}

func (w *timeline) log(t *testing.T) {
	t.Helper()
	t.Logf("pairs %v", w.pairs)
	for _, c := range w.calls {
		t.Logf("%d: thread %d, %d to %d, site %d, frame %d: %s%v, then %v", c.id, c.who, c.begin,
			c.end, c.at.Site, c.at.Frame, c.method, c.values, c.after)
	}
}

// TestViolations compares what is reported of races with what it means, on random calls.
func TestViolations(t *testing.T) {
	for _, test := range []struct {
		name  string
		spec  func(t *testing.T) (*ecl.Table, *commrace.Table)
		fresh bool
		least map[string]int // of each, so that the test is one
	}{
		{"fresh", withoutResidue, true,
			map[string]int{"exactly 0": 1000, "exactly 1": 100, "exactly 2": 300,
				"exactly 3": 300, "remembered": 1000, "owned": 100, "handed": 100}},
		{"repeated", func(t *testing.T) (*ecl.Table, *commrace.Table) { return syncMap(t) }, false,
			map[string]int{"breach 0": 1000, "breach 1": 300, "breach 2": 300, "breach 3": 300,
				"remembered": 1000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			et, ct := test.spec(t)
			count := map[string]int{}
			for seed := range int64(3000) {
				tellAll(t, et, ct, seed, test.fresh, count)
			}
			t.Log(count)
			for what, least := range test.least {
				if count[what] < least {
					t.Errorf("%s: %d times, want %d for a test", what, count[what], least)
				}
			}
		})
	}
}
