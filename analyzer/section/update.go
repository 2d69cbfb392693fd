// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// An update reads a variable or a key of a map only to write it: x++, x += y, x = x + y and
// x = append(x, y). It is one site.

// partOfUpdate reports whether a load or lookup belongs to an update.
func (f *function) partOfUpdate(v ssa.Value) bool {
	by, ok := onlyUse(v).(ssa.Value)
	if !ok {
		return false
	}
	switch write := onlyUse(by).(type) {
	case *ssa.Store:
		return f.updated(write, write.Val) == v
	case *ssa.MapUpdate:
		return f.updated(write, write.Value) == v
	}
	return false
}

// updated is the load or lookup of the update that a write makes, nil if it makes none.
func (f *function) updated(write ssa.Instruction, stored ssa.Value) ssa.Value {
	var operands []ssa.Value
	switch by := stored.(type) {
	case *ssa.BinOp:
		operands = []ssa.Value{by.X, by.Y}
	case *ssa.Call:
		if b, ok := by.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
			operands = by.Call.Args[:1]
		}
	}
	for _, v := range operands {
		from, ok := v.(ssa.Instruction)
		if ok && f.sameVariable(from, write) && onlyUse(v) == stored.(ssa.Instruction) &&
			onlyUse(stored) == write && together(from, write, stored) {
			return v
		}
	}
	return nil
}

// sameVariable reports whether a read and a write are of one variable or key.
func (f *function) sameVariable(read, write ssa.Instruction) bool {
	same := func(a, b ssa.Value) bool { return f.Term(a).Text == f.Term(b).Text }
	switch read := read.(type) {
	case *ssa.UnOp:
		store, ok := write.(*ssa.Store)
		return ok && read.Op == token.MUL && same(read.X, store.Addr)
	case *ssa.Lookup:
		update, ok := write.(*ssa.MapUpdate)
		return ok && !read.CommaOk && same(read.X, update.Map) && same(read.Index, update.Key)
	}
	return false
}

// onlyUse is the only instruction that uses a value, nil if there are others.
func onlyUse(v ssa.Value) (only ssa.Instruction) {
	for _, use := range *v.Referrers() {
		if _, ok := use.(*ssa.DebugRef); ok {
			continue
		}
		if only != nil {
			return nil
		}
		only = use
	}
	return only
}

// together reports whether one instruction follows another without a call between, but for what is
// computed.
func together(first, last ssa.Instruction, computed ssa.Value) bool {
	if first.Block() != last.Block() {
		return false
	}
	between := false
	for _, instr := range first.Block().Instrs {
		if instr == last {
			return between
		}
		_, call := instr.(*ssa.Call)
		if between && call && instr != computed.(ssa.Instruction) {
			return false
		}
		between = between || instr == first
	}
	return false
}
