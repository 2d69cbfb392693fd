// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A lock is a lock that code takes or lets go.
type lock struct {
	term string // its address, as a term of the function
	name name
	read bool // taken for reading
}

// A lockOp is what a call does to a lock.
type lockOp struct {
	lock
	takes bool
	all   bool // lets go all that are held: sync.Cond.Wait
}

// An effect is what a call of a function does to the locks of its caller. A function that takes a
// lock and doesn't let it go takes it for its caller.
type effect struct{ ops []lockOp }

// A locks has, for each instruction of a function, the locks that are held before it on every path.
type locks struct {
	list []lock                       // by number
	held map[ssa.Instruction]uint64   // a bit for each lock
	ops  map[ssa.Instruction][]lockOp // of the instructions that have some
}

// maxLocks is the number of bits; further locks of a function are left out.
const maxLocks = 64

// lockMethods are the methods of locks, by name: whether they take it, and for reading.
var lockMethods = map[string]struct{ takes, read bool }{
	"Lock": {true, false}, "RLock": {true, true},
	"Unlock": {false, false}, "RUnlock": {false, true},
}

// lockOps says what a call does to locks.
func (p *program) lockOps(common *ssa.CallCommon) []lockOp {
	if common.IsInvoke() {
		if m, ok := lockMethods[common.Method.Name()]; ok && plain(common.Signature()) {
			return []lockOp{p.lockOp(common.Value, m.takes, m.read)}
		}
		return nil
	}
	fn := common.StaticCallee()
	if fn == nil {
		return nil
	}
	if fn.String() == "(*sync.Cond).Wait" {
		return []lockOp{{all: true}}
	}
	if callee := p.function(fn); callee != nil {
		return callee.effectAt(common)
	}
	m, ok := lockMethods[fn.Name()]
	if ok && fn.Signature.Recv() != nil && plain(fn.Signature) {
		return []lockOp{p.lockOp(common.Args[0], m.takes, m.read)}
	}
	return nil
}

// plain reports whether a method has no parameters and results.
func plain(s *types.Signature) bool { return s.Params().Len() == 0 && s.Results().Len() == 0 }

func (p *program) lockOp(addr ssa.Value, takes, read bool) lockOp {
	return lockOp{lock: lock{p.Term(addr).Text, p.valueName(addr), read}, takes: takes}
}

// effectAt is what a call of f does to the locks of the caller.
func (f *function) effectAt(common *ssa.CallCommon) (list []lockOp) {
	args := arguments(common)
	for _, op := range f.effects().ops {
		op.term = f.in.substitute(op.term, f, args)
		list = append(list, op)
	}
	return list
}

// arguments are the arguments of a call, with the receiver first.
func arguments(common *ssa.CallCommon) []ssa.Value {
	if common.IsInvoke() {
		return append([]ssa.Value{common.Value}, common.Args...)
	}
	return common.Args
}

// substitute is a term of f as a term of its caller.
func (p *program) substitute(text string, f *function, args []ssa.Value) string {
	return p.Replace(text, func(leaf ssa.Value) (string, bool) {
		param, ok := leaf.(*ssa.Parameter)
		if !ok || param.Parent() != f.Function.Function {
			return "", false
		}
		i := slices.Index(f.Params, param)
		if i < 0 || i >= len(args) {
			return "", false
		}
		return p.Term(args[i]).Text, true
	})
}

// effects computes what f does to the locks of its callers.
func (f *function) effects() *effect {
	if f.effect != nil {
		return f.effect
	}
	f.effect = &effect{} // ends recursion
	l := f.lockFlow()
	if len(l.ops) == 0 {
		return f.effect
	}
	deferred := make(map[string]bool)
	f.Each(func(instr ssa.Instruction) {
		if d, ok := instr.(*ssa.Defer); ok {
			for _, op := range f.deferredOps(d) {
				deferred[op.term] = true
			}
		}
	})
	atEnd, ends := ^uint64(0), false
	found := make(map[string]bool)
	f.Each(func(instr ssa.Instruction) {
		if _, ok := instr.(*ssa.Return); ok {
			atEnd, ends = atEnd&l.held[instr], true
		}
		for _, op := range l.ops[instr] {
			if !op.takes && !op.all && !found[op.term] && f.letsGo(op.term, instr) {
				found[op.term] = true
				f.effect.ops = append(f.effect.ops, op)
			}
		}
	})
	for i, k := range l.list {
		if ends && atEnd>>i&1 != 0 && !deferred[k.term] {
			f.effect.ops = append(f.effect.ops, lockOp{lock: k, takes: true})
		}
	}
	return f.effect
}

// letsGo reports whether an instruction lets a lock go that f has not taken before, on some path.
func (f *function) letsGo(term string, instr ssa.Instruction) bool {
	first := f.Blocks[0].Instrs[0]
	takes := func(instr ssa.Instruction) bool {
		for _, op := range f.locks.ops[instr] {
			if op.takes && op.term == term {
				return true
			}
		}
		return false
	}
	return first == instr || !takes(first) && f.Reaches(first, instr, takes)
}

// deferredOps is what a deferred call does to locks, itself or in a literal.
func (f *function) deferredOps(d *ssa.Defer) []lockOp {
	if ops := f.in.lockOps(&d.Call); len(ops) > 0 {
		return ops
	}
	lit := f.in.function(d.Call.StaticCallee())
	if lit == nil || lit.Parent() == nil {
		return nil
	}
	var list []lockOp
	lit.Each(func(instr ssa.Instruction) {
		if call, ok := instr.(*ssa.Call); ok {
			list = append(list, f.in.lockOps(&call.Call)...)
		}
	})
	return list
}

// lockFlow computes where locks are held: the greatest fixed point of a forward analysis. Before a
// block those locks are held that are held at the end of all its predecessors.
func (f *function) lockFlow() *locks {
	if f.locks != nil {
		return f.locks
	}
	l := &locks{held: make(map[ssa.Instruction]uint64), ops: make(map[ssa.Instruction][]lockOp)}
	f.locks = l
	f.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if ops := f.in.lockOps(&call.Call); len(ops) > 0 {
			l.ops[instr] = ops
			for _, op := range ops {
				if op.takes && l.bit(op.term) == 0 && len(l.list) < maxLocks {
					l.list = append(l.list, op.lock)
				}
			}
		}
	})
	if len(l.list) > 0 {
		f.propagate(l)
	}
	return l
}

func (f *function) propagate(l *locks) {
	all := ^uint64(0) >> (64 - len(l.list))
	out := make([]uint64, len(f.Blocks))
	for i := range out {
		out[i] = all
	}
	for changed := true; changed; {
		changed = false
		for i, b := range f.Blocks {
			now := all
			if i == 0 { // the function's entry: what its callers hold is not known here
				now = 0
			}
			for _, p := range b.Preds {
				now &= out[p.Index]
			}
			for _, instr := range b.Instrs {
				l.held[instr] = now
				for _, op := range l.ops[instr] {
					if op.takes {
						now |= l.bit(op.term)
					} else {
						now &^= l.bit(op.term)
					}
				}
			}
			changed = changed || now != out[i]
			out[i] = now
		}
	}
}

// bit is the bit of a lock, 0 if it has none.
func (l *locks) bit(term string) uint64 {
	for i, k := range l.list {
		if k.term == term {
			return 1 << i
		}
	}
	return 0
}

// at lists the locks that are held at an instruction.
func (l *locks) at(instr ssa.Instruction) (list []lock) {
	held := l.held[instr]
	for i, k := range l.list {
		if held>>i&1 != 0 {
			list = append(list, k)
		}
	}
	return list
}

// unlocks returns the predicate of the instructions that let a lock go.
func (l *locks) unlocks(term string) func(ssa.Instruction) bool {
	return func(instr ssa.Instruction) bool {
		for _, op := range l.ops[instr] {
			if op.all || !op.takes && op.term == term {
				return true
			}
		}
		return false
	}
}
