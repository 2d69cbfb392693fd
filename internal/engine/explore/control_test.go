// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// A machine drives a Control as the runtime does, and keeps the obvious: which tasks are pending,
// in order.
type machine struct {
	t       *testing.T
	c       Control
	holder  uint32
	pending []uint32
	blocked []uint32
	choices []uint32 // of all decisions, by index among the candidates
}

func newMachine(t *testing.T, spec string, n int) *machine {
	t.Helper()
	s, ok := ParseSpec(spec)
	if !ok {
		t.Fatalf("%q is no spec", spec)
	}
	m := &machine{t: t}
	m.holder = m.c.New(1, 0)
	m.c.Begin(s, m.holder)
	for range n {
		m.spawn()
	}
	return m
}

func (m *machine) spawn() {
	id := m.c.New(uintptr(len(m.pending)+2), m.holder)
	m.c.Ready(id)
	m.pending = append(m.pending, id)
}

// choose has the Control choose, and compares with the candidates that there are.
func (m *machine) choose(holder uint32) {
	m.t.Helper()
	candidates := slices.Clone(m.pending)
	if holder != 0 {
		candidates = append([]uint32{holder},
			slices.DeleteFunc(candidates, func(id uint32) bool { return id == holder })...)
	}
	got := m.c.Choose(holder)
	if len(candidates) == 0 {
		if got != 0 {
			m.t.Fatalf("%d is chosen, of none", got)
		}
		m.holder = 0
		return
	}
	i := slices.Index(candidates, got)
	if i < 0 {
		m.t.Fatalf("%d is chosen, of %v", got, candidates)
	}
	if len(candidates) > 1 {
		m.choices = append(m.choices, uint32(i))
	}
	was := slices.Contains(m.pending, holder)
	m.pending = slices.DeleteFunc(m.pending,
		func(id uint32) bool { return id == got || id == holder })
	if holder != 0 && got != holder {
		if !was {
			m.c.Ready(holder) // the runtime queues it when it yields
		}
		m.pending = append(m.pending, holder)
	}
	m.holder = got
}

// step makes one step of a random program.
func (m *machine) step(r *rand.Rand) {
	switch x := r.Intn(10); {
	case m.holder == 0 && len(m.blocked) > 0:
		id := m.blocked[0]
		m.blocked = m.blocked[1:]
		m.c.Arrivals.Come(id)
		m.c.Arrivals.Admit(&m.c)
		m.pending = append(m.pending, id)
		m.choose(0)
	case m.holder == 0:
		m.t.Fatal("nobody is left")
	case x == 0 && len(m.pending) < 20:
		m.spawn()
	case x == 1 && len(m.blocked)+len(m.pending) > 2: // it is over
		m.c.End(m.holder)
		m.choose(0)
	case x == 2:
		m.blocked = append(m.blocked, m.holder)
		m.choose(0)
	case x == 3 && len(m.blocked) > 0:
		id := m.blocked[0]
		m.blocked = m.blocked[1:]
		m.c.Ready(id)
		m.pending = append(m.pending, id)
	case x == 4: // it yields
		m.c.Ready(m.holder)
		m.pending = append(m.pending, m.holder)
		m.choose(0)
	case x == 5: // it goes on after timers
		m.c.Ready(m.holder)
		m.pending = append(m.pending, m.holder)
		m.choose(m.holder)
	default:
		m.c.Operate(m.holder, uintptr(r.Intn(5)*8+4096), Kind(1+r.Intn(int(Transaction))),
			uintptr(r.Intn(99)))
		m.choose(m.holder)
	}
	if got := m.c.Pending(); got != len(m.pending) {
		m.t.Fatalf("%d are pending, want %v", got, m.pending)
	}
}

var specs = []string{"first-0", "random-7", "again-7", "tx-7", "surw-7", "pos-7"}

// TestChoose holds what is chosen against the candidates, for random programs by each policy. The
// same program by the same spec has the same choices and the same hash.
func TestChoose(t *testing.T) {
	for _, spec := range specs {
		for seed := range int64(50) {
			var choices []uint32
			var hash uint64
			for again := range 2 {
				m := newMachine(t, spec, 3)
				r := rand.New(rand.NewSource(seed))
				for range 500 {
					m.step(r)
				}
				result, ok := m.c.Done()
				if !ok || result.Decisions != uint32(len(m.choices)) {
					t.Fatalf("%d decisions, want %d", result.Decisions, len(m.choices))
				}
				if again > 0 && (!slices.Equal(choices, m.choices) || hash != result.Hash) {
					t.Fatalf("%s, program %d: another run", spec, seed)
				}
				choices, hash = m.choices, result.Hash
			}
		}
	}
}

// TestDefault expects the holder to go on, and the one that has waited longest to be the next.
func TestDefault(t *testing.T) {
	m := newMachine(t, "first-0", 3)
	first, want := m.holder, slices.Clone(m.pending)
	for range DemoteAfter {
		m.c.Operate(m.holder, 4096, Lock, 0)
		m.choose(m.holder)
	}
	if m.holder != first {
		t.Fatal("the holder does not go on")
	}
	m.c.Operate(m.holder, 4096, Lock, 0)
	m.choose(m.holder)
	if m.holder != want[0] {
		t.Fatal("a holder that spins goes on for ever")
	}
	m.choose(0)
	if m.holder != want[1] {
		t.Fatal("the next is not the one that has waited longest")
	}
}

// TestForced forces each choice of each decision of a random program: all that comes before is as
// by default, and the choice is made.
func TestForced(t *testing.T) {
	run := func(spec string, seed int64) *machine {
		m := newMachine(t, spec, 2)
		r := rand.New(rand.NewSource(seed))
		for range 40 {
			m.step(r)
		}
		return m
	}
	for seed := range int64(20) {
		base := run("first-0", seed)
		if base.c.Choices() != len(base.choices) {
			t.Fatalf("%d choices are written down, of %d", base.c.Choices(), len(base.choices))
		}
		for i := range base.choices {
			c := base.c.Choice(i)
			for choice := range c.N {
				m := run(fmt.Sprintf("forced-0-%d.%d", i+1, choice), seed)
				r, _ := m.c.Done()
				if !slices.Equal(m.choices[:i], base.choices[:i]) || m.choices[i] != choice ||
					r.Forced != 1 || r.Prefix != c.Hash {
					t.Fatalf("decision %d, choice %d: %v, by default %v", i+1, choice, m.choices,
						base.choices)
				}
			}
		}
	}
}

// TestFair expects each task to run now and then by every policy, though all spin.
func TestFair(t *testing.T) {
	for _, spec := range specs {
		m := newMachine(t, spec, 4)
		ran := make(map[uint32]int)
		for range 40 * DemoteAfter {
			m.c.Operate(m.holder, 4096, Atomic, 0)
			m.choose(m.holder)
			ran[m.holder]++
		}
		if len(ran) != 5 {
			t.Errorf("%s: only %v ran", spec, ran)
		}
	}
}

// TestYield expects each task to run by every policy, though another one yields in a loop, without
// a point.
func TestYield(t *testing.T) {
	for _, spec := range specs {
		for seed := range 20 {
			name, _ := cutDash(spec)
			m := newMachine(t, fmt.Sprintf("%s-%x", name, seed), 1)
			worker, yields := m.holder, 0
			for n := 0; n < 20; {
				if m.holder == worker {
					n++
					yields = 0
					m.c.Operate(worker, 4096, Atomic, 0)
					m.choose(worker)
					continue
				}
				if yields++; yields > 10*letGoAfter {
					t.Fatalf("%s: the other one never goes on", spec)
				}
				m.c.Ready(m.holder)
				m.pending = append(m.pending, m.holder)
				m.choose(0)
			}
		}
	}
}

// TestAgain expects policies Again and Tx to hold a task that uses an object once more: another one
// comes to use it in between more often than by chance.
func TestAgain(t *testing.T) {
	chance := comesBetween(t, "random")
	for _, policy := range []string{"again", "tx"} {
		if n := comesBetween(t, policy); n < chance*5/4 {
			t.Errorf("%s: the other comes between %d times, and %d by chance", policy, n, chance)
		}
	}
}

// comesBetween counts, of 1000 seeds, those by which another task uses an object between two uses
// by the first one. A third task has objects of its own.
func comesBetween(t *testing.T, policy string) (n int) {
	const shared = 4096
	for seed := range 1000 {
		m := newMachine(t, fmt.Sprintf("%s-%x", policy, seed), 2)
		one, other := m.holder, m.pending[0]
		about := make(map[uint32]uintptr) // what each task is about to use
		uses, between := 0, false
		for next := uintptr(2 * shared); uses < 2; next += 8 {
			if about[m.holder] == shared { // it has the token, so it does
				switch {
				case m.holder == one:
					uses++
				case uses == 1:
					between = true
				}
			}
			about[m.holder] = next
			if m.holder == one || m.holder == other && m.c.Task(other).done == 0 {
				about[m.holder] = shared
			}
			m.c.Operate(m.holder, about[m.holder], Lock, 0)
			m.choose(m.holder)
			if next > 1<<20 {
				t.Fatalf("%s: it is held for ever", policy)
			}
		}
		if between {
			n++
		}
	}
	return n
}

// TestNames expects a task's name to depend on the go statements that led to it, and on nothing
// else.
func TestNames(t *testing.T) {
	names := func(noise int) (list []uint64) {
		var c Control
		for range noise {
			c.End(c.New(1, 0))
		}
		c.Begin(Spec{}, 0)
		root := c.New(1, 0)
		for i := range 3 {
			child := c.New(2, root)
			list = append(list, c.Task(child).Name)
			for range i {
				list = append(list, c.Task(c.New(3, child)).Name)
			}
		}
		return list
	}
	want := names(0)
	if got := names(5); !slices.Equal(got, want) {
		t.Error("names depend on earlier tasks")
	}
	sorted := slices.Clone(want)
	slices.Sort(sorted)
	if len(slices.Compact(sorted)) != len(want) {
		t.Error("two tasks have one name")
	}
}

// TestTable compares a table with a map.
func TestTable(t *testing.T) {
	var table table
	r := rand.New(rand.NewSource(1))
	for range 20 {
		want := make(map[uint64]uint32)
		table.clear()
		for range 3000 {
			key := uint64(1 + r.Intn(2000))
			add := r.Intn(2) == 0
			got := table.find(key, add)
			if _, ok := want[key]; !ok && add {
				want[key] = uint32(len(want) + 1)
			}
			switch w, ok := want[key]; {
			case ok != (got != nil):
				t.Fatalf("key %d: found %v, want %v", key, got != nil, ok)
			case ok && *got != w:
				t.Fatalf("key %d: %d, want %d", key, *got, w)
			}
		}
	}
}

// TestSpecs reads specs, and refuses what is none.
func TestSpecs(t *testing.T) {
	for word, want := range map[string]Spec{
		"first-0":             {Policy: First},
		"again-ff":            {Policy: Again, Seed: 255},
		"forced-0":            {Policy: Forced},
		"forced-0-12.1-300.4": {Policy: Forced, text: "12.1-300.4", at: 5, next: Force{12, 1}},
	} {
		if got, ok := ParseSpec(word); !ok || got != want {
			t.Errorf("%s: %v %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "first", "again", "again-", "again-xy", "other-1",
		"again-1-2.3", "forced-0-1", "forced-0-1.x", "forced-0-.1",
		"forced-0-2.1-2.1", "forced-0-3.1-2.1", "forced-0-0.1", "forced-0-1.1--2.1",
		"random-ffffffffffffffffffffffffff"} {
		if s, ok := ParseSpec(word); ok {
			t.Errorf("%q is taken for %v", word, s)
		}
	}
}
