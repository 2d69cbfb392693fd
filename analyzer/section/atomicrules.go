// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// isAtomic reports whether the check and the act are atomic operations.
func (p *pair) isAtomic() bool { return p.check.atomic != compiled.NotAtomic }

// atomicShape is the shape of a pair of atomic operations. Who stores what is made anew, without an
// identity that matters, does work twice at worst.
func (p *pair) atomicShape() compiled.Shape {
	switch {
	case p.act.op == compiled.UpdateVar && p.isLimit():
		return compiled.Exceeded
	case p.act.op == compiled.UpdateVar:
		return compiled.Computed
	case p.data || p.compares():
		return compiled.LostUpdate
	case p.act.kind() == constant || p.act.kind() == nilValue:
		return compiled.FlagSet
	case isResource(p.act.stored):
		return compiled.Created
	}
	return p.registered()
}

// isLimit reports whether the value of the check is compared with a limit.
func (p *pair) isLimit() bool {
	return p.ordered(func(ssa.Value) bool { return true })
}

// compares reports whether the act stores what the value of the check was compared with, so that
// the larger or the smaller one stays: if x > max.Load() { max.Store(x) }.
func (p *pair) compares() bool {
	given := p.act.given()
	if given == nil {
		return false
	}
	stored := p.f.Term(given).Text
	return p.ordered(func(v ssa.Value) bool { return p.f.Term(v).Text == stored })
}

// ordered reports whether the function compares the value that its check has loaded with another
// one, which is larger or smaller.
func (p *pair) ordered(with func(ssa.Value) bool) bool {
	loaded := p.check.loaded()
	if loaded == nil {
		return false
	}
	found := false
	p.f.Each(func(instr ssa.Instruction) {
		cond, ok := instr.(*ssa.BinOp)
		if !ok {
			return
		}
		switch cond.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			found = found || cond.X == loaded && with(cond.Y) || cond.Y == loaded && with(cond.X)
		}
	})
	return found
}

// loaded is the value of a read in the function of the event: what the read's function returns, if
// it returns nothing else. It is nil if there is none.
func (e *event) loaded() ssa.Value {
	if e.from == nil {
		v, _ := e.instr.(ssa.Value)
		return v
	}
	v := e.from.loaded()
	call, ok := e.at.(*ssa.Call)
	if v == nil || !ok {
		return nil
	}
	only := true
	e.from.f.Each(func(instr ssa.Instruction) {
		if ret, ok := instr.(*ssa.Return); ok {
			only = only && len(ret.Results) == 1 && ret.Results[0] == v
		}
	})
	if !only {
		return nil
	}
	return call
}

// given is what a write stores, as the function of the event has it: an argument, if the write's
// function stores a parameter. It is nil if that is not known.
func (e *event) given() ssa.Value {
	if e.from == nil {
		return e.stored
	}
	v := e.from.given()
	call, ok := e.at.(ssa.CallInstruction)
	if v == nil || !ok || call.Common().IsInvoke() {
		return nil
	}
	for i, p := range e.from.f.Params {
		if v == p && i < len(call.Common().Args) {
			return call.Common().Args[i]
		}
	}
	return nil
}

// isResource reports whether a value has to be closed, so that one that is lost is missed.
func isResource(v ssa.Value) bool {
	if v == nil {
		return false
	}
	if i, ok := v.(*ssa.MakeInterface); ok {
		v = i.X
	}
	methods := types.NewMethodSet(v.Type())
	for _, name := range []string{"Close", "Stop", "Shutdown"} {
		for i := range methods.Len() {
			if methods.At(i).Obj().Name() == name {
				return true
			}
		}
	}
	return false
}

// commutes reports whether an addition follows the value that was loaded: what is added to it
// meanwhile stays.
func (p *pair) commutes() bool {
	return p.isAtomic() && p.act.op == compiled.UpdateVar && p.data
}

// arbitrated reports whether something else decides which goroutine acts: a lock that the act is
// made under, or the result of an operation between check and act that is a check and an act in
// one. Where a value goes from the check to the act, a lock for the act alone decides nothing.
func (p *pair) arbitrated() bool {
	if !p.isAtomic() {
		return false
	}
	for _, k := range p.act.locks {
		if !k.isAtomic() && !p.data {
			return true
		}
	}
	found := false
	p.f.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if found || !ok || instr == p.check.at || instr == p.act.at || !p.between(instr) ||
			!p.f.in.arbitrates(&call.Call, 0) {
			return
		}
		found = p.act.dependsOnCall(call)
	})
	for e := p.act.from; e != nil && !found; e = e.from {
		e.f.Each(func(instr ssa.Instruction) {
			call, ok := instr.(*ssa.Call)
			found = found || ok && instr != e.at && p.f.in.arbitrates(&call.Call, 0) &&
				e.dependsOnCall(call)
		})
	}
	return found
}

// dependsOnCall reports whether a write depends on what a call in its function returns.
func (e *event) dependsOnCall(call *ssa.Call) bool {
	s := e.f.NewSlice()
	s.Values[call] = true
	s.Grow()
	return e.affected(s).any()
}

// undecided reports whether it takes more to act than what the check sees. Another goroutine that
// sees the same need not act then: the check is made again without an act, or something else
// decides, but for an error. A value that goes from the check to the act is no less wrong for that.
func (p *pair) undecided() bool {
	if !p.isAtomic() || p.data {
		return false
	}
	if p.f.Reaches(p.check.at, p.check.at, func(i ssa.Instruction) bool { return i == p.act.at }) {
		return true
	}
	for e := p.act.from; e != nil; e = e.from {
		if e.decidedBy(func(*ssa.If) bool { return true }) {
			return true // what is called looks again, or at something else
		}
	}
	byCheck := p.check.slices()[0]
	return p.act.decidedBy(func(branch *ssa.If) bool {
		return !byCheck.Values[branch.Cond] && p.between(branch)
	})
}

// decidedBy reports whether some branches of its function decide whether a write is made, but for
// those that look for errors.
func (e *event) decidedBy(counts func(*ssa.If) bool) bool {
	act := e.at.Block()
	for _, b := range e.f.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !counts(branch) {
			continue
		}
		s := e.f.NewSlice()
		s.Values[branch.Cond] = true
		s.Grow()
		if s.Controlled(act) && !succeeds(branch, act) {
			return true
		}
	}
	return false
}

// succeeds reports whether a branch leads to a block if there is no error.
func succeeds(branch *ssa.If, to *ssa.BasicBlock) bool {
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || !isNil(cond.Y) || types.TypeString(cond.X.Type(), nil) != "error" {
		return false
	}
	switch cond.Op {
	case token.EQL:
		return branch.Block().Succs[0].Dominates(to)
	case token.NEQ:
		return branch.Block().Succs[1].Dominates(to)
	}
	return false
}

// between reports whether an instruction can come between check and act.
func (p *pair) between(instr ssa.Instruction) bool {
	return p.f.Reaches(p.check.at, instr, nil) && p.f.Reaches(instr, p.act.at, nil)
}

// arbiters are methods that check and act in one, and tell by their result who has come first.
var arbiters = map[string]bool{"CompareAndSwap": true, "Swap": true, "Add": true, "And": true,
	"Or": true, "TryLock": true, "TryRLock": true, "TryAcquire": true, "LoadOrStore": true,
	"LoadAndDelete": true, "CompareAndDelete": true}

// arbitrates reports whether the result of a call may tell that another goroutine has come first:
// it is an arbiter, or a function of the package that calls one or looks at something under a lock.
func (p *program) arbitrates(common *ssa.CallCommon, depth int) bool {
	if common.Signature().Results().Len() == 0 && depth == 0 {
		return false
	}
	if common.IsInvoke() {
		return arbiters[common.Method.Name()]
	}
	fn := common.StaticCallee()
	if fn == nil {
		return false
	}
	if op, _ := atomicFunction(fn); arbiters[fn.Name()] || arbiters[op] {
		return true
	}
	callee := p.function(fn)
	if callee == nil || depth > maxDepth {
		return false
	}
	if len(callee.lockFlow().ops) > 0 {
		return true
	}
	found := false
	callee.Each(func(instr ssa.Instruction) {
		if call, ok := instr.(*ssa.Call); ok {
			found = found || p.arbitrates(&call.Call, depth+1)
		}
	})
	return found
}

// nothingDone reports whether an atomic flag is set, and nothing happens between check and act that
// would matter if it were done twice. For what a lock guards that is taken to be so.
func (p *pair) nothingDone() bool {
	if !p.isAtomic() {
		return false
	}
	switch p.atomicShape() {
	case compiled.FlagSet, compiled.Created:
	default:
		return false
	}
	happens := p.act.from != nil && p.f.hasEffect(p.act.at, 0) // it does more than the act
	p.f.Each(func(instr ssa.Instruction) {
		happens = happens || instr != p.check.at && instr != p.act.at && p.f.hasEffect(instr, 0) &&
			p.between(instr)
	})
	return !happens
}

// hasEffect reports whether an instruction does something that others notice, without a lock.
func (f *function) hasEffect(instr ssa.Instruction, depth int) bool {
	if len(f.lockFlow().at(instr)) > 0 || counts(instr) {
		return false
	}
	return f.acts(instr, depth, effectRule{
		of: func(callee *function, in ssa.Instruction) bool {
			return callee.hasEffect(in, depth+1)
		},
		named: func(name string) bool { return !quiet(name) },
		other: otherHasEffect,
	})
}

// An effectRule says what counts as one that others may notice.
type effectRule struct {
	of    func(callee *function, in ssa.Instruction) bool // an instruction of a called function
	named func(name string) bool                          // a method of an interface, by its name
	other func(fn *ssa.Function) bool                     // a function of another package
}

// acts reports whether an instruction has an effect: it starts a goroutine, sends, stores to what
// others have, or calls what has one.
func (f *function) acts(instr ssa.Instruction, depth int, e effectRule) bool {
	switch instr := instr.(type) {
	case *ssa.Go, *ssa.Send:
		return true
	case *ssa.Store:
		return !f.private(instr.Addr, instr) && !isParameter(instr)
	case *ssa.MapUpdate:
		root, _ := rootOf(instr.Map)
		return !f.fresh(root, instr)
	case *ssa.Call:
		return f.callActs(&instr.Call, depth, e)
	}
	return false
}

// callActs is acts for a call.
func (f *function) callActs(common *ssa.CallCommon, depth int, e effectRule) bool {
	if b, ok := common.Value.(*ssa.Builtin); ok {
		return b.Name() == "close"
	}
	if common.IsInvoke() {
		return e.named(common.Method.Name())
	}
	fn := common.StaticCallee()
	if fn == nil {
		return true
	}
	callee := f.in.function(fn)
	if callee == nil {
		return e.other(fn)
	}
	found := false
	if depth <= maxDepth {
		callee.Each(func(in ssa.Instruction) { found = found || e.of(callee, in) })
	}
	return found
}

// isParameter reports whether a store is that of a parameter to the variable that it is.
func isParameter(s *ssa.Store) bool {
	_, ok := s.Addr.(*ssa.Alloc)
	return ok
}

// otherHasEffect is hasEffect for a function of another package, of which only the name is known.
func otherHasEffect(fn *ssa.Function) bool {
	pkg := packageOf(fn)
	if pkg == nil || quietPackages[pkg.Path()] || quiet(fn.Name()) {
		return false
	}
	return pkg.Path() != "time" || fn.Name() == "AfterFunc" || strings.HasPrefix(fn.Name(), "NewT")
}

// quietPackages have functions that do nothing that matters if it is done twice, or that order who
// does it: sync.Once.
var quietPackages = map[string]bool{"sync": true, "sync/atomic": true, "errors": true, "fmt": true,
	"strings": true, "strconv": true, "bytes": true, "math": true, "sort": true, "slices": true,
	"maps": true, "unicode": true, "log": true, "log/slog": true, "context": true, "runtime": true,
	"reflect": true, "testing": true, "math/rand": true, "math/bits": true, "path": true,
	"path/filepath": true, "regexp": true, "encoding/json": true, "internal/race": true}

// quietNames are the beginnings of names of functions that only look, write to a log, or count.
var quietNames = append([]string{"Log", "Debug", "Info", "Warn", "Error", "Err", "Print", "Trace",
	"Observe", "Inc", "Dec", "Value", "Done", "Name", "Now", "Since", "Enabled", "With", "Clone",
	"Helper", "Gosched", "Parse", "Format", "Lock", "Unlock", "RLock", "RUnlock", "Do"},
	observers...)

// quiet reports whether the name of a function says that it may be called twice.
func quiet(name string) bool {
	for _, prefix := range quietNames {
		if rest, ok := strings.CutPrefix(name, prefix); ok &&
			(rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}
