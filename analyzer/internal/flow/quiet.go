// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// An instruction is quiet if all that it runs is known to neither block, nor take or let go a lock,
// nor start a goroutine, nor call what is not known. A fix may move a critical section over it, and
// it calls nothing that could come back to the object of a pair.

// maxQuiet bounds the chains of calls that are followed.
const maxQuiet = 4

// quietPackages are packages of the standard library whose functions are quiet, if they get no
// function and no interface with methods.
var quietPackages = map[string]bool{
	"bytes": true, "cmp": true, "container/list": true, "errors": true, "maps": true, "math": true,
	"math/bits": true, "path": true, "slices": true, "strconv": true, "strings": true,
	"time": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// Quiet reports whether an instruction is quiet. O(n) for the n instructions of the functions that
// it calls, up to a depth of 4.
func (p *Program) Quiet(instr ssa.Instruction) bool { return p.quiet(instr, 0) }

func (p *Program) quiet(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.Go, *ssa.Defer, *ssa.Send, *ssa.Select:
		return false
	case *ssa.UnOp:
		return instr.Op != token.ARROW
	case *ssa.Call:
		return p.quietCall(&instr.Call, depth)
	case *ssa.Next:
		return true
	case *ssa.Range:
		return true
	}
	return true
}

func (p *Program) quietCall(call *ssa.CallCommon, depth int) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok {
		return b.Name() != "close" && b.Name() != "recover" && b.Name() != "print" &&
			b.Name() != "println"
	}
	fn := call.StaticCallee()
	if fn == nil {
		return false
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if f := p.Of[fn]; f != nil {
		if depth >= maxQuiet || fn.Recover != nil {
			return false
		}
		all := true
		f.Each(func(instr ssa.Instruction) { all = all && p.quiet(instr, depth+1) })
		return all
	}
	return QuietFunction(fn)
}

// QuietFunction reports whether a function of another package is quiet.
func QuietFunction(fn *ssa.Function) bool {
	obj := fn.Object()
	if obj == nil || obj.Pkg() == nil || !quietPackages[obj.Pkg().Path()] ||
		obj.Pkg().Path() == "time" && obj.Name() == "Sleep" {
		return false
	}
	params := fn.Signature.Params()
	for v := range params.Variables() {
		if mayCall(v.Type()) {
			return false
		}
	}
	recv := fn.Signature.Recv()
	return recv == nil || !types.IsInterface(recv.Type())
}

// mayCall reports whether a function may call a value of a type, or a method of it.
func mayCall(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return !param && t.NumMethods() > 0
	case *types.Slice:
		return mayCall(t.Elem())
	case *types.Pointer, *types.Struct, *types.Map, *types.Array, *types.Chan:
		return false
	}
	return false
}

// Between lists the instructions that can come after one instruction and before another one, on a
// path that passes neither of them in between. O(n squared) for n instructions.
func (f *Function) Between(from, to ssa.Instruction) (list []ssa.Instruction) {
	isFrom := func(instr ssa.Instruction) bool { return instr == from }
	isTo := func(instr ssa.Instruction) bool { return instr == to }
	f.Each(func(instr ssa.Instruction) {
		if instr != from && instr != to && f.Reaches(from, instr, isTo) &&
			f.Reaches(instr, to, isFrom) {
			list = append(list, instr)
		}
	})
	return list
}
