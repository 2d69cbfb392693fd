// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package flow

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// What may panic is told for fixes that move the end of a critical section: a lock that was let go
// before a panic must not be held after it.

// calm are functions of the standard library that don't panic, whatever they get: of packages all
// but some.
var calm = map[string][]string{
	"errors": nil, "math": nil, "path": nil, "unicode": nil, "unicode/utf8": nil,
	"strconv": {"FormatInt", "FormatUint", "FormatFloat", "AppendInt", "AppendUint", "AppendFloat"},
	"strings": {"Repeat", "NewReplacer"},
	"time":    {"NewTicker", "Tick", "NewTimer", "Sleep"},
}

// Calm reports whether an instruction certainly doesn't panic. A pointer may be followed if it is
// certainly not nil, or if safe reports true for it.
func (p *Program) Calm(instr ssa.Instruction, safe func(ssa.Value) bool) bool {
	return p.calm(instr, safe, 0)
}

func (p *Program) calm(instr ssa.Instruction, safe func(ssa.Value) bool, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.BinOp:
		return calmOperation(instr)
	case *ssa.UnOp:
		return instr.Op != token.MUL && instr.Op != token.ARROW || notNil(instr.X, safe)
	case *ssa.FieldAddr:
		return notNil(instr.X, safe)
	case *ssa.Store:
		return notNil(instr.Addr, safe)
	case *ssa.Lookup:
		m, isMap := instr.X.Type().Underlying().(*types.Map)
		return isMap && hashable(m.Key())
	case *ssa.TypeAssert:
		return instr.CommaOk
	case *ssa.Call:
		return p.calmCall(&instr.Call, depth)
	case *ssa.Alloc, *ssa.Phi, *ssa.Extract, *ssa.Convert, *ssa.ChangeType, *ssa.ChangeInterface,
		*ssa.MakeInterface, *ssa.MakeClosure, *ssa.Field, *ssa.If, *ssa.Jump, *ssa.Return,
		*ssa.DebugRef, *ssa.MakeMap:
		return true
	}
	return false
}

// calmOperation reports whether an operation neither divides by zero, nor shifts by what may be
// negative, nor compares what may have no ==.
func calmOperation(op *ssa.BinOp) bool {
	switch op.Op {
	case token.QUO, token.REM:
		b, ok := op.Y.Type().Underlying().(*types.Basic)
		c, isConst := op.Y.(*ssa.Const)
		return ok && b.Info()&types.IsInteger == 0 || isConst && c.Value != nil && c.Int64() != 0
	case token.SHL, token.SHR:
		b, ok := op.Y.Type().Underlying().(*types.Basic)
		_, isConst := op.Y.(*ssa.Const)
		return isConst || ok && b.Info()&types.IsUnsigned != 0
	case token.EQL, token.NEQ:
		for _, v := range []ssa.Value{op.X, op.Y} {
			if c, ok := v.(*ssa.Const); ok && c.IsNil() {
				return true
			}
		}
		return hashable(op.X.Type()) && hashable(op.Y.Type())
	}
	return true
}

// hashable reports whether all values of a type can be compared.
func hashable(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return false
	case *types.Struct:
		for field := range t.Fields() {
			if !hashable(field.Type()) {
				return false
			}
		}
		return true
	case *types.Array:
		return hashable(t.Elem())
	}
	return types.Comparable(t)
}

// notNil reports whether a pointer is certainly not nil, or safe says so.
func notNil(v ssa.Value, safe func(ssa.Value) bool) bool {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		return true
	case *ssa.FieldAddr:
		return notNil(v.X, safe)
	}
	return safe(v)
}

func (p *Program) calmCall(call *ssa.CallCommon, depth int) bool {
	if b, ok := call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "append", "len", "cap", "copy", "min", "max", "real", "imag", "complex":
			return true
		}
		return false
	}
	fn := call.StaticCallee()
	if fn == nil {
		return false
	}
	if f := p.Of[fn]; f != nil {
		all := depth < maxQuiet
		f.Each(func(instr ssa.Instruction) {
			all = all && p.calm(instr, func(ssa.Value) bool { return false }, depth+1)
		})
		return all
	}
	obj := fn.Object()
	if obj == nil || obj.Pkg() == nil || fn.Signature.Recv() != nil &&
		obj.Pkg().Path() != "time" || !QuietFunction(fn) {
		return false
	}
	but, ok := calm[obj.Pkg().Path()]
	for _, name := range but {
		ok = ok && name != obj.Name()
	}
	return ok
}
