// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/term"
)

// A race is two calls on one object that are not ordered and don't commute.
type race struct {
	addr  uintptr
	table *commrace.Table
	commrace.Race
}

// A finding is all pairs between two code places on one declaration: the unit of reporting. If they break a check and act,
// the first place is the act's, and there is that of the check.
type finding struct {
	next   *finding // the one found after
	same   *finding // in the same bucket
	code   [2]uint64
	method [2]uint32
	table  *commrace.Table
	breach commrace.Violation // the worst
	effect string
	decl   declaration
	at     [2]host.Frame
	check  host.Frame
	seen   uint64 // the check's code place, 0 if there is none
	count  uint64
	told   [maxTold][2]*test // for which tests it was reported in full
	tells  int

	order int      // for the summary: the number of those that were found before
	lead  *finding // and that at which its group is listed
}

// turn exchanges the two calls.
func (f *finding) turn() {
	f.code[0], f.code[1] = f.code[1], f.code[0]
	f.method[0], f.method[1] = f.method[1], f.method[0]
	f.at[0], f.at[1] = f.at[1], f.at[0]
}

// onlyResults reports whether it's only what the calls return that depends on their order.
func (r *race) onlyResults() bool {
	return r.table.Formula(r.First.Method, r.Second.Method).OnlyResults()
}

// effect classes the race by what its calls are for.
func (r *race) effect() string {
	if r.Violation != commrace.NoViolation {
		return r.breachEffect()
	}
	a, b := r.methods()
	return term.Effect(a.Role, b.Role, r.Keyed, r.onlyResults())
}

// methods are those of the two calls, for package term.
func (r *race) methods() (first, second term.Method) {
	a, b := &r.table.Methods[r.First.Method], &r.table.Methods[r.Second.Method]
	return term.Method{Name: a.Name, Role: byte(a.Role)}, term.Method{Name: b.Name, Role: byte(b.Role)}
}

// maxTold is the number of full reports of one finding, each for another test.
const maxTold = 10
