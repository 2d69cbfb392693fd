// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package generate

import "github.com/commutego/commute/internal/event"

// Shape long is for what a graph of transactions costs. Two transactions are open all the time, so
// none goes from the graph that comes after one of them. Of the other threads, those of even
// numbers begin with what the second one has given, and give a result to the first one; those of
// odd numbers begin with what the first one has given. So each result is to be looked for among all
// transactions of the latter: they are what comes after the first one. It is serializable, as
// nothing leads back from those.
//
// Velodrome's garbage collection doesn't help there; the paper (ASPLOS 2020, section 5.3) tells of
// programs of which the graph had 9,000 nodes, and more than 393,000.

// The variables: what the two long transactions write first; one for a violation; results, each of
// which is written by one transaction; and those that are guarded by locks.
const (
	gift, back, second = 0, 1, 2
	longVars           = 3
	longStart          = 4 // events before all others: the long transactions begin and give
)

// long is the state of a trace of that shape.
type long struct {
	results uint32   // how many there can be,
	claimed uint32   // of those the ones that are written or will be,
	done    []uint32 // and those that are written and not yet read
	own     []uint32 // the last one that each thread has claimed
}

// besideLong is a transaction of one of the other threads.
func besideLong(g *Generator, t uint32) script {
	if t%2 == 0 {
		return giving(g, t)
	}
	first := longVars + g.long.results
	each := max((g.Vars-first)/g.Locks, 1)
	asks := g.r.IntN(4) == 0
	return script{g.r.Uint32N(g.Locks), g.Length - 4,
		func(g *Generator, _ uint32, s *script) event.Event {
			if asks {
				asks = false
				return event.Event{Op: event.Read, Target: gift}
			}
			return g.access(first + g.r.Uint32N(each)*g.Locks + s.lock)
		}}
}

// giving is a transaction that makes a result, or, if there have been all, reads its thread's last
// one.
func giving(g *Generator, t uint32) script {
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
			e = event.Event{Op: event.Read, Target: second}
		case 2:
			e.Op = event.Write
		}
		if s.accesses == 0 {
			g.long.done = append(g.long.done, result)
		}
		return e
	}}
}

// collect is an event of the first long transaction: it reads the next result, if there is one. The
// second one does no more.
func (g *Generator) collect(t uint32) (event.Event, bool) {
	if t > 0 || len(g.long.done) == 0 {
		return event.Event{}, false
	}
	x := g.long.done[0]
	g.long.done = g.long.done[1:]
	return event.Event{Op: event.Read, Target: x}, true
}
