// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// BenchmarkEvent has the pass over a trace, and the first condition at its end.
func BenchmarkEvent(b *testing.B) {
	for _, s := range tracegen.Shapes {
		b.Run(s.Name, func(b *testing.B) { bench(b, s.Make(1_000_000)) })
	}
	b.Run("alarms", func(b *testing.B) { bench(b, alarming(1_000_000, 100)) })
}

func bench(b *testing.B, list []event.Event) {
	b.ReportAllocs()
	for b.Loop() {
		r := check(list, Conflict)
		b.ReportMetric(float64(r.Proven), "proven")
		b.ReportMetric(float64(r.Alarmed()), "alarms")
		b.ReportMetric(float64(r.GaveUp), "gave-up")
	}
	b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds(), "events/s")
}

// alarming is a trace of 8 threads with transactions of two sections of one lock: one in so many
// writes the lock's variable in both.
func alarming(n, every int) (list []event.Event) {
	const threads = 8
	for k := 0; len(list) < n; k++ {
		t := uint32(k % threads)
		add := func(op event.Kind, target uint32) {
			list = append(list, event.Event{Op: op, Thread: t, Target: target, Pos: uint32(k)})
		}
		v := uint32(k / threads % 1000)
		add(event.Begin, 0)
		add(event.Acquire, v)
		add(event.Write, v)
		add(event.Release, v)
		if k%every == 0 {
			add(event.Acquire, v)
			add(event.Write, v)
			add(event.Release, v)
		} else {
			add(event.Read, 1000+t)
			add(event.Read, 2000+t)
		}
		add(event.End, 0)
	}
	return list
}
