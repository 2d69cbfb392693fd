// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// The levels of -checkact.level. Likely leaves out the acts that do no harm if two goroutines make
// them.
const (
	Likely = "likely"
	All    = "all"
)

// The categories of diagnostics are kinds of findings that commute explain knows.
const (
	LostUpdate    = "lost-update"    // what is stored is computed from what was seen
	CheckThenAct  = "check-then-act" // any other one
	DuplicateWork = "duplicate-work" // of level all only
)

// category is that of a pair.
func (l *linter) category(p ssaPair) string {
	for i, arg := range p.act.instr.Call.Args {
		if i > 0 && !slices.Contains(p.act.Keys, i-1) &&
			computed(arg, p.check.instr, make(map[ssa.Value]bool)) {
			return LostUpdate
		}
	}
	if l.repeats(p) {
		return DuplicateWork
	}
	return CheckThenAct
}

// An ssaPair is a check and an act in the SSA form.
type ssaPair struct {
	check, act *methodCall
	in         *function   // the function that acts: the check's or its callback
	slice      *flow.Slice // the slice from the check in that function
}

// A linter reports the pairs between which another goroutine can come, as far as that can be
// decided without a run.
type linter struct {
	*program
	pass     *analysis.Pass
	arbiters map[string][]string // the methods that check and act in one, by type
	ignored  map[string]bool     // file:line of calls with //commute:ignore
	locks    map[*function]*locks
	callers  map[*ssa.Function][]ssa.Instruction
}

// lint reports pairs of calls.
func (p *program) lint(pass *analysis.Pass, calls Calls, arbiters map[string][]string) {
	l := &linter{
		program: p, pass: pass, arbiters: arbiters, ignored: make(map[string]bool),
		locks: make(map[*function]*locks), callers: make(map[*ssa.Function][]ssa.Instruction),
	}
	for _, file := range pass.Files {
		directives, _ := directive.Scan(pass.Fset, file)
		for _, d := range directives {
			if d.Verb == directive.Ignore {
				l.ignored[fmt.Sprintf("%s:%d", pass.Fset.Position(d.Pos).Filename, d.Line)] = true
			}
		}
	}
	for _, f := range p.functions {
		f.Each(func(instr ssa.Instruction) {
			if call, ok := instr.(ssa.CallInstruction); ok {
				if callee := call.Common().StaticCallee(); callee != nil {
					l.callers[callee] = append(l.callers[callee], instr)
				}
			}
		})
	}
	for _, f := range p.functions {
		for _, pair := range f.ssaPairs(calls) {
			if l.interruptible(pair) {
				l.report(pair)
			}
		}
	}
}

// interruptible reports whether another goroutine can come between a check and an act. Then the
// object may be shared, no lock is held at both, and there is no //commute:ignore. Object and keys
// are certainly the same.
func (l *linter) interruptible(p ssaPair) bool {
	if p.check.loose() || p.check.through != nil || p.act.through != nil {
		return false
	}
	for _, at := range []Point{p.check.Point, p.act.Point} {
		if strings.HasSuffix(at.Filename, "_test.go") ||
			l.ignored[fmt.Sprintf("%s:%d", at.Filename, at.Line)] {
			return false // tests call one after the other
		}
	}
	if p.in.Name() == "init" || strings.HasPrefix(p.in.Name(), "init#") ||
		!l.mayBeShared(receiver(p.check.instr)) || l.calledLocked(p.in, 0) {
		return false
	}
	if from := l.of[p.check.instr.Parent()]; from != p.in { // the act is in the check's callback
		return len(l.locksIn(from).at(p.check.instr)) == 0
	}
	held := l.locksIn(p.in)
	for _, lock := range held.at(p.check.instr) {
		if held.holds(lock.Text, p.act.instr) {
			return false // it may be unlocked in between, but that may be meant so
		}
	}
	return true
}

// locksIn is locksOf, computed once.
func (l *linter) locksIn(f *function) *locks {
	if l.locks[f] == nil {
		l.locks[f] = f.locksOf()
	}
	return l.locks[f]
}

// calledLocked reports whether a function is always called with a lock held. By convention its
// name ends in Locked; or all its callers hold a lock, which can be known if it is not exported and
// no literal.
func (l *linter) calledLocked(f *function, depth int) bool {
	if strings.HasSuffix(strings.ToLower(f.Name()), "locked") {
		return true
	}
	callers := l.callers[f.Function.Function]
	// The depth bounds chains of callers, and ends recursion.
	if depth > 3 || len(callers) == 0 || f.Parent() != nil || ast.IsExported(f.Name()) {
		return false
	}
	for _, call := range callers {
		caller := l.of[call.Parent()]
		if caller == nil || len(l.locksIn(caller).at(call)) == 0 &&
			!l.calledLocked(caller, depth+1) {
			return false
		}
	}
	return true
}

// receiver is the object that a method is called on.
func receiver(call *ssa.Call) ssa.Value {
	if call.Call.IsInvoke() {
		return call.Call.Value
	}
	return call.Call.Args[0]
}

// mayBeShared reports whether other goroutines may have an object: it is a package-level variable,
// or behind a parameter. A local variable may be shared, too, but mostly the function only fills
// it.
func (l *linter) mayBeShared(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.Global, *ssa.Parameter:
			return true
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.UnOp:
			if v = l.Assigned(x.X); v == nil { // it is no variable that is set once
				v = x.X
			}
		case *ssa.MakeInterface:
			v = x.X
		default:
			return false
		}
	}
}

// report reports a pair with the method that does both. Without such a method there is no fix to
// suggest, and nothing is reported.
func (l *linter) report(p ssaPair) {
	use := l.combined(p)
	category := l.category(p)
	if use == "" || category == DuplicateWork && level != All {
		return
	}
	check := fmt.Sprintf("line %d", p.check.Line)
	if p.check.Filename != p.act.Filename {
		check = p.check.String()
	}
	act, end := l.extent(p.act)
	if !act.IsValid() {
		return
	}
	checked, checkedEnd := l.extent(p.check)
	l.pass.Report(analysis.Diagnostic{
		Pos: act, End: end, Category: category,
		Message: fmt.Sprintf("%s depends on %s (%s), and another goroutine can come between: "+
			"use %s, or hold a lock", p.act.Method, p.check.Method, check, use),
		Related: []analysis.RelatedInformation{{Pos: checked, End: checkedEnd,
			Message: fmt.Sprintf("the check: %s", p.check.Method)}},
		SuggestedFixes: l.fixes(p),
	})
}

// extent is where a call stands.
func (l *linter) extent(m *methodCall) (pos, end token.Pos) {
	if call := l.calls[m.instr.Pos()]; call != nil {
		return call.Pos(), call.End()
	}
	return m.instr.Pos(), token.NoPos
}

// combined names the method that checks and acts in one, "" if there is none.
func (l *linter) combined(p ssaPair) string {
	if p.check.typ != "sync.Map" {
		if list := l.arbiters[p.check.typ]; len(list) > 0 {
			return strings.Join(list, " or ")
		}
		return ""
	}
	args := p.act.instr.Call.Args
	byValue := len(args) > 2 && computed(args[2], p.check.instr, make(map[ssa.Value]bool))
	switch {
	case p.check.Method == "Range":
		if p.act.Method == "Delete" && p.slice.Controlled(p.act.instr.Block()) {
			return "CompareAndDelete with the value that was seen"
		}
	case p.act.Method == "Store" && byValue:
		return "CompareAndSwap with the value that was seen, and try again"
	case p.act.Method == "Store":
		return "LoadOrStore"
	case p.act.Method == "Delete":
		return "LoadAndDelete, or CompareAndDelete with the value that was seen"
	}
	return ""
}

// computed reports whether a value is computed from another, without regard to memory.
func computed(v, from ssa.Value, seen map[ssa.Value]bool) bool {
	if v == from {
		return true
	}
	instr, ok := v.(ssa.Instruction)
	if !ok || seen[v] {
		return false
	}
	seen[v] = true
	for _, op := range instr.Operands(nil) {
		if *op != nil && computed(*op, from, seen) {
			return true
		}
	}
	return false
}

// arbitersOf lists the methods of types that check and act in one.
func arbitersOf(list []*ecl.Spec) map[string][]string {
	m := make(map[string][]string)
	for _, s := range list {
		for _, method := range s.Methods {
			if method.Role == ecl.Arbiter {
				m[s.TypeName()] = append(m[s.TypeName()], method.Name)
			}
		}
	}
	return m
}
