// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What package internal/race declares and takes from the runtime. Accesses are in announced.go and
// nomemory.go.

import "unsafe"

//go:linkname commute_race_Acquire internal/race.Acquire
func commute_race_Acquire(addr unsafe.Pointer) { raceacquire(addr) }

//go:linkname commute_race_Release internal/race.Release
func commute_race_Release(addr unsafe.Pointer) { racerelease(addr) }

//go:linkname commute_race_ReleaseMerge internal/race.ReleaseMerge
func commute_race_ReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

//go:linkname commute_race_Disable internal/race.Disable
func commute_race_Disable() { getg().raceignore++ }

//go:linkname commute_race_Enable internal/race.Enable
func commute_race_Enable() { getg().raceignore-- }

// commute_race_Errors is the number of findings so far, which package testing compares before and
// after a test.
//
//go:linkname commute_race_Errors internal/race.Errors
func commute_race_Errors() int {
	mp := acquirem()
	n := commute_ctx(getg().racectx).Errors()
	releasem(mp)
	commute_drain() // so that reports stand beside their tests
	return n
}

// commute_reportsTo has reports go to another file than standard error.
//
//go:linkname commute_reportsTo
func commute_reportsTo(fd uintptr) { commute_engine_ReportsTo(fd) }

// commute_testFindings is how many findings were reported with the current goroutine's test.
//
//go:linkname commute_testFindings
func commute_testFindings() int {
	mp := acquirem()
	n := commute_ctx(getg().racectx).Told()
	releasem(mp)
	return n
}
