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

// A thread b publishes an epoch of a while a is about to go on with that epoch, or with the next
// one. What b acquires after a release by a must not include what a does after the release.
func TestPublishedMeanwhile(t *testing.T) {
	releases := map[string]func(a *Thread, l *LockClock){
		"Single": func(a *Thread, l *LockClock) { l.SingletonClock.Release(a) },
		"Lock":   func(a *Thread, l *LockClock) { l.Release(a) },
		"Merge":  func(a *Thread, l *LockClock) { l.ReleaseMerge(a) },
		"InCall": func(a *Thread, l *LockClock) { l.ReleaseInCall(a) },
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
			m.Acquire(b) // publishes the earlier epoch, that of the release
			a.SetEpochID(current)
			release(a, &l)
			if a.EpochID() != 0 {
				t.Fatal("the epoch goes on though it was released")
			}
			l.Acquire(b)
			if b.Knows(a.AccessEpoch()) {
				t.Error("the acquirer knows what comes after the release")
			}
		})
	}
	t.Run("Snapshot", func(t *testing.T) {
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
			t.Error("the epoch goes on though another thread knows it")
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
				runtime.Gosched() // so that f and g begin in either order, with one processor, too
			}
			run()
		})
	}
	wg.Wait()
}

// A thread f takes a snapshot of a while a learns something, or ends. If f knows the epoch then it
// knows what a has learned at it.
func TestRemoteSnapshotAtOnce(t *testing.T) {
	looks := map[string]func(f, a *Thread){
		"Remote":  func(f, a *Thread) { s := a.RemoteSnapshot(); f.Join(&s); s.Drop() },
		"JoinAll": func(f, _ *Thread) { f.JoinAll() },
	}
	for name, look := range looks {
		for _, ends := range []bool{false, true} {
			if ends && name == "Remote" {
				continue // the caller of RemoteSnapshot keeps the thread from ending
			}
			t.Run(fmt.Sprintf("%s/%v", name, ends), func(t *testing.T) {
				for range 1500 {
					a, c, f := newThread(), newThread(), newThread()
					var learned, after SingletonClock
					world.Start(a)
					world.Start(c)
					world.Start(f)
					event := c.Tick()
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
					if after.Acquire(f); !f.Knows(event) {
						t.Fatal("the acquirer of what was released does not know all of it")
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

// A thread b publishes an epoch of a while a moves to the next one, or publishes it in a call. In
// any order, a must take the epoch for published to all.
func TestPublishAtOnce(t *testing.T) {
	var inside LockClock
	defer inside.Clear()
	gives := map[string]func(a *Thread){
		"Tick":   func(a *Thread) { a.Tick() },
		"InCall": func(a *Thread) { inside.ReleaseInCall(a) },
	}
	for name, give := range gives {
		t.Run(name, func(t *testing.T) {
			for range 1500 {
				a, b := newThread(), newThread()
				world.Start(a)
				world.Start(b)
				event := a.Tick()
				s := a.Snapshot()
				if name == "Tick" {
					inside.ReleaseInCall(a)
				}
				atOnce(func() { b.Join(&s) }, func() { give(a) })
				if a.UnchangedSince(event) {
					t.Fatal("the thread counts as unchanged, and another thread knows the epoch")
				}
				s.Drop()
				a.End()
				b.End()
			}
		})
	}
}
