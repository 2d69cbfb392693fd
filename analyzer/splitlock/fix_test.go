// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package splitlock

import (
	"testing"

	"github.com/commutego/commute/analyzer/internal/fixtest"
)

// TestFixes compares what the fixes make of the source with what they should.
func TestFixes(t *testing.T) {
	setLevel(t, All)
	fixtest.Golden(t, Analyzer)
}

// setLevel sets the level until the end of a test.
func setLevel(t *testing.T, to string) {
	was := level
	level = to
	t.Cleanup(func() { level = was })
}

// transcript calls the functions of package fixes with random values, by one goroutine, and prints
// what they return, what the object has then, and which locks are free.
const transcript = `package fixes

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func call(f func(t *T, k, n int) any, t *T, k, n int) (r any) {
	defer func() {
		if e := recover(); e != nil {
			r = fmt.Sprint("panic: ", e)
		}
	}()
	return f(t, k, n)
}

func TestTranscript(*testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		t := &T{n: random.IntN(4), max: random.IntN(4), m: map[int]int{1: 2, 2: random.IntN(3)}}
		if random.IntN(2) == 0 {
			t.other = &T{max: 3}
		}
		if random.IntN(2) == 0 {
			t.where.Store(new(int))
		}
		if random.IntN(10) == 0 {
			t.m = nil
		}
		t.flag.Store(random.IntN(2) == 0)
		t.count.Store(random.Int64N(4))
		t.ucount.Store(random.Uint32N(4))
		i, k, n := random.IntN(len(Functions)), random.IntN(4), random.IntN(4)
		r := call(Functions[i], t, k, n)
		fmt.Println(i, k, n, r, t.n, t.max, t.m, t.list, t.flag.Load(), t.count.Load(), t.ucount.Load(),
			t.where.Load() != nil, t.mu.TryLock(), t.rw.TryLock())
	}
}
`

// TestFixedBehaves runs the functions before and after the fixes: they compile, and one goroutine
// sees no difference. All locks are let go, and none is taken twice.
func TestFixedBehaves(t *testing.T) { fixtest.Behaves(t, transcript, 20000) }
