// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"testing"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/generate"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// BenchmarkCheck measures traces in which nothing can be found: what filters and windows cost.
func BenchmarkCheck(b *testing.B) {
	for _, shape := range tracegen.Shapes {
		b.Run(shape.Name, func(b *testing.B) { bench(b, shape.Make(1000000)) })
	}
}

// BenchmarkSuspicious measures short transactions of which a hundredth can be broken.
func BenchmarkSuspicious(b *testing.B) { bench(b, suspicious(1000000)) }

// suspicious is transactions of ten events: of seven threads, under one of 16 locks. One in a
// hundred lets its lock go in between.
func suspicious(n int) (list []event.Event) {
	for t := uint32(0); len(list) < n; t++ {
		thread, lock := t%7, t*7%16
		do := func(op event.Kind, target uint32) {
			list = append(list, event.Event{Op: op, Thread: thread, Target: target,
				Pos: uint32(len(list)%1000 + 1)})
		}
		do(event.Begin, 0)
		do(event.Acquire, lock)
		do(event.Write, 10*lock)
		do(event.Write, 10*lock+1)
		if t%100 == 0 {
			do(event.Release, lock)
			do(event.Acquire, lock)
		} else {
			do(event.Read, 10*lock)
			do(event.Read, 10*lock+1)
		}
		do(event.Write, 10*lock)
		do(event.Write, 10*lock+t%10)
		do(event.Release, lock)
		do(event.End, 0)
	}
	return list
}

func bench(b *testing.B, events []event.Event) {
	b.ReportAllocs()
	var counts Counts
	found := 0
	for b.Loop() {
		found = 0
		c := New(nil, Options{}, func(*Violation) bool { found++; return false })
		d := reorder.Decoder{Mutexes: true}
		for i := range events {
			c.Take(&events[i], d.Step(&events[i]))
		}
		c.End()
		counts = c.Counts
	}
	b.ReportMetric(float64(b.N)*float64(len(events))/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(counts.All), "transactions")
	b.ReportMetric(float64(counts.Filtered), "filtered")
	b.ReportMetric(float64(counts.GaveUp), "given_up")
	b.ReportMetric(float64(counts.Found), "broken")
	b.ReportMetric(float64(found), "found")
}

// BenchmarkLong measures traces of which much can be found: two transactions last all the time.
func BenchmarkLong(b *testing.B) {
	for _, shape := range []string{"late", "long"} {
		b.Run(shape, func(b *testing.B) {
			list, err := generate.All(generate.Params{Shape: shape, Events: 1e6, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			bench(b, list)
		})
	}
}
