// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"sync"
	"testing"
)

func TestRaceTwoLocks(t *testing.T) {
	var a, b sync.Mutex
	oneByOne(func() { nest(&a, &b) }, func() { nest(&b, &a) })
}

func TestNoRaceOneOrder(t *testing.T) {
	var a, b sync.Mutex
	oneByOne(func() { nest(&a, &b) }, func() { nest(&a, &b) })
}

// A box has a lock, and is in a block of memory of its own.
type box struct {
	sync.Mutex
	_ [4]uint64
}

func TestRaceRing(t *testing.T) {
	var a, b, c box
	oneByOne(func() { nest(&a, &b) }, func() { nest(&b, &c) }, func() { nest(&c, &a) })
}

func TestRaceRingOfFour(t *testing.T) {
	var a, b, c, d sync.Mutex
	oneByOne(func() { nest(&a, &b) }, func() { nest(&c, &d) }, func() { nest(&b, &c) },
		func() { nest(&d, &a) })
}

func TestNoRaceOpenRing(t *testing.T) {
	var a, b, c sync.Mutex
	oneByOne(func() { nest(&a, &b) }, func() { nest(&b, &c) }, func() { nest(&a, &c) })
}

// A ring needs a goroutine for each of its locks.
func TestNoRaceRingOfTwo(t *testing.T) {
	var a, b, c sync.Mutex
	oneByOne(func() {
		nest(&a, &b)
		nest(&b, &c)
	}, func() { nest(&c, &a) })
}

func TestNoRaceGate(t *testing.T) {
	var gate, a, b sync.Mutex
	oneByOne(func() { nest(&gate, &a, &b) }, func() { nest(&gate, &b, &a) })
}

func TestRaceGateOfOne(t *testing.T) {
	var gate, a, b box
	oneByOne(func() { nest(&gate, &a, &b) }, func() { nest(&b, &a) })
}

func TestRaceReadGate(t *testing.T) {
	var gate sync.RWMutex
	var a, b sync.Mutex
	oneByOne(func() { nest(gate.RLocker(), &a, &b) }, func() { nest(gate.RLocker(), &b, &a) })
}

func TestNoRaceWriteGate(t *testing.T) {
	var gate sync.RWMutex
	var a, b sync.Mutex
	oneByOne(func() { nest(gate.RLocker(), &a, &b) }, func() { nest(&gate, &b, &a) })
}

func TestNoRaceSameGoroutine(t *testing.T) {
	var a, b sync.Mutex
	oneByOne(func() {
		nest(&a, &b)
		nest(&b, &a)
	}, func() {})
}

func TestRaceReadWrite(t *testing.T) {
	var a, b sync.RWMutex
	oneByOne(func() { nest(a.RLocker(), &b) }, func() { nest(b.RLocker(), &a) })
}

func TestNoRaceReadRead(t *testing.T) {
	var a, b sync.RWMutex
	oneByOne(func() { nest(a.RLocker(), b.RLocker()) }, func() { nest(b.RLocker(), a.RLocker()) })
}

// One of the two never waits.
func TestNoRaceOneReads(t *testing.T) {
	var a, b sync.RWMutex
	oneByOne(func() { nest(&a, b.RLocker()) }, func() { nest(b.RLocker(), a.RLocker()) },
		func() { nest(b.RLocker(), a.RLocker()) })
}

func TestRaceRepeatedRead(t *testing.T) {
	var a sync.RWMutex
	oneByOne(func() { nest(a.RLocker(), a.RLocker()) }, func() { nest(&a) })
}

// What is written before anything is nested is not known.
func TestRaceRepeatedReadAfter(t *testing.T) {
	var a, b, c sync.RWMutex
	oneByOne(func() { nest(&b, &c) }, func() { nest(&a) },
		func() { nest(a.RLocker(), a.RLocker()) })
}

func TestNoRaceRepeatedRead(t *testing.T) {
	var a sync.RWMutex
	oneByOne(func() { nest(a.RLocker(), a.RLocker()) }, func() { nest(a.RLocker()) })
}

func TestNoRaceRepeatedReadGate(t *testing.T) {
	var gate sync.Mutex
	var a sync.RWMutex
	oneByOne(func() { nest(&gate, a.RLocker(), a.RLocker()) }, func() { nest(&gate, &a) })
}

func TestNoRaceTryLock(t *testing.T) {
	var a, b sync.Mutex
	oneByOne(func() {
		a.Lock()
		if b.TryLock() {
			b.Unlock()
		}
		a.Unlock()
	}, func() { nest(&b, &a) })
}

// A lock that was taken by TryLock is held as any other.
func TestRaceTryLockHolds(t *testing.T) {
	var a, b sync.Mutex
	oneByOne(func() {
		if a.TryLock() {
			nest(&b)
			a.Unlock()
		}
	}, func() { nest(&b, &a) })
}

func TestNoRaceTryRLock(t *testing.T) {
	var a sync.RWMutex
	oneByOne(func() {
		a.RLock()
		if a.TryRLock() {
			a.RUnlock()
		}
		a.RUnlock()
	}, func() { nest(&a) })
}
