// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A modelOp is an operation of a small program: to take the lock, or to let it go, or on an object.
type modelOp struct {
	lock, unlock bool
	object       int
}

// A model is a small program: what each thread does. All are there from the start, and the first of
// them runs.
type model [][]modelOp

func randomModel(r *rand.Rand) (m model) {
	for range 2 + r.Intn(2) {
		var ops []modelOp
		for range 1 + r.Intn(2) {
			if r.Intn(3) == 0 {
				ops = append(ops, modelOp{lock: true}, modelOp{object: r.Intn(2)}, modelOp{unlock: true})
			} else {
				ops = append(ops, modelOp{object: r.Intn(2)})
			}
		}
		m = append(m, ops)
	}
	return m
}

// play runs the program. It asks choose where there is something to decide: who goes on, of those
// that can, the one that runs first among them if holds is set. It returns what was chosen.
func (m model) play(operate func(thread int, op modelOp), end func(thread int),
	choose func(candidates []int, holds bool) int, ready func(thread int)) (chosen []int) {
	next := make([]int, len(m)) // of each thread
	about := make([]bool, len(m))
	var pending, waiting []int
	owner, holder := -1, 0
	for i := 1; i < len(m); i++ {
		pending = append(pending, i)
		ready(i)
	}
	pick := func(holds bool) {
		candidates := slices.Clone(pending)
		if holds {
			candidates = append([]int{holder}, pending...)
		}
		if len(candidates) == 0 {
			holder = -1
			return
		}
		t := choose(candidates, holds)
		if len(candidates) > 1 {
			chosen = append(chosen, t)
		}
		pending = slices.DeleteFunc(pending, func(i int) bool { return i == t })
		if holds && t != holder {
			pending = append(pending, holder)
			ready(holder)
		}
		holder = t
	}
	for holder >= 0 {
		t := holder
		if next[t] == len(m[t]) {
			end(t)
			pick(false)
			continue
		}
		op := m[t][next[t]]
		switch {
		case op.unlock:
			owner = -1
			if len(waiting) > 0 {
				owner = waiting[0]
				pending = append(pending, owner)
				ready(owner)
				waiting = waiting[1:]
			}
			next[t]++
		case !about[t]:
			about[t] = true
			operate(t, op)
			pick(true)
		default:
			about[t] = false
			next[t]++
			if op.lock && owner >= 0 {
				waiting = append(waiting, t)
				pick(false)
			} else if op.lock {
				owner = t
			}
		}
	}
	return chosen
}

// all are the schedules of the program with the number of choices in each that are not the default,
// up to most: found by trying everything.
func (m model) all(most int) map[string]int {
	found := make(map[string]int)
	var try func(prefix []int, others int)
	try = func(prefix []int, others int) {
		var more [][]int
		var costs []int
		decision := 0
		chosen := m.play(func(int, modelOp) {}, func(int) {}, func(c []int, holds bool) int {
			if len(c) == 1 {
				return c[0]
			}
			decision++
			if decision <= len(prefix) {
				return prefix[decision-1]
			}
			if decision == len(prefix)+1 {
				for i, t := range c {
					more = append(more, append(slices.Clone(prefix), t))
					costs = append(costs, others+min(i, 1))
				}
			}
			return c[0]
		}, func(int) {})
		if more == nil {
			found[fmt.Sprint(chosen)] = others
		}
		for i, p := range more {
			if costs[i] <= most {
				try(p, costs[i])
			}
		}
	}
	try(nil, 0)
	return found
}

// control runs the program by a spec, as a process does: what is told of it, and the schedule.
func (m model) control(t *testing.T, c *engine.Control, spec string) (r run, schedule string) {
	t.Helper()
	s, ok := engine.ParseSpec(spec)
	if !ok {
		t.Fatalf("%q is no spec", spec)
	}
	c.Begin(s, 0)
	ids, threads := make([]uint32, len(m)), make(map[uint32]int)
	for i := range m {
		ids[i] = c.New(uintptr(i+1), 0)
		threads[ids[i]] = i
	}
	chosen := m.play(func(i int, op modelOp) {
		addr := 4096 + 8*op.object
		if op.lock {
			addr = 8192
		}
		c.Operate(ids[i], uintptr(addr), engine.Lock, uintptr(1000*i+addr))
	}, func(i int) { c.End(ids[i]) }, func(list []int, holds bool) int {
		holder := uint32(0)
		if holds {
			holder = ids[list[0]]
		}
		return threads[c.Choose(holder)]
	}, func(i int) { c.Ready(ids[i]) })
	result, _ := c.Done()
	r = run{ended: true, hash: strconv.FormatUint(result.Hash, 16),
		prefix:    strconv.FormatUint(result.Prefix, 16),
		decisions: int(result.Decisions), forced: int(result.Forced)}
	for i := range c.Choices() {
		choice := c.Choice(i)
		r.choices = append(r.choices, toldChoice(choice))
	}
	for i := range c.Seen.New() {
		o := c.Seen.At(i)
		r.orders = append(r.orders, order{Order{Op{"Lock", fmt.Sprint(o.BeforePC)},
			Op{"Lock", fmt.Sprint(o.AfterPC)}}, int(o.Decision), int(o.Choice)})
	}
	return r, fmt.Sprint(chosen)
}

func toldChoice(c engine.Choice) choice {
	return choice{int(c.N), int(c.Usual), c.Hot, strconv.FormatUint(c.Hash, 16)}
}

// TestSearch has searches run small programs. Whenever a search says that it is complete up to some
// number of forced switches, it has run each schedule with so many, and it runs none twice. With
// shards this is so of all together.
func TestSearch(t *testing.T) {
	deep, schedules := 0, 0
	for seed := range int64(150) {
		r := rand.New(rand.NewSource(seed))
		m := randomModel(r)
		all := m.all(mostSwitches)
		var c engine.Control
		shards := 1 + r.Intn(3)
		ran := make(map[string]int)
		least := mostSwitches
		for i := range shards {
			n := searchModel(t, m, &c, Shard{i + 1, shards}, r, all, ran)
			least = min(least, n)
		}
		for schedule, others := range all {
			if others <= least && ran[schedule] == 0 {
				t.Fatalf("seed %d: %d forced switches, %v was not run", seed, others, schedule)
			}
		}
		if least != mostSwitches {
			t.Fatalf("seed %d: complete up to %d", seed, least)
		}
		if !maps.EqualFunc(ran, all, func(times, _ int) bool { return times == 1 }) {
			t.Fatalf("seed %d: ran %v, want %v", seed, ran, all)
		}
		schedules += len(all)
		for _, others := range all {
			if others == mostSwitches {
				deep++
			}
		}
	}
	if deep < 1000 {
		t.Errorf("only %d of %d schedules have %d switches", deep, schedules, mostSwitches)
	}
	t.Logf("%d schedules, %d of them with %d switches", schedules, deep, mostSwitches)
}

// searchModel makes all runs of a search, and returns up to where it is complete. It looks at each
// step whether what it says is so, if there is one shard.
func searchModel(t *testing.T, m model, c *engine.Control, shard Shard, r *rand.Rand,
	all, ran map[string]int) int {
	s := newSearch(shard, r.Intn(2)*r.Intn(20))
	first, schedule := m.control(t, c, "first-0")
	ran[schedule] = 1
	s.first(first)
	var open []job
	for {
		open = append(open, s.next(1+r.Intn(5), func(order) bool { return r.Intn(2) == 0 })...)
		if len(open) == 0 {
			break
		}
		i := r.Intn(len(open))
		j := open[i]
		open = slices.Delete(open, i, i+1)
		got, schedule := m.control(t, c, j.seed.spec())
		s.note(j, got)
		if ran[schedule]++; all[schedule] != len(j.seed.Forces) {
			t.Fatalf("%v is run with %d forced switches, and has %d", schedule,
				len(j.seed.Forces), all[schedule])
		}
		for schedule, others := range all {
			if !shard.split() && others <= s.complete() && ran[schedule] == 0 {
				t.Fatalf("complete up to %d, without %v", s.complete(), schedule)
			}
		}
	}
	if s.left() {
		t.Fatal("something is left")
	}
	most := 0
	for _, others := range all {
		most = max(most, others)
	}
	if !shard.split() && s.exhausted() != (most < mostSwitches) {
		t.Fatalf("exhausted: %v, and there are %d forced switches", s.exhausted(), most)
	}
	return s.complete()
}

// TestSearchMisses expects a search to say no more than it knows: of runs that were not made, have
// not ended, have come another way, or met with something from outside, it claims nothing.
func TestSearchMisses(t *testing.T) {
	m := model{{{object: 1}, {object: 0}}, {{object: 1}, {object: 0}}}
	for name, change := range map[string]func(*run){
		"":        func(r *run) {},
		"ended":   func(r *run) { r.ended = false },
		"forced":  func(r *run) { r.forced++ },
		"prefix":  func(r *run) { r.prefix = "1" },
		"arrival": func(r *run) { r.arrivals = 1 },
		"cut off": func(r *run) { r.choices = r.choices[:max(0, len(r.choices)-1)] },
		"lost":    nil,
	} {
		for at := 1; at <= mostSwitches; at++ {
			var c engine.Control
			s := newSearch(Shard{}, 0)
			first, _ := m.control(t, &c, "first-0")
			s.first(first)
			done := false
			for s.left() {
				list := s.next(3, func(order) bool { return false })
				for _, j := range list {
					got, _ := m.control(t, &c, j.seed.spec())
					if len(j.seed.Forces) == at && len(got.choices) > 0 && !done {
						done = true
						if change == nil {
							s.lose(j)
							continue
						}
						change(&got)
					}
					s.note(j, got)
				}
			}
			want := at - 1
			switch {
			case name == "", name == "cut off" && at == mostSwitches:
				want = mostSwitches
			case name == "cut off":
				want = at
			}
			if s.complete() != want {
				t.Errorf("%s at %d: complete up to %d, want %d", name, at, s.complete(), want)
			}
			if !done {
				t.Errorf("no run with %d forced switches has more decisions", at)
			}
		}
	}
}

// TestAims forces the other order of each that a run has: it has it then.
func TestAims(t *testing.T) {
	aims := 0
	for seed := range int64(100) {
		m := randomModel(rand.New(rand.NewSource(seed)))
		s := newSearch(Shard{}, 0)
		first, _ := m.control(t, new(engine.Control), "first-0")
		s.first(first)
		for range 20 {
			list := s.next(1, func(order) bool { return true })
			if len(list) == 0 {
				break
			}
			j := list[0]
			got, _ := m.control(t, new(engine.Control), j.seed.spec())
			s.note(j, got)
			for _, o := range got.orders {
				last := j.seed.Forces[len(j.seed.Forces)-1].Decision
				if o.decision <= int(last) {
					continue
				}
				aims++
				other, _ := m.control(t, new(engine.Control),
					fmt.Sprintf("%s-%d.%d", j.seed.spec(), o.decision, o.choice))
				if !slices.ContainsFunc(other.orders, func(p order) bool {
					return p.Order == o.reverse() && p.decision <= o.decision
				}) {
					t.Fatalf("seed %d: %v is not in the other order by decision %d", seed, o, o.decision)
				}
			}
		}
	}
	if aims < 100 {
		t.Errorf("only %d orders", aims)
	}
}

// TestSearchOrder expects the schedules of a search in order: by the decisions' choices but the
// default, those that are aimed at first, then hot ones, and none of a level before the one below
// is done.
func TestSearchOrder(t *testing.T) {
	s := newSearch(Shard{}, 0)
	r := run{ended: true, hash: "a", decisions: 3, choices: []choice{{3, 1, false, "x"},
		{2, 0, true, "y"}, {2, 0, false, "z"}}}
	r.orders = []order{{Order{Op{"Lock", "m/a.go:1"}, Op{"Lock", "m/a.go:2"}}, 3, 1}}
	s.first(r)
	all := func(order) bool { return true }
	var got []engine.Force
	list := s.next(9, all)
	for _, j := range list {
		got = append(got, j.seed.Forces...)
	}
	want := []engine.Force{{Decision: 3, Choice: 1}, {Decision: 2, Choice: 1},
		{Decision: 1, Choice: 0}, {Decision: 1, Choice: 2}}
	if !slices.Equal(got, want) {
		t.Errorf("runs are %v, want %v", got, want)
	}
	more := run{ended: true, decisions: 4, forced: 1}
	for i, j := range list {
		if rest := s.next(9, all); len(rest) > 0 {
			t.Errorf("%v, before all with one forced switch were run", rest[0].seed)
		}
		more.hash, more.prefix = fmt.Sprint(i), j.node.hash
		more.choices = make([]choice, 4-j.seed.Forces[0].Decision)
		for k := range more.choices {
			more.choices[k] = choice{2, 0, false, "w"}
		}
		s.note(j, more)
	}
	if s.complete() != 1 || len(s.next(9, all)) == 0 {
		t.Error("there is nothing with two forced switches")
	}
	s = newSearch(Shard{}, 0)
	s.first(run{ended: true, arrivals: 1})
	if s.complete() != 0 {
		t.Error("what comes from outside makes no difference")
	}
}
