// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestNoteLock has a goroutine take and release locks, in transactions and outside, while nothing
// is predicted: what is noted in short is what Lock and Unlock note.
func TestNoteLock(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	noted, asked := 0, 0
	for seq := range 2000 {
		var short, long Predictor
		var a, b Thread
		for step := range 30 {
			addr, read := uintptr(16*(1+r.IntN(maxHeld+2))), r.IntN(3) == 0
			var begins bool
			switch r.IntN(10) {
			case 0:
				a.Begin(uintptr(seq+1), false, vclock.Epoch(step))
				b.Begin(uintptr(seq+1), false, vclock.Epoch(step))
			case 1:
				short.End(&a)
				long.End(&b)
			case 2, 3, 4, 5:
				if !Quiet(&short) || !a.NoteLock(addr, read) {
					asked++
					begins = short.Lock(&a, addr, read, 0)
				} else {
					noted++
				}
				if want := long.Lock(&b, addr, read, 0); begins != want {
					t.Fatalf("sequence %d, step %d: a section begins: %v, want %v", seq, step,
						begins, want)
				}
			default:
				if !Quiet(&short) || !a.NoteUnlock(addr, read) {
					asked++
					short.Unlock(&a, addr, read, true, 0)
				} else {
					noted++
				}
				long.Unlock(&b, addr, read, true, 0)
			}
			if a != b || Quiet(&short) != Quiet(&long) {
				t.Fatalf("sequence %d, step %d: the goroutine is %+v, want %+v", seq, step, a, b)
			}
		}
	}
	if noted < 5000 || asked < 5000 {
		t.Errorf("%d locks are noted, %d asked for", noted, asked)
	}
}
