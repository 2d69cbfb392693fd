// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func BenchmarkEvent(b *testing.B) {
	b.Run("locked", func(b *testing.B) { bench(b, tracegen.Locked(1_000_000)) })
	b.Run("nested", func(b *testing.B) { bench(b, nested(1_000_000)) })
}

func bench(b *testing.B, list []event.Event) {
	b.ReportAllocs()
	for b.Loop() {
		c := New()
		for i := range list {
			c.Event(&list[i])
		}
		found, _ := c.Finish()
		b.ReportMetric(float64(len(found)), "cycles")
		b.ReportMetric(float64(len(c.patterns)), "patterns")
	}
	b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds(), "events/s")
}

// nested is a trace of 8 threads that take two of 100 locks, one time in 10,000 in the wrong order.
func nested(n int) (list []event.Event) {
	r := rand.New(rand.NewPCG(1, 1))
	for len(list) < n {
		t := r.Uint32N(8)
		a, b := r.Uint32N(100), r.Uint32N(100)
		if a == b {
			continue
		}
		if a > b && r.IntN(10000) > 0 {
			a, b = b, a
		}
		for _, op := range []event.Kind{event.Acquire, event.Release} {
			list = append(list, event.Event{Op: op, Thread: t, Target: a})
			a, b = b, a
			list = append(list, event.Event{Op: op, Thread: t, Target: a})
		}
	}
	return list
}
