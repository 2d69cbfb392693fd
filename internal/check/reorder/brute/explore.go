// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"fmt"
	"strings"
)

// An explorer goes through all that a program can do by other schedules, as far as each instruction
// sees what it saw in the run.
type explorer struct {
	*Program
	number [][]int32 // by thread and instruction
	of     []place   // by number
	first  []int32   // by number: the first one of its transaction
	marked []bool
	order  []int32
	found  bool
}

// Violable reports whether a transaction can be on a cycle. If the program has too many states, ok
// is false.
func (p *Program) Violable(nodes int) (found, ok bool) {
	x := &explorer{Program: p}
	p.Nodes = nodes
	for t, list := range p.threads {
		x.number = append(x.number, make([]int32, len(list)))
		in := int32(-1)
		for i, instr := range list {
			n := int32(len(x.of))
			x.number[t][i] = n
			x.of = append(x.of, place{t, i, true})
			if instr.op == begin {
				in = n
			}
			x.marked = append(x.marked, in >= 0)
			if x.first = append(x.first, n); in >= 0 {
				x.first[n] = in
			}
			if instr.op == end {
				in = -1
			}
		}
	}
	if len(x.of) > most {
		return false, false
	}
	x.visit(newMachine(p), graph{})
	return x.found, x.found || p.Nodes > 0
}

func (x *explorer) visit(m machine, g graph) {
	if x.Nodes--; x.Nodes <= 0 || x.found {
		return
	}
	for t := range x.threads {
		next, at := m, m.pc[t]
		if at == len(x.threads[t]) {
			continue
		}
		in := x.threads[t][at]
		if m.broken[t] && in.op != unlock && in.op != runlock {
			continue
		}
		next.meets = x.mates[t][at]
		saw, ok := next.step(t)
		if !ok {
			continue
		}
		if saw != x.saw[t][at] {
			if in.op != read && in.op != load {
				continue
			}
			next.broken[t] = true
		}
		n := x.number[t][at]
		h := x.add(g, n)
		x.order = append(x.order, n)
		if u := next.with - 1; u < 0 {
			x.visit(next, h)
		} else if next.withSaw == x.saw[u][m.pc[u]] {
			other := x.number[u][m.pc[u]]
			h = x.add(h, other)
			x.order = append(x.order, other)
			x.visit(next, h)
			x.order = x.order[:len(x.order)-1]
		}
		x.order = x.order[:len(x.order)-1]
	}
}

// add is the graph with an instruction.
func (x *explorer) add(g graph, n int32) graph {
	a := x.first[n]
	before, closed := g.reach(a), false
	for _, k := range x.order {
		b := x.first[k]
		if a == b {
			continue
		}
		if x.of[k].thread == x.of[n].thread {
			g[b] |= 1 << a
		} else if x.conflict(k, n) {
			g[b] |= 1 << a
			closed = closed || before>>b&1 != 0
		}
	}
	for c := range x.first {
		if closed && x.marked[c] && x.first[c] == int32(c) && g.reach(int32(c))>>c&1 != 0 {
			x.found = true
		}
	}
	return g
}

func (x *explorer) conflict(k, n int32) bool {
	a, b := x.of[k], x.of[n]
	e, f := x.threads[a.thread][a.instruction], x.threads[b.thread][b.instruction]
	kind := func(op opcode) (of int, writes bool) {
		switch op {
		case read, write:
			return 1, op == write
		case load, store, add:
			return 2, op != load
		case get, put:
			return 3, op == put
		}
		return 0, false
	}
	if e.op == goStart && e.x == b.thread {
		return true
	}
	of, writes := kind(e.op)
	with, too := kind(f.op)
	return of != 0 && of == with && e.x == f.x && (writes || too)
}

// String lists the instructions of each thread; those that left no step are in brackets.
func (p *Program) String() string {
	names := [...]string{
		"read", "write", "load", "store", "add", "lock", "unlock", "rlock", "runlock", "tryLock",
		"send", "receive", "done", "wait", "get", "put", "begin", "end", "go",
		"trySend", "tryReceive", "choose", "chooseElse", "close", "grow", "shrink", "rest",
		"waitBegin", "woken", "signal", "broadcast",
	}
	var b strings.Builder
	for t, list := range p.threads {
		fmt.Fprintf(&b, "\nthread %d:", t)
		for i, in := range list {
			form := " %s %d"
			if p.silent[t][i] {
				form = " [%s %d]"
			}
			fmt.Fprintf(&b, form, names[in.op], in.x)
		}
	}
	for i := range p.Piece.Steps {
		fmt.Fprintf(&b, "\n%3d %v %+v", i, p.Piece.Events[i], p.Piece.Steps[i])
	}
	return b.String()
}
