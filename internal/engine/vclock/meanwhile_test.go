// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package vclock

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Another thread gives a moment away while its thread is about to go on with that moment, or with the next: what
// is released afterwards is not what the thread does after that.
func TestGivenAwayMeanwhile(t *testing.T) {
	releases := map[string]func(a *Thread, l *LockClock){
		"Mark":   func(a *Thread, l *LockClock) { l.SingletonClock.Release(a) },
		"Sync":   func(a *Thread, l *LockClock) { l.Release(a) },
		"Merge":  func(a *Thread, l *LockClock) { l.ReleaseMerge(a) },
		"Within": func(a *Thread, l *LockClock) { l.ReleaseInCall(a) },
	}
	for name, release := range releases {
		t.Run(name, func(t *testing.T) {
			a, b := newThread(), newThread()
			world.Start(a)
			world.Start(b)
			defer a.End()
			defer b.End()
			var m SingletonClock
			var l LockClock
			defer m.Clear()
			defer l.Clear()
			m.Release(a)
			current := uint64(a.AccessEpoch())
			m.Acquire(b) // tells a of the earlier moment
			a.SetEpochID(current)
			release(a, &l)
			if a.EpochID() != 0 {
				t.Fatal("the moment goes on though it was released")
			}
			l.Acquire(b)
			if b.Knows(a.AccessEpoch()) {
				t.Error("the acquirer knows what comes after the release")
			}
		})
	}
	t.Run("Stamp", func(t *testing.T) {
		a, b := newThread(), newThread()
		world.Start(a)
		world.Start(b)
		defer a.End()
		defer b.End()
		current := uint64(a.AccessEpoch())
		s := a.Snapshot()
		b.Join(&s)
		s.Drop()
		if a.SetEpochID(current); a.EpochID() != 0 {
			t.Error("the moment goes on though another thread knows it")
		}
	})
}

// atOnce runs two functions at the same time, as far as there are processors.
func atOnce(f, g func()) {
	var ready atomic.Int32
	var wg sync.WaitGroup
	for _, run := range [...]func(){f, g} {
		wg.Go(func() {
			for ready.Add(1); ready.Load() < 2; {
				runtime.Gosched() // with one processor the other can't come before
			}
			run()
		})
	}
	wg.Wait()
}

// Another thread looks at one that learns something at that moment, or ends: if it knows the moment it knows what was learned.
func TestPeekAtOnce(t *testing.T) {
	looks := map[string]func(f, a *Thread){
		"Peek":    func(f, a *Thread) { s := a.RemoteSnapshot(); f.Join(&s); s.Drop() },
		"JoinAll": func(f, _ *Thread) { f.JoinAll() },
	}
	for name, look := range looks {
		for _, ends := range []bool{false, true} {
			if ends && name == "Peek" {
				continue // whom one peeks at doesn't end meanwhile
			}
			t.Run(fmt.Sprintf("%s/%v", name, ends), func(t *testing.T) {
				for range 1500 {
					a, c, f := newThread(), newThread(), newThread()
					var learned, after SingletonClock
					world.Start(a)
					world.Start(c)
					world.Start(f)
					moment := c.Tick()
					learned.Release(c)
					a.Tick()
					if ends {
						learned.Acquire(a)
						after.Release(a)
					}
					atOnce(func() { look(f, a) }, func() {
						if ends {
							a.End()
							return
						}
						learned.Acquire(a)
						after.Release(a)
					})
					if after.Acquire(f); !f.Knows(moment) {
						t.Fatal("who acquires what was released does not know all of it")
					}
					if !ends {
						a.End()
					}
					c.End()
					f.End()
					learned.Clear()
					after.Clear()
				}
			})
		}
	}
}

// Another thread gives a moment away while its thread steps to the next, or gives it away as within a call: the moment is not fresh.
func TestGiveAwayAtOnce(t *testing.T) {
	var inside LockClock
	defer inside.Clear()
	gives := map[string]func(a *Thread){
		"Touch":  func(a *Thread) { a.Tick() },
		"Within": func(a *Thread) { inside.ReleaseInCall(a) },
	}
	for name, give := range gives {
		t.Run(name, func(t *testing.T) {
			for range 1500 {
				a, b := newThread(), newThread()
				world.Start(a)
				world.Start(b)
				moment := a.Tick()
				s := a.Snapshot()
				if name == "Touch" {
					inside.ReleaseInCall(a)
				}
				atOnce(func() { b.Join(&s) }, func() { give(a) })
				if a.UnchangedSince(moment) {
					t.Fatal("the moment counts as fresh, and another thread knows it")
				}
				s.Drop()
				a.End()
				b.End()
			}
		})
	}
}
