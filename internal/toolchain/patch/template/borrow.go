// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What the clocks do with an event takes more of a stack than a goroutine begins with. To grow that
// costs more than all else that commute does for most goroutines, and twice the memory. So a
// goroutine with little room has the first of its events followed on the system stack.

import (
	"internal/runtime/sys"
	"unsafe"
)

// commute_clockRoom is what a goroutine should have left of its stack where the clocks follow an
// event: the runtime's guard, and about what the deepest calls take.
const commute_clockRoom = 2048

// commute_isShort reports whether the current goroutine has less than that left, and is to have the
// system stack for what comes next. The context is that of the goroutine, or of one that it has an
// event for.
func commute_isShort(g *commute_engine_Goroutine) bool {
	return sys.GetCallerSP()-getg().stack.lo < commute_clockRoom && commute_engine_Borrows(g)
}

// commute_borrow calls f on the system stack, for an event at an address. Preemption is disabled.
func commute_borrow(g *commute_engine_Goroutine, addr unsafe.Pointer,
	f func(t *commute_sync_Thread, addr uintptr)) {
	systemstack(func() { f(&g.commute_sync_Thread, uintptr(addr)) })
}
