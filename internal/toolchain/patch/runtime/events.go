// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

import "unsafe"

// commute_acquireg is raceacquireg where the event is part of one that is told otherwise.
func commute_acquireg(gp *g, addr unsafe.Pointer) {
	mp := acquirem()
	commute_ctx(gp.racectx).Acquire(uintptr(addr))
	releasem(mp)
	commute_recordSync(gp, addr, commute_engine_Acquired)
	commute_contact(gp, addr, commute_engine_Acquired)
}

// commute_releaseg is racereleaseg where the event is part of one that is told otherwise.
func commute_releaseg(gp *g, addr unsafe.Pointer) {
	commute_recordSync(gp, addr, commute_engine_Released)
	commute_contact(gp, addr, commute_engine_Released)
	mp := acquirem()
	commute_ctx(gp.racectx).Release(uintptr(addr))
	releasem(mp)
}

// commute_releaseacquireg is racereleaseacquireg where the event is part of one that is told otherwise.
func commute_releaseacquireg(gp *g, addr unsafe.Pointer) {
	commute_recordSync(gp, addr, commute_engine_Exchanged)
	commute_contact(gp, addr, commute_engine_Exchanged)
	mp := acquirem()
	commute_ctx(gp.racectx).ReleaseAcquire(uintptr(addr))
	releasem(mp)
}

// commute_releasemergeg is racereleasemergeg where the event is part of one that is told otherwise.
func commute_releasemergeg(gp *g, addr unsafe.Pointer) {
	commute_recordSync(gp, addr, commute_engine_Merged)
	commute_contact(gp, addr, commute_engine_Merged)
	mp := acquirem()
	commute_ctx(gp.racectx).ReleaseMerge(uintptr(addr))
	releasem(mp)
}
