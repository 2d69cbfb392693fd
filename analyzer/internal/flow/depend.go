// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/token"
	"go/types"
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// A Slice is a forward slice: all parts of a function that depend on one value, its start.
// Dependence goes through values and memory (by data) and through branches (by control). Each step
// adds to the three sets, until nothing changes.
type Slice struct {
	*Function
	Values   map[ssa.Value]bool           // the values that depend on the start
	writes   map[ssa.Instruction][]string // the addresses at which instructions write such values
	branches big.Int                      // the blocks that end in a branch on such a value
	changed  bool

	Data bool // dependence by data alone
}

// Writes adds variables, by address, that an instruction writes, to the slice's start.
func (s *Slice) Writes(instr ssa.Instruction, addrs []string) {
	if len(addrs) > 0 {
		s.writes[instr] = append(s.writes[instr], addrs...)
	}
}

// SliceFrom is the slice from the result of an instruction and from the variables, by address, that
// it has written.
func (f *Function) SliceFrom(seed ssa.Value, writes []string) *Slice {
	s := f.NewSlice()
	s.Values[seed] = true
	if instr, ok := seed.(ssa.Instruction); ok && len(writes) > 0 {
		s.writes[instr] = writes
	}
	s.Grow()
	return s
}

// Wrote reports whether an instruction writes a value of the slice.
func (s *Slice) Wrote(instr ssa.Instruction) bool { return s.writes[instr] != nil }

// NewSlice is a slice without a start.
func (f *Function) NewSlice() *Slice {
	f.Flow()
	return &Slice{Function: f, Values: make(map[ssa.Value]bool),
		writes: make(map[ssa.Instruction][]string)}
}

// Grow adds to the slice until nothing changes: a least fixed point.
func (s *Slice) Grow() {
	for s.changed = true; s.changed; {
		s.changed = false
		s.Each(s.visit)
	}
}

// visit adds what one instruction makes of the slice so far.
func (s *Slice) visit(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.If: // control dependence begins here
		if !s.Data && s.Values[instr.Cond] && s.branches.Bit(instr.Block().Index) == 0 {
			s.branches.SetBit(&s.branches, instr.Block().Index, 1)
			s.changed = true
		}
		return
	case *ssa.Store: // dependence through memory; also by whether the store is made at all
		if s.Values[instr.Val] || s.Controlled(instr.Block()) {
			s.write(instr, s.Term(instr.Addr).Text)
		}
		return
	case *ssa.MapUpdate:
		if s.Values[instr.Value] || s.Values[instr.Key] || s.Controlled(instr.Block()) {
			s.write(instr, Contents(s.Term(instr.Map).Text))
		}
		return
	case *ssa.Call:
		s.visitArgs(instr)
	}
	if v, ok := instr.(ssa.Value); ok && !s.Values[v] && s.depends(v) {
		s.Values[v] = true
		s.changed = true
	}
}

// Contents is a made-up address for the elements of a map or a slice.
func Contents(term string) string { return "[](" + term + ")" }

// write notes that an instruction writes a value of the slice at an address.
func (s *Slice) write(instr ssa.Instruction, addr string) {
	for _, have := range s.writes[instr] {
		if have == addr {
			return
		}
	}
	s.writes[instr] = append(s.writes[instr], addr)
	s.changed = true
}

// visitArgs takes a call for a write to those variables of the function whose addresses it gets. It
// does so if an argument is in the slice, or if a branch of the slice controls the call.
func (s *Slice) visitArgs(call *ssa.Call) {
	depends := s.Controlled(call.Block())
	for _, arg := range call.Call.Args {
		depends = depends || s.Carries(arg, call)
	}
	if !depends {
		return
	}
	for _, arg := range call.Call.Args {
		if addr := Pointed(arg); addr != nil && Local(addr) {
			s.write(call, s.Term(addr).Text)
		}
	}
}

// Pointed is the pointer that an argument is, or that it has in an interface; nil if there is none.
func Pointed(arg ssa.Value) ssa.Value {
	if i, ok := arg.(*ssa.MakeInterface); ok {
		arg = i.X
	}
	if _, ok := arg.Type().Underlying().(*types.Pointer); ok {
		return arg
	}
	return nil
}

// Local reports whether an address is that of a variable of a function, or of a part of it.
func Local(addr ssa.Value) bool {
	for {
		switch v := addr.(type) {
		case *ssa.Alloc, *ssa.FreeVar:
			return true
		case *ssa.FieldAddr:
			addr = v.X
		case *ssa.IndexAddr:
			addr = v.X
		default:
			return false
		}
	}
}

// depends reports whether a value is computed from values or memory of the slice.
func (s *Slice) depends(v ssa.Value) bool {
	instr := v.(ssa.Instruction)
	switch v := v.(type) {
	case *ssa.Phi: // the one value that depends by control: which edge is taken
		return s.joins(v)
	case *ssa.UnOp:
		return s.Values[v.X] || v.Op == token.MUL && s.Written(s.Term(v.X).Text, v)
	case *ssa.Lookup:
		if s.Written(Contents(s.Term(v.X).Text), v) {
			return true
		}
	case *ssa.Range:
		if s.Written(Contents(s.Term(v.X).Text), v) {
			return true
		}
	case *ssa.Slice:
		if s.Written(s.Term(v.X).Text, v) { // of an array
			return true
		}
	case *ssa.Call:
		for _, arg := range v.Call.Args {
			if s.Carries(arg, v) {
				return true
			}
		}
		return s.Values[v.Call.Value]
	case *ssa.Alloc, *ssa.MakeClosure:
		return false // a new address is not computed from anything
	case *ssa.Select:
		if s.isDelay(v) {
			return s.decides(v)
		}
	}
	for _, op := range instr.Operands(nil) {
		if *op != nil && s.Values[*op] {
			return true
		}
	}
	return false
}

// Carries reports whether an argument is in the slice, or points to a variable whose value is.
func (s *Slice) Carries(arg ssa.Value, call *ssa.Call) bool {
	if s.Values[arg] {
		return true
	}
	addr := Pointed(arg)
	return addr != nil && Local(addr) && s.Written(s.Term(addr).Text, call)
}

// Written reports whether an address may hold a value of the slice when control is at an
// instruction. That is so if a path leads there from a write of such a value on which no other
// store replaces it.
func (s *Slice) Written(addr string, at ssa.Instruction) bool {
	for instr, addrs := range s.writes {
		for _, a := range addrs {
			if Overlap(a, addr) && s.Reaches(instr, at, func(other ssa.Instruction) bool {
				store, ok := other.(*ssa.Store)
				return ok && s.writes[other] == nil && s.Term(store.Addr).Text == a
			}) {
				return true
			}
		}
	}
	return false
}

// joins reports whether a phi has an edge with a value of the slice, or whether a branch of the
// slice chooses among its edges. The branch does so if two of the edges that it controls have
// different values. It also does if one of these and an edge round a loop with the branch differ.
func (s *Slice) joins(v *ssa.Phi) bool {
	for _, e := range v.Edges {
		if s.Values[e] {
			return true
		}
	}
	b := v.Block()
	for i := range s.Blocks {
		// A branch that controls the phi's block is above it: it doesn't choose among the edges.
		if s.branches.Bit(i) == 0 || s.controls[b.Index].Bit(i) != 0 {
			continue
		}
		var chosen, around []ssa.Value // by the branch; round a loop with the branch
		for k, from := range b.Preds {
			switch {
			case back(from, b):
			case from.Index == i || s.controls[from.Index].Bit(i) != 0:
				chosen = append(chosen, v.Edges[k])
			case s.reach[i].Bit(from.Index) != 0:
				around = append(around, v.Edges[k])
			}
		}
		if len(chosen) == 0 {
			continue
		}
		for _, e := range append(chosen[1:], around...) {
			if e != chosen[0] {
				return true
			}
		}
	}
	return false
}

// Controlled reports whether a branch of the slice controls a block, or is the only way out of a
// loop before the block.
func (s *Slice) Controlled(b *ssa.BasicBlock) bool {
	if s.branches.Sign() == 0 { // the usual case
		return false
	}
	if new(big.Int).And(&s.controls[b.Index], &s.branches).Sign() != 0 {
		return true
	}
	for i, branch := range s.Blocks {
		if s.branches.Bit(i) != 0 && s.endsLoop(branch, b) {
			return true
		}
	}
	return false
}

// endsLoop reports whether a block comes after a loop around the branch, and is reached from the
// loop only by branches of the slice.
func (s *Slice) endsLoop(branch, b *ssa.BasicBlock) bool {
	if s.reach[branch.Index].Bit(branch.Index) == 0 || s.reach[b.Index].Bit(branch.Index) != 0 ||
		s.reach[branch.Index].Bit(b.Index) == 0 {
		return false
	}
	// Each edge out of the loop that leads to b must begin at a branch of the slice.
	for _, in := range s.loop(branch) {
		for _, out := range in.Succs {
			inside := s.reach[out.Index].Bit(branch.Index) != 0
			if !inside && s.forward[out.Index].Bit(b.Index) != 0 && s.branches.Bit(in.Index) == 0 {
				return false
			}
		}
	}
	return s.header(branch).Dominates(b)
}

// header is the block at which the outermost loop around b begins.
func (s *Slice) header(b *ssa.BasicBlock) *ssa.BasicBlock {
	for d := b.Idom(); d != nil && s.reach[d.Index].Bit(b.Index) != 0 &&
		s.reach[b.Index].Bit(d.Index) != 0; d = d.Idom() {
		b = d
	}
	return b
}

// AffectsCall reports whether a call depends on the slice's start, by control or by data. The
// receiver doesn't count: it is the object of the call.
func (s *Slice) AffectsCall(call *ssa.Call) bool {
	if s.Controlled(call.Block()) {
		return true
	}
	args := call.Call.Args
	if call.Call.Signature().Recv() != nil && !call.Call.IsInvoke() {
		args = args[1:] // not the receiver
	}
	for _, arg := range args {
		if s.Carries(arg, call) {
			return true
		}
	}
	return false
}

// Returns reports whether a result of the function depends on the slice's start.
func (s *Slice) Returns() (found bool) {
	s.Each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok {
			for _, v := range ret.Results {
				found = found || s.Values[v]
			}
			found = found || s.Controlled(ret.Block())
		}
	})
	return found
}
