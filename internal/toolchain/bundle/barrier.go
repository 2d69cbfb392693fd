// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bundle

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// The compiler guards a store of a pointer to memory with a write barrier, for
// the garbage collector. The engine runs where package runtime cannot have
// one (while a stack is allocated, without a P), and needs none, since all its
// memory lies outside the heap. So a store of anything with pointers in it,
// other than to a local variable, is written as a call of commute_set, which
// copies bytes.

// setHelpers are compiled into package runtime with the atomics.
const setHelpers = `
// commute_set is *dst = v without a write barrier.
//
//go:nosplit
func commute_set[T any](dst *T, v T) {
	memmove(unsafe.Pointer(dst), unsafe.Pointer(&v), unsafe.Sizeof(v))
}

// commute_set2 is *dst1, *dst2 = v1, v2.
//
//go:nosplit
func commute_set2[T1, T2 any](dst1 *T1, dst2 *T2, v1 T1, v2 T2) {
	commute_set(dst1, v1)
	commute_set(dst2, v2)
}

// commute_set3 is *dst1, *dst2, *dst3 = v1, v2, v3.
//
//go:nosplit
func commute_set3[T1, T2, T3 any](dst1 *T1, dst2 *T2, dst3 *T3, v1 T1, v2 T2, v3 T3) {
	commute_set(dst1, v1)
	commute_set(dst2, v2)
	commute_set(dst3, v3)
}
`

// stores rewrites the assignment n if it needs it.
func (r *rewriter) stores(n *ast.AssignStmt) error {
	if n.Tok != token.ASSIGN {
		return nil // := declares locals, += has no pointers
	}
	needed := false
	for _, lhs := range n.Lhs {
		needed = needed || r.barrier(lhs)
	}
	if !needed {
		return nil
	}
	name := "commute_set("
	if len(n.Lhs) > 1 {
		name = fmt.Sprintf("commute_set%d(", len(n.Lhs))
	}
	if len(n.Lhs) > 3 || len(n.Rhs) != len(n.Lhs) {
		return fmt.Errorf("%s: an assignment of pointers that the bundler cannot write without write barriers: split it", r.fset.Position(n.Pos()))
	}
	for i, lhs := range n.Lhs {
		if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
			return fmt.Errorf("%s: an assignment of a pointer and to _: split it", r.fset.Position(n.Pos()))
		}
		if i > 0 {
			name = ""
		}
		r.insert(lhs.Pos(), name+"&")
	}
	r.replace(n.TokPos, n.TokPos+1, ",")
	r.insert(n.Rhs[len(n.Rhs)-1].End(), ")")
	return nil
}

// barrier reports whether the compiler could guard a store to lhs.
func (r *rewriter) barrier(lhs ast.Expr) bool {
	if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
		return false
	}
	return hasPointers(r.info.TypeOf(lhs)) && !r.onStack(lhs)
}

// onStack reports whether lhs is a local variable or a part of one.
func (r *rewriter) onStack(lhs ast.Expr) bool {
	switch lhs := ast.Unparen(lhs).(type) {
	case *ast.Ident:
		obj := r.info.ObjectOf(lhs)
		return obj != nil && obj.Parent() != r.pkg.Scope()
	case *ast.SelectorExpr:
		sel := r.info.Selections[lhs]
		return sel != nil && !sel.Indirect() && r.onStack(lhs.X)
	case *ast.IndexExpr:
		_, array := r.info.TypeOf(lhs.X).Underlying().(*types.Array)
		return array && r.onStack(lhs.X)
	}
	return false
}

// hasPointers reports whether values of type t can hold pointers.
func hasPointers(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.UnsafePointer || t.Info()&types.IsString != 0
	case *types.Array:
		return hasPointers(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if hasPointers(field.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
