// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A judge says of an order whether its transaction graph has a cycle, by conflicts of data and by
// forks and joins. That locks are taken in some order is no conflict: it would be one in all
// orders.
type judge struct {
	*reorder.Segment
	others map[other]uint32 // numbers of what no step of the segment has: see otherwise
}

// An other is a thread that has no step, or a variable that is split or split off, by the trace's
// number.
type other struct {
	variable bool
	number   uint32
}

func newJudge(s *reorder.Segment) *judge { return &judge{Segment: s} }

// thread is a number for the thread that a step forks or joins. Checkers have tables by number,
// which are small with those of the segment, and with more that follow them.
func (j *judge) thread(i int32) uint32 {
	if t := j.Target[i]; t != reorder.None {
		return uint32(t)
	}
	return j.otherwise(other{number: j.Steps[i].Target}, j.Threads)
}

// variable is a number for a variable, by the trace's number.
func (j *judge) variable(global uint32) uint32 {
	if j.others == nil {
		j.others = make(map[other]uint32)
	}
	if _, known := j.others[other{}]; !known { // stands for all that are accessed
		for i := range j.Steps {
			if op := j.Steps[i].Op; op == reorder.Read || op == reorder.Write {
				j.others[other{true, j.Steps[i].Target}] = uint32(j.Target[i])
			}
		}
		j.others[other{}] = 0
	}
	return j.otherwise(other{true, global}, j.Vars)
}

// otherwise is a number for an other: one after those that the segment has, if it is new.
func (j *judge) otherwise(o other, least int) uint32 {
	n, ok := j.others[o]
	if !ok {
		if j.others == nil {
			j.others = make(map[other]uint32)
		}
		n = uint32(least + len(j.others))
		j.others[o] = n
	}
	return n
}

// neutral is a step as an event that conflicts only as it does for predictions, with numbers of the
// judge's. An acquire of a lock that nobody releases conflicts with nothing.
func (j *judge) neutral(i int32) event.Event {
	e, s := j.Events[i], &j.Steps[i]
	e.Thread = uint32(j.Thread[i])
	switch {
	case e.Op == event.Begin || e.Op == event.End:
		return e
	case e.Op == event.Fork || e.Op == event.Join:
		e.Target = j.thread(i)
		return e
	case e.Op == event.Split && !j.Recorded:
		e.Target, e.Point = j.variable(e.Target), j.variable(e.Point)
		return e
	case s.Silent:
	case s.Op == reorder.Touch || s.Op == reorder.Read || s.Op == reorder.Write:
		e.Target = uint32(j.Target[i])
		return e
	}
	return event.Event{Op: event.Acquire, Thread: e.Thread, Pos: e.Pos}
}

// cycle reports whether an order has a cycle, and after how many of its steps the first is closed.
func (j *judge) cycle(order []int32) (steps int, ok bool) {
	f := frontier.New(j.Relation)
	for n, i := range order {
		e := j.neutral(i)
		if f.Event(&e) {
			return n + 1, true
		}
	}
	return 0, false
}
