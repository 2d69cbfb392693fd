// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"math"

	"golang.org/x/arch/x86/x86asm"
)

// A prover goes through a function and finds hooks that repeat others.
type prover struct {
	code    []byte
	callees map[symbol]callee
	values  *values
	*state
	// Slots from here on may be changed through pointers.
	taken int64
	// The register in which the function gets its dictionary, -1 if it gets none.
	dictionary int
	// The places of calls that can be left out.
	repeats []int
}

// The numbers of registers that have a use of their own.
const (
	regAX  = 0
	regDX  = 2
	regBX  = 3
	regSP  = 4
	regBP  = 5
	regR11 = 11
	regG   = 14
)

// maxPasses is how often a function is gone through before its loops are given up.
const maxPasses = 6

// prove finds the repeats of a function. What holds at the start of a loop is first taken to be
// what holds before it, and then what of that also holds at its end, until nothing changes.
func prove(f *function, fl *flow, callees map[symbol]callee, passes int) []int {
	p := &prover{code: f.code, callees: callees, values: newValues(), taken: math.MaxInt64,
		dictionary: dictionaryOf(f.name)}
	for i := range fl.insts {
		p.noteTaken(&fl.insts[i])
	}
	fl.cutRestart(f.code, callees)
	order := fl.order()
	// Where that takes too long, less is taken to hold at first.
	for _, kept := range []func(*state) *state{func(s *state) *state { return s }, p.atLoop} {
		for range passes {
			if p.pass(fl, order, kept); fl.settled() {
				return p.repeats
			}
		}
	}
	p.pass(fl, order, func(*state) *state { return newState() })
	return p.repeats
}

// pass goes through the blocks. What may hold at the start of a loop is what is kept of what holds
// before it.
func (p *prover) pass(fl *flow, order []int, kept func(*state) *state) {
	p.repeats = p.repeats[:0]
	for _, n := range order {
		b := &fl.blocks[n]
		p.state = fl.entry(b, p.start(n), kept)
		b.in = p.state.clone()
		for i := b.from; i < b.to; i++ {
			p.values.at(n, i)
			p.step(&fl.insts[i])
		}
		b.out, b.only = p.state, p.outcome(fl, b)
	}
}

// outcome is the one block that can be next after a block that tests a register for 0; -1 if that
// is not known.
func (p *prover) outcome(fl *flow, b *block) int {
	if !fl.tests(b) {
		return -1
	}
	v := p.read(&fl.insts[b.to-2], 0, 0)
	switch {
	case !v.isConstant():
		return -1
	case (v.add == 0) == (fl.insts[b.to-1].Op == x86asm.JE):
		return b.next[0] // the jump's
	}
	return b.next[1]
}

// entry is what holds at the start of a block: what does at the end of each block before. All that
// is known comes from blocks that lead to it without going back. So the numbers of values mean what
// they meant there: no instruction of the block, or of one after it, has given one.
//
// Where no block leads, what holds is that of a start.
func (fl *flow) entry(b *block, start *state, kept func(*state) *state) *state {
	var s *state
	for _, n := range b.before {
		switch o := &fl.blocks[n]; {
		case o.order < 0: // it is entered in a way that is not seen
			return newState()
		case o.order >= b.order || !o.leadsTo(fl, b):
		case s == nil:
			s = o.out.clone()
		default:
			s.meet(o.out)
		}
	}
	if s == nil {
		s = start
	}
	loop := false
	for _, n := range b.before {
		if o := &fl.blocks[n]; o.order >= b.order {
			if !loop {
				s, loop = kept(s), true
			}
			if o.out != nil && o.leadsTo(fl, b) {
				s.meet(o.out)
			}
		}
	}
	return s
}

// leadsTo reports whether a block can be next after this one, by the last pass.
func (b *block) leadsTo(fl *flow, next *block) bool {
	return b.out == nil || b.only < 0 || &fl.blocks[b.only] == next
}

// settled reports whether what was taken to hold at the starts of loops does.
func (fl *flow) settled() bool {
	for i := range fl.blocks {
		b := &fl.blocks[i]
		for _, n := range b.before {
			o := &fl.blocks[n]
			if o.order >= b.order && b.order >= 0 && o.leadsTo(fl, b) && !b.in.within(o.out) {
				return false
			}
		}
	}
	return true
}

// noteTaken notes slots whose addresses an instruction takes.
func (p *prover) noteTaken(in *inst) {
	for i, arg := range in.Args {
		switch a := arg.(type) {
		case x86asm.Mem:
			// What is below the stack pointer is the check of the stack's end.
			switch {
			case in.Op != x86asm.LEA || a.Base != x86asm.RSP || a.Disp < 0 && a.Index == 0:
			case a.Index != 0:
				p.taken = math.MinInt64
			default:
				p.taken = min(p.taken, a.Disp)
			}
		case x86asm.Reg:
			// The frame pointer is no pointer to a variable.
			if n, _ := register(a); i > 0 && n == regSP && in.Args[0] != x86asm.RBP {
				p.taken = math.MinInt64
			}
		}
	}
}

// register returns a general register's number, and its bytes; 0 if it is none, or if it is the
// second byte of one.
func register(r x86asm.Reg) (n, bytes int) {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return int(r - x86asm.AL), 1
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return int(r-x86asm.SPB) + 4, 1
	case r >= x86asm.AX && r <= x86asm.R15W:
		return int(r - x86asm.AX), 2
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return int(r - x86asm.EAX), 4
	case r >= x86asm.RAX && r <= x86asm.R15:
		return int(r - x86asm.RAX), 8
	}
	return 0, 0
}

// reg is what a register holds.
func (p *prover) reg(n int) value {
	if p.regs[n] == unknown {
		p.regs[n] = p.values.fresh()
	}
	return p.regs[n]
}

// set puts a value into a register, or a part of one. Four bytes have zeros above them then; fewer
// leave what is above them.
func (p *prover) set(n, bytes int, v value) {
	if bytes < 4 {
		v = unknown
	}
	if bytes == 4 {
		v = p.values.low(v, 4)
	}
	p.regs[n] = v
}

// address is the value of an operand's address.
func (p *prover) address(in *inst, m x86asm.Mem) value {
	if m.Segment != 0 || in.odd || in.AddrSize != 64 {
		return p.values.fresh()
	}
	if m.Base == x86asm.RIP {
		if r := in.reloc; r != nil && r.size == 4 && m.Index == 0 {
			v := p.values.of(operation{opSymbol, uint32(r.kind),
				value{add: int64(r.pkg)}, value{add: int64(r.index)}})
			if p.callees[r.symbol] == dictionary {
				p.values.constant[v.base] = true
			}
			return value{v.base, r.add}
		}
		return p.values.fresh()
	}
	if in.reloc != nil {
		return p.values.fresh()
	}
	v := constant(m.Disp)
	if m.Base == x86asm.RSP {
		v.base = p.values.of(operation{kind: opStack}).base
	} else if m.Base != 0 {
		n, _ := register(m.Base)
		v = p.values.plus(v, p.reg(n))
	}
	if m.Index != 0 && m.Scale != 0 {
		n, _ := register(m.Index)
		v = p.values.plus(v, p.values.times(p.reg(n), int64(m.Scale)))
	}
	return v
}

// load is what an operand in memory holds. Of the heap nothing is known.
func (p *prover) load(in *inst, m x86asm.Mem, bytes int) value {
	if isSlot(in, m) && bytes <= 8 {
		return p.state.load(p.values, m.Disp, bytes)
	}
	if v := p.address(in, m); p.values.constant[v.base] && bytes == 8 {
		// A dictionary has addresses of others, of types and of code: of constants, too.
		v = p.values.of(operation{kind: opConstant, a: v})
		p.values.constant[v.base] = true
		return v
	}
	return p.values.low(p.values.fresh(), bytes)
}

func isSlot(in *inst, m x86asm.Mem) bool {
	return m.Base == x86asm.RSP && m.Index == 0 && m.Segment == 0 && in.reloc == nil
}

// store stores into memory.
func (p *prover) store(in *inst, m x86asm.Mem, bytes int, v value) {
	switch {
	case isSlot(in, m) && bytes > 0 && bytes <= 8:
		p.state.store(m.Disp, bytes, p.values.low(v, bytes))
	case isSlot(in, m) && bytes > 0:
		p.forgetSlots(m.Disp, m.Disp+int64(bytes))
	case m.Base == x86asm.RSP || m.Base == x86asm.RBP || m.Index == x86asm.RBP:
		p.slots = p.slots[:0]
	default:
		home := p.onlyHome(p.state).slots
		p.forgetSlots(p.taken, math.MaxInt64)
		for _, c := range home {
			p.state.store(c.at, c.bytes, c.holds)
		}
	}
}

// read is what an operand holds, and its bytes.
func (p *prover) read(in *inst, i, bytes int) value {
	switch a := in.Args[i].(type) {
	case x86asm.Reg:
		if n, size := register(a); size > 0 && n != regSP {
			return p.values.low(p.reg(n), size)
		}
	case x86asm.Imm:
		if in.reloc == nil {
			return constant(int64(a))
		}
	case x86asm.Mem:
		return p.load(in, a, bytes)
	}
	return p.values.fresh()
}

// write puts a value into the first operand.
func (p *prover) write(in *inst, v value) {
	switch a := in.Args[0].(type) {
	case x86asm.Mem:
		p.store(in, a, in.MemBytes, v)
	case x86asm.Reg:
		n, bytes := register(a)
		switch {
		case n == regSP && bytes > 0:
			p.moveStack(in.taken())
		case bytes > 0:
			p.set(n, bytes, v)
		case a >= x86asm.AH && a <= x86asm.BH:
			p.regs[a-x86asm.AH] = unknown
		}
	}
}

// size is the bytes of the first operand.
func (in *inst) size() int {
	if r, ok := in.Args[0].(x86asm.Reg); ok {
		if _, bytes := register(r); bytes > 0 {
			return bytes
		}
		return 1
	}
	return in.MemBytes
}

// announce deals with a hook: it is left out, or is noted. It changes all registers but those that
// have a use of their own, and may change the slots for its arguments.
func (p *prover) announce(in *inst, hook callee) {
	at := p.reg(regAX)
	x := span{base: at.base, from: at.add, to: at.add + 1, wrote: hook.isWrite()}
	if hook.isRange() {
		n := p.reg(regBX)
		x.to = x.from + n.add
		if !n.isConstant() || n.add <= 0 {
			x.to = x.from
		}
	}
	if x.base > 0 && x.from < x.to {
		if p.covers(x) || p.isConstant(x) || p.isOwn(x) {
			p.repeats = append(p.repeats, in.at)
		} else {
			p.add(x)
		}
	}
	for i := range p.regs {
		if i != regSP && i != regBP && i != regG {
			p.regs[i] = unknown
		}
	}
	p.forgetSlots(0, 16)
}
