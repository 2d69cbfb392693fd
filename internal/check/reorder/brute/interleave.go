// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import "slices"

// An interleaver goes through all interleavings of what a program's threads have done in the run.
// Each does these instructions whatever it sees: an attempt that has failed does nothing, and one
// that has succeeded waits for the lock.
type interleaver struct {
	*Program
	locks  bool // whether the order of locks, channels and the WaitGroup counts
	number [][]int32
	of     []place
	unit   []int32 // by number: the first one of its unit
	seen   map[interleaved]bool
	found  bool
}

// An interleaved is a state: how far each thread has come, and what comes after each unit.
type interleaved struct {
	pc      [4]int
	after   graph
	waiters [4]int
	woken   [4]bool
}

// Interrupted reports whether some interleaving has a cycle of units. If only isn't None, the
// transaction that begins with that step is the only transaction, and all other instructions are
// units by themselves. If there are too many states, ok is false.
func (p *Program) Interrupted(only int32, locks bool, nodes int) (found, ok bool) {
	x := &interleaver{Program: p, locks: locks, seen: make(map[interleaved]bool)}
	p.Nodes = nodes
	for t, list := range p.threads {
		x.number = append(x.number, make([]int32, len(list)))
		in := int32(-1)
		for i, instr := range list {
			n := int32(len(x.of))
			x.number[t][i] = n
			x.of = append(x.of, place{t, i, true})
			if instr.op == begin && (only < 0 || p.at[only].thread == t &&
				p.at[only].instruction == i) {
				in = n
			}
			if x.unit = append(x.unit, n); in >= 0 {
				x.unit[n] = in
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

func (x *interleaver) visit(m machine, after graph) {
	key := interleaved{m.pc, after, m.waiters, m.signalled}
	if x.found || x.seen[key] {
		return
	}
	if x.Nodes--; x.Nodes <= 0 {
		return
	}
	x.seen[key] = true
	for t := range x.threads {
		in, ok := m.now(t)
		list, _, _ := in.ways()
		for u := range x.threads {
			// Whom it meets makes a difference.
			if next := m; !slices.Contains(list, unbuffered) || !ok {
				x.make(t, m, next, after)
				break
			} else if u != t {
				next.meets = u + 1
				x.make(t, m, next, after)
			}
		}
	}
}

// make makes the next instruction of a thread.
func (x *interleaver) make(t int, m, next machine, after graph) {
	at := m.pc[t]
	if !next.goes(t) || x.found {
		return
	}
	next.meets = 0
	closed := x.add(&after, &m, x.number[t][at])
	if u := next.with - 1; u >= 0 && !closed {
		then := m
		then.pc[t]++
		closed = x.add(&after, &then, x.number[u][m.pc[u]])
	}
	if closed {
		x.found = true
		return
	}
	x.visit(next, after)
}

// goes makes the next instruction of a thread, and reports whether it can be made.
func (m *machine) goes(t int) bool {
	at := m.pc[t]
	m.with = 0
	if at == len(m.program.threads[t]) {
		return false
	}
	if m.program.threads[t][at].op == tryLock {
		if m.program.saw[t][at] == 0 {
			if !m.started[t] {
				return false
			}
			m.pc[t]++
			return true
		}
		saw, ok := m.step(t)
		return ok && saw == 1
	}
	if m.program.chosen[t][at] == failed {
		m.pc[t]++
		return m.started[t]
	}
	_, ok := m.step(t)
	return ok
}

// add adds an instruction to what comes after each unit, and reports whether that closes a cycle.
func (x *interleaver) add(g *graph, m *machine, n int32) bool {
	a := x.unit[n]
	for k := range x.of {
		b, by := x.unit[k], x.of[k]
		if by.instruction >= m.pc[by.thread] || a == b ||
			by.thread != x.of[n].thread && !x.conflict(by, x.of[n]) {
			continue
		}
		after := g[a] | 1<<a
		for u := range g {
			if int32(u) == b || g[u]>>b&1 != 0 {
				g[u] |= after
			}
		}
	}
	return slices.ContainsFunc(x.unit, func(u int32) bool { return g[u]>>u&1 != 0 })
}

// conflict reports whether the instruction at one place conflicts with a later one of another
// thread.
func (x *interleaver) conflict(a, b place) bool {
	e, f := x.threads[a.thread][a.instruction], x.threads[b.thread][b.instruction]
	kind := func(p place, in instruction) (of int, writes bool) {
		switch in.op {
		case read, write:
			return 1, in.op == write
		case load, store, add:
			return 2, in.op != load
		case get, put:
			return 3, in.op == put
		}
		if !x.locks {
			return 0, false
		}
		switch in.op {
		case lock, rlock, tryLock:
			if in.op == tryLock && x.saw[p.thread][p.instruction] == 0 {
				return 0, false
			}
			return 4, in.op != rlock
		case send, receive, trySend, tryReceive, choose, chooseElse, closeChannel:
			if x.chosen[p.thread][p.instruction] == failed {
				return 0, false
			}
			return 5, true
		case done, wait:
			return 6, in.op == done
		case shrink, rest:
			return 7, in.op == shrink
		case woken:
			return 8, false
		case signal, broadcast:
			return 8, true
		}
		return 0, false
	}
	if e.op == goStart && e.x == b.thread {
		return true
	}
	of, writes := kind(a, e)
	with, too := kind(b, f)
	if of == 5 && with == 5 {
		on := func(p place, in instruction) int {
			if in.op == closeChannel {
				return in.x
			}
			return x.chosen[p.thread][p.instruction]
		}
		return on(a, e) == on(b, f)
	}
	return of != 0 && of == with && (e.x == f.x || of >= 6) && (writes || too)
}
