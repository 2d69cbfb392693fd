// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "github.com/commutego/commute/internal/engine/vclock"

// A lock is a clock as package runtime has it: a Mark until that is too little.
type lock struct {
	mark  vclock.SingletonClock
	sync  vclock.LockClock
	wide  bool
	plain plain
}

func (l *lock) widen() {
	if !l.wide {
		l.sync.CopyFrom(&l.mark)
		l.mark.Clear()
		l.wide = true
	}
}

func (l *lock) take() vclock.Snapshot {
	if l.wide {
		return l.sync.Snapshot()
	}
	return l.mark.Snapshot()
}

func (l *lock) acquire(g *goroutine) {
	if l.wide {
		l.sync.Acquire(&g.clock)
	} else {
		l.mark.Acquire(&g.clock)
	}
	g.plain.join(&l.plain)
}

func (l *lock) release(g *goroutine) {
	if l.wide {
		l.sync.Release(&g.clock)
	} else {
		l.mark.Release(&g.clock)
	}
	l.plain = g.plain
}

func (l *lock) releaseMerge(g *goroutine) {
	if l.wide || !l.mark.ReleaseMerge(&g.clock) {
		l.widen()
		l.sync.ReleaseMerge(&g.clock)
	}
	l.plain.join(&g.plain)
}

func (l *lock) transfer(g *goroutine) {
	if l.wide {
		l.sync.ReleaseAcquire(&g.clock)
	} else {
		l.mark.ReleaseAcquire(&g.clock)
	}
	old := l.plain
	l.plain = g.plain
	g.plain.join(&old)
}
