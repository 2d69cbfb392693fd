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
	piece    *reorder.Piece
	relation *event.Relation
	numbers  [3]map[uint32]uint32 // of threads, variables and objects: see number
}

// What has numbers of its own.
const (
	threads = iota
	variables
	objects
)

func newJudge(p *reorder.Piece, relation *event.Relation) *judge {
	return &judge{piece: p, relation: relation}
}

// number is a dense number for one of the trace. A checker has tables by number, which would be as
// large for a few steps of a long trace as for all of it.
func (j *judge) number(of int, global uint32) uint32 {
	n, ok := j.numbers[of][global]
	if !ok {
		if n = uint32(len(j.numbers[of])); n == 0 {
			j.numbers[of] = make(map[uint32]uint32)
		}
		j.numbers[of][global] = n
	}
	return n
}

// neutral is a step as an event that conflicts only as it does for predictions, with numbers of the
// judge's. An acquire of a lock that nobody releases conflicts with nothing.
func (j *judge) neutral(i int32) event.Event {
	e, s := j.piece.Events[i], &j.piece.Steps[i]
	e.Thread = j.number(threads, e.Thread)
	switch {
	case e.Op == event.Begin || e.Op == event.End:
		return e
	case e.Op == event.Fork || e.Op == event.Join:
		e.Target = j.number(threads, e.Target)
		return e
	case e.Op == event.Split && !j.piece.Recorded:
		e.Target, e.Point = j.number(variables, e.Target), j.number(variables, e.Point)
		return e
	case s.Silent:
	case s.Op == reorder.Touch:
		e.Target = j.number(objects, e.Target)
		return e
	case s.Op == reorder.Read || s.Op == reorder.Write:
		e.Target = j.number(variables, e.Target)
		return e
	}
	return event.Event{Op: event.Acquire, Thread: e.Thread, Pos: e.Pos}
}

// cycle reports whether an order has a cycle, and after how many of its steps the first is closed.
func (j *judge) cycle(order []int32) (steps int, ok bool) {
	f := frontier.New(j.relation)
	for n, i := range order {
		e := j.neutral(i)
		if f.Event(&e) {
			return n + 1, true
		}
	}
	return 0, false
}
