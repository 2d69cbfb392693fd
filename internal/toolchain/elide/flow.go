// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// A flow is the instructions of a function, in blocks. A block is entered at its start alone. An
// entry that no edge leads to, as that after a panic, is followed by a call before any access.
type flow struct {
	insts  []inst
	blocks []block
	first  map[int]int // the block that begins at a place of the code
}

// An inst is an instruction, and where it is in the code.
type inst struct {
	x86asm.Inst
	at    int
	reloc *reloc // the one in it, if there is just one
	odd   bool   // it has several
}

// A block is instructions from one number to another one.
type block struct {
	from, to int
	next     []int // blocks that may be next
	before   []int // blocks that this one may be next of
	order    int   // its place in the order of a pass; -1 if it can't be reached

	// Of the last pass:
	in, out *state // what holds at its start and its end
	only    int    // the one block that can be next, by what holds; -1 if there are others
}

// decode decodes a function. It fails where something is met that is not known here, as a jump
// whose target is not in the code.
func decode(f *function) (*flow, bool) {
	fl := &flow{insts: make([]inst, 0, len(f.code)/4), first: make(map[int]int)}
	relocs := f.relocs
	starts := map[int]bool{0: true}
	for at := 0; at < len(f.code); {
		x, err := x86asm.Decode(f.code[at:], 64)
		if err != nil || x.Len == 0 {
			return nil, false
		}
		in := inst{Inst: x, at: at}
		for len(relocs) > 0 && relocs[0].at < at+x.Len {
			// Relocations of no size are notes for the linker.
			if r := &relocs[0]; r.size > 0 {
				in.odd = in.reloc != nil || r.at+r.size > at+x.Len
				in.reloc = r
			}
			relocs = relocs[1:]
		}
		at += x.Len
		if in.jumps() {
			target, ok := in.target()
			switch {
			case ok && target >= 0 && target < len(f.code):
				starts[target] = true
			case !ok && in.reloc != nil && !in.odd && x.Op == x86asm.JMP: // to another function
			default:
				return nil, false
			}
		}
		if in.jumps() || in.ends() {
			starts[at] = true
		}
		fl.insts = append(fl.insts, in)
	}
	return fl, fl.divide(starts)
}

// divide makes the blocks.
func (fl *flow) divide(starts map[int]bool) bool {
	for i := range fl.insts {
		at := fl.insts[i].at
		if starts[at] {
			delete(starts, at)
			if n := len(fl.blocks); n > 0 {
				fl.blocks[n-1].to = i
			}
			fl.first[at] = len(fl.blocks)
			fl.blocks = append(fl.blocks, block{from: i})
		}
	}
	if len(fl.blocks) == 0 {
		return false
	}
	fl.blocks[len(fl.blocks)-1].to = len(fl.insts)
	last := &fl.insts[len(fl.insts)-1]
	delete(starts, last.at+last.Len)
	if len(starts) > 0 { // a jump into an instruction
		return false
	}
	for i := range fl.blocks {
		last := &fl.insts[fl.blocks[i].to-1]
		if target, ok := last.target(); last.jumps() && ok {
			fl.join(i, fl.first[target])
		}
		if !last.ends() && i+1 < len(fl.blocks) {
			fl.join(i, i+1)
		}
	}
	fl.thread()
	return true
}

// thread has blocks that do little else than test a register once for each block that they come
// after. The compiler makes such of conditions like a && b, and where it comes from a, the outcome
// is a constant.
func (fl *flow) thread() {
	const most = 8 // of instructions, and of blocks
	for i := range len(fl.blocks) {
		b := fl.blocks[i]
		calls := func(in inst) bool { return in.Op == x86asm.CALL }
		if len(b.before) < 2 || len(b.before) > most || b.to-b.from > most || !fl.tests(&b) ||
			slices.ContainsFunc(fl.insts[b.from:b.to], calls) {
			continue
		}
		for _, from := range b.before[1:] {
			n := len(fl.blocks)
			fl.blocks = append(fl.blocks, block{from: b.from, to: b.to, before: []int{from}})
			fl.blocks[from].next[slices.Index(fl.blocks[from].next, i)] = n
			for _, to := range b.next {
				fl.join(n, to)
			}
		}
		fl.blocks[i].before = b.before[:1]
	}
}

// tests reports whether a block ends with a jump that depends on whether a register is 0.
func (fl *flow) tests(b *block) bool {
	if b.to-b.from < 2 || len(b.next) != 2 {
		return false
	}
	test, jump := &fl.insts[b.to-2], &fl.insts[b.to-1]
	_, ok := test.Args[0].(x86asm.Reg)
	return ok && test.Op == x86asm.TEST && test.Args[0] == test.Args[1] &&
		(jump.Op == x86asm.JE || jump.Op == x86asm.JNE)
}

// join makes an edge.
func (fl *flow) join(from, to int) {
	fl.blocks[from].next = append(fl.blocks[from].next, to)
	fl.blocks[to].before = append(fl.blocks[to].before, from)
}

// order is the blocks that can be reached, each after all that lead to it but by going back.
func (fl *flow) order() []int {
	var order []int
	seen := make([]bool, len(fl.blocks))
	var visit func(int)
	visit = func(b int) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, next := range fl.blocks[b].next {
			visit(next)
		}
		order = append(order, b)
	}
	visit(0)
	slices.Reverse(order)
	for i := range fl.blocks {
		fl.blocks[i].order = -1
	}
	for i, b := range order {
		fl.blocks[b].order = i
	}
	return order
}

// cutRestart takes away the jump back to the function's start when its stack has grown. All is as
// it was when the function was called then.
func (fl *flow) cutRestart(code []byte, callees map[symbol]callee) {
	for _, n := range slices.Clone(fl.blocks[0].before) {
		b := &fl.blocks[n]
		if n == 0 || !slices.ContainsFunc(fl.insts[b.from:b.to], func(in inst) bool {
			return in.calleeOf(code, callees) == moreStack
		}) {
			continue
		}
		isStart := func(to int) bool { return to == 0 }
		isThis := func(from int) bool { return from == n }
		b.next = slices.DeleteFunc(b.next, isStart)
		fl.blocks[0].before = slices.DeleteFunc(fl.blocks[0].before, isThis)
	}
}

// jumps reports whether an instruction is a jump.
func (in *inst) jumps() bool {
	switch in.Op {
	case x86asm.JMP, x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JCXZ, x86asm.JE,
		x86asm.JECXZ, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNO,
		x86asm.JNP, x86asm.JNS, x86asm.JO, x86asm.JP, x86asm.JRCXZ, x86asm.JS, x86asm.LOOP,
		x86asm.LOOPE, x86asm.LOOPNE, x86asm.XBEGIN:
		return true
	}
	return false
}

// target is where a jump in the function leads to.
func (in *inst) target() (int, bool) {
	rel, ok := in.Args[0].(x86asm.Rel)
	return in.at + in.Len + int(rel), ok && in.reloc == nil
}

// ends reports whether the next instruction does not follow this one.
func (in *inst) ends() bool {
	switch in.Op {
	case x86asm.JMP, x86asm.RET, x86asm.LRET, x86asm.UD1, x86asm.UD2, x86asm.HLT, x86asm.INT,
		x86asm.INTO, x86asm.IRET, x86asm.IRETD, x86asm.IRETQ:
		return true
	}
	return false
}

const (
	opcodeCall = 0xe8 // with a distance of four bytes
	opcodeTest = 0xa9 // of EAX, with a constant of four bytes
)

// calleeOf is what an instruction calls, if it calls a function that is known here.
func (in *inst) calleeOf(code []byte, callees map[symbol]callee) callee {
	if in.Op != x86asm.CALL || in.Len != 5 || code[in.at] != opcodeCall || in.odd ||
		in.reloc == nil {
		return other
	}
	r := in.reloc
	if r.kind != relocCall || r.at != in.at+1 || r.size != 4 || r.add != 0 ||
		order.Uint32(code[in.at+1:]) != 0 {
		return other
	}
	return callees[r.symbol]
}
