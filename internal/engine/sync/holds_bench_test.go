// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
)

// BenchmarkLock takes and lets go a lock, alone and inside of another one.
func BenchmarkLock(b *testing.B) {
	if !host.FramePointers {
		b.Skip("locks are not followed on this port")
	}
	var place deadlock.Place
	runtime.Callers(1, place.PCs[:1])
	for _, inside := range []bool{false, true} {
		b.Run(fmt.Sprintf("inside=%v", inside), func(b *testing.B) {
			option.Parse("deadlock=fail")
			defer option.Reset()
			defer SetOrderClocks(false)
			g := new(Thread)
			g.Reset()
			instance.Clocks.Start(&g.Clock)
			if inside {
				take(g, firstLock, 0, place)
			}
			for b.Loop() {
				take(g, firstLock+64, 0, place)
				LetLock(g, firstLock+64)
				ReleaseLock(g, firstLock+64)
			}
			g.Finish()
		})
	}
}
