// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// dictionaryMark is in the name of each dictionary of generic code.
const dictionaryMark = "..dict."

// dictionaryOf is the register in which a function gets the address of its dictionary, by the name
// of its symbol; -1 if it gets none, or that is not known. It is the first parameter after the
// receiver. Receivers that are no pointers may take any number of registers, and closures have the
// dictionary among their variables.
func dictionaryOf(name string) int {
	if !strings.Contains(name, "[go.shape.") || strings.HasPrefix(name, "type:") {
		return -1
	}
	if strings.HasSuffix(name, "]") {
		if isFunction(name) {
			return regAX
		}
		return -1 // a method with type parameters of its own, of Go 1.27 or later
	}
	at := strings.LastIndex(name, "]).")
	if at < 0 || strings.ContainsAny(name[at+3:], ".-[") {
		return -1
	}
	// The receiver is in the parentheses that end there: (*T[go.shape.int]).
	depth := 0
	for i := at; i >= 0; i-- {
		switch name[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth > 0 {
				continue
			}
			open := strings.LastIndexByte(name[:i], '(')
			if open >= 0 && strings.HasPrefix(name[open:], "(*") &&
				!strings.ContainsAny(name[open+2:i], "./[]()") &&
				strings.HasPrefix(name[i:], "[go.shape.") {
				return regBX
			}
			return -1
		}
	}
	return -1
}

// isFunction reports whether a symbol that ends with type arguments is that of a function, and not
// of a method: these are the only ones, and the name before them has a package and no receiver.
// Dots in the last element of a package's path are escaped.
func isFunction(name string) bool {
	open := strings.IndexByte(name, '[')
	fn := name[strings.LastIndexByte(name[:open], '/')+1 : open]
	if strings.Count(fn, ".") != 1 || strings.ContainsAny(fn, "()") {
		return false
	}
	depth := 0
	for i, c := range name[open:] {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return open+i == len(name)-1
			}
		}
	}
	return false
}

// start is what holds at the start of a block that none leads to. At the function's, that is where
// the dictionary's address is.
func (p *prover) start(block int) *state {
	s := newState()
	if block == 0 {
		s.frame = 0
		if p.dictionary >= 0 {
			v := p.values.of(operation{kind: opDictionary})
			p.values.constant[v.base] = true
			s.regs[p.dictionary] = v
		}
	}
	return s
}

// call deals with a call. All is forgotten but where the dictionary's address is.
func (p *prover) call() { p.state = p.onlyHome(p.state) }

// onlyHome is a state in which no more is known than in which slot the function keeps its
// dictionary's address. That is among those for parameters, which are the caller's: a call doesn't
// use it for anything else. Nor does a pointer lead there.
func (p *prover) onlyHome(of *state) *state {
	s, v := newState(), p.values.of(operation{kind: opDictionary})
	if s.frame = of.frame; s.frame < 0 {
		return s
	}
	for _, c := range of.slots {
		if c.at >= s.frame+8 && c.holds == v {
			s.slots = append(s.slots, c)
		}
	}
	return s
}

// atLoop is onlyHome, but the register in which the function gets the address counts, too. It is
// what surely matters at the starts of loops, and of the function, which is one: the function
// begins again when its stack has grown.
func (p *prover) atLoop(of *state) *state {
	s := p.onlyHome(of)
	if n := p.dictionary; n >= 0 && of.regs[n] == p.values.of(operation{kind: opDictionary}) {
		s.regs[n] = of.regs[n]
	}
	return s
}

// moveStack deals with an instruction that moves the stack pointer by some bytes; ok is false if it
// is not known by how many. All is forgotten but the dictionary's address in its register, as the
// function takes its frame before it does anything else.
func (p *prover) moveStack(bytes int64, ok bool) {
	frame, kept := p.frame, p.dictionary >= 0 &&
		p.regs[p.dictionary] == p.values.of(operation{kind: opDictionary})
	p.forget()
	if ok && kept && bytes > 0 && frame >= 0 {
		p.frame = frame + bytes
		p.regs[p.dictionary] = p.values.of(operation{kind: opDictionary})
	}
}

// taken is by how many bytes an instruction that writes the stack pointer makes the frame larger.
func (in *inst) taken() (bytes int64, ok bool) {
	n, ok := in.Args[1].(x86asm.Imm)
	switch ok = ok && in.reloc == nil; in.Op {
	case x86asm.SUB:
		return int64(n), ok
	case x86asm.ADD:
		return -int64(n), ok
	}
	return 0, false
}

// isConstant reports whether an access reads a dictionary, or what one has the address of. No race
// is possible: nothing ever writes there.
func (p *prover) isConstant(x span) bool {
	return !x.wrote && p.values.constant[x.base] && x.from >= 0 && x.to <= maxObject
}

// isOwn reports whether an access is to the function's own frame, or to its parameters. Accesses to
// its own stack are no goroutine's races: what others can reach is on the heap.
func (p *prover) isOwn(x span) bool {
	return x.base == p.values.of(operation{kind: opStack}).base && x.from >= 0 && x.to <= maxObject
}

// maxObject is how far from where a frame or constant begins an address is taken for one in it.
const maxObject = 1 << 16
