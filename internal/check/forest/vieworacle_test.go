// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// A viewExplorer goes through all complete interleavings of a program, by what each read sees and
// by what is written last.
type viewExplorer struct {
	*explorer
	serial bool // transactions are not interleaved, and locks keep nobody from that
	seen   map[string]bool
	ends   map[string]bool
}

func (x *viewExplorer) visit(cut []int, reads [][]int, last []int) {
	key := fmt.Sprint(cut, reads, last)
	if x.seen[key] {
		return
	}
	x.seen[key] = true
	inside := -1
	over := true
	for t := range cut {
		over = over && cut[t] == len(x.program[t])
		if n := cut[t]; n > 0 && n < len(x.program[t]) {
			if u := x.unit[t][n]; u >= 0 && x.marked[u] && u == x.unit[t][n-1] {
				inside = t
			}
		}
	}
	if over {
		x.ends[fmt.Sprint(reads, last)] = true
	}
	for t := range cut {
		if x.serial && inside >= 0 && t != inside || !x.enabled(cut, t) && !x.takes(cut, t) {
			continue
		}
		e := x.program[t][cut[t]]
		cut[t]++
		switch e.Op {
		case event.Read:
			more := slices.Clone(reads)
			more[t] = append(slices.Clone(more[t]), last[e.Target])
			x.visit(cut, more, last)
		case event.Write:
			after := slices.Clone(last)
			after[e.Target] = 100*(t+1) + cut[t]
			x.visit(cut, reads, after)
		default:
			x.visit(cut, reads, last)
		}
		cut[t]--
	}
}

// takes reports whether a thread's next event takes a lock, which is no hindrance if transactions
// are whole: an access outside may hold it when one is put before it.
func (x *viewExplorer) takes(cut []int, t int) bool {
	return x.serial && cut[t] > 0 && cut[t] < len(x.program[t]) &&
		x.program[t][cut[t]].Op == event.Acquire
}

// viewAtomic reports whether each complete interleaving has the reads and last writes of one in
// which each transaction is whole.
func viewAtomic(x *explorer) bool {
	var ends [2]map[string]bool
	for i := range ends {
		v := &viewExplorer{explorer: x, serial: i == 1, seen: make(map[string]bool),
			ends: make(map[string]bool)}
		v.visit(make([]int, len(x.program)), make([][]int, len(x.program)), make([]int, 8))
		ends[i] = v.ends
	}
	for end := range ends[0] {
		if !ends[1][end] {
			return false
		}
	}
	return true
}

// TestViewAgreesWithInterleavings is for programs that have no deadlock. Where accesses outside of
// transactions hold locks, the transaction is judged by conflicts.
func TestViewAgreesWithInterleavings(t *testing.T) {
	more := 0
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.name, func(t *testing.T) {
			var n tally
			each(t, s, 5, func(seed uint64, p program, run []event.Event) {
				x := explore(p)
				if x.deadlock {
					return
				}
				r, byConflict := check(run, View), check(run, Conflict)
				if r.Proven < byConflict.Proven {
					t.Fatalf("program %d: conflicts prove what views don't\n%v", seed, p)
				}
				if r.Proven > byConflict.Proven {
					more++
				}
				x.cyclic = !viewAtomic(x)
				n.add(x, r)
				if n.wrong+n.false > 0 {
					t.Fatalf("program %d: view serializable in every run: %v; %+v\n%v", seed,
						!x.cyclic, r, p)
				}
			})
			t.Logf("%+v, more than by conflicts: %d", n, more)
			if n.alarms < n.programs/20 || n.unknown > n.programs/10 {
				t.Errorf("%d alarms in %d programs, %d unknown", n.alarms, n.programs, n.unknown)
			}
		})
	}
	if more == 0 {
		t.Error("nothing more is proven than by conflicts")
	}
}
