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

// A Finding is all races that break one check and act on one declaration, or those of two
// functions: the unit of reporting. The two places are those of the first race, or of the worst. If
// they break a check and act, the first place is the act's, and Check is that of the check.
type Finding struct {
	Next        *Finding  // in the order in which they were found
	Same        *Finding  // in the same bucket
	Near        *Finding  // in the same bucket, by functions
	Into        *Finding  // that this one has become part of; nil: none
	Functions   [2]string // of the two calls, of the first of its races
	Code        [2]uint64 // the two code places
	Method      [2]uint32
	Table       *commrace.Table
	Violation   commrace.Violation // the worst
	Effect      string
	Decl        source.Declaration
	At          [2]host.Frame
	Check       host.Frame
	CheckCode   uint64                     // the check's code place, 0 if there is none
	CheckDepth  int                        // the functions through which the check was made
	Count       uint64                     // how many races
	ReportedFor [MaxReports][2]*tests.Test // the tests for which it was reported in full
	Reports     int                        // how many these are

	Order int      // for the summary: how many were found before
	Lead  *Finding // for the summary: the first of its group
}

// Swap exchanges the two calls.
func (f *Finding) Swap() {
	f.Code[0], f.Code[1] = f.Code[1], f.Code[0]
	f.Method[0], f.Method[1] = f.Method[1], f.Method[0]
	f.At[0], f.At[1] = f.At[1], f.At[0]
}

// onlyResults reports whether only the results of the calls depend on their order.
func (r *Race) onlyResults() bool {
	return r.Table.Formula(r.First.Method, r.Second.Method).OnlyResults()
}

// Effect says what the race can lead to, by what its calls are for.
func (r *Race) Effect() string {
	if r.Violation != commrace.NoViolation {
		return r.violationEffect()
	}
	a, b := r.methods()
	return term.Effect(a.Role, b.Role, r.Keyed, r.onlyResults())
}

// ReadBesideWrite reports whether one call only looks, and no check and act is broken: a type that
// is there to be used by several goroutines is there for that.
func (r *Race) ReadBesideWrite() bool {
	a, b := r.methods()
	return r.Violation == commrace.NoViolation &&
		(a.Role == term.Observer || b.Role == term.Observer)
}

// methods are the methods of the two calls, for package term.
func (r *Race) methods() (first, second term.Method) {
	a, b := &r.Table.Methods[r.First.Method], &r.Table.Methods[r.Second.Method]
	return term.Method{Name: a.Name, Role: byte(a.Role)}, term.Method{Name: b.Name,
		Role: byte(b.Role)}
}

// MaxReports is the number of full reports of one finding, each for another test.
const MaxReports = 10
