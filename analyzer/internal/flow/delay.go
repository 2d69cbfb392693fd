// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// A delay is code that a branch leads to and that waits some time, unless it is told to give up:
//
//	if d := t.pause(); d > 0 {
//		select {
//		case <-time.After(d):
//		case <-ctx.Done():
//			return ctx.Err()
//		}
//	}
//
// What comes after it comes either way, now or later. So the branch decides when that is done, and
// not whether: it does not control it. Whether to give up is not the branch's to decide.
type delay struct {
	branch int         // the block that ends in the branch
	within big.Int     // the blocks that only the branch leads to
	wait   *ssa.Select // in which it waits
}

// findDelays lists the delays of a function.
func (f *Function) findDelays() (list []*delay) {
	for _, b := range f.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); !ok {
			continue
		}
		for k := range b.Succs {
			if d := f.delayAt(b, b.Succs[k], b.Succs[1-k]); d != nil {
				list = append(list, d)
			}
		}
	}
	return list
}

// delayAt is the delay that one successor of a branch begins if the other one is what comes after
// it; nil if there is none.
func (f *Function) delayAt(branch, begin, after *ssa.BasicBlock) *delay {
	d := &delay{branch: branch.Index}
	if !branch.Dominates(begin) || begin == after || back(branch, begin) || back(branch, after) {
		return nil
	}
	if !f.enclose(d, begin, after) || d.wait == nil {
		return nil
	}
	for i, b := range f.Blocks {
		if d.within.Bit(i) == 0 || !f.leads(b, after) {
			continue
		}
		if test, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !d.waits(f, test, after) {
			return nil
		}
	}
	return d
}

// enclose collects the blocks of a delay. It reports false if they lead anywhere else than to what
// comes after, or to the function's end.
func (f *Function) enclose(d *delay, b, after *ssa.BasicBlock) bool {
	if b == after || d.within.Bit(b.Index) != 0 {
		return true
	}
	if !f.Blocks[d.branch].Dominates(b) {
		return !f.leads(b, after) // a return that others share
	}
	d.within.SetBit(&d.within, b.Index, 1)
	for _, instr := range b.Instrs {
		if s, ok := instr.(*ssa.Select); ok && f.leads(b, after) {
			if d.wait != nil || !s.Blocking {
				return false
			}
			d.wait = s
		}
	}
	for _, s := range b.Succs {
		if !f.enclose(d, s, after) {
			return false
		}
	}
	return true
}

// leads reports whether a block is another one or can reach it.
func (f *Function) leads(from, to *ssa.BasicBlock) bool {
	return from == to || f.reach[from.Index].Bit(to.Index) != 0
}

// waits reports whether a branch of a delay asks which case of its select has come, and only time
// leads to what comes after.
func (d *delay) waits(f *Function, test *ssa.If, after *ssa.BasicBlock) bool {
	cond, ok := test.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.EQL {
		return false
	}
	which, ok := cond.X.(*ssa.Extract)
	n, isConst := cond.Y.(*ssa.Const)
	if !ok || !isConst || which.Index != 0 || which.Tuple != d.wait {
		return false
	}
	i, exact := constant.Int64Val(n.Value)
	if !exact || i < 0 || int(i) >= len(d.wait.States) {
		return false
	}
	return timed(d.wait.States[i]) || !f.leads(test.Block().Succs[0], after)
}

// timed reports whether a case of a select comes when it is time: what it receives is a time.
func timed(s *ssa.SelectState) bool {
	if s.Dir != types.RecvOnly {
		return false
	}
	ch, ok := s.Chan.Type().Underlying().(*types.Chan)
	return ok && types.TypeString(ch.Elem(), nil) == "time.Time"
}

// isDelay reports whether a select is that of a delay.
func (f *Function) isDelay(s *ssa.Select) bool {
	for _, d := range f.delays {
		if d.wait == s {
			return true
		}
	}
	return false
}

// decides reports whether a value of the slice decides how the select of a delay ends. For how long
// it waits does not.
func (s *Slice) decides(wait *ssa.Select) bool {
	for _, c := range wait.States {
		if !timed(c) && s.Values[c.Chan] || c.Send != nil && s.Values[c.Send] {
			return true
		}
	}
	return false
}

// freeDelayed takes from direct dependences those on the branch of a delay of what comes after it.
func (g *graph) freeDelayed() {
	for _, d := range g.delays {
		for i := range g.controls {
			if d.within.Bit(i) == 0 {
				g.controls[i].SetBit(&g.controls[i], d.branch, 0)
			}
		}
	}
}

// controlling is the set of branches that control block i, as far as they control block b by it.
func (g *graph) controlling(i, b int) *big.Int {
	set := new(big.Int).Set(&g.controls[i])
	for _, d := range g.delays {
		if d.within.Bit(i) != 0 && d.within.Bit(b) == 0 {
			set.SetBit(set, d.branch, 0)
		}
	}
	return set
}
