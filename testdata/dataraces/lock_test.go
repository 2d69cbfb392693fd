// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"sync"
	"testing"
)

// unlocking is an edge of a lock that is held at first.
func unlocking[L any](hold func(l *L), signal, wait func(l *L)) func(*testing.T) edge {
	return func(*testing.T) edge {
		l := new(L)
		hold(l)
		return edge{func() { signal(l) }, func() { wait(l) }}
	}
}

type (
	mu = sync.Mutex
	rw = sync.RWMutex
)

var lockEdges = edges{
	"Mutex":          unlocking((*mu).Lock, (*mu).Unlock, (*mu).Lock),
	"MutexTryLock":   unlocking((*mu).Lock, (*mu).Unlock, func(l *mu) { until(l.TryLock) }),
	"WriteThenRead":  unlocking((*rw).Lock, (*rw).Unlock, (*rw).RLock),
	"ReadThenWrite":  unlocking((*rw).RLock, (*rw).RUnlock, (*rw).Lock),
	"WriteThenWrite": unlocking((*rw).Lock, (*rw).Unlock, (*rw).Lock),
	"RLocker":        unlocking((*rw).Lock, (*rw).Unlock, func(l *rw) { l.RLocker().Lock() }),
	"TryRLock":       unlocking((*rw).Lock, (*rw).Unlock, func(l *rw) { until(l.TryRLock) }),
	"TryLock":        unlocking((*rw).RLock, (*rw).RUnlock, func(l *rw) { until(l.TryLock) }),
	"TwoReaders": func(*testing.T) edge {
		l := new(rw)
		l.RLock()
		l.RLock()
		return edge{func() { l.RUnlock(); l.RUnlock() }, l.Lock}
	},
	"Cond":               condition(func(c *sync.Cond) { c.L.Lock(); c.Signal(); c.L.Unlock() }),
	"CondBroadcast":      condition(func(c *sync.Cond) { c.L.Lock(); c.Broadcast(); c.L.Unlock() }),
	"CondSignalAlone":    condition((*sync.Cond).Signal),
	"CondBroadcastAlone": condition((*sync.Cond).Broadcast),
}

// condition wakes somebody, with the lock or without it, until that has worked.
func condition(wake func(c *sync.Cond)) func(*testing.T) edge {
	return func(*testing.T) edge {
		c := sync.NewCond(new(sync.Mutex))
		var woken flag
		return edge{
			func() { until(func() bool { wake(c); return woken.raised() }) },
			func() { c.L.Lock(); c.Wait(); woken.raise(); c.L.Unlock() },
		}
	}
}

func TestRaceLock(t *testing.T)   { lockEdges.races(t) }
func TestNoRaceLock(t *testing.T) { lockEdges.ordered(t) }

// guarded runs each function in a section of a lock.
func guarded(l sync.Locker, functions ...func()) (sections []func()) {
	for _, f := range functions {
		sections = append(sections, func() {
			l.Lock()
			defer l.Unlock()
			f()
		})
	}
	return sections
}

func TestNoRaceSections(t *testing.T) {
	for name, l := range map[string]sync.Locker{"Mutex": new(mu), "RWMutex": new(rw)} {
		t.Run(name, func(*testing.T) {
			c := new(cargo)
			sections := guarded(l, c.unload, c.load, c.unload, c.load)
			apart(sections...)
			together(sections...)
		})
	}
	t.Run("Value", func(*testing.T) {
		c := struct {
			sync.Mutex
			cargo
		}{}
		sections := guarded(&c, c.load, c.unload, c.load)
		apart(sections...)
		together(sections...)
	})
	t.Run("ReadersOnly", func(*testing.T) {
		var l rw
		c := new(cargo)
		c.load()
		together(guarded(l.RLocker(), c.unload, c.unload, c.unload)...)
	})
	t.Run("ReadersAndWriter", func(*testing.T) {
		var l rw
		c := new(cargo)
		readers, writers := guarded(l.RLocker(), c.unload, c.unload), guarded(&l, c.load)
		apart(readers[0], writers[0], readers[1])
		together(append(readers, writers...)...)
	})
	t.Run("HandOverHand", func(*testing.T) {
		var locks [4]sync.Mutex
		var cells [4]cargo
		walk := func() {
			locks[0].Lock()
			for i := range cells {
				cells[i].load()
				if i+1 < len(cells) {
					locks[i+1].Lock()
				}
				locks[i].Unlock()
			}
		}
		together(walk, walk, walk)
	})
}

func TestRaceSections(t *testing.T) {
	t.Run("OtherLock", func(*testing.T) {
		c := new(cargo)
		apart(guarded(new(mu), c.load)[0], guarded(new(mu), c.unload)[0])
	})
	t.Run("OneWithout", func(*testing.T) {
		c := new(cargo)
		apart(guarded(new(mu), c.load)[0], c.unload)
	})
	t.Run("OneWithoutFirst", func(*testing.T) {
		c := new(cargo)
		apart(c.unload, guarded(new(mu), c.load)[0])
	})
	t.Run("ReadersThatWrite", func(*testing.T) {
		var l rw
		c := new(cargo)
		apart(guarded(l.RLocker(), c.load, c.load)...)
	})
	t.Run("AfterUnlock", func(*testing.T) {
		c := new(cargo)
		sections := guarded(new(mu), func() {}, func() {})
		apart(func() { sections[0](); c.load() }, func() { sections[1](); c.unload() })
	})
	t.Run("CopiedLock", func(*testing.T) { // each has a lock of its own, for what they share
		type locked struct {
			sync.Locker
			list []int
		}
		one := locked{new(mu), []int{1}}
		two := locked{new(mu), one.list}
		change := func(l locked) func() { return guarded(l, func() { l.list[0]++ })[0] }
		apart(change(one), change(two))
	})
	t.Run("LockOfElement", func(*testing.T) { // the map needs a lock, too
		m := map[int]*mu{1: {}}
		apart(guarded(m[1], func() { m[2] = new(mu) })[0], func() { guarded(m[1], func() {})[0]() })
	})
}

// A TryLock that fails orders nothing.
func TestRaceTryLockFailed(t *testing.T) {
	var l sync.Mutex
	c := new(cargo)
	var held, tried flag
	together(
		func() { c.load(); l.Lock(); held.raise(); tried.await(); l.Unlock() },
		func() { held.await(); l.TryLock(); c.unload(); tried.raise() },
	)
}
