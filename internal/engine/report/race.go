// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/tests"
)

// A Race is two calls on one object that are not ordered and don't commute.
type Race struct {
	Addr  uintptr
	Table *commrace.Table
	commrace.Race
}

// A Finding is all pairs between two code places on one declaration: the unit of reporting. If they break a check and act,
// the first place is the act's, and there is that of the check.
type Finding struct {
	Next        *Finding // the one found after
	Same        *Finding // in the same bucket
	Code        [2]uint64
	Method      [2]uint32
	Table       *commrace.Table
	Violation   commrace.Violation // the worst
	Effect      string
	Decl        source.Declaration
	At          [2]host.Frame
	Check       host.Frame
	CheckCode   uint64 // the check's code place, 0 if there is none
	Count       uint64
	ReportedFor [MaxReports][2]*tests.Test // for which tests it was reported in full
	Reports     int

	Order int      // for the summary: the number of those that were found before
	Lead  *Finding // and that at which its group is listed
}

// Turn exchanges the two calls.
func (f *Finding) Swap() {
	f.Code[0], f.Code[1] = f.Code[1], f.Code[0]
	f.Method[0], f.Method[1] = f.Method[1], f.Method[0]
	f.At[0], f.At[1] = f.At[1], f.At[0]
}

// onlyResults reports whether it's only what the calls return that depends on their order.
func (r *Race) onlyResults() bool {
	return r.Table.Formula(r.First.Method, r.Second.Method).OnlyResults()
}

// Effect classes the race by what its calls are for.
func (r *Race) Effect() string {
	if r.Violation != commrace.NoViolation {
		return r.violationEffect()
	}
	a, b := r.methods()
	return term.Effect(a.Role, b.Role, r.Keyed, r.onlyResults())
}

// methods are those of the two calls, for package term.
func (r *Race) methods() (first, second term.Method) {
	a, b := &r.Table.Methods[r.First.Method], &r.Table.Methods[r.Second.Method]
	return term.Method{Name: a.Name, Role: byte(a.Role)}, term.Method{Name: b.Name, Role: byte(b.Role)}
}

// MaxTold is the number of full reports of one finding, each for another test.
const MaxReports = 10
