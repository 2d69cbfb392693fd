// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
)

// BenchmarkMixed is the cost of 15 Loads to one Store, of keys that are drawn, by one thread, and
// by two in turn. It tells how many of the calls were recorded anew, and how many Loads have taken
// the record of an earlier one.
func BenchmarkMixed(b *testing.B) {
	const keys = 1024
	for _, threads := range []int{1, 2} {
		b.Run([]string{1: "one", 2: "two"}[threads], func(b *testing.B) {
			et, ct := syncMap(b)
			w := newWorld(et, ct, 3)
			defer w.end()
			s := &tally{world: w}
			var processors [2]commrace.Seen
			var how [3]int
			var loads, stores [keys]*commrace.Call
			for k := range keys {
				loads[k] = engineCall(et, call{"Load", []any{k, k, true}})
				stores[k] = engineCall(et, call{"Store", []any{k, k + 1, k, true}})
				w.obj.End(stores[k], w.threads[0], s)
			}
			for i := 0; b.Loop(); i++ {
				t := w.threads[i%threads]
				w.seen = &processors[i%threads]
				if k := rand.N(keys); i/threads%16 == 0 {
					w.obj.Begin(stores[k], t, s)
					w.obj.End(stores[k], t, s)
				} else {
					how[observe(w.obj, loads[k], t, s)]++
				}
			}
			b.ReportMetric(float64(s.captured)/float64(b.N), "recorded/op")
			b.ReportMetric(float64(s.renewed)/float64(b.N), "renewed/op")
			b.ReportMetric(float64(w.again)/float64(b.N), "again/op")
			b.ReportMetric(float64(how[0])/float64(b.N), "other/op")
		})
	}
}

// A tally counts records.
type tally struct {
	*world
	captured, renewed int
}

func (s *tally) Capture(*commrace.Action, unsafe.Pointer)   { s.captured++ }
func (s *tally) Recapture(*commrace.Action, unsafe.Pointer) { s.renewed++ }
