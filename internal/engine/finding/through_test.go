// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
)

// A madeCall is a call with its stack, from the function that makes it outwards.
type madeCall struct {
	*commrace.Action
	stack *stack.Stack
}

//go:noinline
func callHere(method uint32, frame uintptr) madeCall {
	var pcs [32]uintptr
	n := runtime.Callers(2, pcs[:])
	s := stack.All.Put(pcs[:n], 0)
	return madeCall{&commrace.Action{Method: method, Stack: uintptr(unsafe.Pointer(s)),
		At: commrace.Place{Site: pcs[0], Frame: frame}}, s}
}

//go:noinline
func throughGet() madeCall { return callHere(fixture.Load, 32) }

//go:noinline
func throughPut() madeCall { return callHere(fixture.Store, 48) }

//go:noinline
func throughDeep() madeCall { return throughPut() }

//go:noinline
func throughAdd(put func() madeCall) (check, act madeCall) {
	check = throughGet()
	act = put()
	return check, act
}

//go:noinline
func throughLook() madeCall { return throughGet() }

// TestDecidesThrough looks up pairs of calls that a function makes through others.
func TestDecidesThrough(t *testing.T) {
	restore(t)
	table := fixture.MapTable(t)
	var checks, acts, deep [2]madeCall
	for i := range 2 { // from one line
		checks[i], acts[i] = throughAdd(throughPut)
	}
	_, deep[0] = throughAdd(throughDeep)
	elsewhere, _ := throughAdd(throughPut)
	look := throughLook()
	if stack.Decides(table, checks[0].Action, acts[0].Action) {
		t.Error("nothing is registered, and something is found")
	}
	check, _ := checks[0].stack.Caller("", 1)
	act, _ := acts[0].stack.Caller("", 1)
	source.Keep(&compiled.Registration{
		Path: "github.com/commutego/commute/internal/engine/finding",
		Acts: []compiled.CheckAct{{
			Check:   compiled.Call{File: "through_test.go", Line: uint32(check.Line), Method: "Load"},
			Act:     compiled.Call{File: "through_test.go", Line: uint32(act.Line), Method: "Store"},
			Through: true,
		}},
	})
	for _, test := range []struct {
		name       string
		check, act madeCall
		want       bool
	}{
		{"one activation", checks[0], acts[0], true},
		{"as remembered", checks[0], acts[0], true},
		{"calls of the same places", checks[1], acts[0], true},
		{"an activation of another place", elsewhere, acts[0], false},
		{"another function", look, acts[0], false},
		{"the wrong way round", acts[0], checks[0], false},
		{"through two functions, elsewhere", checks[0], deep[0], false},
	} {
		if got := stack.Decides(table, test.check.Action, test.act.Action); got != test.want {
			t.Errorf("%s: Decides is %v", test.name, got)
		}
	}
	deepCheck, deepAct := throughAdd(throughDeep)
	if !stack.Decides(table, deepCheck.Action, deepAct.Action) {
		t.Error("an act through two functions is not found")
	}
	if n := stack.Depth(table, deepCheck.Action, deepAct.Action); n != 1 {
		t.Errorf("the check is made through %d functions", n)
	}
	if !stack.Decides(table, checks[0].Action, nil) || stack.Decides(table, look.Action, nil) {
		t.Error("checks are taken for others")
	}
	if !stack.SameCheck(table, checks[0].Action, acts[0].Action, elsewhere.Action) {
		t.Error("the same check in another goroutine is not the same")
	}
	if stack.SameCheck(table, checks[0].Action, acts[0].Action, look.Action) {
		t.Error("a look of another function is taken for the check")
	}
}
