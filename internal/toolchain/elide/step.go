// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"golang.org/x/arch/x86/x86asm"
)

// step goes over an instruction. Of one that is not known here, all is forgotten.
func (p *prover) step(in *inst) {
	if in.jumps() {
		return
	}
	switch c := in.calleeOf(p.code, p.callees); {
	case c.isHook():
		p.announce(in, c)
		return
	case c == writeBarrier:
		p.regs[regR11] = unknown
		return
	}
	for _, prefix := range in.Prefix {
		if prefix&0xff == x86asm.PrefixLOCK {
			p.forget()
			return
		}
	}
	switch in.Op {
	case x86asm.CALL:
		p.call()
		return
	case x86asm.PUSH:
		p.moveStack(8, in.MemBytes == 8 || in.MemBytes == 0)
		return
	}
	if !p.moves(in) && !p.computes(in) && !p.vectors(in) && !neutral(in.Op) {
		p.forget()
	}
}

// moves deals with an instruction that moves a value, or an address.
func (p *prover) moves(in *inst) bool {
	switch in.Op {
	case x86asm.MOV:
		v := p.read(in, 1, in.size())
		p.write(in, v)
	case x86asm.LEA:
		m, ok := in.Args[1].(x86asm.Mem)
		if !ok {
			return false
		}
		p.write(in, p.address(in, m))
	case x86asm.MOVZX:
		p.write(in, p.read(in, 1, in.MemBytes))
	case x86asm.MOVSX, x86asm.MOVSXD:
		bytes := in.MemBytes
		if r, ok := in.Args[1].(x86asm.Reg); ok {
			_, bytes = register(r)
		}
		v := p.read(in, 1, bytes)
		p.write(in, p.values.of(operation{opSignExtend, uint32(bytes), v, value{}}))
	default:
		return false
	}
	return true
}

// computes deals with an instruction that computes a value of its operands.
func (p *prover) computes(in *inst) bool {
	size := in.size()
	switch in.Op {
	case x86asm.ADD, x86asm.SUB:
		v, w := p.read(in, 0, size), p.read(in, 1, size)
		if in.Op == x86asm.SUB {
			w = p.values.times(w, -1)
		}
		p.write(in, p.values.plus(v, w))
	case x86asm.INC:
		p.write(in, p.values.plus(p.read(in, 0, size), constant(1)))
	case x86asm.DEC:
		p.write(in, p.values.plus(p.read(in, 0, size), constant(-1)))
	case x86asm.NEG:
		p.write(in, p.values.times(p.read(in, 0, size), -1))
	case x86asm.SHL:
		v := p.read(in, 0, size)
		if n, ok := in.Args[1].(x86asm.Imm); ok && in.reloc == nil {
			n &= 63
			if size < 8 {
				n &= 31
			}
			p.write(in, p.values.times(v, 1<<n))
			break
		}
		p.operation(in, v, p.read(in, 1, size), size)
	case x86asm.XOR, x86asm.AND, x86asm.OR, x86asm.SHR, x86asm.SAR:
		if in.Op == x86asm.XOR && in.Args[0] == in.Args[1] {
			p.write(in, constant(0))
			break
		}
		p.operation(in, p.read(in, 0, size), p.read(in, 1, size), size)
	case x86asm.NOT, x86asm.BSWAP:
		p.operation(in, p.read(in, 0, size), value{}, size)
	case x86asm.IMUL:
		switch {
		case in.Args[1] == nil:
			p.regs[regAX], p.regs[regDX] = unknown, unknown
		case in.Args[2] != nil:
			p.operation(in, p.read(in, 1, size), p.read(in, 2, size), size)
		default:
			p.operation(in, p.read(in, 0, size), p.read(in, 1, size), size)
		}
	default:
		return p.depends(in)
	}
	return true
}

// operation writes the result of an operation of values into the first operand.
func (p *prover) operation(in *inst, v, w value, size int) {
	p.write(in, p.values.of(operation{uint32(in.Op), uint32(size), v, w}))
}

// depends deals with an instruction whose result depends on flags, or is not looked at.
func (p *prover) depends(in *inst) bool {
	switch in.Op {
	case x86asm.ADC, x86asm.SBB, x86asm.RCL, x86asm.RCR, x86asm.ROL, x86asm.ROR, x86asm.SHLD,
		x86asm.SHRD, x86asm.BSF, x86asm.BSR, x86asm.TZCNT, x86asm.LZCNT, x86asm.POPCNT,
		x86asm.BTC, x86asm.BTR, x86asm.BTS,
		x86asm.CMOVA, x86asm.CMOVAE, x86asm.CMOVB, x86asm.CMOVBE, x86asm.CMOVE, x86asm.CMOVG,
		x86asm.CMOVGE, x86asm.CMOVL, x86asm.CMOVLE, x86asm.CMOVNE, x86asm.CMOVNO, x86asm.CMOVNP,
		x86asm.CMOVNS, x86asm.CMOVO, x86asm.CMOVP, x86asm.CMOVS,
		x86asm.SETA, x86asm.SETAE, x86asm.SETB, x86asm.SETBE, x86asm.SETE, x86asm.SETG,
		x86asm.SETGE, x86asm.SETL, x86asm.SETLE, x86asm.SETNE, x86asm.SETNO, x86asm.SETNP,
		x86asm.SETNS, x86asm.SETO, x86asm.SETP, x86asm.SETS:
		p.write(in, p.values.fresh())
	case x86asm.MUL, x86asm.DIV, x86asm.IDIV:
		p.regs[regAX], p.regs[regDX] = unknown, unknown
	case x86asm.CDQ, x86asm.CQO, x86asm.CWD:
		p.regs[regDX] = unknown
	case x86asm.CBW, x86asm.CWDE, x86asm.CDQE:
		p.regs[regAX] = unknown
	case x86asm.XCHG:
		for i := range 2 {
			r, ok := in.Args[i].(x86asm.Reg)
			n, bytes := register(r)
			if !ok || bytes == 0 || n == regSP {
				return false
			}
			if in.Args[0] != in.Args[1] {
				p.regs[n] = unknown
			}
		}
	default:
		return false
	}
	return true
}

// vectors deals with an instruction of vector registers, or of numbers with a fraction in them.
// What it writes is its first operand.
func (p *prover) vectors(in *inst) bool {
	vector := false
	for _, arg := range in.Args {
		r, ok := arg.(x86asm.Reg)
		vector = vector || ok && r >= x86asm.X0 && r <= x86asm.X15
	}
	switch in.Op {
	case x86asm.MASKMOVDQU, x86asm.PCMPESTRI, x86asm.PCMPESTRM, x86asm.PCMPISTRI,
		x86asm.PCMPISTRM:
		return false
	case x86asm.UCOMISD, x86asm.UCOMISS, x86asm.COMISD, x86asm.COMISS, x86asm.PTEST:
		return vector
	}
	if !vector || in.Args[0] == nil {
		return false
	}
	p.write(in, p.values.fresh())
	return true
}

// neutral reports whether an instruction changes neither registers nor memory, but for flags.
func neutral(op x86asm.Op) bool {
	switch op {
	case x86asm.CMP, x86asm.TEST, x86asm.BT, x86asm.NOP, x86asm.PREFETCHT0, x86asm.PREFETCHT1,
		x86asm.PREFETCHT2, x86asm.PREFETCHNTA, x86asm.UD1, x86asm.UD2, x86asm.INT:
		return true
	}
	return false
}
