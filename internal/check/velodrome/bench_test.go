// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package velodrome

import (
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func BenchmarkEvent(b *testing.B) {
	tracegen.Bench(b, 1000000, func() event.Checker { return New(nil) })
}
