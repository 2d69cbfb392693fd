// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"math/rand/v2"
	"testing"
)

// inBucket are addresses of n blocks that have one hash.
func inBucket(n int) (addrs []uintptr) {
	const first = 1 << 30
	for a := uintptr(first); len(addrs) < n; a += 1 << blockBits {
		if bucketOf(a) == bucketOf(first) {
			addrs = append(addrs, a)
		}
	}
	return addrs
}

// TestFreedMeanwhile frees memory while the lock of the world is taken, at random. Those locks that
// were in it are gone, and no others, unless there was no room to note what was freed.
func TestFreedMeanwhile(t *testing.T) {
	addrs := inBucket(maxLate + 4)
	for seed := range uint64(2000) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		w := new(World)
		w.on.Store(1)
		lives := make(map[uintptr]uint64) // the serials of locks
		for range 20 {
			w.lock()
			for _, a := range addrs {
				if rnd.IntN(2) == 0 {
					l := w.lockAt(a)
					if serial, ok := lives[a]; ok && serial != l.serial {
						t.Fatalf("seed %d: the lock at %#x is forgotten", seed, a)
					}
					lives[a] = l.serial
				}
			}
			n := rnd.IntN(len(addrs))
			for _, i := range rnd.Perm(len(addrs))[:n] {
				w.Freed(addrs[i], addrs[i]+8, nil)
				delete(lives, addrs[i])
			}
			if n > maxLate {
				clear(lives)
			}
			w.spin.Unlock()
			if rnd.IntN(2) == 0 { // now with nobody in the way
				w.Freed(addrs[0], addrs[0]+8, nil)
				delete(lives, addrs[0])
			}
			w.lock()
			for _, a := range addrs {
				l := w.known(a)
				if serial, ok := lives[a]; ok != (l != nil) || ok && serial != l.serial {
					t.Fatalf("seed %d: the lock at %#x lives: %v, want %v", seed, a, l != nil, ok)
				}
			}
			w.spin.Unlock()
		}
	}
}

// TestFreedByMany frees memory by goroutines that find the lock taken by each other.
func TestFreedByMany(t *testing.T) {
	addrs := inBucket(8)
	w := new(World)
	w.on.Store(1)
	w.lock()
	kept := w.lockAt(addrs[0]).serial
	w.spin.Unlock()
	done := make(chan bool)
	for _, a := range addrs[1:] {
		go func() {
			for range 2000 {
				w.lock()
				serial := w.lockAt(a).serial
				w.spin.Unlock()
				w.Freed(a, a+8, nil)
				w.lock()
				if l := w.known(a); l != nil && l.serial == serial {
					t.Errorf("the lock at %#x is still there", a)
				}
				w.spin.Unlock()
			}
			done <- true
		}()
	}
	for range addrs[1:] {
		<-done
	}
	w.lock()
	if l := w.known(addrs[0]); l == nil || l.serial != kept {
		t.Error("a lock is forgotten whose memory was not freed")
	}
	w.spin.Unlock()
}
