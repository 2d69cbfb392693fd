// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"maps"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A weakModel has for each goroutine and address the set of events that it knows by weak clocks, or
// that were released there. A nil one has none.
type weakModel struct {
	events []vclock.Epoch
	knows  []map[int]bool // by goroutine
	at     []map[int]bool // by address
}

func newWeakModel(gs []*Thread, addrs int) *weakModel {
	w := new(weakModel)
	for _, g := range gs {
		g.Follow(false)
		w.knows = append(w.knows, map[int]bool{})
	}
	for range addrs {
		w.at = append(w.at, map[int]bool{})
	}
	return w
}

// add adds an event of a goroutine.
func (w *weakModel) add(gs []*Thread, i int) {
	if w == nil {
		return
	}
	w.knows[i][len(w.events)] = true
	w.events = append(w.events, gs[i].Weak.Clock.P().Thread.Tick())
}

// learn is what an acquire does.
func (w *weakModel) learn(i, j int) {
	if w != nil {
		maps.Copy(w.knows[i], w.at[j])
	}
}

// release is what a release does, which forgets earlier ones unless merge is set.
func (w *weakModel) release(i, j int, merge bool) {
	if w == nil {
		return
	}
	if !merge {
		w.at[j] = map[int]bool{}
	}
	maps.Copy(w.at[j], w.knows[i])
}

// free forgets an address.
func (w *weakModel) free(j int) {
	if w != nil {
		w.at[j] = map[int]bool{}
	}
}

// check compares what the goroutines know.
func (w *weakModel) check(m *lockModel, seed int64, step int) {
	if w == nil {
		return
	}
	for i, g := range m.gs {
		for e, epoch := range w.events {
			if got := g.Weak.Clock.P().Thread.Knows(epoch); got != w.knows[i][e] {
				m.t.Fatalf("seed %d, step %d: goroutine %d weakly knows event %d: %v, want %v",
					seed, step, i, e, got, w.knows[i][e])
			}
		}
	}
}

// TestLocksApart has a lock that the weak clock has nothing to learn at. It is followed all the
// same when code with critical sections takes it, and from then on.
func TestLocksApart(t *testing.T) {
	weakly(t)
	const lock = uintptr(0xc850000000)
	g := startThread()
	g.locks.others = few
	g.Follow(false)
	defer g.Finish()
	defer Free(lock, 8)
	follows := false
	takes := func() bool {
		known := TakesAgain(g, lock, lock, 0)
		if !known {
			AcquireLock(g, lock)
		}
		lets := LetsKnown(g, lock, false)
		if !lets {
			ReleaseLock(g, lock)
		}
		// It is let go by the short way already when it is taken for the second time.
		if known && !lets || follows && lets {
			t.Errorf("taken by the short way: %v; let go by it: %v", known, lets)
		}
		return known
	}
	for range 3 {
		takes()
	}
	if !takes() {
		t.Error("a lock that tells nothing is followed")
	}
	site := &compiled.LockSite{Size: 8}
	follows = true
	g.Weak.Section.Locking(site, lock, noSink{t})
	for i := range 3 {
		if takes() {
			t.Errorf("%d. time: a lock with sections is not followed", i+1)
		}
	}
}
