// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Programs call TryLock in loops, and each time that it fails the goroutine has to know the present
// of all others. Few of these have done something since another one asked. So a World has one more
// thread, which does nothing but learn: whoever asks has it learn what is new, and then knows all
// that this thread does.

// A collector is the thread that learns of all others. The lock of the slot table guards it. It has
// a slot, and is not among the live threads: it has no part in the floor.
type collector struct {
	thread offheap.Ref[Thread] // nil until it is needed
	// The last epochs of threads that have ended and that the collector doesn't know. If there are
	// more than it has room for, it has to look at all free slots.
	ended  [64]Epoch
	nEnded uint32
}

var collectors offheap.Slab[Thread]

// start gives the collector its thread.
func (c *collector) start(w *World) {
	t := collectors.Get()
	t.world, t.slot = offheap.To(w), w.slots.newSlot()
	host.Publish64(&t.time, 1)
	t.first = 1
	t.alike = alike{seen: t.Now()}
	w.slots.thread(t.slot).Store(t)
	c.thread = offheap.To(t)
	c.nEnded = uint32(len(c.ended)) + 1
}

// note notes the last epoch of a thread that has ended.
func (c *collector) note(last Epoch) {
	if c.thread.Nil() {
		return
	}
	if c.nEnded < uint32(len(c.ended)) {
		c.ended[c.nEnded] = last
	}
	c.nEnded = min(c.nEnded+1, uint32(len(c.ended))+1)
}

// JoinAll makes t know the present of every thread, alive and ended. Where that is no news, t stays
// at its epoch. O(n + d), n the live threads and d the changes since the last call by any thread.
func (t *Thread) JoinAll() {
	w := t.World()
	s := &w.slots
	// The lock keeps each thread either alive, or among the free slots with all that it knew; or it
	// ends meanwhile.
	s.lock.Lock()
	if s.collector.thread.Nil() {
		s.collector.start(w)
	}
	all := s.collector.thread.P()
	s.collectFreed(false)
	for i := range s.live.n {
		if slot := *s.live.at(i); slot != t.slot {
			s.collect(slot)
		}
	}
	s.collector.collectEnded(&s.free)
	// Those that have ended since then may know what others have done since they were looked at.
	s.collectFreed(true)
	// As for any thread that joins all, what comes after this isn't what was released in calls.
	if t.releasedInCall || !t.Knows(all.Now()) {
		all.foldExtra()
		foldForRelease(all)
		take(t, all)
	}
	s.lock.Unlock()
}

// collect has the collector know the present of a slot's thread. It has nothing to do where it has
// joined the thread at this epoch: that is published since, so the thread leaves it before it
// learns or does more.
func (s *slotTable) collect(slot uint32) {
	t := s.thread(slot).Load()
	if t == nil || t.time.Load() == t.collected {
		return
	}
	if t = s.lockLive(slot); t == nil {
		return // it has ended just now
	}
	p := t.publishSnapshot()
	t.lock.Unlock()
	s.collector.thread.P().Join(&p)
	t.collected = p.epoch.Time()
	p.Drop()
}

// collectEnded has the collector know the epochs of ended threads, and not their vectors. What an
// ended thread knew are epochs of live threads, which the collector knows by now, but for those of
// the caller of JoinAll, and epochs of ended ones.
func (c *collector) collectEnded(free *ring) {
	if c.nEnded <= uint32(len(c.ended)) {
		for _, e := range c.ended[:c.nEnded] {
			c.learn(e)
		}
	} else {
		for i := range free.size {
			c.learn(free.at(i).last.epoch)
		}
	}
	c.nEnded = 0
}

// learn has the collector know an epoch of a thread that has ended.
func (c *collector) learn(e Epoch) {
	all := c.thread.P()
	if all.Knows(e) {
		return
	}
	all.lock.Lock()
	all.ensureUnused(false)
	all.learned++
	all.root, all.basis = offheap.To(set(all.root.P(), e, all.Now())), 0
	all.lock.Unlock()
}

// take makes t know what the collector does. But for its own epochs, t knows no more than that.
func take(t, all *Thread) {
	t.lock.Lock()
	t.ensureUnused(false)
	t.unchangedSince = t.time.Load()
	t.learned++
	all.publish()
	old := t.root
	t.root, t.extra, t.basis = all.root, all.Now(), all.Now()
	ref(all.root.P())
	unref(old.P())
	t.lock.Unlock()
}
