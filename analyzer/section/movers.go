// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A Mover says how a step of one goroutine commutes with steps of others (Lipton, Reduction: A
// Method of Proving Properties of Parallel Programs, CACM 1975).
type Mover uint8

// The movers. A right mover commutes with what another goroutine does next: taking a lock. A left
// mover commutes with what another goroutine did before: releasing a lock.
const (
	BothMover Mover = iota
	RightMover
	LeftMover
	NonMover
	Splits // waits with the lock let go: what is before it and after it are never one step
)

// A Step is what an instruction does, as a mover.
type Step struct {
	Mover   Mover
	What    string // for a report, as "T.mu is taken"; "" of most both-movers
	Unknown string // why it is not certain; "" if it is
	// Call is a call of a function whose own steps count: of the package, or of another one.
	Call *ssa.Function
}

// Steps are the functions of a package, with the steps that their instructions make.
type Steps struct {
	p       *program
	guarded map[string]*guard
	entry   map[*function][]lock
}

// A guard is what is known of the accesses to a variable.
type guard struct {
	locks   map[string]bool // the names of locks that are held at all accesses so far
	written bool            // but by who has made the object
	locked  bool            // some access is under a lock
}

// StepsOf finds the steps of a package. It is nil for a package whose SSA form cannot be built.
func StepsOf(pkg *load.Package) (s *Steps) {
	defer func() {
		if recover() != nil {
			s = nil
		}
	}()
	p, err := build(pkg)
	if err != nil {
		return nil
	}
	s = &Steps{p, make(map[string]*guard), make(map[*function][]lock)}
	for _, f := range p.functions {
		s.entry[f] = f.heldByCallers(0)
	}
	for _, f := range p.functions {
		for _, e := range f.summary() {
			if e.from == nil && e.atomic == compiled.NotAtomic && e.class() != backings {
				s.note(f, e)
			}
		}
	}
	return s
}

// Function is the function or literal that a node of the syntax is, nil if there is none.
func (s *Steps) Function(node ast.Node) *flow.Function {
	for _, f := range s.p.functions {
		if f.node() == node {
			return f.Function
		}
	}
	return nil
}

// Of is the function of the package with this SSA form, nil for others.
func (s *Steps) Of(fn *ssa.Function) *flow.Function {
	if f := s.p.function(fn); f != nil {
		return f.Function
	}
	return nil
}

// Functions lists the functions that are declared in the package.
func (s *Steps) Functions() (list []*flow.Function) {
	for _, f := range s.p.functions {
		if f.Object() != nil {
			list = append(list, f.Function)
		}
	}
	return list
}

// heldByCallers lists the locks that all callers of a function hold, by name.
func (f *function) heldByCallers(depth int) (held []lock) {
	callers := f.in.callers[f]
	if depth > 3 || len(callers) == 0 || f.exported() || f.Parent() != nil || f.in.escaped[f] {
		return nil
	}
	for i, call := range callers {
		caller := f.in.of[call.Parent()]
		if caller == nil {
			return nil
		}
		now := append(caller.lockFlow().at(call), caller.heldByCallers(depth+1)...)
		if i == 0 {
			held = now
			continue
		}
		var both []lock
		for _, k := range held {
			for _, other := range now {
				if k.name.full() == other.name.full() {
					k.read = k.read || other.read
					both = append(both, k)
					break
				}
			}
		}
		held = both
	}
	return held
}

// guardKey is what the accesses to one variable have in common.
func (e *event) guardKey() string {
	class := e.class()
	if class == elements {
		class = maps
	}
	return string('0'+rune(class)) + e.name.full()
}

// note takes an access into account.
func (s *Steps) note(f *function, e *event) {
	g := s.guarded[e.guardKey()]
	now := s.locksAt(f, e)
	if g == nil {
		g = &guard{locks: now}
		s.guarded[e.guardKey()] = g
	} else {
		for name := range g.locks {
			if !now[name] {
				delete(g.locks, name)
			}
		}
	}
	g.written = g.written || e.isWrite()
	g.locked = g.locked || len(now) > 0
}

// locksAt is the set of the locks that guard an access: one that is taken for reading guards no
// write. A lock that is a field must belong to the object that is accessed.
func (s *Steps) locksAt(f *function, e *event) map[string]bool {
	now := make(map[string]bool)
	for _, k := range e.locks {
		if !k.inner && (!k.read || !e.isWrite()) && guards(k.term, e.term) {
			now[k.name.full()] = true
		}
	}
	for _, k := range s.entry[f] {
		if !k.read || !e.isWrite() {
			now[k.name.full()] = true
		}
	}
	return now
}

// guards reports whether the lock at one address may guard the variable at another one: the object
// that the lock is a field of leads to the variable, or the lock is no field of an object.
func guards(lock, variable string) bool {
	i := strings.LastIndexByte(lock, '.')
	if i < 0 || strings.HasPrefix(lock, "*") {
		return true
	}
	return strings.Contains(variable, lock[:i]) || !strings.Contains(lock, "#")
}

// Step says what an instruction of a function does.
func (s *Steps) Step(fn *flow.Function, instr ssa.Instruction) []Step {
	f := s.p.of[fn.Function]
	switch instr := instr.(type) {
	case *ssa.Go:
		return []Step{{Mover: LeftMover, What: "a goroutine is started"}}
	case *ssa.Send:
		return []Step{{Mover: NonMover, What: "a value is sent"}}
	case *ssa.Select:
		return []Step{{Mover: NonMover, What: "the select statement"}}
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return []Step{{Mover: NonMover, What: "a value is received"}}
		}
	case *ssa.Call:
		if list := s.accesses(f, instr); list != nil || f.accesses(instr) {
			return list // it is a method of a container
		}
		if list, ok := s.call(&instr.Call); ok {
			return list
		}
	case *ssa.RunDefers:
		return s.deferred(f)
	}
	return s.accesses(f, instr)
}

// accesses are the steps of an instruction that accesses variables.
func (s *Steps) accesses(f *function, instr ssa.Instruction) (list []Step) {
	for _, e := range f.summary() {
		if e.at != instr || e.from != nil || e.class() == backings ||
			e.atomic != compiled.NotAtomic {
			continue
		}
		g := s.guarded[e.guardKey()]
		verb := "read"
		if e.isWrite() {
			verb = "written"
		}
		what := e.name.text + " is " + verb + " without a lock"
		switch {
		case g == nil || !g.written || len(g.locks) > 0:
			if e.name.obj == nil || e.name.obj.Exported() {
				list = append(list, Step{Unknown: e.name.text + " may be accessed elsewhere"})
			}
		case g.locked && len(s.locksAt(f, e)) == 0:
			list = append(list, Step{Mover: NonMover, What: what})
		default:
			list = append(list, Step{Unknown: e.name.text + " is not always accessed under one lock"})
		}
	}
	return list
}

// accesses reports whether an instruction accesses a variable itself.
func (f *function) accesses(instr ssa.Instruction) bool {
	for _, e := range f.summary() {
		if e.at == instr && e.from == nil && e.atomic == compiled.NotAtomic {
			return true
		}
	}
	return false
}

// call is what a call does; it reports false if that is only to access variables.
func (s *Steps) call(common *ssa.CallCommon) ([]Step, bool) {
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "close" {
			return []Step{{Mover: NonMover, What: "a channel is closed"}}, true
		}
		return nil, false
	}
	fn := common.StaticCallee()
	if fn != nil && fn.String() == "(*sync.Cond).Wait" {
		return []Step{{Mover: Splits, What: "Wait, which lets the lock go"}}, true
	}
	if fn != nil && s.p.function(fn) != nil {
		return []Step{{Call: s.p.function(fn).Function.Function}}, true
	}
	if ops := s.p.lockOps(common); len(ops) > 0 {
		return lockSteps(ops), true
	}
	if fn == nil {
		name := "a function value"
		if common.IsInvoke() {
			name = common.Method.Name()
		}
		return []Step{{Unknown: "it calls " + name + ", and what that does is not known"}}, true
	}
	if op, _ := atomicFunction(fn); op != "" {
		return []Step{{Mover: NonMover, What: "the atomic " + op}}, true
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if flow.QuietFunction(fn) {
		return nil, false // what it gets is the function's own, or accesses says so
	}
	return []Step{known(fn)}, true
}

// lockSteps are the steps of a call that takes locks and lets some go.
func lockSteps(ops []lockOp) (list []Step) {
	for _, op := range ops {
		if op.takes {
			list = append(list, Step{Mover: RightMover, What: op.name.text + " is taken"})
		} else {
			list = append(list, Step{Mover: LeftMover, What: op.name.text + " is let go"})
		}
	}
	return list
}

// known is what a function of another package does, as far as that can be told by its name.
func known(fn *ssa.Function) Step {
	switch name := fn.String(); name {
	case "(*sync.WaitGroup).Done":
		return Step{Mover: LeftMover, What: "Done is called"}
	case "(*sync.WaitGroup).Wait":
		return Step{Mover: RightMover, What: "Wait has ended"}
	default:
		if strings.HasPrefix(name, "(*sync.Map).") || strings.HasSuffix(name, "Lock") &&
			strings.HasPrefix(name, "(*sync.") {
			return Step{Mover: NonMover, What: fn.Name() + " is called"}
		}
	}
	return Step{Call: fn}
}

// deferred are the steps of the calls that a function has deferred, the last one first.
func (s *Steps) deferred(f *function) (list []Step) {
	f.Each(func(instr ssa.Instruction) {
		if d, ok := instr.(*ssa.Defer); ok {
			steps, _ := s.call(&d.Call)
			list = append(append([]Step(nil), steps...), list...)
		}
	})
	return list
}
