// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// With raceenabled the runtime and sync do more than announce events: they
// schedule at random, drop pooled objects, and do work for a detector that
// watches memory. None of that is wanted here: a watched program is to behave
// as it does plain, at nearly its speed.

// Pool makes sync.Pool keep what is put into it, as it does without -race, and order the uses of
// each object by themselves.
func (p *Package) Pool() error {
	f, err := p.parse("pool.go")
	if err != nil {
		return err
	}
	put, err := f.method("Pool", "Put")
	if err != nil {
		return err
	}
	found := f.condition(put.Body, func(e ast.Expr) bool { return mentions(e, "runtime_randn") }, func(c ast.Expr) {
		f.insert(c.Pos(), "false && ")
	})
	if !found {
		return p.unexpected("(*Pool).Put does not drop objects at random")
	}
	addr, err := f.method("", "poolRaceAddr")
	if err != nil {
		return err
	}
	// One address for each object, in it but on none of its words, where there are 128 for all:
	// taking an object from a pool orders after who put this one, and after nobody else.
	x := addr.Type.Params.List[0].Names[0].Name
	f.insert(addr.Body.Lbrace+1, " if true { return unsafe.Add((*[2]unsafe.Pointer)(unsafe.Pointer(&"+x+"))[1], 1) }; ")
	return f.done()
}

// Scheduler keeps the order in which goroutines run as it is without -race,
// and tells the engine of os.Exit.
func (p *Package) Scheduler() error {
	f, err := p.parse("proc.go")
	if err != nil {
		return err
	}
	if !f.constant("randomizeScheduler") {
		return p.unexpected("proc.go does not declare randomizeScheduler by raceenabled")
	}
	exit, err := f.method("", "os_beforeExit")
	if err != nil {
		return err
	}
	hooks := callStmt(exit.Body, "runExitHooks")
	if hooks == nil {
		return p.unexpected("os_beforeExit does not call runExitHooks")
	}
	f.insert(hooks.End(), "; commute_exiting("+exit.Type.Params.List[0].Names[0].Name+")")
	return f.done()
}

// Memory keeps the allocator's fast paths, which tell of allocations too, lets
// the heap lie where it would (not where a shadow could be mapped, which on
// wasm is nowhere), and spares the sweeper a look at every object that is
// freed: only the new use of memory matters.
func (p *Package) Memory() error {
	f, err := p.parse("malloc.go")
	if err != nil {
		return err
	}
	if !f.constant("sizeSpecializedMallocEnabled") {
		return p.unexpected("malloc.go does not declare sizeSpecializedMallocEnabled by raceenabled")
	}
	for _, m := range [...][2]string{{"", "mallocinit"}, {"mheap", "sysAlloc"}} {
		fn, err := f.method(m[0], m[1])
		if err != nil {
			return err
		}
		if !mentions(fn.Body, "raceenabled") {
			return p.unexpected(m[1] + " does not ask for raceenabled")
		}
		f.withoutRace(fn.Body)
	}
	if err := f.done(); err != nil {
		return err
	}
	f, err = p.parse("mgcsweep.go")
	if err != nil {
		return err
	}
	sweep, err := f.method("sweepLocked", "sweep")
	if err != nil {
		return err
	}
	found := f.condition(sweep.Body, func(e ast.Expr) bool {
		return mentions(e, "raceenabled") && mentions(e, "traceAllocFreeEnabled")
	}, func(c ast.Expr) { f.withoutRace(c) })
	if !found {
		return p.unexpected("(*sweepLocked).sweep does not look at freed objects for raceenabled")
	}
	return f.done()
}

// condition calls change for the conditions of if statements in body that
// match; it reports whether there is one.
func (f *parsed) condition(body *ast.BlockStmt, match func(ast.Expr) bool, change func(ast.Expr)) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.IfStmt); ok && match(stmt.Cond) {
			change(stmt.Cond)
			found = true
		}
		return !found
	})
	return found
}

// mentions reports whether name occurs in e.
func mentions(e ast.Node, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// withoutRace replaces raceenabled in e by false.
func (f *parsed) withoutRace(e ast.Node) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "raceenabled" {
			f.edits = append(f.edits, edit.Edit{Start: f.offset(id.Pos()), End: f.offset(id.End()), Text: "false"})
		}
		return true
	})
}

// constant takes raceenabled out of the value of a constant of the package; it
// reports whether it is there.
func (f *parsed) constant(name string) bool {
	for _, decl := range f.syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if ok && len(v.Names) == 1 && v.Names[0].Name == name && len(v.Values) == 1 && mentions(v.Values[0], "raceenabled") {
				f.withoutRace(v.Values[0])
				return true
			}
		}
	}
	return false
}
