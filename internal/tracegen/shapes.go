// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"math/rand/v2"

	"github.com/commutego/commute/check/event"
)

// A Shape is a kind of long trace, all of it conflict serializable.
type Shape struct {
	Name string
	Make func(events int) []event.Event
}

// Shapes are those for which the speed of checkers is told.
var Shapes = []Shape{
	{"locked", Locked},
	{"independent", Independent},
	{"variables", ManyVariables},
	{"threads", ManyThreads},
}

// Locked has 9 threads, 16 locks, each with its share of 1000 variables, and transactions of 20 events
// under one lock.
func Locked(n int) []event.Event { return locked(n, 9, 16, 1000) }

// ManyThreads is as Locked with 64 threads, 256 locks and 4096 variables.
func ManyThreads(n int) []event.Event { return locked(n, 64, 256, 4096) }

// Independent has 9 threads with 10000 variables, each its own, and transactions of 6 events; each
// hundredth access is a read of a variable that all have.
func Independent(n int) []event.Event {
	const threads, vars, shared = 9, 10000, 16
	return simulate(n, threads, func(r *rand.Rand, t uint32) script {
		s := script{lock: unlocked}
		for range 4 {
			own := shared + (r.Uint32N((vars-shared)/threads))*threads + t
			s.accesses = append(s.accesses, access(r, own))
			if r.IntN(100) == 0 {
				s.accesses[len(s.accesses)-1] = event.Event{Op: event.Read, Target: r.Uint32N(shared)}
			}
		}
		return s
	})
}

// ManyVariables has a variable for each 10 events, and about 100 transactions by 4 threads under one of 4 locks.
func ManyVariables(n int) []event.Event {
	const threads = 4
	vars := max(uint32(n/10), threads)
	return simulate(n, threads, func(r *rand.Rand, t uint32) script {
		s := script{lock: r.Uint32N(4)}
		for range max(n/100, 4) - 4 {
			s.accesses = append(s.accesses, access(r, r.Uint32N(vars/4)*4+s.lock))
		}
		return s
	})
}

func locked(n int, threads, locks, vars uint32) []event.Event {
	return simulate(n, threads, func(r *rand.Rand, _ uint32) script {
		s := script{lock: r.Uint32N(locks)}
		for range 16 {
			s.accesses = append(s.accesses, access(r, r.Uint32N(vars/locks)*locks+s.lock))
		}
		return s
	})
}

func access(r *rand.Rand, x uint32) event.Event {
	if r.IntN(3) == 0 {
		return event.Event{Op: event.Write, Target: x}
	}
	return event.Event{Op: event.Read, Target: x}
}

const unlocked = 1 << 31

// A script is a transaction: a lock, or unlocked, and the accesses under it.
type script struct {
	lock     uint32
	accesses []event.Event
}

// simulate runs threads, each a transaction after the other, a few events of one thread at a time.
func simulate(n int, threads uint32, next func(r *rand.Rand, t uint32) script) []event.Event {
	r := rand.New(rand.NewPCG(1, 1))
	events := make([]event.Event, 0, n)
	todo := make([][]event.Event, threads)
	held := make(map[uint32]bool)
	for len(events) < n {
		t := r.Uint32N(threads)
		for range 1 + r.IntN(8) {
			if len(todo[t]) == 0 {
				todo[t] = next(r, t).events()
			}
			e := todo[t][0]
			if e.Op == event.Acquire && held[e.Target] || len(events) == n {
				break // the thread waits
			}
			if e.Op == event.Acquire || e.Op == event.Release {
				held[e.Target] = e.Op == event.Acquire
			}
			e.Thread = t
			e.Pos = uint32(len(events))
			events = append(events, e)
			todo[t] = todo[t][1:]
		}
	}
	return events
}

// events is the script with its begin and end.
func (s script) events() []event.Event {
	list := []event.Event{{Op: event.Begin}}
	if s.lock != unlocked {
		list = append(list, event.Event{Op: event.Acquire, Target: s.lock})
	}
	list = append(list, s.accesses...)
	if s.lock != unlocked {
		list = append(list, event.Event{Op: event.Release, Target: s.lock})
	}
	return append(list, event.Event{Op: event.End})
}
