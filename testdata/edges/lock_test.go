// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"sync"
	"testing"
)

// A lock of this file is held at first; its Unlock, in one goroutine, comes before a Lock in the other.

func mutex() edge {
	mu := new(sync.Mutex)
	mu.Lock()
	return edge{mu.Unlock, mu.Lock}
}

func TestNoRaceMutex(t *testing.T) { ordered(mutex()) }
func TestRaceMutex(t *testing.T)   { both(t, mutex) }

// Sections of a mutex are ordered one way or the other.
func TestNoRaceMutexSections(t *testing.T) {
	var o object
	var mu sync.Mutex
	section := func(f func()) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			f()
		}
	}
	together(section(func() { o.read() }), section(func() { o.write(1) }), section(func() { o.write(2) }))
}

func TestRaceMutexOther(t *testing.T) {
	var o object
	var one, two sync.Mutex
	together(
		func() { one.Lock(); o.write(1); one.Unlock() },
		func() { two.Lock(); o.read(); two.Unlock() },
	)
}

func tryLock() edge {
	mu := new(sync.Mutex)
	mu.Lock()
	return edge{mu.Unlock, func() { until(mu.TryLock) }}
}

func TestNoRaceMutexTryLock(t *testing.T) { ordered(tryLock()) }
func TestRaceMutexTryLock(t *testing.T)   { both(t, tryLock) }

// A TryLock that fails orders nothing.
func TestRaceMutexTryLockFailed(t *testing.T) {
	var o object
	var held, tried flag
	var mu sync.Mutex
	together(
		func() { o.write(1); mu.Lock(); held.raise(); tried.await(); mu.Unlock() },
		func() { held.await(); mu.TryLock(); o.read(); tried.raise() },
	)
}

func writeThenRead() edge {
	mu := new(sync.RWMutex)
	mu.Lock()
	return edge{mu.Unlock, mu.RLock}
}

func TestNoRaceRWMutexWriteThenRead(t *testing.T) { ordered(writeThenRead()) }
func TestRaceRWMutexWriteThenRead(t *testing.T)   { both(t, writeThenRead) }

func readThenWrite() edge {
	mu := new(sync.RWMutex)
	mu.RLock()
	return edge{mu.RUnlock, mu.Lock}
}

func TestNoRaceRWMutexReadThenWrite(t *testing.T) { ordered(readThenWrite()) }
func TestRaceRWMutexReadThenWrite(t *testing.T)   { both(t, readThenWrite) }

func writeThenWrite() edge {
	mu := new(sync.RWMutex)
	mu.Lock()
	return edge{mu.Unlock, mu.Lock}
}

func TestNoRaceRWMutexWriteThenWrite(t *testing.T) { ordered(writeThenWrite()) }
func TestRaceRWMutexWriteThenWrite(t *testing.T)   { both(t, writeThenWrite) }

func rLocker() edge {
	mu := new(sync.RWMutex)
	mu.Lock()
	return edge{mu.Unlock, mu.RLocker().Lock}
}

func TestNoRaceRWMutexRLocker(t *testing.T) { ordered(rLocker()) }
func TestRaceRWMutexRLocker(t *testing.T)   { both(t, rLocker) }

func tryRLock() edge {
	mu := new(sync.RWMutex)
	mu.Lock()
	return edge{mu.Unlock, func() { until(mu.TryRLock) }}
}

func TestNoRaceRWMutexTryRLock(t *testing.T) { ordered(tryRLock()) }
func TestRaceRWMutexTryRLock(t *testing.T)   { both(t, tryRLock) }

func tryWLock() edge {
	mu := new(sync.RWMutex)
	mu.RLock()
	return edge{mu.RUnlock, func() { until(mu.TryLock) }}
}

func TestNoRaceRWMutexTryLock(t *testing.T) { ordered(tryWLock()) }
func TestRaceRWMutexTryLock(t *testing.T)   { both(t, tryWLock) }

// Two readers aren't ordered.
func TestRaceRWMutexReaders(t *testing.T) {
	var o object
	var mu sync.RWMutex
	var first flag
	together(
		func() { mu.RLock(); o.write(1); mu.RUnlock(); first.raise() },
		func() { first.await(); mu.RLock(); o.read(); mu.RUnlock() },
	)
}

// A writer comes after all readers before it, not only the last.
func TestNoRaceRWMutexManyReaders(t *testing.T) {
	var o, p object
	var mu sync.RWMutex
	mu.RLock()
	mu.RLock()
	together(
		func() { o.write(1); mu.RUnlock() },
		func() { p.write(1); mu.RUnlock() },
		func() { mu.Lock(); o.read(); p.read(); mu.Unlock() },
	)
}

func condition(wake func(*sync.Cond)) edge {
	c := sync.NewCond(new(sync.Mutex))
	var woken flag
	return edge{
		func() { until(func() bool { wake(c); return woken.raised() }) }, // without the lock: it would order, too
		func() { c.L.Lock(); c.Wait(); woken.raise(); c.L.Unlock() },
	}
}

func condSignal() edge    { return condition((*sync.Cond).Signal) }
func condBroadcast() edge { return condition((*sync.Cond).Broadcast) }

func TestNoRaceCondSignal(t *testing.T)    { ordered(condSignal()) }
func TestRaceCondSignal(t *testing.T)      { both(t, condSignal) }
func TestNoRaceCondBroadcast(t *testing.T) { ordered(condBroadcast()) }
func TestRaceCondBroadcast(t *testing.T)   { both(t, condBroadcast) }
