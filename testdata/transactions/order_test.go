// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// A round is a transaction that writes one variable and reads another, while somebody reads the one and writes the other: it
// is broken if that has seen what it wrote, and it what was written then.
type round struct{ x, y atomic.Int32 }

// atomic
func (r *round) writeAndRead() (seen bool) {
	r.x.Store(1)
	return r.y.Load() == 1
}

// atomic
func (r *round) swapAndAdd() (seen bool) {
	r.x.Swap(1)
	return r.y.Add(2) == 3
}

// atomic
func (r *round) compareAndRead() (seen bool) {
	r.x.CompareAndSwap(0, 1)
	return r.y.Load() == 1
}

func (r *round) readAndWrite() (seen bool) {
	seen = r.x.Load() == 1
	r.y.Store(1)
	return seen
}

func (r *round) addAndSwap() (seen bool) {
	seen = r.x.Add(2) == 3
	r.y.CompareAndSwap(0, 1)
	return seen
}

// TestOrderOfAtomics says of each round whether it was broken: that is what is to be reported, whatever is done at the same
// moment.
func TestOrderOfAtomics(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("COMMUTE_TRANSACTIONS_ROUNDS"))
	for range n {
		r := new(round)
		t.Run("loads", func(t *testing.T) { r.play(t, r.writeAndRead, r.readAndWrite) })
		r = new(round)
		t.Run("compares", func(t *testing.T) { r.play(t, r.compareAndRead, r.readAndWrite) })
		r = new(round)
		t.Run("swaps", func(t *testing.T) { r.play(t, r.swapAndAdd, r.addAndSwap) })
	}
}

func (r *round) play(t *testing.T, marked, other func() bool) {
	var meet script.Meeting
	var a, b bool
	script.Go(
		func() { meet.Wait(2); a = marked() },
		func() { meet.Wait(2); b = other() })
	if a && b {
		fmt.Println("broken:", t.Name())
	}
}
