// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

import "unsafe"

const raceenabled = true

//go:nosplit
func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:nosplit
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:nosplit
func raceinit() (uintptr, uintptr) { return 1, 0 }

//go:nosplit
func racefini() { commute_engine_Print() }

//go:nosplit
func raceproccreate() uintptr { return 0 }

//go:nosplit
func raceprocdestroy(ctx uintptr) {}

//go:nosplit
func racemapshadow(addr unsafe.Pointer, size uintptr) {}

//go:nosplit
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:nosplit
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) {}

//go:nosplit
func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {}

//go:nosplit
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {}

//go:nosplit
func raceacquire(addr unsafe.Pointer) { commute_engine_Count(commute_engine_Acquire, nil) }

//go:nosplit
func raceacquireg(gp *g, addr unsafe.Pointer) {}

//go:nosplit
func raceacquirectx(racectx uintptr, addr unsafe.Pointer) {}

//go:nosplit
func racerelease(addr unsafe.Pointer) { commute_engine_Count(commute_engine_Release, nil) }

//go:nosplit
func racereleaseg(gp *g, addr unsafe.Pointer) {}

//go:nosplit
func racereleaseacquire(addr unsafe.Pointer) {}

//go:nosplit
func racereleaseacquireg(gp *g, addr unsafe.Pointer) {}

//go:nosplit
func racereleasemerge(addr unsafe.Pointer) { commute_engine_Count(commute_engine_Release, nil) }

//go:nosplit
func racereleasemergeg(gp *g, addr unsafe.Pointer) {}

//go:nosplit
func racefingo() {}

//go:nosplit
func racemalloc(p unsafe.Pointer, sz uintptr) {}

//go:nosplit
func racefree(p unsafe.Pointer, sz uintptr) {}

//go:nosplit
func racegostart(pc uintptr) uintptr { commute_engine_Count(commute_engine_Go, nil); return 1 }

//go:nosplit
func racegoend() {}

//go:nosplit
func racectxstart(spawnctx, racectx uintptr) uintptr { return 1 }

//go:nosplit
func racectxend(racectx uintptr) {}
