// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// A graph is the control flow of a function: sets of blocks, each a bit set by block number.
type graph struct {
	reach    []big.Int // the blocks that can be reached by one edge or more
	forward  []big.Int // the block, and those that can be reached without going round a loop
	post     []big.Int // the post-dominators: the blocks on each path to the function's end
	controls []big.Int // the branches that control the block, directly or through others
	delays   []*delay
}

// Flow computes the graph when it is first needed: most functions need none.
func (f *Function) Flow() *graph {
	if f.graph == nil {
		n := len(f.Blocks)
		f.graph = &graph{make([]big.Int, n), make([]big.Int, n), make([]big.Int, n),
			make([]big.Int, n), nil}
		f.reachability()
		f.postDominance()
		f.delays = f.findDelays()
		f.control()
	}
	return f.graph
}

// back reports whether an edge is a back edge: one that goes round a loop.
func back(from, to *ssa.BasicBlock) bool { return to.Dominates(from) }

// fixpoint repeats step for all blocks until nothing changes. The order is from last to first, as
// the sets depend on successors.
func (f *Function) fixpoint(sets []big.Int, step func(b *ssa.BasicBlock, into *big.Int)) {
	for changed := true; changed; {
		changed = false
		for i := len(f.Blocks) - 1; i >= 0; i-- {
			b := f.Blocks[i]
			now := new(big.Int).Set(&sets[i])
			step(b, now)
			if now.Cmp(&sets[i]) != 0 {
				sets[i].Set(now)
				changed = true
			}
		}
	}
}

// reachability computes reach and forward.
func (f *Function) reachability() {
	f.fixpoint(f.reach, func(b *ssa.BasicBlock, into *big.Int) {
		for _, s := range b.Succs {
			into.SetBit(into, s.Index, 1)
			into.Or(into, &f.reach[s.Index])
		}
	})
	f.fixpoint(f.forward, func(b *ssa.BasicBlock, into *big.Int) {
		into.SetBit(into, b.Index, 1)
		for _, s := range b.Succs {
			if !back(b, s) {
				into.Or(into, &f.forward[s.Index])
			}
		}
	})
}

// postDominance computes post, as the greatest fixed point of the usual equations. From a loop
// without an exit no path leads to the end. There a block with a back edge counts as an end:
// otherwise each block would post-dominate all of the loop.
func (f *Function) postDominance() {
	all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(len(f.Blocks))), big.NewInt(1))
	ends := make([]bool, len(f.Blocks))
	for i, b := range f.Blocks {
		f.post[i].Set(all)
		ends[i] = len(b.Succs) == 0
		if !ends[i] && !f.mayEnd(b) { // in a loop without an exit
			for _, s := range b.Succs {
				ends[i] = ends[i] || back(b, s)
			}
		}
	}
	// post(b) is b and what is in post of all successors; after an end there is nothing.
	f.fixpoint(f.post, func(b *ssa.BasicBlock, into *big.Int) {
		into.Set(all)
		if ends[b.Index] {
			into.SetInt64(0)
		}
		for _, s := range b.Succs {
			into.And(into, &f.post[s.Index])
		}
		into.SetBit(into, b.Index, 1)
	})
}

// mayEnd reports whether the function's end can be reached from a block.
func (f *Function) mayEnd(b *ssa.BasicBlock) bool {
	for i, other := range f.Blocks {
		if len(other.Succs) == 0 && f.reach[b.Index].Bit(i) != 0 {
			return true
		}
	}
	return false
}

// control computes controls: the control dependences of Ferrante, Ottenstein and Warren, section
// 3.1. Block i depends on branch b if i post-dominates a successor of b and not b itself. The
// dependences of a loop's next round on this one are left out: i must be reached forward. Then the
// relation is closed: a branch also controls what the branches that it controls do. That of a delay
// does not control what comes after it.
func (f *Function) control() {
	for _, b := range f.Blocks {
		if len(b.Succs) < 2 {
			continue
		}
		for _, s := range b.Succs {
			if back(b, s) {
				continue
			}
			for i := range f.Blocks {
				after := i != b.Index && f.post[b.Index].Bit(i) != 0
				if f.post[s.Index].Bit(i) != 0 && !after && f.forward[s.Index].Bit(i) != 0 {
					f.controls[i].SetBit(&f.controls[i], b.Index, 1)
				}
			}
		}
	}
	f.freeDelayed()
	// The closure: the branches that control the branches of a block control the block.
	direct := make([]big.Int, len(f.controls))
	for i := range direct {
		direct[i].Set(&f.controls[i])
	}
	f.fixpoint(f.controls, func(b *ssa.BasicBlock, into *big.Int) {
		for i := range f.Blocks {
			if direct[b.Index].Bit(i) != 0 {
				into.Or(into, f.controlling(i, b.Index))
			}
		}
	})
}

// loop returns the blocks of the loops around a block: those that it reaches and that reach it.
func (f *Function) loop(b *ssa.BasicBlock) (blocks []*ssa.BasicBlock) {
	for i, other := range f.Blocks {
		if f.reach[b.Index].Bit(i) != 0 && f.reach[i].Bit(b.Index) != 0 {
			blocks = append(blocks, other)
		}
	}
	return blocks
}

// Reaches reports whether there is a path from one instruction to another with no instruction
// between for which avoid holds. A nil avoid holds for none. O(n) for n instructions.
func (f *Function) Reaches(from, to ssa.Instruction, avoid func(ssa.Instruction) bool) bool {
	return f.ReachesAny(from, func(instr ssa.Instruction) bool { return instr == to }, avoid)
}

// ReachesAny is Reaches for any instruction for which to holds.
func (f *Function) ReachesAny(from ssa.Instruction, to, avoid func(ssa.Instruction) bool) bool {
	seen := make([]bool, len(f.Blocks))
	var walk func(instrs []ssa.Instruction, b *ssa.BasicBlock) bool
	walk = func(instrs []ssa.Instruction, b *ssa.BasicBlock) bool {
		for _, instr := range instrs {
			if to(instr) {
				return true
			}
			if avoid != nil && avoid(instr) {
				return false
			}
		}
		for _, s := range b.Succs {
			if !seen[s.Index] {
				seen[s.Index] = true
				if walk(s.Instrs, s) {
					return true
				}
			}
		}
		return false
	}
	b := from.Block()
	for i, instr := range b.Instrs {
		if instr == from {
			return walk(b.Instrs[i+1:], b)
		}
	}
	return false
}

// AlwaysBetween reports whether control always passes the second instruction on its way from the
// first to the third.
func (f *Function) AlwaysBetween(first, second, third ssa.Instruction) bool {
	return first != second && f.Reaches(first, third, nil) &&
		!f.Reaches(first, third, func(instr ssa.Instruction) bool { return instr == second })
}
