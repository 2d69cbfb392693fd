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
}

// neutral is a step as an event that conflicts only as it does for predictions. An acquire of a
// lock that nobody releases conflicts with nothing.
func (j *judge) neutral(i int32) event.Event {
	e, s := j.piece.Events[i], &j.piece.Steps[i]
	switch {
	case e.Op == event.Split && !j.piece.Recorded || e.Op == event.Begin || e.Op == event.End ||
		e.Op == event.Fork || e.Op == event.Join:
		return e
	case !s.Silent && (s.Op == reorder.Read || s.Op == reorder.Write || s.Op == reorder.Touch):
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
