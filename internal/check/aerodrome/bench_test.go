// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package aerodrome

import (
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func BenchmarkBasic(b *testing.B) {
	tracegen.Bench(b, 100000, func() event.Checker { return NewBasic(nil) })
}

func BenchmarkOptimised(b *testing.B) {
	tracegen.Bench(b, 1000000, func() event.Checker { return New(nil) })
}
