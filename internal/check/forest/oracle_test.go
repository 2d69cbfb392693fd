// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/event"
)

// A program is what each thread does. Threads that are forked wait for it, and a join for all of
// its thread.
type program [][]event.Event

func (p program) String() string {
	var b strings.Builder
	for _, list := range p {
		for _, e := range list {
			fmt.Fprintf(&b, "\t%v\n", e)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// An explorer goes through all interleavings of a program, by the definitions: it knows nothing of
// nodes or must-order.
type explorer struct {
	program program
	unit    [][]int // of each event, -1 for one that conflicts with nothing
	units   int
	marked  map[int]bool
	forked  map[uint32]bool // threads that are forked by another
	seen    map[string]bool

	cyclic   bool // some beginning of an interleaving isn't serializable
	deadlock bool // some interleaving ends before all is done
	states   int
}

func explore(p program) *explorer {
	x := &explorer{program: p, seen: make(map[string]bool), marked: make(map[int]bool),
		forked: make(map[uint32]bool)}
	for _, list := range p {
		var of []int
		inside := -1
		for _, e := range list {
			u := inside
			switch e.Op {
			case event.Begin:
				inside = x.units
				u = inside
				x.marked[u] = true
				x.units++
			case event.End:
				inside = -1
			case event.Acquire, event.Release:
			default:
				if e.Op == event.Fork {
					x.forked[e.Target] = true
				}
				if inside < 0 {
					u = x.units
					x.units++
				}
			}
			of = append(of, u)
		}
		x.unit = append(x.unit, of)
	}
	x.visit(make([]int, len(p)), make([]uint32, x.units))
	return x
}

// holder reports whether a thread holds a lock at a cut.
func (x *explorer) holds(t, done int, lock uint32) bool {
	n := 0
	for _, e := range x.program[t][:done] {
		if e.Target == lock && e.Op == event.Acquire {
			n++
		} else if e.Target == lock && e.Op == event.Release {
			n--
		}
	}
	return n > 0
}

func (x *explorer) enabled(cut []int, t int) bool {
	if cut[t] == len(x.program[t]) {
		return false
	}
	if cut[t] == 0 && x.forked[uint32(t)] {
		begun := false
		for u := range cut {
			begun = begun || slices.ContainsFunc(x.program[u][:cut[u]], func(e event.Event) bool {
				return e.Op == event.Fork && e.Target == uint32(t)
			})
		}
		if !begun {
			return false
		}
	}
	switch e := x.program[t][cut[t]]; e.Op {
	case event.Acquire:
		for u := range cut {
			if u != t && x.holds(u, cut[u], e.Target) {
				return false
			}
		}
	case event.Join:
		return cut[e.Target] == len(x.program[e.Target])
	}
	return true
}

// visit goes on from a cut; order has the units that come after each unit in the graph.
func (x *explorer) visit(cut []int, order []uint32) {
	key := fmt.Sprint(cut, order)
	if x.cyclic && x.deadlock || x.seen[key] {
		return
	}
	x.seen[key] = true
	x.states++
	stuck, over := true, true
	for t := range cut {
		over = over && cut[t] == len(x.program[t])
		if !x.enabled(cut, t) {
			continue
		}
		stuck = false
		next := x.do(cut, order, t)
		for u := range next {
			if next[u]>>u&1 != 0 {
				x.cyclic = true
				return
			}
		}
		cut[t]++
		x.visit(cut, next)
		cut[t]--
	}
	x.deadlock = x.deadlock || stuck && !over
}

// do is the graph after the next event of a thread: its edges come from all that was done and
// conflicts with it.
func (x *explorer) do(cut []int, order []uint32, t int) []uint32 {
	order = slices.Clone(order)
	e, u := x.program[t][cut[t]], x.unit[t][cut[t]]
	if u < 0 {
		return order
	}
	for v := range cut {
		for k, f := range x.program[v][:cut[v]] {
			w := x.unit[v][k]
			if w < 0 || w == u {
				continue
			}
			forks := f.Op == event.Fork && f.Target == uint32(t)
			joins := e.Op == event.Join && e.Target == uint32(v)
			if v == t || forks || joins || conflicting(e, f) {
				order[w] |= 1 << u
			}
		}
	}
	for again := true; again; {
		again = false
		for a := range order {
			for b := range order {
				if more := order[a] | order[b]; order[a]>>b&1 != 0 && more != order[a] {
					order[a], again = more, true
				}
			}
		}
	}
	return order
}

func conflicting(e, f event.Event) bool {
	access := func(e event.Event) bool { return e.Op == event.Read || e.Op == event.Write }
	return access(e) && access(f) && e.Target == f.Target &&
		(e.Op == event.Write || f.Op == event.Write)
}

// interleave is a complete run of a program, in which pick chooses among the threads that can go
// on. It's nil if that run ends in a deadlock.
func interleave(p program, pick func(n int) int) (list []event.Event) {
	x := &explorer{program: p, forked: make(map[uint32]bool)}
	total := 0
	for _, events := range p {
		total += len(events)
		for _, e := range events {
			if e.Op == event.Fork {
				x.forked[e.Target] = true
			}
		}
	}
	cut := make([]int, len(p))
	for {
		var ready []int
		for t := range cut {
			if x.enabled(cut, t) {
				ready = append(ready, t)
			}
		}
		if ready == nil {
			break
		}
		t := ready[pick(len(ready))]
		list = append(list, p[t][cut[t]])
		cut[t]++
	}
	if len(list) < total {
		return nil
	}
	return list
}
