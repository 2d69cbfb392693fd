// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/ast"
	"go/token"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A Result is what Find finds in a package: the functions with pairs, and the accesses that must be
// recorded at run time.
type Result struct {
	Funcs   []Func
	Touches []Touch
	Locks   []LockSite

	// Facts are for packages that import this one: see Find. A package with facts has touches and
	// locks, and may have no functions with pairs.
	Facts []byte
}

// A Func is a function with pairs of a check and an act.
type Func struct {
	Node  ast.Node // an *ast.FuncDecl or *ast.FuncLit
	Pairs []Pair

	// Marked is whether the function is also checked as a transaction. The caller of Find sets it.
	Marked bool
}

// A Pair is a check and an act that depends on it, by their numbers in Result.Touches.
type Pair struct {
	Check, Act int

	// CheckBy and ActBy are the positions of the calls in the function that lead to the check, and
	// to the act. They are not valid where the function checks, or acts, itself.
	CheckBy, ActBy token.Pos

	Shape                       compiled.Shape
	Value, Fill, Always, Latest bool // as in compiled.SectionPair
}

// A Touch is an access to a point, in a section or outside of one: the caller may hold the lock.
type Touch struct {
	Op compiled.TouchOp

	// Var is the expression of the variable or map; it is addressable unless it is a map. Key is
	// the key of a map's operation, nil for others.
	Var, Key ast.Expr

	// For a write, Stmt is the statement that writes: an assignment, ++ or --, or a call of delete,
	// clear or a container's method. The statement stands in a list of statements. Var and Key have
	// no calls or receives, and mean the same after the statement. For a read, Expr is the
	// expression that reads: Var itself, the index expression, or the call of len; Stmt is nil.
	Stmt ast.Stmt
	Expr ast.Expr

	CommaOk bool // of Lookup: v, ok := m[k]

	// For a block of memory, Var is a slice or a pointer to an array in the block. If Whole is
	// true, Var is a variable in the block. If Stmt is nil, Expr is Var even for a write: the touch
	// is recorded before the write.
	Whole bool

	// For an atomic operation, Expr is the call, which counts as a section by itself. Var is its
	// receiver, or the first argument, which then is the variable's address.
	Atomic compiled.AtomicKind

	Point, Name string    // as in compiled.SectionTouch
	Decl        token.Pos // of the field or variable
	Pos         token.Pos // where it is

	// Remote is set for a touch in another package. Besides it, only Op, Point and Name are set.
	Remote *Remote
}

// A Remote identifies a touch of another package, by its number in the Result of that package,
// which has Count touches.
type Remote struct {
	Package      string
	Index, Count int
}

// A LockSite is a call that takes a lock.
type LockSite struct {
	Call     *ast.CallExpr
	Recv     ast.Expr // the lock: addressable or a pointer, without calls
	Name     string   // as in compiled.LockSite
	Read     bool
	Complete bool // as in compiled.LockSite
}
