// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import (
	"slices"
	"sort"

	"github.com/commutego/commute/internal/check/forest"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A confirmer makes the schedules of alarms step by step, with all that package forest doesn't
// keep: sections in which nothing is accessed, what comes before the units, and other threads.
type confirmer struct {
	*reorder.Segment
	closer *reorder.Closer
	maker  maker
	done   reorder.Cut
	held   []holders
	last   [2][3]int32 // the last acquire, merge and release that was made, and of unknown objects
	depth  int
}

// holders are who hold a lock.
type holders struct{ writers, readers int }

func newConfirmer(p *reorder.Piece, relation *event.Relation, before numbers) *confirmer {
	c := &confirmer{Segment: reorder.NewSegment(p, relation), maker: newMaker(p, before)}
	for i := range c.From {
		c.From[i] = reorder.None // what is read doesn't count
	}
	c.closer = reorder.NewCloser(c.Segment)
	c.held = make([]holders, c.Locks)
	return c
}

// at is the last step of an event, or None if there is none in the piece proper.
func (c *confirmer) at(index uint64) int32 {
	n := len(c.Steps) - c.Before
	k := sort.Search(n, func(k int) bool { return c.Index(int32(c.Before+k)) > index }) - 1
	if k < 0 || c.Index(int32(c.Before+k)) != index {
		return reorder.None
	}
	return int32(c.Before + k)
}

// confirm reports whether the schedule of an alarm can be made.
func (c *confirmer) confirm(a *forest.Alarm) bool {
	a.Witness = slices.DeleteFunc(a.Witness, func(w event.Step) bool {
		return w.Event.Op == event.Split // see fixed
	})
	begins := append([]event.Transaction{a.Transaction}, a.Units...)
	wanted := c.Begin()
	from := make(map[int32]int32) // by thread: its first step in the schedule
	for i := range begins {
		s := c.at(begins[i].First)
		if s == reorder.None {
			return false
		}
		t := c.Thread[s]
		at := c.outermost(t, c.Pos[s])
		if first, ok := from[t]; !ok || at < first {
			from[t] = at
		}
	}
	for t, n := range from {
		wanted[t] = max(wanted[t], n)
	}
	c.done = append(c.done[:0], c.closer.Closure(wanted)...)
	for t, n := range from {
		if c.done[t] > n {
			return false
		}
	}
	c.replay()
	for i := range a.Witness {
		s := c.at(a.Witness[i].Index)
		if s == reorder.None || c.done[c.Thread[s]] > c.Pos[s] || !c.reach(s) {
			return false
		}
	}
	return c.interrupts(a)
}

// outermost is how many steps a thread has made before it took what it holds after so many.
func (c *confirmer) outermost(t, made int32) int32 {
	var open []int32
	for at, i := range c.Of[t][:made] {
		switch c.Steps[i].Op {
		case reorder.Lock, reorder.RLock:
			open = append(open, int32(at))
		case reorder.Unlock, reorder.RUnlock:
			if m := c.Mate[i]; m != reorder.None && c.Thread[m] == t {
				open = slices.DeleteFunc(open, func(at int32) bool { return c.Of[t][at] == m })
			}
		}
	}
	if len(open) > 0 {
		return open[0]
	}
	return made
}

// replay notes what is held, and what was made, after the steps that are done.
func (c *confirmer) replay() {
	clear(c.held)
	clear(c.maker.now)
	for k := range c.last {
		c.last[k] = [3]int32{reorder.None, reorder.None, reorder.None}
	}
	for i := range int32(len(c.Steps)) {
		if c.Pos[i] < c.done[c.Thread[i]] {
			c.note(i)
			c.maker.make(&c.Events[i])
		}
	}
}

func (c *confirmer) note(i int32) {
	switch op := c.Steps[i].Op; op {
	case reorder.Lock:
		c.held[c.Target[i]].writers++
	case reorder.Unlock:
		c.held[c.Target[i]].writers--
	case reorder.RLock:
		c.held[c.Target[i]].readers++
	case reorder.RUnlock:
		c.held[c.Target[i]].readers--
	case reorder.Acquire, reorder.Merge, reorder.Release:
		k := op - reorder.Acquire
		c.last[0][k] = max(c.last[0][k], i)
		if !c.Steps[i].Named {
			c.last[1][k] = max(c.last[1][k], i)
		}
	}
}

// reach makes the steps of a thread up to one, and what they need.
func (c *confirmer) reach(i int32) bool {
	if c.depth++; c.depth > len(c.Steps) {
		return false
	}
	defer func() { c.depth-- }()
	t := c.Thread[i]
	for c.done[t] <= c.Pos[i] {
		next := c.Of[t][c.done[t]]
		for _, j := range c.Needs(next) {
			if c.Pos[j] >= c.done[c.Thread[j]] && (c.Thread[j] == t || !c.reach(j)) {
				return false
			}
		}
		if c.Of[t][c.done[t]] != next || !c.free(next) ||
			!c.maker.make(&c.Events[next]) {
			return false
		}
		c.note(next)
		c.done[t]++
	}
	return true
}

// free reports whether a step can be made of which all that it needs was made.
func (c *confirmer) free(i int32) bool {
	switch op := c.Steps[i].Op; op {
	case reorder.Lock:
		return c.held[c.Target[i]] == holders{}
	case reorder.RLock:
		return c.held[c.Target[i]].writers == 0
	case reorder.Acquire, reorder.Merge, reorder.Release:
		of := 0
		if c.Steps[i].Named {
			of = 1
		}
		for k, last := range c.last[of] {
			same := reorder.Op(k) == op-reorder.Acquire && op != reorder.Release
			if last > i && !same {
				return false
			}
		}
	case reorder.Join:
		t := c.Target[i]
		return t == reorder.None || int(c.done[t]) == len(c.Of[t])
	}
	return true
}
