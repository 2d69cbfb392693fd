// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// TestLastWrite asks for the last write of a byte where others of its cell were written too, in one
// go or one by one.
func TestLastWrite(t *testing.T) {
	addr := fresh(t, 9)
	p := newPair()
	defer p.end()
	expect := func(at uintptr, site uint32, ok bool) {
		t.Helper()
		w, got := LastWrite(at)
		if got != ok || w.Site() != site {
			t.Errorf("the last write is at %d, %v; want %d, %v", w.Site(), got, site, ok)
		}
	}
	expect(addr, 0, true)
	p.a.memory.AccessByte(addr, Read, 1)
	expect(addr, 0, true)
	p.a.memory.Access(addr, 16, Write, 2)
	expect(addr, 2, true)
	expect(addr+8, 2, true)
	var m vclock.SingletonClock
	m.Release(&p.a.clock)
	m.Acquire(&p.b.clock)
	m.Clear()
	p.b.memory.AccessByte(addr, Write, 3)
	expect(addr, 3, true)
	expect(addr+1, 2, true)
	p.b.memory.AccessByte(addr+4, Write, 4)
	expect(addr, 3, true)
	expect(addr+4, 4, true)
	expect(addr+5, 2, true)

	w, _ := LastWrite(addr)
	if goid, when, ok := p.a.memory.MadeBy(w); !ok || goid != 2 || when == 0 {
		t.Errorf("it is of goroutine %d at %v, %v", goid, when, ok)
	}
	if _, _, ok := p.b.memory.MadeBy(w); ok {
		t.Error("its own is another's")
	}
	if _, _, ok := p.a.memory.MadeBy(0); ok {
		t.Error("no write is another's")
	}
	p.a.memory.Access(addr+8, 1, Write|Atomic, 5)
	expect(addr+8, 0, false)
	expect(addr+9, 2, true)
}
