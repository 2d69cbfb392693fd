// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"testing"

	"github.com/commutego/commute/internal/event"
)

// Bench measures a checker on traces of each of the [Shapes].
func Bench(b *testing.B, events int, fresh func() event.Checker) {
	for _, shape := range Shapes {
		b.Run(shape.Name, func(b *testing.B) {
			list := shape.Make(events)
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				c := fresh()
				for i := range list {
					if c.Event(&list[i]) {
						b.Fatalf("a violation at event %d of a serializable trace", i)
					}
				}
			}
			total := float64(b.N) * float64(len(list))
			b.ReportMetric(total/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(b.Elapsed().Seconds()*1e9/total, "ns/event")
		})
	}
}
