// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package splitlock

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/commutego/commute/analyzer/internal/edit"
	"github.com/commutego/commute/analyzer/section"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// A fixer makes one critical section of two, if that is certainly right for a single goroutine:
// see the package's documentation.
type fixer struct {
	*edit.File
	s *section.Suspect

	unlock, lock *ast.CallExpr // the two calls around the gap
	list         []ast.Stmt    // with the unlock
	from, to     int           // the unlock in the list, and the lock, or the if statement with it
	body         []ast.Stmt    // of that if statement; nil if there is none
}

// fixes is the fix for a pair, none if there is none that is certainly right.
func (l *linter) fixes(s *section.Suspect) []analysis.SuggestedFix {
	if s.Atomic {
		return l.atomicFixes(s)
	}
	if !s.Direct || len(s.Check.Bounds) != 1 || len(s.Act.Bounds) != 1 {
		return nil
	}
	x := &fixer{s: s, File: edit.At(l.pass, s.Act.Pos)}
	if x.File == nil {
		return nil
	}
	x.unlock, x.lock = x.call(s.Check.Bounds[0]), x.call(s.Act.Bounds[0])
	if x.unlock == nil || x.lock == nil || !x.find() || !x.plainGap() {
		return nil
	}
	edits := []analysis.TextEdit{x.Without(x.list[x.from])}
	if x.body == nil {
		edits = append(edits, x.Without(x.list[x.to]))
	} else {
		edits = append(edits, x.inBranch()...)
	}
	first, ok := x.upgrade()
	if !ok || x.Comments(x.unlock.Pos(), x.LineEnd(x.unlock.End())) ||
		x.Comments(x.lock.Pos(), x.LineEnd(x.lock.End())) {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "Make one critical section of the two",
		TextEdits: append(first, edits...)}}
}

// call is the syntax of a call that is a statement of its own, and locks or unlocks by a method of
// package sync. It is nil for others.
func (x *fixer) call(instr *ssa.Call) (call *ast.CallExpr) {
	ast.Inspect(x.File.File, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && c.Lparen == instr.Pos() {
			call = c
		}
		return call == nil
	})
	fn := instr.Call.StaticCallee()
	if call == nil || fn == nil || fn.Object() == nil || fn.Object().Pkg() == nil ||
		fn.Object().Pkg().Path() != "sync" {
		return nil
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || edit.Calls(sel.X) || len(call.Args) > 0 {
		return nil
	}
	return call
}

// locked is the lock of such a call, and the method.
func (x *fixer) locked(call *ast.CallExpr) (lock, method string) {
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	return x.Text(sel.X), sel.Sel.Name
}

// stmtCall is the call of a lock's method that a statement is.
func (x *fixer) stmtCall(s ast.Stmt) (lock, method string) {
	if e, ok := s.(*ast.ExprStmt); ok {
		if c, ok := e.X.(*ast.CallExpr); ok && len(c.Args) == 0 {
			if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
				return x.Text(sel.X), sel.Sel.Name
			}
		}
	}
	return "", ""
}

// find finds the two statements: in one list, or the second one in an if statement of the list.
func (x *fixer) find() bool {
	lock1, method1 := x.locked(x.unlock)
	lock2, method2 := x.locked(x.lock)
	up, up2 := x.Up(x.unlock), x.Up(x.lock)
	if lock1 != lock2 || method2 != "Lock" || method1 != "Unlock" && method1 != "RUnlock" ||
		len(up) < 3 || len(up2) < 5 {
		return false
	}
	x.list = edit.List(up[2])
	x.from = slices.IndexFunc(x.list, func(s ast.Stmt) bool { return ast.Node(s) == up[1] })
	x.to = slices.IndexFunc(x.list, func(s ast.Stmt) bool { return ast.Node(s) == up2[1] })
	if x.from < 0 {
		return false
	}
	if x.to > x.from {
		return true
	}
	// if n < max { c.mu.Lock(); c.n = n + 1; c.mu.Unlock() }
	branch, ok := up2[3].(*ast.IfStmt)
	x.to = slices.IndexFunc(x.list, func(s ast.Stmt) bool { return ast.Node(s) == up2[3] })
	if !ok || x.to <= x.from || ast.Node(branch.Body) != up2[2] || branch.Else != nil {
		return false
	}
	x.body = branch.Body.List
	last := len(x.body) - 1
	if lock, method := x.stmtCall(x.body[last]); lock != lock2 || method != "Unlock" {
		return false
	}
	return x.straight(x.body[:last], lock2, func(s ast.Stmt) bool { return ast.Node(s) == up2[1] })
}

// straight reports whether control goes through some statements to what comes after them, and the
// lock is not touched in them, but by a statement for which but holds.
func (x *fixer) straight(list []ast.Stmt, lock string, but func(ast.Stmt) bool) bool {
	ok := true
	for _, s := range list {
		if but(s) {
			continue
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt, *ast.DeferStmt, *ast.GoStmt,
				*ast.FuncLit, *ast.SelectStmt:
				ok = false
			case *ast.ExprStmt:
				if of, method := x.stmtCall(n); of == lock && method != "" {
					ok = false
				}
			}
			return ok
		})
	}
	return ok
}

// plainGap reports whether all that the gap runs is known, and neither blocks nor panics, nor takes
// another lock, nor changes what the lock is.
func (x *fixer) plainGap() bool {
	end := x.to
	if x.body != nil {
		end++
	}
	lock, _ := x.locked(x.lock)
	branch := func(s ast.Stmt) bool { return x.body != nil && s == x.list[x.to] }
	if !x.straight(x.list[x.from+1:end], lock, branch) {
		return false
	}
	f := x.s.Flow
	unlock, take := x.s.Check.Bounds[0], x.s.Act.Bounds[0]
	root := base(take.Call.Args[0])
	safe := func(v ssa.Value) bool { return v == root } // the lock was reached by it
	for _, instr := range f.Between(unlock, take) {
		if !f.Quiet(instr) || !f.Calm(instr, safe) {
			return false
		}
	}
	return f.Term(unlock.Call.Args[0]).Text == f.Term(take.Call.Args[0]).Text && !x.assigns(lock)
}

// base is the pointer that the address of a field begins with.
func base(v ssa.Value) ssa.Value {
	for {
		f, ok := v.(*ssa.FieldAddr)
		if !ok {
			return v
		}
		v = f.X
	}
}

// assigns reports whether the gap declares or sets a name of the lock's expression.
func (x *fixer) assigns(lock string) (found bool) {
	names := make(map[types.Object]bool)
	ast.Inspect(x.lock.Fun, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[x.Pass.TypesInfo.ObjectOf(id)] = true
		}
		return true
	})
	for _, s := range x.list[x.from : x.to+1] {
		ast.Inspect(s, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, e := range a.Lhs {
				if sel, ok := e.(*ast.SelectorExpr); ok {
					e = sel.Sel
				}
				found = found || names[x.Object(e)]
			}
			return true
		})
	}
	return found
}

// inBranch has the if statement's body neither lock nor unlock, and unlocks behind it.
func (x *fixer) inBranch() []analysis.TextEdit {
	last := x.body[len(x.body)-1]
	stmt := x.list[x.to]
	var lock ast.Stmt
	for _, s := range x.body {
		if e, ok := s.(*ast.ExprStmt); ok && e.X == ast.Expr(x.lock) {
			lock = s
		}
	}
	text := "\n" + x.Indent(stmt.Pos()) + x.Text(last)
	return []analysis.TextEdit{x.Without(lock), x.Without(last),
		{Pos: stmt.End(), End: stmt.End(), NewText: []byte(text)}}
}

// upgrade has the first section take the lock for writing, if it takes it for reading. Its RLock
// must stand in the same list, with nothing but straight code up to the unlock.
func (x *fixer) upgrade() ([]analysis.TextEdit, bool) {
	lock, method := x.locked(x.unlock)
	if method == "Unlock" {
		return nil, true
	}
	for i := x.from - 1; i >= 0; i-- {
		if of, method := x.stmtCall(x.list[i]); of == lock && method == "RLock" {
			sel := x.list[i].(*ast.ExprStmt).X.(*ast.CallExpr).Fun.(*ast.SelectorExpr).Sel
			ok := x.straight(x.list[i+1:x.from], lock, func(ast.Stmt) bool { return false }) &&
				x.calmSince(sel.End())
			return []analysis.TextEdit{{Pos: sel.Pos(), End: sel.End(), NewText: []byte("Lock")}}, ok
		}
	}
	return nil, false
}

// calmSince reports whether what the first section runs is known and takes no lock: who has taken a
// lock for reading may do so again, but not who has taken it for writing.
func (x *fixer) calmSince(pos token.Pos) bool {
	ok := true
	x.s.Flow.Each(func(instr ssa.Instruction) {
		if instr.Pos() > pos+1 && instr.Pos() < x.unlock.Pos() {
			ok = ok && x.s.Flow.Quiet(instr)
		}
	})
	return ok
}
