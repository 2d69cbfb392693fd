// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package generate

import "github.com/commutego/commute/internal/event"

// Shape "long" shows what a transaction graph costs. Two transactions run from beginning to end. So
// no transaction that comes after one of them can be removed from the graph.
//
// The transactions of other threads with odd numbers begin with a read of what the first long one
// has written. Those of threads with even numbers begin with a read of what the second one has
// written, and write a result, which the first long one reads. At each such read, a checker with a
// graph searches all that comes after the first long transaction: all transactions of odd threads.
// It finds no cycle, as no edge leads from those to a result.
//
// Velodrome's garbage collection doesn't help there. The paper (ASPLOS 2020, section 5.3) reports
// programs whose graphs had 9,000 nodes, and more than 393,000.

// The variables, by their numbers, are the two that the long transactions write first, and one for
// a violation. Then come the results, each of which is written by one transaction, and those that
// locks guard.
const (
	firstVar, violationVar, secondVar = 0, 1, 2
	longVars                          = 3
	longStart                         = 4 // events before all others: the long ones begin and write
)

// A long is the state of a trace of that shape.
type long struct {
	results uint32   // the number of results that there can be
	claimed uint32   // the number of those that are written or will be
	done    []uint32 // the results that are written and not yet read
	own     []uint32 // by thread: the last result that it has claimed
}

// besideLong is a transaction of one of the other threads.
func besideLong(g *Generator, t uint32) script {
	if t%2 == 0 {
		return writeResult(g, t)
	}
	first := longVars + g.long.results
	each := max((g.Vars-first)/g.Locks, 1)
	readFirst := g.r.IntN(4) == 0
	return script{g.r.Uint32N(g.Locks), g.Length - 4,
		func(g *Generator, _ uint32, s *script) event.Event {
			if readFirst {
				readFirst = false
				return event.Event{Op: event.Read, Target: firstVar}
			}
			return g.access(first + g.r.Uint32N(each)*g.Locks + s.lock)
		}}
}

// writeResult is a transaction that writes a result. If all are written, it reads its thread's last
// one.
func writeResult(g *Generator, t uint32) script {
	if g.long.claimed == g.long.results {
		own := g.long.own[t]
		return script{unlocked, g.Length - 2, func(*Generator, uint32, *script) event.Event {
			return event.Event{Op: event.Read, Target: own}
		}}
	}
	result := longVars + g.long.claimed
	g.long.claimed++
	g.long.own[t] = result
	made := 0
	return script{unlocked, g.Length - 2, func(g *Generator, _ uint32, s *script) event.Event {
		e := g.access(result)
		switch made++; made {
		case 1:
			e = event.Event{Op: event.Read, Target: secondVar}
		case 2:
			e.Op = event.Write
		}
		if s.accesses == 0 {
			g.long.done = append(g.long.done, result)
		}
		return e
	}}
}

// collect is an event of a long transaction: the first one reads the next result, if there is one.
// The second one has no more events.
func (g *Generator) collect(t uint32) (event.Event, bool) {
	if t > 0 || len(g.long.done) == 0 {
		return event.Event{}, false
	}
	x := g.long.done[0]
	g.long.done = g.long.done[1:]
	return event.Event{Op: event.Read, Target: x}, true
}
