// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestFreshMemory has two goroutines write to memory that no goroutine has accessed before, on many
// pages, each pair of writes as nearly at once as a test can have it. At least one of the two sees
// the other, but for few: without back, a page fault let both miss each other on one page of three.
func TestFreshMemory(t *testing.T) {
	const pages = 1000
	addr := fresh(t, pages*pageSize/8)
	p := newPair()
	defer p.end()
	var at [2]atomic.Int32
	var found [2]int
	write := func(m *Thread, me int) {
		for i := range pages {
			at[me].Store(int32(i + 1))
			for n := 1; at[1-me].Load() < int32(i+1); n++ {
				if n%1000 == 0 {
					runtime.Gosched() // the other may need this processor
				}
			}
			if m.AccessByte(addr+uintptr(i)*pageSize, Write, uint32(me+1)).Word != 0 {
				found[me]++
			}
		}
	}
	done := make(chan bool)
	go func() {
		write(&p.b.memory, 1)
		done <- true
	}()
	write(&p.a.memory, 0)
	<-done
	if n := found[0] + found[1]; n < pages*9/10 {
		t.Errorf("of %d races, %d were found", pages, n)
	}
}
