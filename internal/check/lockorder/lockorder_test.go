// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lockorder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// cycles are those of a trace, each as text: of each thread the lock that it wants.
func cycles(t *testing.T, list []event.Event) (found []string) {
	t.Helper()
	c := New()
	for i := range list {
		c.Event(&list[i])
	}
	all, done := c.Finish()
	if !done {
		t.Fatal("the search gave up")
	}
	for _, cycle := range all {
		var wants []string
		for i, w := range cycle {
			next := cycle[(i+1)%len(cycle)]
			if w.Wants.Event.Target != next.Holds.Event.Target ||
				w.Wants.Event.Thread != w.Holds.Event.Thread || w.Holds.Index >= w.Wants.Index {
				t.Errorf("no cycle: %+v", cycle)
			}
			wants = append(wants, fmt.Sprintf("%d+%c", w.Wants.Event.Thread,
				'a'+rune(w.Wants.Event.Target)))
		}
		slices.Sort(wants)
		found = append(found, fmt.Sprint(wants))
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestCases(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"two locks", "0+a 0+b 0-b 0-a 1+b 1+a 1-a 1-b", []string{"[0+b 1+a]"}},
		{"one order", "0+a 0+b 0-b 0-a 1+a 1+b 1-b 1-a", nil},
		{"one thread", "0+a 0+b 0-b 0-a 0+b 0+a 0-a 0-b", nil},
		{"a gate", "0+g 0+a 0+b 0-b 0-a 0-g 1+g 1+b 1+a 1-a 1-b 1-g", nil},
		{"a gate that was let go", "0+g 0+a 0-g 0+b 0-b 0-a 1+g 1+b 1-g 1+a 1-a 1-b",
			[]string{"[0+b 1+a]"}},
		{"another gate", "0+g 0+a 0+b 0-b 0-a 0-g 1+h 1+b 1+a 1-a 1-b 1-h",
			[]string{"[0+b 1+a]"}},
		{"before the fork", "0+a 0+b 0-b 0-a 0f1 1+b 1+a 1-a 1-b", nil},
		{"after the fork", "0f1 0+a 0+b 0-b 0-a 1+b 1+a 1-a 1-b", []string{"[0+b 1+a]"}},
		{"after the join", "0f1 1+b 1+a 1-a 1-b 0j1 0+a 0+b 0-b 0-a", nil},
		{"before the fork and after", "0+a 0+b 0-b 0-a 0f1 0+a 0+b 0-b 0-a 1+b 1+a 1-a 1-b",
			[]string{"[0+b 1+a]"}},
		{"forked between the acquires", "0+a 0f1 0+b 0-b 0-a 1+b 1+a 1-a 1-b",
			[]string{"[0+b 1+a]"}},
		{"a child that was forked with a lock held, and takes it",
			"0+a 0f1 0+b 0-b 0-a 1+a 1-a 1+b 1+a 1-a 1-b", nil},
		{"siblings one after the other", "0f1 1+a 1+b 1-b 1-a 0j1 0f2 2+b 2+a 2-a 2-b", nil},
		{"three", "0+a 0+b 0-b 0-a 1+b 1+c 1-c 1-b 2+c 2+a 2-a 2-c", []string{"[0+b 1+c 2+a]"}},
		{"three, and a gate of two",
			"0+g 0+a 0+b 0-b 0-a 0-g 1+g 1+b 1+c 1-c 1-b 1-g 2+c 2+a 2-a 2-c", nil},
		{"held again", "0+a 0+a 0-a 0+b 0-b 0-a 1+b 1+a 1-a 1-b", []string{"[0+b 1+a]"}},
		{"let go in between", "0+a 0-a 0+b 0-b 1+b 1+a 1-a 1-b", nil},
		{"held from before the fork, and taken later",
			"0+a 0f1 0+b 0-b 0-a 0+a 0+b 0-b 0-a 1+a 1-a 1+b 1+a 1-a 1-b",
			[]string{"[0+b 1+a]"}},
		{"twice", "0+a 0+b 0-b 0-a 0+a 0+b 0-b 0-a 1+b 1+a 1-a 1-b", []string{"[0+b 1+a]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := cycles(t, tracegen.Parse(c.text)); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.text, got, c.want)
			}
		})
	}
}

// An explorer goes through all states of a program: what each thread has done.
type explorer struct {
	program [][]event.Event
	forked  []bool
	seen    map[string]bool
	cycles  map[string]bool // of threads that wait for each other, in some state
}

// holder is the thread that holds a lock, or -1.
func (x *explorer) holder(cut []int, lock uint32) int {
	for t, n := range cut {
		held := false
		for _, e := range x.program[t][:n] {
			if e.Target == lock && (e.Op == event.Acquire || e.Op == event.Release) {
				held = e.Op == event.Acquire
			}
		}
		if held {
			return t
		}
	}
	return -1
}

func (x *explorer) enabled(cut []int, t int) bool {
	if cut[t] == len(x.program[t]) || x.forked[t] && cut[0] == 0 {
		return false
	}
	switch e := x.program[t][cut[t]]; e.Op {
	case event.Acquire:
		return x.holder(cut, e.Target) < 0
	case event.Join:
		return cut[e.Target] == len(x.program[e.Target])
	}
	if cut[t] > 0 || !x.forked[t] {
		return true
	}
	return slices.ContainsFunc(x.program[0][:cut[0]], func(e event.Event) bool {
		return e.Op == event.Fork && int(e.Target) == t
	})
}

func (x *explorer) begun(cut []int, t int) bool {
	return !x.forked[t] || slices.ContainsFunc(x.program[0][:cut[0]], func(e event.Event) bool {
		return e.Op == event.Fork && int(e.Target) == t
	})
}

func (x *explorer) visit(cut []int) {
	key := fmt.Sprint(cut)
	if x.seen[key] {
		return
	}
	x.seen[key] = true
	waits := make([]int, len(cut)) // for which thread
	for t := range cut {
		waits[t] = -1
		if cut[t] < len(x.program[t]) && x.begun(cut, t) {
			if e := x.program[t][cut[t]]; e.Op == event.Acquire {
				waits[t] = x.holder(cut, e.Target)
			}
		}
	}
	x.note(cut, waits)
	for t := range cut {
		if x.begun(cut, t) && x.enabled(cut, t) {
			cut[t]++
			x.visit(cut)
			cut[t]--
		}
	}
}

// note notes the cycles of threads that wait for each other.
func (x *explorer) note(cut, waits []int) {
	for t := range waits {
		var wants []string
		u := t
		for range waits {
			if waits[u] < 0 {
				break
			}
			wants = append(wants, fmt.Sprintf("%d+%c", u, 'a'+rune(x.program[u][cut[u]].Target)))
			if u = waits[u]; u == t {
				slices.Sort(wants)
				x.cycles[fmt.Sprint(wants)] = true
				break
			}
		}
	}
}

// random is a program of sections, and perhaps forks and joins by thread 0.
func random(r *rand.Rand) (p [][]event.Event, forked []bool) {
	threads, locks := 2+r.IntN(2), 2+r.Uint32N(3)
	forks := r.IntN(3) == 0
	for t := range threads {
		var list []event.Event
		var held []uint32
		add := func(op event.Kind, target uint32) {
			list = append(list, event.Event{Op: op, Thread: uint32(t), Target: target})
		}
		fork := r.IntN(5)
		for i := range 3 + r.IntN(7) {
			if forks && t == 0 && i == fork {
				for u := 1; u < threads; u++ {
					add(event.Fork, uint32(u))
				}
			}
			if l := r.Uint32N(locks); r.IntN(5) < 3 && !slices.Contains(held, l) {
				add(event.Acquire, l)
				held = append(held, l)
			} else if len(held) > 0 {
				k := r.IntN(len(held))
				add(event.Release, held[k])
				held = slices.Delete(held, k, k+1)
			}
		}
		for _, l := range held {
			add(event.Release, l)
		}
		forked = append(forked, forks && t > 0)
		if forks && t == 0 {
			begun := slices.ContainsFunc(list, func(e event.Event) bool {
				return e.Op == event.Fork
			})
			if !begun {
				for u := 1; u < threads; u++ {
					add(event.Fork, uint32(u))
				}
			}
			if r.IntN(2) == 0 {
				add(event.Join, 1)
				add(event.Acquire, 0)
				add(event.Acquire, 1)
				add(event.Release, 1)
				add(event.Release, 0)
			}
		}
		p = append(p, list)
	}
	return p, forked
}

// run is a complete run of a program, nil if it comes to a deadlock.
func (x *explorer) run(r *rand.Rand) (list []event.Event) {
	cut := make([]int, len(x.program))
	for {
		var ready []int
		for t := range cut {
			if x.begun(cut, t) && x.enabled(cut, t) {
				ready = append(ready, t)
			}
		}
		if ready == nil {
			break
		}
		t := ready[r.IntN(len(ready))]
		list = append(list, x.program[t][cut[t]])
		cut[t]++
	}
	for t := range cut {
		if cut[t] < len(x.program[t]) {
			return nil
		}
	}
	return list
}

// TestFindsAllDeadlocks goes through all interleavings of small programs: each cycle of waiting
// threads is found in any run without a deadlock. What is found besides can't be reached as another
// cycle comes first: so nothing is found in a program without a deadlock.
func TestFindsAllDeadlocks(t *testing.T) {
	count := 2000
	if longtest.Asked() {
		count = 20000
	}
	runs, with, deadlocks, others := 0, 0, 0, 0
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 21))
		p, forked := random(r)
		x := &explorer{program: p, forked: forked, seen: make(map[string]bool),
			cycles: make(map[string]bool)}
		list := x.run(r)
		if list == nil {
			continue
		}
		runs++
		x.visit(make([]int, len(p)))
		found := cycles(t, list)
		for want := range x.cycles {
			if !slices.Contains(found, want) {
				t.Fatalf("program %d: %s is not found, but %v\n%v", seed, want, found, list)
			}
		}
		for _, f := range found {
			if x.cycles[f] {
				deadlocks++
			} else if others++; len(x.cycles) == 0 {
				t.Fatalf("program %d: %s is found, and there is no deadlock\n%v", seed, f, p)
			}
		}
		if len(x.cycles) > 0 {
			with++
		}
	}
	t.Logf("%d runs, %d of programs with a deadlock; %d cycles are deadlocks, %d not", runs, with,
		deadlocks, others)
}
