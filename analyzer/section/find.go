// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// Find finds the pairs of a package, and the accesses that must be recorded for them. It finds none
// in a package that doesn't type-check, or whose SSA form cannot be built: package ssa panics on
// some programs, and the build must go on. The function imported returns the facts of an imported
// package, nil if it has none. If imported is nil, the result has no facts either.
func Find(pkg *load.Package, imported func(path string) []byte) (r *Result) {
	defer func() {
		if recover() != nil {
			r = new(Result)
		}
	}()
	if !Concerns(pkg, imported) {
		return new(Result)
	}
	p, err := build(pkg)
	if err != nil {
		return new(Result)
	}
	p.imported = imported
	return p.result()
}

// Concerns reports whether a package may have sections, by its source text, or may call functions
// that have some. Find finds nothing in other packages.
func Concerns(pkg *load.Package, imported func(path string) []byte) bool {
	if len(pkg.Names) == 0 || // it was parsed elsewhere
		pkg.Any(concerned) {
		return true
	}
	return imported != nil && slices.ContainsFunc(pkg.Imports(), func(s *ast.ImportSpec) bool {
		path, err := strconv.Unquote(s.Path.Value)
		return err == nil && imported(path) != nil
	})
}

// A collector makes a Result.
type collector struct {
	*program
	*Result
	hot        map[string]bool // the locks of pairs, by name
	hotAtomics map[string]bool // the variables of pairs of atomic operations, by name
	linked     map[*function][]linkedPair
}

// result is the Result of a package.
func (p *program) result() *Result {
	c := &collector{p, new(Result), make(map[string]bool), make(map[string]bool), p.linked()}
	for _, f := range p.functions {
		if f.node() != nil {
			c.pairs(f)
		}
	}
	var exports map[*function][]*event
	if p.imported != nil {
		exports = c.exports()
	}
	if len(c.hot) > 0 {
		for _, f := range p.functions {
			c.sections(f)
		}
		c.Facts = c.encode(exports)
	}
	if len(c.hotAtomics) > 0 {
		c.atomics()
	}
	return c.Result
}

// pairs adds the pairs of a function of which both sides can be noted.
func (c *collector) pairs(f *function) {
	fn := Func{Node: f.node()}
	type key struct{ check, act int }
	seen := make(map[key]int)
	for _, p := range f.mattersFirst() {
		if !p.check.express().ok || !p.act.express().ok {
			continue
		}
		k := key{c.touch(p.check.site), c.touch(p.act.site)}
		if i, ok := seen[k]; ok {
			if !p.small {
				fn.Pairs[i].weaken(p)
			}
			continue
		}
		seen[k] = len(fn.Pairs)
		if p.isAtomic() {
			c.hotAtomics[p.check.name.full()] = true
		} else {
			c.hot[p.lock.full()] = true
		}
		fn.Pairs = append(fn.Pairs, Pair{Check: k.check, Act: k.act, CheckBy: p.check.by,
			ActBy: p.act.by, Shape: p.shape(), Value: p.data, Fill: p.fill(),
			Always: p.act.always(), Latest: p.latest})
	}
	for _, p := range c.linked[f] {
		for _, e := range []*event{p.check, p.act} {
			for _, k := range e.locks {
				c.hot[k.name.full()] = true
			}
		}
		fn.Pairs = append(fn.Pairs, Pair{Check: c.touch(p.check.site), Act: c.touch(p.act.site),
			CheckBy: p.check.by, ActBy: p.act.by, Shape: p.shape})
	}
	if len(fn.Pairs) > 0 {
		c.Funcs = append(c.Funcs, fn)
	}
}

// weaken makes of a pair what holds of another one at the same places, too.
func (x *Pair) weaken(p *pair) {
	x.Shape = x.Shape.Weaker(p.shape())
	x.Value = x.Value && p.data
	x.Fill = x.Fill || p.fill()
	x.Always = x.Always && p.act.always()
	x.Latest = x.Latest || p.latest
}

// touch is the number of a site, which is added if it is new.
func (c *collector) touch(s *site) int {
	if s.number == 0 && s.remote != nil {
		c.Touches = append(c.Touches, Touch{Op: s.op, Point: s.name.full(), Name: s.name.text,
			Remote: s.remote})
		s.number = len(c.Touches)
	}
	if s.number == 0 {
		w := s.express()
		c.Touches = append(c.Touches, Touch{Op: s.op, Var: w.variable, Key: w.key, Stmt: w.stmt,
			Expr: w.expr, CommaOk: w.commaOk, Whole: w.whole, Atomic: s.atomic, Point: s.name.full(),
			Name: s.name.text, Decl: s.name.decl, Pos: w.pos})
		s.number = len(c.Touches)
	}
	return s.number - 1
}

// sections adds what happens in the sections of hot locks.
func (c *collector) sections(f *function) {
	l := f.lockFlow()
	for _, e := range f.summary() {
		for _, k := range e.locks {
			if (!k.inner || k.lent) && c.hot[k.name.full()] && e.atomic == compiled.NotAtomic &&
				e.express().ok {
				c.touch(e.site)
				break
			}
		}
	}
	taken := make(map[string]bool)
	for _, op := range f.effects().ops {
		taken[op.term] = taken[op.term] || op.takes
	}
	f.Each(func(instr ssa.Instruction) {
		for _, op := range l.ops[instr] {
			if op.takes && c.hot[op.name.full()] && !taken[op.term] && len(l.ops[instr]) == 1 {
				c.lockSite(f, instr.(*ssa.Call), op)
			}
		}
	})
}

// lockSite adds a call that takes a lock.
func (c *collector) lockSite(f *function, call *ssa.Call, op lockOp) {
	t := c.syntax.tree(f.Pos())
	if t == nil || t.pragmas {
		return
	}
	x := &expresser{tree: t, info: c.info}
	e := t.call[call.Pos()]
	if e == nil {
		return
	}
	sel, ok := unparen(e.Fun).(*ast.SelectorExpr)
	stmt, isStmt := t.parent[e].(*ast.ExprStmt)
	if !ok || !isStmt || !t.list(stmt) || !x.pure(sel.X) {
		return
	}
	tv := c.info.Types[sel.X]
	if !tv.IsValue() || types.IsInterface(tv.Type) {
		return
	}
	if _, pointer := tv.Type.Underlying().(*types.Pointer); !pointer && !tv.Addressable() {
		return
	}
	c.Locks = append(c.Locks, LockSite{Call: e, Recv: sel.X, Name: op.name.text, Read: op.read,
		Complete: f.complete(call, op.term)})
}
