// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A program is a small one for tests: goroutines that call functions, which are critical sections
// with reads and writes of variables and maps. Lock i guards variables i and i+2 and map i, and
// elements in block i of memory, which slices of several variables may share.
type program struct {
	functions []*function
	calls     [][]call // by goroutine
}

// A call is one of a function, with the key that its operations of maps have, and a value that no
// other call has.
type call struct {
	fn    *function
	key   int
	token int
}

// A function has steps, and the pairs of a check and an act that are in it.
type function struct {
	pkg   int // the number of its package
	steps []step
	code  compiled.SectionFunc
	pairs []pairOf
}

// A pairOf is a pair of a function, by its operations.
type pairOf struct{ check, act *op }

// A stepKind says what a step is.
type stepKind int

const (
	inSection stepKind = iota
	sends              // to a channel with room for all
	receives
	locks // an outer lock
	unlocks
)

// A step is what a goroutine does at once.
type step struct {
	kind stepKind
	free bool // no lock is held: of inSection, it is one atomic operation
	on   int  // the lock, or the channel
	read bool
	ops  []*op

	opaque bool // of inSection: the section is not complete
}

// An op is an operation in a section.
type op struct {
	kind        compiled.TouchOp
	touch       *compiled.SectionTouch
	atomic      bool
	unannounced bool
	isReturn    bool  // it is none, but returns if its condition holds
	exits       bool  // of isReturn: the goroutine ends
	v           int   // the variable or map
	otherKey    bool  // it has the other key
	element     int   // of a block
	reg         int   // a read sets it
	ifs         *cond // nil: always
	from        int   // the register that a value is made of, or one of the constants
}

const (
	fromToken = -1 - iota
	fromConst
)

// A cond compares a register.
type cond struct {
	reg, with int
	equal     bool
}

func (c *cond) holds(regs *[maxRegs]int) bool { return (regs[c.reg] == c.with) == c.equal }

const (
	maxRegs  = 14
	nVars    = 4
	nAtomics = 2
	nMaps    = 2
	nKeys    = 2
	nBlocks  = 2
	nElems   = 2
	maxConst = 3
)

// isRead reports whether an operation sets its register.
func (o *op) isRead() bool {
	return !o.isReturn && (o.kind == compiled.ReadVar || o.kind == compiled.Lookup ||
		o.kind == compiled.Len || o.kind == compiled.ReadBacking)
}

// onBlock reports whether an operation is on elements. Pairs are of no such operations.
func (o *op) onBlock() bool {
	return o.kind == compiled.ReadBacking || o.kind == compiled.WriteBacking
}

// onMap reports whether an operation is of a map.
func (o *op) onMap() bool {
	return o.kind != compiled.ReadVar && o.kind != compiled.WriteVar &&
		o.kind != compiled.UpdateVar && !o.onBlock()
}

// touches reports whether a write of o is at the point that the read r is of.
func (o *op) touches(r *op) bool {
	if o.isReturn || o.isRead() || o.v != r.v || o.onMap() != r.onMap() || o.onBlock() ||
		r.onBlock() {
		return false
	}
	return !o.onMap() || r.kind == compiled.Len || o.otherKey == r.otherKey
}

// sameAs reports whether two reads are of one point.
func (o *op) sameAs(r *op) bool {
	return o.isRead() && o.v == r.v && o.onMap() == r.onMap() && o.kind == r.kind && !o.onBlock() &&
		(o.kind == compiled.Len || o.otherKey == r.otherKey)
}

// uses reports whether an operation depends on a register by itself.
func (o *op) uses(reg int) bool {
	return o.ifs != nil && o.ifs.reg == reg || !o.isReturn && !o.isRead() && o.from == reg
}

// addPairs finds the pairs of a function, as the analysis would.
func (f *function) addPairs() {
	type at struct {
		*op
		step int
	}
	var all []at
	for i := range f.steps {
		for _, o := range f.steps[i].ops {
			all = append(all, at{o, i})
		}
	}
	// depends reports whether the j-th operation depends on what the i-th has read.
	depends := func(i, j int) bool {
		if all[j].uses(all[i].reg) {
			return true
		}
		for _, o := range all[i:j] {
			if o.isReturn && o.uses(all[i].reg) {
				return true
			}
		}
		return false
	}
	for j, act := range all {
		for i, check := range all[:j] {
			if !check.isRead() || check.step == act.step || !act.touches(check.op) ||
				f.steps[check.step].kind != inSection || !depends(i, j) {
				continue
			}
			again := false
			for k := i + 1; k < j; k++ {
				again = again || all[k].step != check.step && all[k].sameAs(check.op) &&
					depends(k, j)
			}
			if !again {
				always := true
				for _, r := range all[:j] {
					if !r.sameAs(check.op) {
						continue
					}
					always = always && (act.ifs == nil || act.ifs.reg != r.reg)
					for _, o := range all[:j] {
						always = always && !(o.isReturn && o.uses(r.reg))
					}
				}
				f.addPair(check.op, act.op, always)
			}
		}
	}
}

func (f *function) addPair(check, act *op, always bool) {
	p := compiled.SectionPair{Check: check.touch, Act: act.touch, Shape: compiled.Created,
		Always: always}
	switch {
	case act.from == check.reg:
		p.Shape, p.Value = compiled.LostUpdate, true
	case act.kind == compiled.Delete:
		p.Shape = compiled.DeletedAfter
	case check.kind == compiled.Len:
		p.Shape = compiled.Exceeded
	case act.from == fromConst && act.kind == compiled.Insert:
		p.Shape = compiled.Registered
	case act.from == fromConst:
		p.Shape = compiled.FlagSet
	}
	f.pairs = append(f.pairs, pairOf{check, act})
	f.code.Pairs = append(f.code.Pairs, p)
}

// A maker makes random programs.
type maker struct {
	*rand.Rand
	regs    int
	atomics bool // there are atomic operations
	blocks  bool // there are operations on elements, by which one function tells the other
	linked  bool // most operations are such that linked pairs are made of
	reads   bool // and now, of functions that read
	opaques bool // some sections are opaque
	late    bool // each function is of another package, and hot after its first activation
}

// randomProgram makes a program.
func randomProgram(seed int64) *program { return makeProgram(seed, maker{}) }

func makeProgram(seed int64, like maker) *program {
	m := &like
	m.Rand = rand.New(rand.NewSource(seed))
	p := new(program)
	n := 1 + m.Intn(2)
	if m.linked || m.blocks {
		n = 2
	}
	for i := range n {
		m.reads = i == 1
		p.functions = append(p.functions, m.function())
		if m.late {
			p.functions[i].pkg = i
		}
	}
	token := 10
	goroutines := 2 + m.Intn(2)
	for range goroutines {
		var calls []call
		for range 1 + m.Intn(4-goroutines) {
			token++
			calls = append(calls, call{p.functions[m.Intn(len(p.functions))], m.Intn(3) / 2, token})
		}
		if m.blocks && len(calls) > 1 { // who is told calls what tells
			calls[0].fn, calls[1].fn = p.functions[1], p.functions[0]
		}
		p.calls = append(p.calls, calls)
	}
	return p
}

func (m *maker) function() *function {
	f := new(function)
	m.regs = 0
	sections := 2 + m.Intn(2)
	main := m.Intn(2) // most sections are of one lock, or there would be no pairs
	if m.linked || m.blocks {
		main = 0
	}
	outer := m.Intn(12) == 0
	if outer {
		f.steps = append(f.steps, step{kind: locks})
	}
	if m.blocks && m.reads {
		f.steps = append(f.steps, m.told(main))
	}
	for i := range sections {
		switch m.Intn(24) {
		case 0:
			f.steps = append(f.steps, step{kind: sends, on: m.Intn(2)})
		case 1:
			f.steps = append(f.steps, step{kind: receives, on: m.Intn(2)})
		}
		if m.atomics && m.Intn(2) == 0 {
			f.steps = append(f.steps, m.atomicStep(i))
			continue
		}
		s := step{on: main}
		if m.Intn(5) == 0 {
			s.on = 1 - main
		}
		s.opaque = m.opaques && m.Intn(4) == 0
		for range 1 + m.Intn(3) {
			if m.atomics && m.Intn(8) == 0 {
				s.ops = append(s.ops, m.atomicOp(i))
				continue
			}
			s.ops = append(s.ops, m.op(s.on, i))
		}
		s.read = !slices.ContainsFunc(s.ops, func(o *op) bool {
			return !o.isReturn && !o.isRead()
		}) && m.Intn(2) == 0
		f.steps = append(f.steps, s)
	}
	if m.blocks && !m.reads {
		f.steps = append(f.steps, m.tells(main))
	}
	if outer {
		f.steps = append(f.steps, step{kind: unlocks})
	}
	f.addPairs()
	return f
}

// tells is a section that writes an element.
func (m *maker) tells(lock int) step {
	ops := []*op{m.element(lock, compiled.WriteBacking)}
	if m.Intn(2) == 0 {
		ops = []*op{m.element(lock, compiled.ReadBacking), ops[0]}
	}
	return step{on: lock, ops: ops}
}

// told is a section that reads an element, after which its goroutine may end.
func (m *maker) told(lock int) step {
	read := m.element(lock, compiled.ReadBacking)
	back := &op{isReturn: true, exits: true, ifs: &cond{reg: read.reg, equal: m.Intn(4) > 0}}
	return step{on: lock, ops: []*op{read, back}}
}

// element is an operation on an element.
func (m *maker) element(lock int, kind compiled.TouchOp) *op {
	o := &op{kind: kind, v: lock, element: m.Intn(nElems), reg: -1, from: fromConst,
		touch: &compiled.SectionTouch{Op: kind}}
	if o.isRead() {
		o.reg = m.regs
		m.regs++
	}
	return o
}

// op makes an operation of the i-th section, which is of a lock.
func (m *maker) op(lock, i int) *op {
	o := &op{reg: -1, from: fromConst, v: lock}
	kinds := []compiled.TouchOp{compiled.ReadVar, compiled.Lookup, compiled.ReadVar,
		compiled.Lookup, compiled.Len, compiled.WriteVar, compiled.Insert, compiled.UpdateVar,
		compiled.Delete}
	if m.regs > 0 && i > 0 { // writes come later
		kinds = append(kinds[2:], compiled.WriteVar, compiled.Insert)
	}
	if m.linked && m.Intn(4) > 0 {
		kinds = []compiled.TouchOp{compiled.ReadVar, compiled.WriteVar, compiled.WriteVar,
			compiled.Insert, compiled.Delete}
		if m.reads {
			kinds = []compiled.TouchOp{compiled.ReadVar, compiled.ReadVar, compiled.Lookup,
				compiled.Lookup, compiled.WriteVar}
		}
	}
	if m.blocks && m.Intn(3) == 0 {
		kinds = []compiled.TouchOp{compiled.ReadBacking, compiled.WriteBacking}
		o.element = m.Intn(nElems)
	}
	o.kind = kinds[m.Intn(len(kinds))]
	o.isReturn = m.regs > 0 && m.Intn(6) == 0
	if o.kind == compiled.ReadVar || o.kind == compiled.WriteVar || o.kind == compiled.UpdateVar {
		o.v += 2 * m.Intn(2)
	} else if !o.onBlock() {
		o.otherKey = m.Intn(6) == 0
	}
	if m.regs > 0 && (o.isReturn || m.Intn(2) == 0) {
		o.ifs = &cond{m.Intn(m.regs), m.Intn(maxConst), m.Intn(3) > 0}
	}
	if o.isReturn {
		return o
	}
	o.touch = &compiled.SectionTouch{Op: o.kind}
	switch {
	case o.isRead():
		o.ifs = nil
		o.reg = m.regs
		m.regs++
	case m.regs > 0 && m.Intn(2) == 0:
		o.from = m.Intn(m.regs)
	case m.Intn(2) == 0:
		o.from = fromToken
	}
	if o.kind == compiled.UpdateVar || o.kind == compiled.Delete {
		o.from = fromConst
	}
	return o
}
