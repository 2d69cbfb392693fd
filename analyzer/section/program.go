// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/types"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A program is one package: its SSA form, its syntax, and what was found out so far.
type program struct {
	*flow.Program
	pkg       *types.Package
	info      *types.Info
	functions []*function
	of        map[*ssa.Function]*function
	syntax    *syntax
	memory    *memory
	callers   map[*function][]ssa.CallInstruction
	escaped   map[*function]bool // functions that are used as values, or started by go or defer
	impls     map[types.Type][]types.Type
	excluded  map[string]int               // how many candidates each rule took
	writers   map[string]map[*function]int // see torn.go

	imported func(path string) []byte // the facts of a package; see facts.go
	handed   map[string]map[string][]*event
	remotes  map[Remote]*site
}

// A function is one function or literal.
type function struct {
	*flow.Function
	in *program

	locks     *locks
	effect    *effect
	state     int      // of the summary
	events    []*event // the summary
	truncated bool     // there are more events
	found     *[]*pair // see pairs.go
	slices    map[ssa.Value][2]*flow.Slice
	known     int // whether all that it does is known; see complete.go
}

// maxBlocks bounds the functions that are looked at.
const maxBlocks = 400

// build builds the SSA form of a package without errors. It panics where package ssa does.
func build(pkg *load.Package) (*program, error) {
	built, err := flow.Build(pkg)
	if err != nil {
		return nil, err
	}
	built.Loose = true
	checked, err := pkg.Types()
	if err != nil {
		return nil, err
	}
	files, err := pkg.Syntax()
	if err != nil {
		return nil, err
	}
	p := &program{
		Program: built, pkg: checked.Pkg, info: checked.Info,
		of:       make(map[*ssa.Function]*function),
		syntax:   newSyntax(files, checked.Info),
		callers:  make(map[*function][]ssa.CallInstruction),
		escaped:  make(map[*function]bool),
		impls:    make(map[types.Type][]types.Type),
		excluded: make(map[string]int),
		handed:   make(map[string]map[string][]*event),
		remotes:  make(map[Remote]*site),
	}
	for _, fn := range built.Functions {
		if len(fn.Blocks) <= maxBlocks {
			f := &function{Function: fn, in: p, slices: make(map[ssa.Value][2]*flow.Slice)}
			p.functions = append(p.functions, f)
			p.of[fn.Function] = f
		}
	}
	p.findCallers()
	p.newMemory()
	return p, nil
}

// function is the function of the package that a call calls, nil if there is none or it is not
// known. Of a generic function it is the origin.
func (p *program) function(fn *ssa.Function) *function {
	if fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	return p.of[fn]
}

// findCallers lists the callers of each function, and the functions that are used otherwise: as
// values, by go and defer, or maybe by an interface.
func (p *program) findCallers() {
	invoked := make(map[string]bool)
	objects := make(map[types.Object]*function)
	for _, f := range p.functions {
		objects[f.Object()] = f
	}
	for _, fn := range p.Functions {
		fn.Each(func(instr ssa.Instruction) {
			called := p.noteCall(instr, invoked)
			if _, ok := instr.(*ssa.DebugRef); ok {
				return
			}
			for _, op := range instr.Operands(nil) {
				fn, ok := (*op).(*ssa.Function)
				if !ok || *op == called {
					continue
				}
				f := p.function(fn)
				if f == nil && fn.Object() != nil { // a method as a value
					f = objects[fn.Object()]
				}
				if f != nil {
					p.escaped[f] = true
				}
			}
		})
	}
	for _, f := range p.functions {
		if f.Signature.Recv() != nil && invoked[f.Name()] {
			p.escaped[f] = true
		}
	}
}

// noteCall notes the caller of a function, and the methods that are called by an interface. It
// returns what is called.
func (p *program) noteCall(instr ssa.Instruction, invoked map[string]bool) ssa.Value {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if call.Common().IsInvoke() {
		invoked[call.Common().Method.Name()] = true
		return nil
	}
	callee := p.function(call.Common().StaticCallee())
	if callee == nil {
		return nil
	}
	p.callers[callee] = append(p.callers[callee], call)
	if _, ok := instr.(*ssa.Call); !ok {
		p.escaped[callee] = true
	}
	return call.Common().Value
}

// node is the declaration or literal of a function, nil if the compiler made it.
func (f *function) node() ast.Node {
	switch n := f.Syntax().(type) {
	case *ast.FuncDecl:
		return n
	case *ast.FuncLit:
		return n
	}
	return nil
}

// next is the instruction after another one in its block.
func next(instr ssa.Instruction) ssa.Instruction {
	list := instr.Block().Instrs
	for i := range list[:len(list)-1] {
		if list[i] == instr {
			return list[i+1]
		}
	}
	return nil
}
