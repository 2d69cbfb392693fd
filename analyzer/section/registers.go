// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A verdict is what a function tells its caller by one of its results.
type verdict uint8

// The verdicts.
const (
	unsaid verdict = iota
	yes            // true, or no error
	no             // false, or an error
)

// registers reports whether the function tells its caller that it has acted, and so that nobody had
// before: if the check finds something, it returns at once with an error, or with the opposite of
// what it returns after the act. Two goroutines that act are both told that they are the first.
//
// A bool counts if it is the only result. A cache returns what it has found beside it, and whether
// two goroutines were told that it had been absent decides nothing.
func (p *pair) registers() bool {
	results := p.f.Signature.Results()
	for i := range results.Len() {
		switch t := results.At(i).Type(); {
		case isErrorType(t):
			if p.tells(i, func(found, acted verdict) bool { return found == no && acted == yes }) {
				return true
			}
		case results.Len() == 1 && isBoolType(t):
			if p.tells(i, func(found, acted verdict) bool { return found != acted }) {
				return true
			}
		}
	}
	return false
}

func isErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

func isBoolType(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// tells reports whether a result has one verdict wherever the check ends the function, another one
// wherever it returns after the act, and differ holds for the two.
func (p *pair) tells(result int, differ func(found, acted verdict) bool) bool {
	after := p.f.verdict(p.act.at.Block(), result)
	if after == unsaid {
		return false
	}
	byCheck := p.check.slices()[1] // not what the function looks at after the check
	for _, b := range p.f.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !byCheck.Values[branch.Cond] || isOrdered(branch.Cond) {
			continue
		}
		for k, ends := range b.Succs {
			if len(ends.Preds) > 1 || p.f.leads(ends, p.act.at.Block()) ||
				!p.f.leads(b.Succs[1-k], p.act.at.Block()) {
				continue
			}
			if found := p.f.verdict(ends, result); found != unsaid && differ(found, after) {
				return true
			}
		}
	}
	return false
}

// isOrdered reports whether a condition is that something is more or less than something else. So a
// function tells whether it is time to do something again, and twice does little harm.
func isOrdered(cond ssa.Value) bool {
	op, ok := cond.(*ssa.BinOp)
	return ok && op.Op != token.EQL && op.Op != token.NEQ
}

// leads reports whether there is a way from the beginning of a block to another block.
func (f *function) leads(from, to *ssa.BasicBlock) bool {
	found := false
	f.eachFrom(from, func(b *ssa.BasicBlock) { found = found || b == to })
	return found
}

// eachFrom visits the blocks that there is a way to from a block, and that block.
func (f *function) eachFrom(start *ssa.BasicBlock, visit func(*ssa.BasicBlock)) {
	seen := make([]bool, len(f.Blocks))
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		if seen[b.Index] {
			return
		}
		seen[b.Index] = true
		visit(b)
		for _, s := range b.Succs {
			walk(s)
		}
	}
	walk(start)
}

// verdict is what all returns that a block leads to have as a result, unsaid if they differ.
func (f *function) verdict(start *ssa.BasicBlock, result int) verdict {
	all, differ := unsaid, false
	f.eachFrom(start, func(b *ssa.BasicBlock) {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			return
		}
		v := verdictOf(ret.Results[result])
		differ = differ || v == unsaid || all != unsaid && v != all
		all = v
	})
	if differ {
		return unsaid
	}
	return all
}

// verdictOf is what a result says: unsaid, if that is not known before a run.
func verdictOf(v ssa.Value) verdict {
	switch v := v.(type) {
	case *ssa.Const:
		switch {
		case isErrorType(v.Type()) && v.IsNil():
			return yes
		case isBoolType(v.Type()) && v.Value != nil:
			if v.Value.ExactString() == "true" {
				return yes
			}
			return no
		}
	case *ssa.MakeInterface: // of an error
		return no
	case *ssa.UnOp: // a variable such as io.EOF
		if _, ok := v.X.(*ssa.Global); ok && isErrorType(v.Type()) {
			return no
		}
	case *ssa.Call:
		fn := v.Call.StaticCallee()
		if fn == nil || fn.Pkg == nil {
			break
		}
		switch fn.Pkg.Pkg.Path() + "." + fn.Name() {
		case "errors.New", "fmt.Errorf":
			return no
		}
	}
	return unsaid
}
