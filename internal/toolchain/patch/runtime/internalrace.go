// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What package internal/race declares and takes from the runtime.

import (
	"internal/abi"
	"unsafe"
)

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

//go:linkname commute_race_Read internal/race.Read
func commute_race_Read(addr unsafe.Pointer) {}

//go:linkname commute_race_ReadPC internal/race.ReadPC
func commute_race_ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname commute_race_ReadObjectPC internal/race.ReadObjectPC
func commute_race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname commute_race_Write internal/race.Write
func commute_race_Write(addr unsafe.Pointer) {}

//go:linkname commute_race_WritePC internal/race.WritePC
func commute_race_WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname commute_race_WriteObjectPC internal/race.WriteObjectPC
func commute_race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname commute_race_ReadRange internal/race.ReadRange
func commute_race_ReadRange(addr unsafe.Pointer, len int) {}

//go:linkname commute_race_WriteRange internal/race.WriteRange
func commute_race_WriteRange(addr unsafe.Pointer, len int) {}

// commute_race_Errors is the number that package testing compares.
//
//go:linkname commute_race_Errors internal/race.Errors
func commute_race_Errors() int {
	mp := acquirem()
	n := commute_ctx(getg().racectx).Errors()
	releasem(mp)
	return n
}
