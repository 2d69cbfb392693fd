// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

// atomicStep makes an atomic operation by itself, after which the function may return.
func (m *maker) atomicStep(i int) step {
	s := step{free: true, ops: []*op{m.atomicOp(i)}}
	if m.regs > 0 && m.Intn(3) == 0 {
		s.ops = append(s.ops, &op{reg: -1, isReturn: true,
			ifs: &cond{m.Intn(m.regs), m.Intn(maxConst), m.Intn(3) > 0}})
	}
	return s
}

// atomicOp makes an atomic operation of the i-th section. One in ten is not announced.
func (m *maker) atomicOp(i int) *op {
	o := &op{reg: -1, from: fromConst, v: nVars + m.Intn(nAtomics), atomic: true}
	kinds := []compiled.TouchOp{compiled.ReadVar, compiled.ReadVar, compiled.WriteVar,
		compiled.UpdateVar}
	if m.regs > 0 && i > 0 {
		kinds = append(kinds[1:], compiled.WriteVar)
	}
	o.kind = kinds[m.Intn(len(kinds))]
	if m.regs > 0 && o.kind != compiled.ReadVar && m.Intn(2) == 0 {
		o.ifs = &cond{m.Intn(m.regs), m.Intn(maxConst), m.Intn(3) > 0}
	}
	o.touch = &compiled.SectionTouch{Op: o.kind, Atomic: compiled.AtomicUnsigned}
	switch {
	case o.isRead():
		o.reg = m.regs
		m.regs++
	case o.kind == compiled.WriteVar && m.regs > 0 && m.Intn(2) == 0:
		o.from = m.Intn(m.regs)
	case o.kind == compiled.WriteVar && m.Intn(2) == 0:
		o.from = fromToken
	}
	o.unannounced = m.Intn(10) == 0
	return o
}

// atomic tells the engine of an atomic operation, as the hooks do, and announces it if it is hot.
func (g *goroutine) atomic(h *happening, hot bool) {
	addr := varAddr(h.op.v)
	if hot && !h.op.unannounced && g.follows() {
		g.Announce(h.op.touch, addr, 8, g)
	}
	g.operate(h.op.kind, addr, uint64(h.after))
}

// operate is an atomic operation that leaves a value.
func (g *goroutine) operate(kind compiled.TouchOp, addr uintptr, value uint64) {
	if !g.follows() {
		return
	}
	switch kind {
	case compiled.ReadVar:
		g.acquire(addr)
	case compiled.WriteVar:
		g.release(addr, false)
	case compiled.UpdateVar:
		c := g.s.clockOf(addr)
		g.Flush()
		c.Acquire(&g.clock)
		if !g.Ordering(addr) {
			c.ReleaseMerge(&g.clock)
		}
		g.Learned()
	}
	if g.Making(addr, kind, false) {
		g.Made(value)
	}
	if kind != compiled.WriteVar {
		g.acquire(addr)
	}
}
