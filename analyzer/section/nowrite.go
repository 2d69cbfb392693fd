// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// maxPaths bounds the paths of a function. Of one with more no condition is known.
const maxPaths = 400

// A path is a way through a function, and what is known on it.
type path struct {
	block  *ssa.BasicBlock
	from   *ssa.BasicBlock // the block before
	next   int             // the next instruction
	passed map[*ssa.BasicBlock]int
	is     map[ssa.Value]ssa.Value // what phis, and loads of local variables, are
	local  map[ssa.Value]ssa.Value // what local variables have
	truths map[claim]bool
	wrote  bool
}

// A claim is that a value is true, or is nil.
type claim struct {
	v     ssa.Value
	ofNil bool
}

func (p *path) fork() *path {
	q := *p
	q.passed, q.is = cloned(p.passed), cloned(p.is)
	q.local, q.truths = cloned(p.local), cloned(p.truths)
	return &q
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	n := make(map[K]V, len(m))
	for k, v := range m {
		n[k] = v
	}
	return n
}

// A walker walks the paths of one function.
type walker struct {
	*effects
	f      *function
	writes map[ssa.Instruction][]*event
	other  map[ssa.Instruction]bool // see atomic
	todo   []*path
	ends   []*path // at their return
	count  int
}

// noWrite finds the conditions on a result under which f has written nothing, and whether there is
// a path without a write.
func (a *effects) noWrite(f *function) (list []Condition, arbiter bool) {
	if known, ok := a.conditions[f]; ok {
		return known, len(known) > 0
	}
	a.conditions[f] = nil // ends recursion
	w := &walker{effects: a, f: f, writes: make(map[ssa.Instruction][]*event),
		other: make(map[ssa.Instruction]bool)}
	for _, e := range f.summary() {
		if !e.isWrite() || e.atomic != compiled.NotAtomic {
			continue
		}
		if at := a.placeOf(e, 0); !at.fresh && !at.linked && !a.ordering(e) {
			w.writes[e.at] = append(w.writes[e.at], e)
		}
	}
	if !w.walk() {
		return nil, false
	}
	for _, c := range conditionsOn(f.Signature.Results()) {
		if w.holds(c) {
			list = append(list, c)
		}
	}
	a.conditions[f] = list
	return list, slices.ContainsFunc(w.ends, func(p *path) bool { return !p.wrote })
}

// conditionsOn lists the conditions that results can have.
func conditionsOn(results *types.Tuple) (list []Condition) {
	for i := range results.Len() {
		switch t := results.At(i).Type().Underlying().(type) {
		case *types.Basic:
			if t.Kind() == types.Bool {
				list = append(list, Condition{i, false, false}, Condition{i, false, true})
			}
		case *types.Interface, *types.Pointer:
			if _, ok := types.Unalias(results.At(i).Type()).(*types.TypeParam); !ok {
				list = append(list, Condition{i, true, false}, Condition{i, true, true})
			}
		}
	}
	return list
}

// holds reports whether there are paths without a write on which a condition can be true, and none
// with a write.
func (w *walker) holds(c Condition) bool {
	some := false
	for _, p := range w.ends {
		ret := p.block.Instrs[len(p.block.Instrs)-1].(*ssa.Return)
		truth, known := w.truth(p, claim{ret.Results[c.Result], c.Nil})
		if p.wrote && (!known || truth == c.Truth) {
			return false
		}
		some = some || !p.wrote && (!known || truth == c.Truth)
	}
	return some
}

// walk walks all paths that go round each loop at most once. It reports whether there are not too
// many.
func (w *walker) walk() bool {
	w.todo = []*path{{block: w.f.Blocks[0], passed: map[*ssa.BasicBlock]int{},
		is: map[ssa.Value]ssa.Value{}, local: map[ssa.Value]ssa.Value{},
		truths: map[claim]bool{}}}
	for len(w.todo) > 0 {
		p := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if w.count++; w.count > maxPaths {
			return false
		}
		w.follow(p)
	}
	return true
}

// follow follows a path to its end, or to where it forks.
func (w *walker) follow(p *path) {
	for p.next < len(p.block.Instrs) {
		instr := p.block.Instrs[p.next]
		p.next++
		switch instr := instr.(type) {
		case *ssa.Phi:
			if i := slices.Index(p.block.Preds, p.from); i >= 0 {
				p.is[instr] = p.value(instr.Edges[i])
			}
		case *ssa.Store:
			if root, ok := instr.Addr.(*ssa.Alloc); ok {
				p.local[root] = p.value(instr.Val)
			}
		case *ssa.UnOp:
			if v := p.local[instr.X]; instr.Op == token.MUL && v != nil {
				p.is[instr] = v
			}
		case *ssa.If:
			w.branch(p, instr)
			return
		case *ssa.Jump:
			w.enter(p, p.block.Succs[0])
			return
		case *ssa.Return:
			w.ends = append(w.ends, p)
			return
		case *ssa.Panic:
			return
		}
		p.wrote = p.wrote || w.atomic(instr)
		if list := w.writes[instr]; len(list) > 0 && !p.wrote && w.effect(p, instr, list) {
			return
		}
	}
}

// atomic reports whether an instruction writes an atomic variable.
func (w *walker) atomic(instr ssa.Instruction) bool {
	is, known := w.other[instr]
	if !known {
		is = w.f.changesAtomic(instr)
		w.other[instr] = is
	}
	return is
}

// value is what a value is known to be on a path.
func (p *path) value(v ssa.Value) ssa.Value {
	if known := p.is[v]; known != nil {
		return known
	}
	return v
}

// effect notes a write. Where it depends on a value that is not known, the path forks.
func (w *walker) effect(p *path, instr ssa.Instruction, list []*event) (forked bool) {
	absent := claim{} // what tells that there is nothing to write
	when := false
	if len(list) == 1 && list[0].from == nil && list[0].op == compiled.Delete {
		if ok := w.looked(p, list[0]); ok != nil {
			absent = claim{ok, false}
		}
	}
	if call, ok := instr.(*ssa.Call); ok && list[0].from != nil {
		if callee := list[0].via.function; callee != nil && !list[0].via.literal {
			known, _ := w.noWrite(callee)
			for _, c := range known {
				if v := resultOf(call, c.Result); v != nil {
					absent, when = claim{v, c.Nil}, c.Truth
				}
			}
		}
	}
	if absent.v == nil {
		p.wrote = true
		return false
	}
	if truth, known := w.truth(p, absent); known {
		p.wrote = truth != when
		return false
	}
	q := p.fork()
	p.assume(absent, when)
	q.assume(absent, !when)
	q.wrote = true
	w.todo = append(w.todo, p, q)
	return true
}

// looked is the second value of a lookup of the key that a delete is of, nil if there was none.
func (w *walker) looked(p *path, del *event) (ok ssa.Value) {
	w.f.Each(func(instr ssa.Instruction) {
		lookup, is := instr.(*ssa.Lookup)
		if !is || !lookup.CommaOk || !lookup.Block().Dominates(del.at.Block()) ||
			w.f.Term(lookup.X).Text != w.f.Term(del.base).Text ||
			w.f.Term(lookup.Index).Text != del.keyed {
			return
		}
		for _, use := range *lookup.Referrers() {
			if x, is := use.(*ssa.Extract); is && x.Index == 1 {
				ok = x
			}
		}
	})
	return ok
}

// resultOf is a result of a call, nil if it is not used.
func resultOf(call *ssa.Call, i int) ssa.Value {
	if call.Call.Signature().Results().Len() == 1 {
		return call
	}
	for _, use := range *call.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && x.Index == i {
			return x
		}
	}
	return nil
}

// branch follows both ways of a condition that is not known.
func (w *walker) branch(p *path, branch *ssa.If) {
	c := claim{branch.Cond, false}
	truth, known := w.truth(p, c)
	if !known {
		q := p.fork()
		q.assume(c, false)
		w.enter(q, p.block.Succs[1])
		p.assume(c, true)
		truth = true
	}
	if truth {
		w.enter(p, p.block.Succs[0])
	} else {
		w.enter(p, p.block.Succs[1])
	}
}

// enter goes on with a block, unless the path has been there twice.
func (w *walker) enter(p *path, b *ssa.BasicBlock) {
	if p.passed[b] >= 2 {
		return
	}
	p.passed[b]++
	p.from, p.block, p.next = p.block, b, 0
	w.todo = append(w.todo, p)
}

// reduce is a fact about a value as one about what the value is computed from. It is false where
// the other is true if turned is true.
func (p *path) reduce(c claim) (r claim, turned bool) {
	for {
		c.v = p.value(c.v)
		switch v := c.v.(type) {
		case *ssa.UnOp:
			if v.Op == token.NOT && !c.ofNil {
				c.v, turned = v.X, !turned
				continue
			}
		case *ssa.BinOp:
			x, y := p.value(v.X), p.value(v.Y)
			if isNil(x) {
				x, y = y, x
			}
			if isNil(y) && !c.ofNil && (v.Op == token.EQL || v.Op == token.NEQ) {
				c, turned = claim{x, true}, turned != (v.Op == token.NEQ)
				continue
			}
		}
		return c, turned
	}
}

func (p *path) assume(c claim, truth bool) {
	c, turned := p.reduce(c)
	p.truths[c] = truth != turned
}

// truth is what a path knows about a value.
func (w *walker) truth(p *path, c claim) (truth, known bool) {
	c, turned := p.reduce(c)
	if t, ok := p.truths[c]; ok {
		return t != turned, true
	}
	switch v := c.v.(type) {
	case *ssa.Const:
		if c.ofNil {
			return v.IsNil() != turned, true
		}
		if v.Value != nil {
			return (v.Value.String() == "true") != turned, true
		}
	case *ssa.MakeInterface, *ssa.Alloc, *ssa.FieldAddr, *ssa.MakeClosure:
		return turned, c.ofNil
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); c.ofNil && fn != nil && makesError(fn) {
			return turned, true
		}
	case *ssa.UnOp: // a variable as ErrFull, whose value is an error
		if g, ok := v.X.(*ssa.Global); ok && c.ofNil && v.Op == token.MUL && !w.memory.globals[g] {
			return turned, true
		}
	}
	return false, false
}

// makesError reports whether a function makes an error.
func makesError(fn *ssa.Function) bool {
	switch fn.String() {
	case "errors.New", "fmt.Errorf":
		return true
	}
	return false
}

// isSum reports whether an operation adds or subtracts.
func isSum(v *ssa.BinOp) bool { return v.Op == token.ADD || v.Op == token.SUB }
