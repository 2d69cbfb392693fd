// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"math/rand/v2"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// A shape is a kind of random program.
type shape struct {
	name     string
	threads  int
	units    int  // of a thread, at most
	loose    bool // some units are accesses outside of transactions
	locked   bool // and those may be under locks
	tangled  bool // sections need not nest
	forks    bool // thread 0 forks the others, and may join them
	accesses int
}

var shapes = []shape{
	{name: "2 transactions", threads: 2, units: 1, accesses: 8},
	{name: "3 transactions", threads: 3, units: 1, accesses: 8},
	{name: "3 threads, accesses outside", threads: 3, units: 2, loose: true, accesses: 7},
	{name: "2 threads, several transactions", threads: 2, units: 3, accesses: 8},
	{name: "3 threads, several transactions", threads: 3, units: 2, accesses: 7},
	{name: "2 transactions, tangled", threads: 2, units: 1, tangled: true, accesses: 8},
	{name: "3 threads, outside under locks, tangled", threads: 3, units: 2, loose: true,
		locked: true, tangled: true, accesses: 7},
	{name: "forks", threads: 3, units: 2, loose: true, forks: true, accesses: 7},
}

// A writer makes the events of one thread.
type writer struct {
	r     *rand.Rand
	t     uint32
	shape *shape
	left  int // accesses
	vars  uint32
	locks uint32
	mixed bool // locks are taken in any order
	list  []event.Event
}

func (w *writer) add(op event.Kind, target uint32) {
	w.list = append(w.list, event.Event{Op: op, Thread: w.t, Target: target,
		Pos: uint32(len(w.list)) + 100*w.t})
}

func (w *writer) access() {
	op := event.Read
	if w.r.IntN(2) == 0 {
		op = event.Write
	}
	w.add(op, w.r.Uint32N(w.vars))
	w.left--
}

// body makes accesses and sections. Locks are taken in the order of their numbers, unless it is
// tangled.
func (w *writer) body(n int) {
	var held []uint32
	for range n {
		switch k := w.r.IntN(6); {
		case k == 0 && len(held) > 0:
			i := len(held) - 1
			if w.shape.tangled {
				i = w.r.IntN(len(held))
			}
			w.add(event.Release, held[i])
			held = append(held[:i:i], held[i+1:]...)
		case k <= 2:
			low := uint32(0)
			if len(held) > 0 {
				low = held[len(held)-1] + 1
			}
			if w.mixed {
				low = 0
			}
			if low >= w.locks {
				continue
			}
			if l := low + w.r.Uint32N(w.locks-low); !slices.Contains(held, l) {
				w.add(event.Acquire, l)
				held = append(held, l)
			}
		case w.left > 0:
			w.access()
		}
	}
	for i := len(held) - 1; i >= 0; i-- {
		w.add(event.Release, held[i])
	}
}

// random makes a program.
func random(seed uint64, s *shape) program {
	r := rand.New(rand.NewPCG(seed, 11))
	left := s.accesses
	vars, locks := 1+r.Uint32N(3), 1+r.Uint32N(2)
	if s.tangled {
		locks++
	}
	mixed := r.IntN(4) == 0
	var p program
	for t := range s.threads {
		w := &writer{r: r, t: uint32(t), shape: s, vars: vars, locks: locks, mixed: mixed,
			left: left / (s.threads - t)}
		if t < s.threads-1 {
			w.left = r.IntN(w.left + 2)
		}
		had := w.left
		fork := func() {
			for u := 1; s.forks && t == 0 && u < s.threads; u++ {
				w.add(event.Fork, uint32(u))
			}
		}
		within := r.IntN(3)
		if within == 0 {
			fork()
		}
		for k := range 1 + r.IntN(s.units) {
			if s.loose && r.IntN(2) == 0 {
				if s.locked {
					w.body(1 + r.IntN(4))
				} else if w.left > 0 {
					w.access()
				}
				continue
			}
			w.add(event.Begin, 0)
			w.body(2 + r.IntN(5))
			if within == 1 && k == 0 {
				fork()
				within = 3
			}
			w.body(1 + r.IntN(7))
			if s.forks && t == 0 && within == 3 && r.IntN(2) == 0 {
				w.add(event.Join, 1)
				within = 4
			}
			w.add(event.End, 0)
		}
		if within == 1 || within == 2 {
			fork()
		}
		if s.forks && t == 0 && within < 3 && r.IntN(2) == 0 {
			w.add(event.Join, 1)
			w.add(event.Begin, 0)
			w.body(4)
			w.add(event.End, 0)
		}
		left -= had - w.left
		p = append(p, w.list)
	}
	return p
}
