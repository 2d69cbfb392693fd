// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"github.com/commutego/commute/analyzer/internal/flow"
	"golang.org/x/tools/go/ssa"
)

// A locks has, for each instruction of a function, the locks that are held before it on every path.
type locks struct {
	names []*flow.Term               // the addresses of the locks, by number
	held  map[ssa.Instruction]uint64 // a bit for each lock
}

// maxLocks is the number of bits; further locks of a function are left out.
const maxLocks = 64

// operation returns the address of the lock that a call locks or unlocks, nil if it does neither.
// RLock counts as Lock.
func (p *program) operation(instr ssa.Instruction) (lock *flow.Term, takes bool) {
	call, ok := instr.(*ssa.Call)
	if !ok || call.Call.IsInvoke() {
		return nil, false
	}
	fn := call.Call.StaticCallee()
	if fn == nil {
		return nil, false
	}
	switch fn.String() {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock":
		return p.Term(call.Call.Args[0]), true
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(*sync.RWMutex).RUnlock":
		return p.Term(call.Call.Args[0]), false
	}
	return nil, false
}

// locksOf computes where locks are held: the greatest fixed point of a forward analysis. Before a
// block those locks are held that are held at the end of all its predecessors.
func (f *function) locksOf() *locks {
	l := &locks{held: make(map[ssa.Instruction]uint64)}
	f.Each(func(instr ssa.Instruction) {
		if t, takes := f.in.operation(instr); takes && l.bit(t) == 0 && len(l.names) < maxLocks {
			l.names = append(l.names, t)
		}
	})
	if len(l.names) == 0 {
		return l
	}
	// out has the locks at the end of each block: at first all, then fewer with each round.
	out := make([]uint64, len(f.Blocks))
	for i := range out {
		out[i] = 1<<len(l.names) - 1
	}
	for changed := true; changed; {
		changed = false
		for i, b := range f.Blocks {
			now := uint64(1<<len(l.names) - 1)
			if i == 0 { // the function's entry: what its callers hold is not known here
				now = 0
			}
			for _, p := range b.Preds {
				now &= out[p.Index]
			}
			for _, instr := range b.Instrs {
				l.held[instr] = now
				if t, takes := f.in.operation(instr); t != nil && takes {
					now |= l.bit(t)
				} else if t != nil {
					now &^= l.bit(t)
				}
			}
			changed = changed || now != out[i]
			out[i] = now
		}
	}
	return l
}

// bit is the bit of a lock, 0 if it has none.
func (l *locks) bit(t *flow.Term) uint64 {
	for i, name := range l.names {
		if name.Text == t.Text {
			return 1 << i
		}
	}
	return 0
}

// at lists the locks that are held at an instruction.
func (l *locks) at(instr ssa.Instruction) (list []*flow.Term) {
	for i, name := range l.names {
		if l.held[instr]>>i&1 != 0 {
			list = append(list, name)
		}
	}
	return list
}

// holds reports whether a lock is held at an instruction.
func (l *locks) holds(lock string, instr ssa.Instruction) bool {
	return l.held[instr]&l.bit(&flow.Term{Text: lock}) != 0
}
