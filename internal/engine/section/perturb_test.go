// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "testing"

// TestPause asks when goroutines are held up: with a check made, once in a few times, and never if
// that is turned off. Another goroutine has used the lock.
func TestPause(t *testing.T) {
	for _, on := range []bool{true, false} {
		r := newRaising(t)
		r.world.Perturb(on)
		yields, sleeps := 0, 0
		const times = 4000
		r.b.section(r.get, 1, 7, 0)
		r.a.Locking(complete, mutex, r.a) // its first lock
		for range times {
			if n := r.a.Locking(complete, mutex, r.a); n != 0 {
				t.Fatal("held up before any check")
			}
			r.a.enter(r.f)
			r.a.section(r.get, 1, 7, 0)
			switch n := r.a.Locking(complete, mutex, r.a); {
			case n == 1:
				yields++
			case n > maxPause:
				t.Fatalf("held up for %d us", n)
			case n > 0:
				sleeps++
			}
			r.a.leave()
		}
		if got := yields + sleeps; on && (got < times/8 || got > times/2 || yields < times/16 ||
			sleeps < times/16) || !on && got != 0 {
			t.Errorf("on: %v: %d yields and %d sleeps in %d", on, yields, sleeps, times)
		}
	}
}

// TestPauseAtStart asks when goroutines are held up before their first lock, and wants none to be
// before the second, as long as they have made no check.
func TestPauseAtStart(t *testing.T) {
	for _, on := range []bool{true, false} {
		r := newRaising(t)
		r.world.Perturb(on)
		paused := 0
		const times = 400
		for range times {
			g := r.start(nil)
			if g.Locking(complete, mutex, g) != 0 {
				paused++
			}
			if g.Locking(complete, mutex, g) != 0 {
				t.Fatal("held up before its second lock")
			}
		}
		if on && (paused < times/8 || paused > 2*times/3) || !on && paused != 0 {
			t.Errorf("on: %v: %d of %d goroutines are held up at their start", on, paused, times)
		}
	}
}

// TestPauseAlone has one goroutine check and act many times. It is held up a few times, a few times
// more when it has started another one, and often as soon as that one has used the lock.
func TestPauseAlone(t *testing.T) {
	r := newRaising(t)
	r.world.Perturb(true)
	r.a.Locking(complete, mutex, r.a) // its first lock
	paused := func(times int) (n int) {
		for range times {
			r.a.enter(r.f)
			r.a.section(r.get, 1, 7, 0)
			if r.a.Locking(complete, mutex, r.a) != 0 {
				n++
			}
			r.a.leave()
		}
		return n
	}
	for range 2 {
		if n := paused(1000); n != inVain {
			t.Errorf("alone: held up %d times, want %d", n, inVain)
		}
		Starts(&r.a.Thread)
	}
	r.b.section(r.get, 1, 7, 0)
	if n := paused(1000); n < 125 || n > 500 {
		t.Errorf("with another one: held up %d times", n)
	}
}
