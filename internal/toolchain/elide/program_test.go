// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The machine code of random programs, and what it does, for the oracle. Both are written down by
// hand here: the oracle takes nothing from the prover or its decoder.

// An op is an instruction of a program for tests: what it is, and its operands.
type op struct {
	name    string
	a, b, x int   // registers: destination or first operand, source or base, index
	scale   int   // of the index
	n       int64 // distance, constant, bytes, or the number of the op that a jump leads to
}

func (o op) String() string {
	return fmt.Sprintf("%s a=%d b=%d x=%d*%d n=%d", o.name, o.a, o.b, o.x, o.scale, o.n)
}

// usable are the registers of programs.
var usable = []int{0, 1, 2, 3, 6, 7, 8, 9, 11}

// encoder makes machine code.
type encoder struct {
	code   []byte
	relocs []reloc
	jumps  map[int]int // the places of distances, and the ops that they lead to
}

// rex begins an instruction of eight bytes, or of four.
func (e *encoder) rex(wide bool, reg, index, base int) {
	b := byte(0x40 | reg>>3<<2 | index>>3<<1 | base>>3)
	if wide {
		b |= 8
	}
	e.code = append(e.code, b)
}

func (e *encoder) imm(n int64) {
	e.code = order.AppendUint32(e.code, uint32(n))
}

// regs has two registers as operands.
func (e *encoder) regs(wide bool, reg, rm int, opcode ...byte) {
	e.rex(wide, reg, 0, rm)
	e.code = append(append(e.code, opcode...), byte(0xc0|reg&7<<3|rm&7))
}

// mem has an operand in memory, at a distance from a base.
func (e *encoder) mem(wide bool, reg, base int, n int64, opcode ...byte) {
	e.rex(wide, reg, 0, base)
	e.code = append(append(e.code, opcode...), byte(0x80|reg&7<<3|base&7))
	if base&7 == regSP {
		e.code = append(e.code, 0x24)
	}
	e.imm(n)
}

var callSymbols = map[string]symbol{
	"read": {packageBuiltin, 1}, "write": {packageBuiltin, 2}, "readrange": {packageBuiltin, 3},
	"writerange": {packageBuiltin, 4}, "barrier": {packageNone, 7}, "call": {packageNone, 8},
	"more": {packageBuiltin, 5},
}

var testCallees = map[symbol]callee{
	callSymbols["read"]: hookRead, callSymbols["write"]: hookWrite,
	callSymbols["readrange"]: hookReadRange, callSymbols["writerange"]: hookWriteRange,
	callSymbols["barrier"]: writeBarrier, callSymbols["more"]: moreStack,
}

// encode adds an op's code.
func (e *encoder) encode(o op) {
	switch o.name {
	case "mov":
		e.regs(true, o.b, o.a, 0x89)
	case "mov4":
		e.regs(false, o.b, o.a, 0x89)
	case "mov1":
		e.regs(false, o.b, o.a, 0x88)
	case "movsxd":
		e.regs(true, o.a, o.b, 0x63)
	case "load":
		e.mem(true, o.a, regSP, o.n, 0x8b)
	case "load4":
		e.mem(false, o.a, regSP, o.n, 0x8b)
	case "load1":
		e.mem(false, o.a, regSP, o.n, 0x0f, 0xb6)
	case "store":
		e.mem(true, o.b, regSP, o.n, 0x89)
	case "store4":
		e.mem(false, o.b, regSP, o.n, 0x89)
	case "store1":
		e.mem(false, o.b, regSP, o.n, 0x88)
	case "store16": // MOVUPS
		e.mem(false, 0, regSP, o.n, 0x0f, 0x11)
	case "addslot":
		e.mem(true, o.b, regSP, o.n, 0x01)
	case "loadheap":
		e.mem(true, o.a, o.b, o.n, 0x8b)
	case "storeheap":
		e.mem(true, o.a, o.b, o.n, 0x89)
	case "leaslot":
		e.mem(true, o.a, regSP, o.n, 0x8d)
	case "lea":
		e.rex(true, o.a, o.x, o.b)
		scale := map[int]byte{1: 0, 2: 1, 4: 2, 8: 3}[o.scale]
		e.code = append(e.code, 0x8d, byte(0x84|o.a&7<<3), scale<<6|byte(o.x&7<<3|o.b&7))
		e.imm(o.n)
	case "movimm":
		e.regs(true, 0, o.a, 0xc7)
		e.imm(o.n)
	case "push": // RBP
		e.code = append(e.code, 0x55)
	case "subsp":
		e.regs(true, 5, regSP, 0x81)
		e.imm(o.n)
	case "addimm":
		e.regs(true, 0, o.a, 0x81)
		e.imm(o.n)
	case "subimm":
		e.regs(true, 5, o.a, 0x81)
		e.imm(o.n)
	case "add":
		e.regs(true, o.b, o.a, 0x01)
	case "sub":
		e.regs(true, o.b, o.a, 0x29)
	case "add4":
		e.regs(false, o.b, o.a, 0x01)
	case "xor4":
		e.regs(false, o.b, o.a, 0x31)
	case "and":
		e.regs(true, o.b, o.a, 0x21)
	case "imul":
		e.regs(true, o.a, o.b, 0x0f, 0xaf)
	case "mul":
		e.regs(true, 4, o.a, 0xf7)
	case "neg":
		e.regs(true, 3, o.a, 0xf7)
	case "inc":
		e.regs(true, 0, o.a, 0xff)
	case "shl":
		e.regs(true, 4, o.a, 0xc1)
		e.code = append(e.code, byte(o.n))
	case "sar":
		e.regs(true, 7, o.a, 0xc1)
		e.code = append(e.code, byte(o.n))
	case "xchg":
		e.regs(true, o.b, o.a, 0x87)
	case "setcc":
		e.regs(false, 0, o.a, 0x0f, 0x94)
	case "cmov":
		e.regs(true, o.a, o.b, 0x0f, 0x44)
	case "xadd": // with a lock
		e.code = append(e.code, 0xf0)
		e.mem(true, o.a, o.b, o.n, 0x0f, 0xc1)
	case "test":
		e.regs(false, o.a, o.a, 0x85)
	case "test1":
		e.regs(false, o.a, o.a, 0x84)
	case "je", "jne", "jl":
		e.code = append(e.code, 0x0f, map[string]byte{"je": 0x84, "jne": 0x85, "jl": 0x8c}[o.name])
		e.jump(o)
	case "jmp":
		e.code = append(e.code, 0xe9)
		e.jump(o)
	case "ret":
		e.code = append(e.code, 0xc3)
	default:
		e.code = append(e.code, opcodeCall)
		e.relocs = append(e.relocs, reloc{at: len(e.code), size: 4, kind: relocCall,
			symbol: callSymbols[o.name]})
		e.imm(0)
	}
}

func (e *encoder) jump(o op) {
	e.jumps[len(e.code)] = int(o.n)
	e.imm(0)
}

// assemble makes the code of a program, and the places of its ops.
func assemble(program []op) (function, []int) {
	e := encoder{jumps: make(map[int]int)}
	var places []int
	for _, o := range program {
		places = append(places, len(e.code))
		e.encode(o)
	}
	for at, to := range e.jumps {
		order.PutUint32(e.code[at:], uint32(places[to]-at-4))
	}
	f := function{name: "p.f", code: e.code, relocs: e.relocs}
	if prologue(program) > 0 {
		f.name = "p.f[go.shape.int]"
	}
	return f, places
}

// prologue is the size of the frame that a program takes at its start, 0 if it takes none. One that
// does is generic.
func prologue(program []op) (n int64) {
	if program[0].name == "jl" { // to what makes a larger stack
		program = program[1:]
	}
	if program[0].name == "push" && program[1].name == "subsp" {
		n = 8 + program[1].n
	}
	return n
}

func show(program []op) string {
	var b strings.Builder
	for i, o := range program {
		fmt.Fprintf(&b, "%3d %v\n", i, o)
	}
	return b.String()
}

// pick is one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomOp is an instruction that is no jump and no call of a hook.
func randomOp(r *rand.Rand) op {
	o := op{a: pick(r, usable...), b: pick(r, usable...), x: pick(r, usable...)}
	o.scale = pick(r, 1, 2, 4, 8)
	slot := pick[int64](r, 0, 8, 16, 24, 32, 40)
	o.name = pick(r, "mov", "mov", "mov4", "mov1", "movsxd", "load", "load", "load", "load4",
		"load1", "store", "store", "store4", "store1", "store16", "addslot", "loadheap",
		"storeheap", "storeheap", "leaslot", "lea", "lea", "lea", "movimm", "addimm", "subimm",
		"add", "sub", "add4", "xor4", "and", "imul", "mul", "neg", "inc", "shl", "sar", "xchg",
		"setcc", "cmov", "xadd", "call", "barrier", "barrier")
	switch o.name {
	case "load", "store", "addslot":
		o.n = slot
	case "load4", "store4", "store1", "load1", "store16":
		o.n = slot + pick[int64](r, 0, 4)
	case "leaslot":
		o.n = pick[int64](r, 24, 32, 40, 40)
	case "shl", "sar":
		o.n = pick[int64](r, 0, 1, 3)
	case "xor4":
		o.b = pick(r, o.a, o.b)
	default:
		o.n = pick[int64](r, -8, 0, 8, 16)
	}
	if (o.name == "leaslot" || o.name == "call" || o.name == "xadd") && r.IntN(3) > 0 {
		o.name = "mov"
	}
	return o
}

// derived are ops that make an address in AX of what slots hold. Two of them may make the same one,
// or nearly so.
func derived(r *rand.Rand) []op {
	list := []op{{name: "load", a: 1, n: 16}, {name: "load", a: 2, n: 24}}
	if r.IntN(4) == 0 {
		list[1].name = "load4"
	}
	for range 1 + r.IntN(2) {
		o := op{a: pick(r, 1, 1, 2), b: pick(r, 1, 2, 2), x: 2, scale: pick(r, 1, 8),
			n: pick[int64](r, 1, 3)}
		o.name = pick(r, "mov", "mov4", "mov1", "movsxd", "lea", "addimm", "subimm", "add", "sub",
			"add4", "xor4", "and", "imul", "neg", "inc", "shl", "sar", "xchg", "setcc", "cmov")
		list = append(list, o)
	}
	return append(list, op{name: "mov", a: regAX, b: pick(r, 1, 1, 2)})
}

// inRegisters are accesses by one register that no call changes.
func inRegisters(r *rand.Rand) []op {
	return []op{{name: "load", a: regAX, n: 16}, {name: "read"},
		{name: "load", a: 11, n: 16}, {name: pick(r, "barrier", "mov"), a: 6, b: 6},
		{name: "mov", a: regAX, b: 11}, {name: "read"}}
}

// announceOps are a hook and what comes before it: its arguments, mostly from a slot.
func announceOps(r *rand.Rand) (list []op) {
	slot := pick[int64](r, 16, 24, 32)
	o := op{name: "load", a: regAX, n: slot}
	switch r.IntN(10) {
	case 2:
		return inRegisters(r)
	case 9:
		o = op{name: "loadheap", a: regAX, b: 1, n: pick[int64](r, 0, 8)}
		list = append(list, op{name: "load", a: 1, n: slot})
	case 3, 4, 5:
		list = derived(r)
		o, list = list[len(list)-1], list[:len(list)-1]
	case 0:
		o = op{name: "load", a: 1, n: slot}
		list = append(list, o, op{name: "load", a: 2, n: pick[int64](r, 16, 24)})
		o = op{name: "lea", a: regAX, b: 1, x: 2, scale: pick(r, 1, 8), n: pick[int64](r, -8, 0, 8)}
	case 1:
		o = randomOp(r)
	}
	list = append(list, o)
	hook := pick(r, "read", "read", "write", "readrange", "writerange")
	if strings.HasSuffix(hook, "range") && r.IntN(4) > 0 {
		list = append(list, op{name: "movimm", a: regBX, n: pick[int64](r, 1, 8, 16, 0)})
	}
	return append(list, op{name: hook})
}

// randomProgram is a program with jumps.
func randomProgram(r *rand.Rand) (program []op) {
	if r.IntN(3) == 0 {
		n := pick[int64](r, 8, 16, 16, 24)
		program = []op{{name: "push"}, {name: "subsp", n: n}, {name: "store", b: regAX, n: n + 16}}
		if r.IntN(8) == 0 {
			program[2].n = 16
		}
	}
	for len(program) < 12+r.IntN(60) {
		switch r.IntN(8) {
		case 0, 1, 2, 3:
			program = append(program, announceOps(r)...)
		case 4, 5:
			program = append(program, randomOp(r))
		case 6:
			program = append(program, op{name: pick(r, "jl", "jl", "jmp")})
		case 7:
			reg := pick(r, usable...)
			if r.IntN(2) == 0 {
				program = append(program, op{name: "xor4", a: reg, b: reg},
					op{name: "jmp", n: int64(len(program) + 3)}, op{name: "setcc", a: reg})
			}
			if r.IntN(2) == 0 {
				program = append(program, op{name: "load", a: pick(r, usable...), n: 40},
					op{name: "store", b: pick(r, usable...), n: pick[int64](r, 16, 24, 40)})
			}
			program = append(program, op{name: pick(r, "test", "test1"), a: reg},
				op{name: pick(r, "je", "jne")})
		}
	}
	program = append(program, op{name: "ret"})
	for i := range program {
		switch o := &program[i]; o.name {
		case "je", "jne", "jl", "jmp":
			if o.n == 0 {
				o.n = int64(min(len(program)-1, i+1+r.IntN(12)))
				if r.IntN(3) == 0 {
					o.n = int64(max(0, i-r.IntN(16)))
				}
			}
		}
	}
	return program
}
