// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"maps"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// slotsAt are the slots of channels: more than a block has room for, and one alone.
func slotsAt(base uintptr) (slots []uintptr) {
	for i := range uintptr(3 * inBlock) {
		slots = append(slots, base+8*i)
	}
	return append(slots, base+BlockSize)
}

// TestExchangeTakesNoLock has a goroutine send and receive, and nobody else. Once each slot was of
// use it takes no lock, and stays at its epoch. Then an event of it reaches a receiver all the
// same.
func TestExchangeTakesNoLock(t *testing.T) {
	slots := slotsAt(0xc900000000)
	a, b := startThread(), startThread()
	defer a.Finish()
	defer b.Finish()
	round := func() {
		for _, at := range slots {
			a.ReleaseAcquire(at)
		}
	}
	round()
	was := a.Clock.Now()
	var locks []*offheap.Lock
	annexed := 0
	for i, at := range slots {
		p := PageAt(at)
		if v := p.findVar(at); v != nil {
			locks = append(locks, &v.lock)
		} else if p.block(at).spare(at) != nil {
			annexed++
		}
		if i == 0 || i == len(slots)-1 { // each of another block
			locks = append(locks, &p.block(at).lock)
		}
	}
	for _, l := range locks {
		l.Lock()
	}
	paused, done := capture.Pause(t), make(chan bool)
	go func() {
		round()
		close(done)
	}()
	select {
	case <-done:
	case <-paused:
		t.Error("a send that tells nothing new waits for a lock")
	}
	for _, l := range locks {
		l.Unlock()
	}
	<-done
	if now := a.Clock.Now(); now != was || annexed < len(slots)/2 || len(locks) < 2 {
		t.Errorf("the goroutine is at %v, and was at %v, with %d locks, and %d slots in an annex",
			now, was, len(locks), annexed)
	}
	for _, at := range slots {
		sent := a.Clock.Tick()
		a.ReleaseAcquire(at)
		if late := a.Clock.Tick(); b.Clock.Knows(sent) {
			t.Errorf("%#x: the receiver knows of the sender before it receives", at)
		} else if b.ReleaseAcquire(at); !b.Clock.Knows(sent) || b.Clock.Knows(late) {
			t.Errorf("%#x: the receiver does not know just what came before the send", at)
		}
	}
}

// TestExchangeAgrees compares random sends and receives with the sets of events that each goroutine
// knows, by the call clock and by the weak clock.
func TestExchangeAgrees(t *testing.T) {
	defer SetWeakClocks(false)
	seeds := int64(3000)
	if testing.Short() {
		seeds = 300
	}
	for seed := range seeds {
		SetWeakClocks(wordBits == 64 && seed%2 != 0)
		r := rand.New(rand.NewSource(seed))
		slots := slotsAt(0xca00000000 + uintptr(seed)<<16)
		var gs [3]*Thread
		var knows [3]map[int]bool
		for i := range gs {
			gs[i], knows[i] = startThread(), map[int]bool{}
			gs[i].hasWeak(false)
		}
		at := make([]map[int]bool, len(slots))
		for j := range at {
			at[j] = map[int]bool{}
		}
		var events [][2]vclock.Epoch
		marks := 1 + r.Intn(40)
		for step := range 400 {
			i, j := r.Intn(len(gs)), r.Intn(len(slots))
			g := gs[i]
			if r.Intn(marks) == 0 {
				e := [2]vclock.Epoch{g.Clock.Tick()}
				if WeakClocks() {
					e[1] = g.Weak.Clock.P().Thread.Tick()
				}
				knows[i][len(events)] = true
				events = append(events, e)
			}
			before := maps.Clone(knows[i])
			if r.Intn(8) == 0 { // something else than a channel was there, or is
				g.Acquire(slots[j])
				maps.Copy(knows[i], at[j])
			} else {
				g.ReleaseAcquire(slots[j])
				maps.Copy(knows[i], at[j])
				at[j] = before
			}
			for n, e := range events {
				if is := g.Clock.Knows(e[0]); is != knows[i][n] {
					t.Fatalf("seed %d, step %d: goroutine %d knows event %d: %t", seed, step, i,
						n, is)
				}
				if e[1] == 0 {
					continue
				}
				if is := g.Weak.Clock.P().Thread.Knows(e[1]); is != knows[i][n] {
					t.Fatalf("seed %d, step %d: goroutine %d weakly knows event %d: %t", seed,
						step, i, n, is)
				}
			}
		}
		Free(slots[0], 2*BlockSize)
		for _, g := range gs {
			g.Finish()
		}
	}
}
