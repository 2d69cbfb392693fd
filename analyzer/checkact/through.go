// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkact

import (
	"go/ast"
	"slices"

	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/ecl"
	"golang.org/x/tools/go/ssa"
)

// A function may check or act through others of its package: get calls Load, put calls Store, and
// it calls get and put. Then the check and the act are the calls of get and put.

// maxThrough bounds how many functions may be between a call and the function that checks and acts.
const maxThrough = 3

// A summary has the calls that a function makes of its parameters' objects, for its callers.
type summary struct {
	checks []*methodCall // made whenever the function returns, and a result depends on them
	acts   []*methodCall // that depend on no other call of the object
}

// summary finds the summary of f. Recursive functions have none.
func (f *function) summary(calls Calls) *summary {
	if f.summed != nil {
		return f.summed
	}
	f.summed = new(summary)
	s := new(summary)
	if f.Parent() == nil && len(f.FreeVars) == 0 {
		all := slices.Concat(f.methodCalls(calls, ecl.Observer),
			f.methodCalls(calls, ecl.Mutator), f.methodCalls(calls, ecl.Arbiter))
		for _, m := range all {
			switch {
			case m.depth() >= maxThrough || !f.byParameters(m):
			case m.Role == ecl.Observer:
				if m.results = f.resultsOf(m, all); m.results != nil {
					s.checks = append(s.checks, m)
				}
			case m.Role == ecl.Mutator:
				if m.args = f.argsOf(m, all); m.args != nil {
					s.acts = append(s.acts, m)
				}
			}
		}
	}
	f.summed = s
	return s
}

// byParameters reports whether the object and the keys of a call are known to a caller: they are
// made of parameters, constants and package-level variables.
func (f *function) byParameters(m *methodCall) bool {
	known := func(t *flow.Term) bool {
		ok := !t.Loose && len(t.Leaves) == 0
		f.Replace(t.Text, func(v ssa.Value) (string, bool) {
			_, parameter := v.(*ssa.Parameter)
			ok = ok && parameter
			return "", false
		})
		return ok
	}
	unknown := func(t *flow.Term) bool { return !known(t) }
	return known(m.object) && !slices.ContainsFunc(m.keys, unknown)
}

// resultsOf says which results of f depend on a check. It is nil if none does, if f may return
// without the check, or if f changes the object, too.
func (f *function) resultsOf(check *methodCall, all []*methodCall) []bool {
	for _, m := range all {
		if m.Role != ecl.Observer && m.object.Text == check.object.Text {
			return nil
		}
	}
	s := f.sliceFrom(check)
	results := make([]bool, f.Signature.Results().Len())
	found, always := false, true
	f.Each(func(instr ssa.Instruction) {
		ret, ok := instr.(*ssa.Return)
		if !ok {
			return
		}
		always = always && check.instr.Block().Dominates(ret.Block())
		for i, v := range ret.Results {
			results[i] = results[i] || s.Values[v] || s.Controlled(ret.Block())
			found = found || results[i]
		}
	})
	if !found || !always {
		return nil
	}
	return results
}

// argsOf says which parameters of f an act depends on; whether it is made may depend on them. It is
// nil if the act depends on another call of the object: then that is its check.
func (f *function) argsOf(act *methodCall, all []*methodCall) []bool {
	for _, m := range all {
		if m != act && m.object.Text == act.object.Text && f.sliceFrom(m).affects(act) {
			return nil
		}
	}
	args := make([]bool, len(f.Params))
	for i, p := range f.Params {
		s := f.SliceFrom(p, nil)
		args[i] = (flowing{s}).affects(act)
	}
	return args
}

// A flowing slice is one from a call of a specified method, or from a parameter.
type flowing struct{ *flow.Slice }

// sliceFrom is the slice from what a call returns. Of a call through a function these are the
// results that depend on it.
func (f *function) sliceFrom(m *methodCall) flowing {
	if m.through == nil {
		return flowing{f.SliceFrom(m.instr, f.callbackWrites(m.instr))}
	}
	s := f.NewSlice()
	if len(m.through.results) == 1 {
		s.Values[m.instr] = true
	}
	for _, use := range *m.instr.Referrers() {
		if e, ok := use.(*ssa.Extract); ok && m.through.results[e.Index] {
			s.Values[e] = true
		}
	}
	s.Grow()
	return flowing{s}
}

// affects reports whether an act depends on the slice's start.
func (s flowing) affects(act *methodCall) bool {
	if act.through == nil {
		return s.AffectsCall(act.instr)
	}
	if s.Controlled(act.instr.Block()) {
		return true
	}
	for i, arg := range act.instr.Call.Args {
		if act.through.args[i] && s.Carries(arg, act.instr) {
			return true
		}
	}
	return false
}

// depth is how many functions are between a call and the function that it is listed for.
func (m *methodCall) depth() int {
	if m.through == nil {
		return 0
	}
	return m.through.depth() + 1
}

// throughCall lists the calls of specified methods with a role that a call of f leads to.
func (f *function) throughCall(call *ssa.Call, calls Calls, role ecl.Role) (list []*methodCall) {
	fn := call.Call.StaticCallee()
	if fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	callee := f.in.of[fn]
	if callee == nil || callee == f || len(fn.Params) != len(call.Call.Args) {
		return nil
	}
	of := callee.summary(calls)
	inner := of.checks
	switch role {
	case ecl.Mutator:
		inner = of.acts
	case ecl.Arbiter:
		return nil // it decides for itself
	}
	syntax := f.in.calls[call.Pos()]
	if syntax == nil {
		return nil
	}
	for _, m := range inner {
		t := &methodCall{Call: m.Call, instr: call, through: m,
			object: f.argument(m.object, fn, call)}
		t.Position = f.Fset.Position(directive.CallPos(syntax))
		for _, k := range m.keys {
			t.keys = append(t.keys, f.argument(k, fn, call))
		}
		list = append(list, t)
	}
	return list
}

// argument is the term in f of what is a term of a function's parameters, for a call of it.
func (f *function) argument(t *flow.Term, fn *ssa.Function, call *ssa.Call) *flow.Term {
	r := &flow.Term{Loose: t.Loose}
	by := func(v ssa.Value) (string, bool) {
		for i, p := range fn.Params {
			if v == p {
				arg := f.Term(call.Call.Args[i])
				r.Reads = append(r.Reads, arg.Reads...)
				r.Leaves = append(r.Leaves, arg.Leaves...)
				r.Loose = r.Loose || arg.Loose
				return arg.Text, true
			}
		}
		return "", false
	}
	r.Text = f.Replace(t.Text, by)
	for _, addr := range t.Reads {
		r.Reads = append(r.Reads, f.Replace(addr, by))
	}
	return r
}

// throughPair reports whether calls of which one is made through a function are a pair. It must be
// certain that the same activation of f has made both, which only the calls' stacks will tell.
func throughPair(check, act *methodCall) bool {
	return check.instr != act.instr && !check.loose() &&
		check.instr.Block().Dominates(act.instr.Block())
}

// callsOf has the calls in some files, by their opening parentheses.
func callsOf(files []*ast.File) syntaxCalls {
	list := make(syntaxCalls)
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				list[c.Lparen] = c
			}
			return true
		})
	}
	return list
}
