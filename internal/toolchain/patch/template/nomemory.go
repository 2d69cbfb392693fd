// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !commute_memory

package runtime

// Accesses to memory, where they are not watched: these functions are empty, and cost nothing. Each
// is in memory.go, announced.go, transactions.go, record.go or locks.go for a build that watches
// them. Those of package internal/race have their bodies there (patch.InternalRace).

import "unsafe"

func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr)  {}
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {}
func racemapshadow(addr unsafe.Pointer, size uintptr)                       {}
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr)                 {}
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr)                  {}
func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr)         {}
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr)        {}

const commute_memory = false

func commute_recovered(gp *g, sp uintptr) {}

func commute_touched(base, size uintptr) bool { return false }
func commute_freeMemory(addr, size uintptr)   {}

func commute_malloc(x unsafe.Pointer, size uintptr) {}

func commute_makeRoom(gp *g) {}

func commute_atomicRead(addr unsafe.Pointer, pc uintptr)  {}
func commute_atomicWrite(addr unsafe.Pointer, pc uintptr) {}

// There are no transactions.

//go:linkname commute_atomicBegin
func commute_atomicBegin(t *commute_txn_Transaction, p *commute_atomicity_AtomicCode) {}

//go:linkname commute_atomicEnd
func commute_atomicEnd(t *commute_txn_Transaction) {}

//go:linkname commute_atomicFresh
func commute_atomicFresh() bool { return false }

//go:linkname commute_atomicAgain
func commute_atomicAgain() {}

//go:linkname commute_atomicLeaveOut
func commute_atomicLeaveOut(out bool) {}

//go:linkname commute_atomicCall
func commute_atomicCall(t *commute_txn_Transaction, f func()) {}

func commute_follow(gp *g, addr unsafe.Pointer, k commute_event_Kind) {}
func commute_followRendezvous(gp *g, addr unsafe.Pointer)             {}

func commute_atomicConflict(addr unsafe.Pointer, k commute_event_Kind) (fixed bool) { return false }

func commute_atomicUnfix(addr unsafe.Pointer) {}

// Nothing is recorded, or predicted.

func commute_recordAtomic(addr unsafe.Pointer, k commute_event_Kind)       {}
func commute_order(ctx uintptr, addr unsafe.Pointer, k commute_event_Kind) {}
func commute_orderBoth(a, b uintptr)                                       {}
func commute_orderCall(ctx uintptr, obj unsafe.Pointer)                    {}

// commute_failedAttempt comes where the current goroutine has found a lock taken, or could not send
// or receive.
//
//go:linkname commute_failedAttempt
func commute_failedAttempt() { commute_sectionUnknown(getg()) }

// commute_failedAt is the same for a channel.
func commute_failedAt(channel unsafe.Pointer) { commute_sectionUnknown(getg()) }
