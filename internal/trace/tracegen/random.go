// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/commutego/commute/internal/event"
)

// A Trace is a well-formed stream.
type Trace struct {
	Events   []event.Event
	Relation *event.Relation
	Mutexes  bool // see event.Validator
}

func (tr Trace) String() string {
	var b strings.Builder
	for p := range tr.Relation.Points() {
		fmt.Fprintf(&b, "\tpoint %d conflicts with %v\n", p, tr.Relation.Conflicts(p))
	}
	for i, e := range tr.Events {
		fmt.Fprintf(&b, "\t%3d %v\n", i, e)
	}
	return b.String()
}

// A shape is the sizes and proportions of a random trace.
type shape struct {
	threads, locks, vars, objects uint32
	weights                       [event.Touch + 1]int
	forks                         bool // threads other than 0 must be forked
}

// targets is the number of targets of a kind of event.
func (s *shape) targets(op event.Kind) uint32 {
	switch op {
	case event.Read, event.Write:
		return s.vars
	case event.Acquire, event.Release, event.ReleaseMerge:
		return s.locks
	case event.Fork, event.Join:
		return s.threads
	case event.Touch:
		return s.objects
	}
	return 1
}

// Random is a trace of 5 to 60 events by 2 to 8 threads.
func Random(seed uint64) Trace {
	r := rand.New(rand.NewPCG(seed, 1))
	return Sized(seed, 5+r.IntN(56))
}

// Sized is a trace of n events, or of fewer if all its threads were joined. Random events are tried
// until one keeps the trace well-formed.
func Sized(seed uint64, n int) Trace {
	r := rand.New(rand.NewPCG(seed, 2))
	s := randomShape(r)
	tr := Trace{Relation: randomRelation(r), Mutexes: r.IntN(3) == 0}
	v := event.Validator{Relation: tr.Relation, Mutexes: tr.Mutexes}
	live := make([]bool, s.threads)
	for t := range live {
		live[t] = t == 0 || !s.forks
	}
	for range 20 * n {
		if len(tr.Events) == n {
			break
		}
		e := randomEvent(r, &s, tr.Relation)
		e.Pos = uint32(1000 + len(tr.Events))
		if !live[e.Thread] || v.Event(&e) != nil {
			continue
		}
		if e.Op == event.Fork {
			live[e.Target] = true
		}
		tr.Events = append(tr.Events, e)
	}
	return tr
}

// randomShape is a shape in which some operations are missing, so that traces differ in more than
// their order.
func randomShape(r *rand.Rand) shape {
	s := shape{
		threads: 2 + r.Uint32N(3),
		locks:   1 + r.Uint32N(3),
		vars:    1 + r.Uint32N(4),
		objects: 1 + r.Uint32N(2),
		forks:   r.IntN(3) == 0,
		weights: [...]int{
			event.Read: 6, event.Write: 5, event.Acquire: 4, event.Release: 4,
			event.ReleaseMerge: 3,
			event.Fork:         1, event.Join: 1, event.Begin: 3, event.End: 4, event.Touch: 5,
		},
	}
	if r.IntN(4) == 0 {
		s.threads += 4
		s.vars += 4
	}
	if s.forks {
		s.weights[event.Fork] = 4
	}
	for op := range s.weights {
		if s.weights[op] > 0 {
			s.weights[op] *= 1 + r.IntN(3)
		}
	}
	// Most traces do without some operations.
	for _, ops := range [][]event.Kind{
		{event.Read, event.Write}, {event.Acquire, event.Release}, {event.ReleaseMerge},
		{event.Touch}, {event.Join},
	} {
		if r.IntN(3) == 0 {
			for _, op := range ops {
				s.weights[op] = 0
			}
		}
	}
	return s
}

// randomEvent is an event by the weights of the shape; the trace may be ill-formed with it.
func randomEvent(r *rand.Rand, s *shape, relation *event.Relation) event.Event {
	sum := 0
	for _, w := range s.weights {
		sum += w
	}
	e := event.Event{Thread: r.Uint32N(s.threads)}
	n := r.IntN(sum)
	for op, w := range s.weights {
		if n -= w; n < 0 {
			e.Op = event.Kind(op)
			break
		}
	}
	e.Target = r.Uint32N(s.targets(e.Op))
	if e.Op == event.Touch {
		e.Point = r.Uint32N(relation.Points())
	}
	return e
}

// randomRelation is of any kind, every other time that of a map: read, write, size and resize.
func randomRelation(r *rand.Rand) *event.Relation {
	points, pairs := uint32(4), [][2]uint32{{0, 1}, {1, 1}, {2, 3}}
	if r.IntN(2) == 0 {
		points, pairs = 1+r.Uint32N(5), nil
		for range r.Uint32N(2 * points) {
			pairs = append(pairs, [2]uint32{r.Uint32N(points), r.Uint32N(points)})
		}
	}
	relation, err := event.NewRelation(points, pairs...)
	if err != nil {
		panic(err) // the points are below their number
	}
	return relation
}

// Decode makes a trace of any bytes, for fuzz tests. The first byte gives the relation, each two of
// the rest an event, which is dropped if the stream would be ill-formed with it.
func Decode(data []byte) Trace {
	seed := uint64(0)
	if len(data) > 0 {
		seed = uint64(data[0])
		data = data[1:]
	}
	tr := Trace{Relation: randomRelation(rand.New(rand.NewPCG(seed, 3))), Mutexes: seed%2 == 1}
	v := event.Validator{Relation: tr.Relation, Mutexes: tr.Mutexes}
	var used [8]bool // by variable: the part of a split must be new
	for ; len(data) >= 2; data = data[2:] {
		op := data[0] % 16
		if int(op) >= len(event.Ops) {
			continue
		}
		e := event.Event{
			Op:     event.Ops[op],
			Thread: uint32(data[0] / 16 % 8),
			Target: uint32(data[1] % 8),
			Point:  uint32(data[1] / 8 % 8),
			Pos:    uint32(len(tr.Events)),
		}
		if e.Op == event.Split && used[e.Target] || v.Event(&e) != nil {
			continue
		}
		switch e.Op {
		case event.Read, event.Write:
			used[e.Target] = true
		case event.Split:
			used[e.Target], used[e.Point] = true, true
		}
		tr.Events = append(tr.Events, e)
	}
	return tr
}

// Shrink drops events of a failing trace, one at a time, as long as it stays well-formed and fails.
func Shrink(tr Trace, fails func(Trace) bool) Trace {
	for again := true; again; {
		again = false
		for i := len(tr.Events) - 1; i >= 0; i-- {
			less := tr
			less.Events = append(append([]event.Event(nil), tr.Events[:i]...), tr.Events[i+1:]...)
			if event.Check(less.Events, less.Relation, less.Mutexes) == nil && fails(less) {
				tr, again = less, true
			}
		}
	}
	return tr
}
