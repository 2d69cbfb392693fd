// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

// Synchronization, as it is recorded in a trace.

import "unsafe"

// commute_recordSync records synchronization of gp, which is current or parked.
func commute_recordSync(gp *g, addr unsafe.Pointer, kind int) {
	if commute_engine_Recording() {
		commute_recordAt(gp, addr, kind, true)
	}
}

// commute_recordAtomic records an atomic operation of the current goroutine.
func commute_recordAtomic(addr unsafe.Pointer, kind int) {
	if commute_engine_Recording() {
		if gp := getg(); !commute_deaf(gp.racectx, addr) {
			commute_recordAt(gp, addr, kind, true)
		}
	}
}

// commute_recordOrder records what orders the current goroutine, and is nobody's business but the library's.
func commute_recordOrder(addr unsafe.Pointer, kind int) {
	if commute_engine_Recording() {
		if gp := getg(); !commute_deaf(gp.racectx, addr) {
			commute_recordAt(gp, addr, kind, false)
		}
	}
}

func commute_recordAt(gp *g, addr unsafe.Pointer, kind int, counts bool) {
	mp := acquirem()
	site := uint32(0)
	if counts {
		site, _ = commute_where(gp, kind >= commute_engine_AtomicLoaded)
	}
	commute_ctx(gp.racectx).RecordSync(uintptr(addr), kind, site)
	releasem(mp)
}
