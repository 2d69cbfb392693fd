// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A Suspect is a pair as it is reported without a run. Only a run shows whether other goroutines
// come between the two, and whether they find another value.
type Suspect struct {
	Func  ast.Node // an *ast.FuncDecl or *ast.FuncLit
	Name  string   // of the variable, by its type: T.n
	Named bool     // it is a field, or a variable of the program, not only what a pointer leads to
	Lock  string   // of the lock; of atomic operations it is the variable
	Shape compiled.Shape

	Atomic bool // the two are operations of package sync/atomic
	Value  bool // what the act writes is computed from what the check saw, by data alone; or First
	First  bool // the act writes where the check has seen nothing that an update starts from
	Fill   bool // the act stores a plain value that is made of its key alone
	Always bool // the act is made whatever its section, or another one, has seen
	Direct bool // the function itself checks and acts, under locks that it takes
	// Before is set for atomic operations if the act sets a flag, and the work that the flag guards
	// comes after it. A run doesn't look for such pairs, since too little time is between the two.
	Before bool

	Check, Act Side

	Flow *flow.Function // the function of both
}

// A Side is the check or the act of a suspect, in the function.
type Side struct {
	Pos    token.Pos // of the access; of one in a callee, of the call
	Callee string    // the function that is called for it, "" if there is none
	Instr  ssa.Instruction
	// Bounds are the calls that release the lock after a check, or take it before an act, if the
	// function itself makes them.
	Bounds []*ssa.Call
}

// Suspects lists the pairs of a package, without linked pairs, and without events in other
// packages. It finds none in a package that doesn't type-check, or whose SSA form cannot be built.
func Suspects(pkg *load.Package) (list []Suspect) {
	defer func() {
		if recover() != nil {
			list = nil // package ssa panics on some programs
		}
	}()
	if !Concerns(pkg, nil) {
		return nil
	}
	p, err := build(pkg)
	if err != nil {
		return nil
	}
	for _, f := range p.functions {
		if f.node() == nil {
			continue
		}
		for _, pair := range f.pairs() {
			if !pair.small {
				list = append(list, pair.suspect())
			}
		}
		for _, pair := range f.flags() {
			s := pair.suspect()
			s.Before = true
			list = append(list, s)
		}
	}
	return list
}

// flags lists the pairs of atomic operations of f itself that a rule takes for harmless, as nothing
// happens between check and act. Here something happens after the act that would matter twice.
func (f *function) flags() (list []*pair) {
	var found []*pair
	for _, w := range f.summary() {
		for _, r := range f.summary() {
			if r.atomic == compiled.NotAtomic || w.atomic == compiled.NotAtomic || r.from != nil ||
				w.from != nil || r.isWrite() || w.op != compiled.WriteVar {
				continue
			}
			if p := f.candidate(r, w); p != nil && !p.outer && p.atomicShape() == compiled.FlagSet {
				found = append(found, p)
			}
		}
	}
	for _, p := range found {
		if p.nothingDone() && !p.excludedAsFlag(found) && p.guards() {
			list = append(list, p)
		}
	}
	return list
}

// excludedAsFlag reports whether another rule than the one about what happens in between says that
// a flag is no pair.
func (p *pair) excludedAsFlag(found []*pair) bool {
	for _, r := range rules() {
		if r.name != "idle flag" && r.says(p, found) {
			return true
		}
	}
	return false
}

// guards reports whether something happens after the act that others notice.
func (p *pair) guards() (found bool) {
	p.f.Each(func(instr ssa.Instruction) {
		found = found || p.f.hasEffect(instr, 0) && p.f.Reaches(p.act.at, instr, nil)
	})
	return found
}

func (p *pair) suspect() Suspect {
	return Suspect{
		Func: p.f.node(), Name: p.check.name.text, Lock: p.lock.text, Shape: p.shape(),
		Named:  p.check.name.decl.IsValid() && p.check.name.path != atomicPath,
		Atomic: p.isAtomic(), Value: p.data, First: p.first, Fill: p.fill(),
		Always: p.act.always(), Direct: p.check.from == nil && p.act.from == nil,
		Check: p.side(p.check, false), Act: p.side(p.act, true), Flow: p.f.Function,
	}
}

// side is one side of a pair. Of the act, it is looked for what takes the lock.
func (p *pair) side(e *event, act bool) Side {
	s := Side{Pos: e.at.Pos(), Instr: e.at}
	if e.from == nil && e.remote == nil {
		if w := e.express(); w.pos.IsValid() {
			s.Pos = w.pos
		}
	} else if call, ok := e.at.(ssa.CallInstruction); ok {
		if fn := call.Common().StaticCallee(); fn != nil {
			s.Callee = fn.Name()
		}
	}
	for _, k := range e.locks {
		if k.inner || k.name.full() != p.lock.full() {
			continue
		}
		for instr, ops := range p.f.lockFlow().ops {
			call, ok := instr.(*ssa.Call)
			if !ok || len(ops) != 1 || ops[0].takes != act || ops[0].term != k.term {
				continue
			}
			from, to := e.at, instr
			if act {
				from, to = instr, e.at
			}
			is := func(instr ssa.Instruction) bool {
				return p.f.lockFlow().unlocks(k.term)(instr) && instr != to
			}
			if p.f.Reaches(from, to, is) {
				s.Bounds = append(s.Bounds, call)
			}
		}
	}
	return s
}
