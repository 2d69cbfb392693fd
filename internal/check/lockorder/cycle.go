// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"slices"

	"github.com/commutego/commute/internal/event"
)

// maxLength is the number of threads in a cycle, at most, and maxCycles that of cycles; budget is
// the steps of the search.
const (
	maxLength = 6
	maxCycles = 1000
	budget    = 5_000_000
)

// A Cycle is a list of threads. Each waits for a lock that the next one holds, and the last one
// waits for a lock of the first.
type Cycle []Waiting

// A Waiting is one thread of a cycle.
type Waiting struct {
	Holds event.Step // the acquire of the lock for which the previous thread waits
	Wants event.Step // the acquire of the lock that the next thread holds
}

// A search looks for cycles among patterns.
type search struct {
	threads   []thread
	patterns  []pattern
	successor [][]int // those for which a pattern waits, in the same component, sorted
	path      []int
	uses      []*use // beside path: those that are concurrent, found for a complete cycle
	budget    int
	cycles    []Cycle
}

// Finish is the cycles of the trace, which is over; done is false if there may be more.
func (c *Checker) Finish() (cycles []Cycle, done bool) {
	s := &search{threads: c.threads, patterns: c.usable(), budget: budget}
	holders := make(map[uint32][]int)
	for i := range s.patterns {
		for _, l := range s.patterns[i].held {
			holders[l>>1] = append(holders[l>>1], i)
		}
	}
	s.successor = make([][]int, len(s.patterns))
	for i := range s.patterns {
		for _, k := range holders[s.patterns[i].lock>>1] {
			if s.compatible(i, k) && s.waits(i, k) {
				s.successor[i] = append(s.successor[i], k)
			}
		}
	}
	component := components(s.successor)
	for i, list := range s.successor {
		s.successor[i] = slices.DeleteFunc(list, func(k int) bool {
			return component[k] != component[i]
		})
	}
	for n := 2; n <= maxLength && len(s.cycles) < maxCycles; n++ { // the short ones first
		for i := range s.patterns {
			s.path = append(s.path[:0], i)
			s.extend(n)
		}
	}
	return s.cycles, s.budget >= 0 && len(s.cycles) < maxCycles
}

// compatible reports whether two patterns may be of one cycle: they hold no lock in common.
func (s *search) compatible(i, k int) bool {
	p, q := &s.patterns[i], &s.patterns[k]
	return p.thread != q.thread && !slices.ContainsFunc(p.held, func(l uint32) bool {
		return slices.ContainsFunc(q.held, func(m uint32) bool { return excludes(l, m) })
	})
}

// waits reports whether a pattern waits for another one.
func (s *search) waits(i, k int) bool {
	return slices.ContainsFunc(s.patterns[k].held, func(l uint32) bool {
		return excludes(s.patterns[i].lock, l)
	})
}

// usable are the patterns of locks that only those release who have taken them.
func (c *Checker) usable() []pattern {
	if len(c.freed) == 0 {
		return c.patterns
	}
	return slices.DeleteFunc(slices.Clone(c.patterns), func(p pattern) bool {
		return c.freed[p.lock>>1] || slices.ContainsFunc(p.held, func(l uint32) bool {
			return c.freed[l>>1]
		})
	})
}

// extend goes on from a path, whose first pattern is the least one, to cycles of length n.
func (s *search) extend(n int) {
	first, last := s.path[0], s.path[len(s.path)-1]
	if len(s.path) == n {
		s.budget--
		s.uses = s.uses[:0]
		if _, closed := slices.BinarySearch(s.successor[last], first); closed && s.use(0) {
			s.add()
		}
		return
	}
	for _, k := range s.successor[last] {
		if s.budget--; s.budget < 0 || len(s.cycles) >= maxCycles {
			return
		}
		if k > first && !slices.ContainsFunc(s.path, func(i int) bool {
			return !s.compatible(i, k)
		}) {
			s.path = append(s.path, k)
			s.extend(n)
			s.path = s.path[:len(s.path)-1]
		}
	}
}

// use finds uses of the patterns from the n-th on that are concurrent with each other and with
// those before, and that all can be reached together.
func (s *search) use(n int) bool {
	if n == len(s.path) {
		return s.reachable()
	}
	list := s.patterns[s.path[n]].uses
	for i := range list {
		if s.budget--; s.budget < 0 {
			return false
		}
		if slices.ContainsFunc(s.uses, func(u *use) bool {
			return !u.concurrent(&list[i]) || s.excludes(u, &list[i]) || s.excludes(&list[i], u)
		}) {
			continue
		}
		s.uses = append(s.uses, &list[i])
		if s.use(n + 1) {
			return true
		}
		s.uses = s.uses[:n]
	}
	return false
}

// excludes reports whether v can't be reached while a thread is at u: for v, some thread has to
// take a lock that is held at u, and has to take it later, as it was forked while it was held.
func (s *search) excludes(u, v *use) bool {
	for i := range u.held {
		h := &u.held[i]
		for w := range s.threads {
			for _, x := range s.threads[w].others(h.lock) {
				s.budget--
				earlier := before(x.clock, v.clock)
				if x.clock.Slot() == v.clock.Slot() {
					earlier = x.index < v.at.Index
				}
				if earlier && x.clock.Slot() != h.clock.Slot() && before(h.clock, x.clock) {
					return true
				}
			}
		}
	}
	return false
}

// others are the takings of a lock that exclude it.
func (th *thread) others(lock uint32) []taken {
	if lock&1 == 1 {
		return th.taken[lock-1]
	}
	return slices.Concat(th.taken[lock], th.taken[lock+1])
}

// add adds the cycle of the path.
func (s *search) add() {
	cycle := make(Cycle, len(s.path))
	for i, u := range s.uses {
		before := (i + len(s.path) - 1) % len(s.path)
		wanted := s.patterns[s.path[before]].lock
		for _, h := range u.held {
			if excludes(h.lock, wanted) {
				cycle[i] = Waiting{Holds: h.at, Wants: u.at}
			}
		}
	}
	s.cycles = append(s.cycles, cycle)
}

// components numbers the strongly connected components of a graph (Tarjan).
func components(successor [][]int) (component []int) {
	n := len(successor)
	component = make([]int, n)
	low, number := make([]int, n), make([]int, n) // from 1
	var stack []int
	var count, found int
	var visit func(int)
	visit = func(i int) {
		count++
		low[i], number[i] = count, count
		stack = append(stack, i)
		for _, k := range successor[i] {
			if number[k] == 0 {
				visit(k)
				low[i] = min(low[i], low[k])
			} else if component[k] == 0 {
				low[i] = min(low[i], number[k])
			}
		}
		if low[i] < number[i] {
			return
		}
		found++
		for {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			component[k] = found
			if k == i {
				return
			}
		}
	}
	for i := range successor {
		if number[i] == 0 {
			visit(i)
		}
	}
	return component
}
