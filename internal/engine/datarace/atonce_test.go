// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestAtOnce has two goroutines access the same cell as nearly at the same instant as a test can
// have it. One of the two sees the other, whatever there was of the cell before. On memory that
// nobody has accessed before a page fault may come in between.
func TestAtOnce(t *testing.T) {
	const n = 500
	histories := map[string]func(addr uintptr, p *pair){
		"fresh":   func(uintptr, *pair) {},
		"written": func(addr uintptr, p *pair) { p.a.memory.AccessByte(addr, Write, 3) },
		"read by both": func(addr uintptr, p *pair) {
			p.a.memory.AccessByte(addr, Read, 3)
			p.b.memory.AccessByte(addr, Read, 4)
		},
		"bytes by both": func(addr uintptr, p *pair) {
			p.a.memory.AccessByte(addr, Write, 3)
			p.b.memory.AccessByte(addr+1, Write, 4)
			p.a.memory.AccessByte(addr+2, Read, 3)
			p.b.memory.AccessByte(addr+2, Read, 4)
		},
	}
	for name, before := range histories {
		for _, kinds := range [][2]event.Access{
			{Write, Write}, {Read, Write}, {Write, Read}, {Write | Atomic, Write},
			{Read, Write | Atomic}, {Read | Atomic, Write},
		} {
			for _, step := range []uintptr{pageSize, 64} {
				t.Run(fmt.Sprint(name, kinds, step), func(t *testing.T) {
					addr := fresh(t, n*step/8)
					if missed := atOnce(addr, step, n, before, kinds); missed > 0 {
						t.Errorf("of %d races, %d are missed", n, missed)
					}
				})
			}
		}
	}
}

// atOnce returns the number of n addresses where neither of two accesses has seen the other. What
// was before is known to both goroutines.
func atOnce(
	addr, step uintptr, n int, before func(uintptr, *pair), kinds [2]event.Access,
) (missed int) {
	p := newPair()
	defer p.end()
	for i := range n {
		before(addr+uintptr(i)*step, p)
	}
	p.a.clock.Rendezvous(&p.b.clock)
	var at [2]atomic.Int32
	found := [2][]bool{make([]bool, n), make([]bool, n)}
	access := func(g *goroutine, me int) {
		for i := range n {
			at[me].Store(int32(i + 1))
			for k := 1; at[1-me].Load() < int32(i+1); k++ {
				if k%1000 == 0 {
					runtime.Gosched() // the other may need this processor
				}
			}
			byte, now := addr+uintptr(i)*step, uint64(g.memory.currentEpoch())
			if kinds[me] == Read|Atomic && // so do the hooks
				g.memory.EasyRead(CellOf(byte), now, kinds[me], uint32(me+1), 0) ||
				kinds[me] == Write|Atomic &&
					g.memory.EasyAtomicWrite(CellOf(byte), now, uint32(me+1)) {
				continue
			}
			r := g.memory.AccessByte(byte, kinds[me], uint32(me+1))
			found[me][i] = r.Site() == uint32(2-me)
		}
	}
	done := make(chan bool)
	go func() {
		access(p.b, 1)
		done <- true
	}()
	access(p.a, 0)
	<-done
	for i := range n {
		if !found[0][i] && !found[1][i] {
			missed++
		}
	}
	return missed
}

// TestMeanwhile has the second of two accesses begin before the first one, which it then finds
// with what it knows of the page from before; and one that is stored over at the same instant.
func TestMeanwhile(t *testing.T) {
	addr := fresh(t, 3)
	p := newPair()
	defer p.end()
	p.a.memory.AccessByte(addr, Read, 1)
	p.a.memory.AccessByte(addr+8, Write, 2)
	p.b.memory.AccessByte(addr+16, Read, 3)
	r, b := findRegion(addr), &p.b.memory
	now := Word(p.b.clock.EpochID()) | 1
	if race := b.write(r, addr, now|Word(4)<<siteShift, pageOwned|pageWritten); race.Site() != 1 {
		t.Errorf("a write races with site %d", race.Site())
	}
	if race := b.read(r, addr+8, now|Word(4)<<siteShift, pageOwned|pageRead); race.Site() != 2 {
		t.Errorf("a read races with site %d", race.Site())
	}
	p.b.memory.AccessByte(addr+16, Write, 5)
	p.a.memory.AccessByte(addr+16, Write, 6)
	if race := overwritten(&b.checker, r, addr+16, now|Word(5)<<siteShift); race.Site() != 6 {
		t.Errorf("a write that was stored over races with site %d", race.Site())
	}
}
