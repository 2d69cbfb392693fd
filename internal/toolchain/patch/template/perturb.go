// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && commute_perturb && !commute_explore

package runtime

// Schedules are perturbed: a goroutine that is about to make an operation that others can see is
// held up now and then. It's for ports and releases on which schedules can't be controlled.
//
// The environment variable COMMUTE_EXPLORE has a seed, as in perturb-1f: what is drawn for the n-th
// operation of the process goes by it. Which operation that is, the system decides.

import (
	"internal/runtime/atomic"
	"unsafe"
)

const commute_exploring = true

var commute_perturbed struct {
	seed  atomic.Uint64 // 0: nobody is held up
	n     atomic.Uint64 // numbers operations
	slept atomic.Int64  // nanoseconds
}

// commute_exploreRun comes when package testing begins to run tests.
func commute_exploreRun() {
	const prefix = "perturb-"
	word := gogetenv("COMMUTE_EXPLORE")
	if len(word) <= len(prefix) || word[:len(prefix)] != prefix {
		return
	}
	seed := uint64(0)
	for i := len(prefix); i < len(word); i++ {
		digit := uint64(word[i] - '0')
		if word[i] >= 'a' {
			digit = uint64(word[i]-'a') + 10
		}
		seed = seed<<4 | digit
	}
	commute_perturbed.seed.Store(commute_perturbMix(seed) | 1)
}

func commute_perturbMix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// commute_holdUp comes before the current goroutine makes an operation. It lets others run, or
// sleeps. How often and for how long at most depends on the seed, too. Sleeps take at most half of
// the time that the program has run.
func commute_holdUp() {
	gp := getg()
	x := &commute_perturbed
	seed := x.seed.Load()
	if seed == 0 || gp.racectx == 0 || gp != gp.m.curg || gp.m.locks != 0 || gp.raceignore != 0 {
		return
	}
	const free = 100e6 // nanoseconds
	r := commute_perturbMix(seed + x.n.Add(1))
	if r%(2<<(seed>>1&3)) != 0 {
		return
	}
	now := nanotime()
	if r>>8&1 == 0 || !haveSysmon || x.slept.Load() > free+(now-runtimeInitTime)/2 {
		Gosched()
		return
	}
	commute_sleep(1 + uint32(r>>16%(16<<(seed>>3&3*2))))
	x.slept.Add(nanotime() - now)
}

func commute_exploreEnd()                      {}
func commute_beginPoint(obj unsafe.Pointer)    { commute_holdUp() }
func commute_observedPoint(obj unsafe.Pointer) { commute_holdUp() }

func commute_exploreTransaction(by int, point bool) {
	if point {
		commute_holdUp()
	}
}

// The hooks of other packages: each comes before its operation.

//go:linkname commute_mutexPoint
func commute_mutexPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_writerPoint
func commute_writerPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_readerPoint
func commute_readerPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_waitPoint
func commute_waitPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_signalPoint
func commute_signalPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_atomicPoint
func commute_atomicPoint(addr unsafe.Pointer) { commute_holdUp() }

//go:linkname commute_atomicLoadPoint
func commute_atomicLoadPoint(addr unsafe.Pointer) { commute_holdUp() }
