// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reduction

import (
	"fmt"
	"testing"

	"github.com/commutego/commute/analyzer/section"
	"pgregory.net/rapid"
)

// An op is a step of a small program. Its letter says what: a lock is taken (R) or let go (L), a
// variable is read (r) or written (w), or an atomic variable is read and changed (N).
type op struct {
	what byte
	of   int // the lock, or the variable
	held int // the locks that are held, as bits
}

// numbers of locks and variables of a small program.
const locks, variables = 2, 3

// genOps draws a program that takes locks and lets them go in the end.
func genOps(t *rapid.T) (ops []op) {
	held := 0
	for range rapid.IntRange(1, 5).Draw(t, "n") {
		switch what := "RLrwN"[rapid.IntRange(0, 4).Draw(t, "what")]; what {
		case 'R', 'L':
			of := rapid.IntRange(0, locks-1).Draw(t, "lock")
			if held>>of&1 == 0 {
				held |= 1 << of
				ops = append(ops, op{'R', of, held})
			} else {
				held &^= 1 << of
				ops = append(ops, op{'L', of, held})
			}
		case 'N':
			ops = append(ops, op{'N', 0, held})
		default:
			ops = append(ops, op{what, rapid.IntRange(0, variables-1).Draw(t, "var"), held})
		}
	}
	for of := range locks {
		if held>>of&1 != 0 {
			held &^= 1 << of
			ops = append(ops, op{'L', of, held})
		}
	}
	return ops
}

// moversOf are the movers of a program's steps, by what both programs do.
func moversOf(ops []op, both ...[]op) (list []section.Mover) {
	var guards [variables]int
	var written [variables]bool
	for v := range guards {
		guards[v] = 1<<locks - 1
	}
	for _, ops := range both {
		for _, o := range ops {
			if o.what == 'r' || o.what == 'w' {
				guards[o.of] &= o.held
				written[o.of] = written[o.of] || o.what == 'w'
			}
		}
	}
	for _, o := range ops {
		m := section.NonMover
		switch {
		case o.what == 'R':
			m = section.RightMover
		case o.what == 'L':
			m = section.LeftMover
		case o.what != 'N' && (guards[o.of] != 0 || !written[o.of]):
			m = section.BothMover
		}
		list = append(list, m)
	}
	return list
}

// A world is what two programs share, and what each has seen.
type world struct {
	owner  [locks]int // 1 and 2 are programs
	values [variables]int
	atomic int
	seen   [2]int
}

// step makes a step; it reports false if the program has to wait.
func (w *world) step(id int, o op) bool {
	seen := &w.seen[id]
	switch o.what {
	case 'R':
		if w.owner[o.of] != 0 {
			return false
		}
		w.owner[o.of] = id + 1
	case 'L':
		w.owner[o.of] = 0
	case 'r':
		*seen = (*seen*31 + w.values[o.of] + 1) % 1000003
	case 'w':
		w.values[o.of] = (*seen*7 + id + 2) % 1000003
	case 'N':
		*seen = (*seen*31 + w.atomic + 1) % 1000003
		w.atomic = (*seen*5 + id + 3) % 1000003
	}
	return true
}

// results are the worlds in which two programs can end. If whole is true, nothing comes between the
// steps of the first one.
func results(a, b []op, whole bool) map[world]bool {
	found := make(map[world]bool)
	var walk func(w world, i, k int)
	walk = func(w world, i, k int) {
		if i == len(a) && k == len(b) {
			found[w] = true
			return
		}
		if i < len(a) {
			if next := w; next.step(0, a[i]) {
				walk(next, i+1, k)
			}
		}
		if k < len(b) && !(whole && i > 0 && i < len(a)) {
			if next := w; next.step(1, b[k]) {
				walk(next, i, k+1)
			}
		}
	}
	walk(world{}, 0, 0)
	return found
}

// TestProven runs two random programs in all orders of their steps. If the first one has the
// pattern, they end as in an order in which nothing comes between its steps.
func TestProven(t *testing.T) {
	proven, several := 0, 0
	one := func(t *rapid.T) {
		a, b := genOps(t), genOps(t)
		nodes := make([]node, len(a))
		for i, m := range moversOf(a, a, b) {
			nodes[i] = node{effect: effectOf(m), ends: i+1 == len(a)}
			if i+1 < len(a) {
				nodes[i].next = []int{i + 1}
			}
		}
		if _, breaches := run(nodes, before); len(breaches) > 0 {
			return
		}
		proven++
		all, whole := results(a, b, false), results(a, b, true)
		if len(all) > 1 {
			several++
		}
		for w := range all {
			if !whole[w] {
				t.Fatalf("%s and %s can end in %+v, but not one after the other", text(a), text(b), w)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 50 { // most programs are not proven, or have one result
			one(t)
		}
	})
	if proven == 0 || several == 0 {
		t.Errorf("%d programs were proven, %d with several results", proven, several)
	}
}

// text is a program for people.
func text(ops []op) (s string) {
	for _, o := range ops {
		s += fmt.Sprintf("%c%d ", o.what, o.of)
	}
	return s
}
