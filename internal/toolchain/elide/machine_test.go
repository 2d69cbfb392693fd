// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A machine runs a program for tests. It is the oracle: it knows which bytes were announced.
type machine struct {
	rand  *rand.Rand
	regs  [16]uint64
	mem   map[uint64]byte
	taken int64           // the least distance of a slot whose address is taken
	seen  map[uint64]bool // whether a byte that was announced was written
	zero  bool            // the outcome of the last test
	home  uint64          // the slot for the dictionary's address, 0 if the function gets none

	constant, own int // accesses that were left out as such, and repeat nothing
}

const frame, frameSize = 0x7000_0000_0000, 1 << 17

// Constants are dictionaries, and what they have the addresses of.
const constants, constantsSize = 0x5000_0000_0000, 1 << 20

func newMachine(r *rand.Rand, program []op) *machine {
	m := &machine{rand: r, mem: make(map[uint64]byte), seen: make(map[uint64]bool),
		taken: math.MaxInt64}
	for _, o := range program {
		if o.name == "leaslot" {
			m.taken = min(m.taken, o.n)
		}
	}
	for i := range m.regs {
		m.regs[i] = r.Uint64()
	}
	m.regs[regSP] = frame
	if n := prologue(program); n > 0 {
		m.regs[regSP] += uint64(n)
		m.home = m.regs[regSP] + 8
		m.regs[regAX] = constants
	}
	return m
}

func (m *machine) load(at uint64, bytes int) (v uint64) {
	if at-constants < constantsSize {
		v = constants + at*5%(constantsSize/2)&^7 // the address of another constant
		return v << (64 - 8*bytes) >> (64 - 8*bytes)
	}
	for i := range bytes {
		b, ok := m.mem[at+uint64(i)]
		if !ok {
			b = byte(m.rand.Uint32())
			m.mem[at+uint64(i)] = b
		}
		v |= uint64(b) << (8 * i)
	}
	return v
}

// store stores into memory. A pointer leads to no slot below those whose addresses are taken, and
// to no dictionary, nor its slot.
func (m *machine) store(at uint64, bytes int, v uint64, pointer bool) {
	for i := range bytes {
		if d := at + uint64(i) - frame; pointer && (d < frameSize && int64(d) < m.taken ||
			at+uint64(i)-m.home < 8 || at+uint64(i)-constants < constantsSize) {
			continue
		}
		m.mem[at+uint64(i)] = byte(v >> (8 * i))
	}
}

// set sets the low bytes of a register. Four bytes have zeros above them.
func (m *machine) set(n, bytes int, v uint64) {
	switch bytes {
	case 8:
		m.regs[n] = v
	case 4:
		m.regs[n] = v & 0xffffffff
	case 1:
		m.regs[n] = m.regs[n]&^0xff | v&0xff
	}
}

// run runs a program for some steps. It returns the first op that was called a repeat and is none.
func (m *machine) run(program []op, repeats map[int]bool) error {
	at := 0
	for range 300 {
		o := program[at]
		if o.name == "ret" {
			return nil
		}
		next, err := m.step(o, repeats[at])
		if err != nil {
			return fmt.Errorf("op %d: %w", at, err)
		}
		if at++; next {
			at = int(o.n)
		}
	}
	return nil
}

// step does an op. It reports whether it jumps.
func (m *machine) step(o op, repeat bool) (jump bool, err error) {
	a, b := m.regs[o.a], m.regs[o.b]
	slot := m.regs[regSP] + uint64(o.n)
	n := uint64(o.n)
	switch o.name {
	case "mov":
		m.set(o.a, 8, b)
	case "mov4":
		m.set(o.a, 4, b)
	case "mov1":
		m.set(o.a, 1, b)
	case "movsxd":
		m.set(o.a, 8, uint64(int64(int32(b))))
	case "load":
		m.set(o.a, 8, m.load(slot, 8))
	case "load4":
		m.set(o.a, 4, m.load(slot, 4))
	case "load1":
		m.set(o.a, 4, m.load(slot, 1))
	case "store":
		m.store(slot, 8, b, false)
	case "store4":
		m.store(slot, 4, b, false)
	case "store1":
		m.store(slot, 1, b, false)
	case "store16":
		m.store(slot, 8, m.rand.Uint64(), false)
		m.store(slot+8, 8, m.rand.Uint64(), false)
	case "addslot":
		m.store(slot, 8, m.load(slot, 8)+b, false)
	case "loadheap":
		m.set(o.a, 8, m.load(b+n, 8))
	case "storeheap":
		m.store(b+n, 8, a, true)
	case "leaslot":
		m.set(o.a, 8, slot)
	case "lea":
		m.set(o.a, 8, b+m.regs[o.x]*uint64(o.scale)+n)
	case "movimm":
		m.set(o.a, 8, n)
	case "push":
		m.regs[regSP] -= 8
		m.store(m.regs[regSP], 8, m.regs[regBP], false)
	case "subsp":
		m.regs[regSP] -= n
	case "addimm":
		m.set(o.a, 8, a+n)
	case "subimm":
		m.set(o.a, 8, a-n)
	case "inc":
		m.set(o.a, 8, a+1)
	case "neg":
		m.set(o.a, 8, -a)
	case "shl":
		m.set(o.a, 8, a<<n)
	case "sar":
		m.set(o.a, 8, uint64(int64(a)>>n))
	case "test":
		m.zero = uint32(a) == 0
	case "test1":
		m.zero = byte(a) == 0
	case "je":
		return m.zero, nil
	case "jne":
		return !m.zero, nil
	case "jl":
		return m.rand.IntN(2) == 0, nil
	case "jmp":
		return true, nil
	case "read", "write", "readrange", "writerange":
		return false, m.announce(o.name, repeat)
	default:
		m.compute(o, a, b)
	}
	return false, nil
}

// compute does an op of two registers, or a call.
func (m *machine) compute(o op, a, b uint64) {
	switch o.name {
	case "add":
		m.set(o.a, 8, a+b)
	case "sub":
		m.set(o.a, 8, a-b)
	case "add4":
		m.set(o.a, 4, a+b)
	case "xor4":
		m.set(o.a, 4, a^b)
	case "and":
		m.set(o.a, 8, a&b)
	case "imul":
		m.set(o.a, 8, a*b)
	case "mul":
		m.regs[regAX], m.regs[regDX] = m.rand.Uint64(), m.rand.Uint64()
	case "xchg":
		m.regs[o.a], m.regs[o.b] = b, a
	case "setcc":
		m.set(o.a, 1, m.rand.Uint64N(2))
	case "cmov":
		if m.rand.IntN(2) == 0 {
			m.set(o.a, 8, b)
		}
	case "xadd":
		m.regs[o.a] = m.rand.Uint64()
		m.store(b+uint64(o.n), 8, m.rand.Uint64(), true)
		clear(m.seen)
	case "barrier":
		m.regs[regR11] = m.rand.Uint64()
	case "call":
		m.clobber()
		clear(m.seen)
		// It may change what it has the address of.
		for d := m.taken; d < 64; d++ {
			m.store(frame+uint64(d), 1, m.rand.Uint64(), true)
		}
	default:
		panic(o.name)
	}
}

// clobber is what a call does to registers, and to the slots of its arguments.
func (m *machine) clobber() {
	for i := range m.regs {
		if i != regSP && i != regBP && i != regG {
			m.regs[i] = m.rand.Uint64()
		}
	}
	m.store(m.regs[regSP], 8, m.rand.Uint64(), false)
	m.store(m.regs[regSP]+8, 8, m.rand.Uint64(), false)
}

// announce is a hook. If it is left out, each byte must have been announced, or be one that nobody
// else accesses.
func (m *machine) announce(hook string, repeat bool) error {
	at, n := m.regs[regAX], uint64(1)
	if hook == "readrange" || hook == "writerange" {
		n = min(m.regs[regBX], 64)
	}
	write := hook == "write" || hook == "writerange"
	for i := range n {
		wrote, ok := m.seen[at+i]
		switch {
		case !repeat || ok && (wrote || !write):
		case at+i-frame < frameSize:
			m.own++
			continue
		case at+i-constants < constantsSize && !write:
			m.constant++
			continue
		}
		if repeat && (!ok || write && !wrote) {
			return fmt.Errorf("%s of %#x repeats nothing", hook, at+i)
		}
		m.seen[at+i] = wrote || write
	}
	m.clobber()
	return nil
}
