// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/ecl"
)

// history makes n calls of two threads on one object: distinct keys, so all are remembered.
func history(b *testing.B, n int) (*world, *ecl.Table) {
	et, ct := syncMap(b)
	w := newWorld(et, ct, 3)
	for i := range n {
		w.step1(1+i%2, call{"Store", []any{i, i, nil, false}})
	}
	return w, et
}

// BenchmarkHistory is the cost of one call after n others on the object: by access points, and
// (direct) by comparing it with each of them.
func BenchmarkHistory(b *testing.B) {
	for n := 10; n <= 1000000; n *= 10 {
		b.Run(fmt.Sprintf("points/calls=%d", n), func(b *testing.B) {
			w, et := history(b, n)
			defer w.end()
			c := engineCall(et, call{"Store", []any{n / 2, 1, 2, true}})
			for b.Loop() {
				w.threads[0].Tick()
				w.obj.End(c, w.threads[0], w)
			}
		})
	}
	for n := 10; n <= 100000; n *= 10 {
		b.Run(fmt.Sprintf("direct/calls=%d", n), func(b *testing.B) {
			et, _ := syncMap(b)
			var past []call
			for i := range n {
				past = append(past, call{"Store", []any{i, i, nil, false}})
			}
			c := call{"Load", []any{n / 2, 1, true}}
			for b.Loop() {
				for _, p := range past {
					et.Commute(c.method, p.method, c.values, p.values)
				}
			}
		})
	}
}

// BenchmarkRepeat is the cost of a call that repeats an earlier one: of an observer that keeps its
// epoch, and of a mutator whose touches move.
func BenchmarkRepeat(b *testing.B) {
	w, et := history(b, 10)
	defer w.end()
	t := w.threads[0]
	b.Run("Observe", func(b *testing.B) {
		c := engineCall(et, call{"Load", []any{3, 3, true}})
		w.obj.End(c, t, w)
		if !repeats(w.obj, c, t) {
			b.Fatal("not repeated")
		}
		for b.Loop() {
			repeats(w.obj, c, t)
		}
	})
	b.Run("End", func(b *testing.B) {
		c := engineCall(et, call{"Store", []any{3, 3, 3, true}})
		for b.Loop() {
			w.obj.End(c, t, w)
		}
	})
}
