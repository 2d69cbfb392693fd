// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_memory

package runtime

import (
	"internal/abi"
	"unsafe"
)

//go:linkname race_Read internal/race.Read
func race_Read(addr unsafe.Pointer) {}

//go:linkname race_Write internal/race.Write
func race_Write(addr unsafe.Pointer) {}

//go:linkname race_ReadRange internal/race.ReadRange
func race_ReadRange(addr unsafe.Pointer, len int) {}

//go:linkname race_WriteRange internal/race.WriteRange
func race_WriteRange(addr unsafe.Pointer, len int) {}

//go:linkname race_ReadObjectPC internal/race.ReadObjectPC
func race_ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname race_WriteObjectPC internal/race.WriteObjectPC
func race_WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname race_ReadPC internal/race.ReadPC
func race_ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:linkname race_WritePC internal/race.WritePC
func race_WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {}
