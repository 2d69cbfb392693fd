// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// violations are the cycles that are handed over.
type violations struct{ first []atomicity.Edge }

func (*violations) Wants(*atomicity.AtomicCode) bool { return true }

func (v *violations) Cycle(c *atomicity.Cycle) { v.first = append(v.first, c.Edges[0]) }

// inTransaction has the first of a pair read a variable, f, and the first read it again, which is a
// violation if and only if what f has the second do conflicts with both. Written says that the
// second has written it before all that. The first conflicts are returned.
func inTransaction(
	t *testing.T, addr uintptr, written bool,
	f func(p *pair, access func(kind event.Access, site uint32)),
) []atomicity.Edge {
	Counts = func(uint32) bool { return true }
	t.Cleanup(func() { Counts = nil })
	p := newPair()
	defer p.end()
	var a, b atomicity.Thread
	p.a.memory.SetTransactions(&a, new(predict.Thread))
	p.b.memory.SetTransactions(&b, new(predict.Thread))
	var v violations
	if written {
		p.b.memory.AccessByte(addr, Write, 1)
		p.b.pass(p.a)
	}
	instance.Transactions.Begin(&a, &p.a.clock, &atomicity.AtomicCode{Name: "f"})
	p.a.memory.AccessByte(addr, Read, 11)
	p.a.pass(p.b)
	f(p, func(kind event.Access, site uint32) {
		c, now := CellOf(addr), p.b.clock.EpochID()
		if kind == Read && (p.b.memory.EasyRead(c, now, Read, site, 0) ||
			p.b.memory.QuickRead(c, now, site, 0)) ||
			kind == Write && (p.b.memory.EasyWrite(c, now, site, 0) ||
				p.b.memory.QuickWrite(c, now, site, 0)) {
			return
		}
		p.b.memory.AccessByte(addr, kind, site)
	})
	p.b.pass(p.a)
	p.a.memory.AccessByte(addr, Read, 12)
	instance.Transactions.End(&a, &v)
	return v.first
}

// pass orders what g has done before what h does.
func (g *goroutine) pass(h *goroutine) {
	var m vclock.SingletonClock
	m.Release(&g.clock)
	m.Acquire(&h.clock)
	m.Clear()
}

// TestReadBehindRead has a goroutine read what a transaction has read, which takes the place of
// that, and then write it: the transaction's read conflicts with the write.
func TestReadBehindRead(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(addr uintptr, p *pair, access func(kind event.Access, site uint32))
		want int
	}{
		{"written",
			func(_ uintptr, _ *pair, access func(event.Access, uint32)) { access(Write, 21) }, 1},
		{"read, and written", func(_ uintptr, _ *pair, access func(event.Access, uint32)) {
			access(Read, 21)
			access(Write, 22)
		}, 1},
		{"read twice, and written", func(_ uintptr, p *pair, access func(event.Access, uint32)) {
			access(Read, 21)
			p.b.next()
			access(Read, 22)
			access(Write, 23)
		}, 1},
		{"read by a third, and written",
			func(addr uintptr, p *pair, access func(event.Access, uint32)) {
				var pass vclock.SingletonClock
				pass.Release(&p.a.clock)
				pass.Acquire(p.main)
				pass.Release(p.main)
				pass.Acquire(&p.b.clock)
				pass.Clear()
				var m Thread
				m.Start(p.main)
				var third atomicity.Thread
				m.SetTransactions(&third, new(predict.Thread))
				m.AccessByte(addr, Read, 31)
				m.End()
				access(Write, 22)
			}, 1},
		{"written, read, and written", func(_ uintptr, _ *pair, access func(event.Access, uint32)) {
			access(Read, 21)
			access(Write, 22)
			access(Read, 23)
			access(Write, 24)
		}, 1},
		{"only read",
			func(_ uintptr, _ *pair, access func(event.Access, uint32)) { access(Read, 21) }, 0},
		{"read, freed and written", func(addr uintptr, _ *pair, access func(event.Access, uint32)) {
			access(Read, 21)
			Free(addr, 8)
			access(Write, 22)
		}, 0},
		{"read, freed, read and written",
			func(addr uintptr, _ *pair, access func(event.Access, uint32)) {
				access(Read, 21)
				Free(addr, 8)
				access(Read, 22)
				access(Write, 23)
			}, 0},
	} {
		addr := fresh(t, 1)
		for _, written := range []bool{false, true} {
			got := inTransaction(t, addr, written,
				func(p *pair, access func(event.Access, uint32)) { test.do(addr, p, access) })
			if len(got) != test.want {
				t.Errorf("%s: %d violations, want %d; written before: %v", test.name, len(got),
					test.want, written)
			}
			for _, e := range got {
				if e.Kind != atomicity.Memory || e.FromSite != 11 || e.FromWrites || !e.ToWrites ||
					e.Addr != addr {
					t.Errorf("%s: the first conflict is %+v", test.name, e)
				}
			}
			Free(addr, 8)
		}
	}
}
