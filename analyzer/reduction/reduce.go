// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/analyzer/section"
	"github.com/commutego/commute/analyzer/transaction"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// maxDepth bounds the chains of calls that are followed.
const maxDepth = 10

// A reducer reduces the functions of a package.
type reducer struct {
	pass  *analysis.Pass
	steps *section.Steps
	done  map[any]*result
}

// A result is what a function does, from its beginning to its end.
type result struct {
	effect
	unknown string // why it is not known; "" if it is
	places  []place
	breach  []breach // those of a run from the beginning, by places
}

// A place is a step of a function.
type place struct {
	pos  token.Pos
	what string
}

// reduce is the result of a function. That of a function that calls itself is not known.
func (r *reducer) reduce(f *flow.Function, depth int) *result {
	if x := r.done[f]; x != nil {
		return x
	}
	r.done[f] = &result{effect: effectOf(section.BothMover), unknown: "it calls itself"}
	x := &result{}
	var nodes []node
	first := make([]int, len(f.Blocks)) // the first node of each block
	for i, b := range f.Blocks {
		first[i] = len(nodes)
		nodes = append(nodes, r.block(f, b, x, depth)...)
	}
	for i, b := range f.Blocks {
		last := len(nodes) - 1
		if i+1 < len(f.Blocks) {
			last = first[i+1] - 1
		}
		for _, s := range b.Succs {
			nodes[last].next = append(nodes[last].next, first[s.Index])
		}
		_, nodes[last].ends = b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		for k := first[i]; k < last; k++ {
			nodes[k].next = []int{k + 1}
		}
	}
	var late []breach
	x.fromBefore, x.breach = run(nodes, before)
	x.fromAfter, late = run(nodes, after)
	x.breaks, x.breaksAfter = len(x.breach) > 0, len(late) > 0
	r.done[f] = x
	return x
}

// block are the nodes of a block, at least one; their places are added to the result.
func (r *reducer) block(f *flow.Function, b *ssa.BasicBlock, x *result, depth int) (list []node) {
	add := func(e effect, pos token.Pos, what string) {
		list = append(list, node{effect: e})
		x.places = append(x.places, place{pos, what})
	}
	add(effectOf(section.BothMover), token.NoPos, "")
	for _, instr := range b.Instrs {
		for _, step := range r.steps.Step(f, instr) {
			if step.Unknown != "" && x.unknown == "" {
				x.unknown = step.Unknown
			}
			pos := instr.Pos()
			if !pos.IsValid() {
				pos = f.Pos()
			}
			switch {
			case step.Call != nil:
				e, unknown := r.call(step.Call, depth)
				if unknown != "" && x.unknown == "" {
					x.unknown = unknown
				}
				add(e, pos, "the call of "+step.Call.Name())
			case step.Mover != section.BothMover:
				add(effectOf(step.Mover), pos, step.What)
			}
		}
	}
	return list
}

// call is the effect of a call.
func (r *reducer) call(fn *ssa.Function, depth int) (e effect, unknown string) {
	both := effectOf(section.BothMover)
	if f := r.steps.Of(fn); f != nil {
		if depth >= maxDepth {
			return both, "calls are too deep"
		}
		x := r.reduce(f, depth+1)
		if x.unknown != "" {
			return x.effect, fn.Name() + ": " + x.unknown
		}
		return x.effect, ""
	}
	var fact Fact
	if obj, ok := fn.Object().(*types.Func); ok && r.pass.ImportObjectFact(obj, &fact) {
		return effect{state(fact.FromBefore), state(fact.FromAfter), fact.Breaks,
			fact.BreaksAfter}, ""
	}
	return both, "it calls " + fn.Name() + ", and what that does is not known"
}

// report reports the first breach of a marked function; or, if it is asked for, that there is none.
func (r *reducer) report(m transaction.Mark, x *result) {
	name := m.Name[strings.LastIndexByte(m.Name, '/')+1:]
	if len(x.breach) == 0 {
		if all {
			text := name + " is proven atomic: its steps can be reduced to one"
			if x.unknown != "" {
				text = name + " is neither proven atomic nor broken: " + x.unknown
			}
			r.pass.Report(analysis.Diagnostic{Pos: start(m.Node), Category: Category, Message: text})
		}
		return
	}
	b := x.breach[0]
	for _, other := range x.breach {
		if x.places[other.at].pos < x.places[b.at].pos {
			b = other
		}
	}
	at := x.places[b.at]
	d := analysis.Diagnostic{Pos: at.pos, Category: Category}
	if b.commit < 0 {
		d.Message = fmt.Sprintf("%s is not shown to be atomic: another goroutine can come into %s",
			name, at.what)
	} else {
		commit := x.places[b.commit]
		d.Message = fmt.Sprintf("%s is not shown to be atomic: another goroutine can come between "+
			"this (%s) and line %d (%s)", name, at.what, r.pass.Fset.Position(commit.pos).Line,
			commit.what)
		d.Related = []analysis.RelatedInformation{{Pos: commit.pos, Message: commit.what}}
	}
	d.Related = append(d.Related, analysis.RelatedInformation{Pos: start(m.Node),
		Message: "it is marked as atomic"})
	r.pass.Report(d)
}

// start is where a function is reported: at its name, if it has one.
func start(n ast.Node) token.Pos {
	if fn, ok := n.(*ast.FuncDecl); ok {
		return fn.Name.Pos()
	}
	return n.Pos()
}
