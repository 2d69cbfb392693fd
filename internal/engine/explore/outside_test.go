// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// A world drives a Control as the runtime does: each task has a program of its own, and waits now
// and then for something from outside, which comes when chance has it.
type world struct {
	*machine
	seed   int64
	chance *rand.Rand
	waits  []uint32 // for something from outside
	given  []uint64 // of those that got the token, the names, with the hash
	failed string
}

func newWorld(t *testing.T, spec string, seed, chance int64) *world {
	w := &world{machine: newMachine(t, spec, 4), seed: seed, chance: rand.New(rand.NewSource(chance))}
	w.c.Log.Turn(true)
	return w
}

// get notes who has the token.
func (w *world) get(id uint32) {
	if w.holder = id; id != 0 {
		w.given = append(w.given, w.c.Task(id).Name^w.c.hash)
	}
}

// come has one come, if any waits.
func (w *world) come() bool {
	if len(w.waits) == 0 {
		return false
	}
	i := w.chance.Intn(len(w.waits))
	w.c.Arrivals.Come(w.waits[i])
	w.waits = slices.Delete(w.waits, i, i+1)
	return true
}

// idle has somebody come, as nobody can run.
func (w *world) idle() bool {
	a := &w.c.Arrivals
	if !a.Told() {
		a.Clock += int64(w.chance.Intn(1000))
	}
	if held, _ := a.Held(); !a.Told() && !held && len(w.waits) > 0 && w.chance.Intn(2) == 0 {
		i := w.chance.Intn(len(w.waits))
		id := w.waits[i]
		w.waits = slices.Delete(w.waits, i, i+1)
		a.Take(&w.c, id)
		w.get(id)
		return true
	}
	if held, _ := a.Held(); !held && !w.come() && !a.Waits() {
		return false
	}
	for a.Told() && !a.Complete(&w.c) {
		if !w.come() {
			w.failed = "those that are to come are not there"
			return false
		}
	}
	if !a.Admit(&w.c) {
		w.failed = "nobody is let in"
		return false
	}
	w.get(w.c.Choose(0))
	return true
}

// step has the holder go on. It reports whether the world does.
func (w *world) step() bool {
	if w.chance.Intn(6) == 0 {
		w.come()
	}
	if w.holder == 0 {
		return w.idle()
	}
	id, a := w.holder, &w.c.Arrivals
	task := w.c.Task(id)
	r := rand.New(rand.NewSource(w.seed + int64(task.Name) + int64(task.done)))
	for range r.Intn(3) {
		told := a.Told()
		if leaves := a.Leaves(&w.c, id); leaves || !told && w.chance.Intn(12) == 0 {
			a.Leave(&w.c, id)
			w.waits = append(w.waits, id)
			w.get(w.c.Choose(0))
			return true
		}
		a.Back()
	}
	for range r.Intn(2) {
		a.Ask(&w.c)
		if told := a.Told(); a.LeavesAsking(&w.c, id) || !told && w.chance.Intn(8) == 0 {
			a.LeaveAsking(&w.c, id)
			if told {
				a.Come(id) // it waits for its turn, whether there is input or not
			} else {
				w.waits = append(w.waits, id)
			}
			w.get(w.c.Choose(0))
			return true
		}
	}
	w.c.Operate(id, uintptr(r.Intn(5)*8+4096), Lock, 0)
	if r.Intn(3) == 0 {
		w.waits = append(w.waits, id)
		w.get(w.c.Choose(0))
		return true
	}
	next := w.c.Choose(id)
	if next != id {
		w.c.Ready(id)
	}
	w.get(next)
	return true
}

// told is what the log says of what has come, as a spec has it, and the words of it.
func (w *world) told() (text string, words []string) {
	n, _ := w.c.Log.Len()
	for i := range n {
		switch e := w.c.Log.At(i); e.What {
		case Came:
			words = append(words, fmt.Sprintf("c%x.%x.%x", e.Other, e.To, e.PC))
		case Left:
			words = append(words, fmt.Sprintf("l%x.%x.%x", e.Other, e.To, e.PC))
		case Asked:
			words = append(words, fmt.Sprintf("i%x.%x.%x", e.Other, e.To, e.PC))
		case Parted:
			w.failed = fmt.Sprintf("it has parted: %+v", e)
		}
	}
	return strings.Join(words, "-"), words
}

// TestTold makes random worlds, and makes each again by what has come from outside, which comes at
// other times and in another order then: all goes the same way.
func TestTold(t *testing.T) {
	most := 0
	for _, spec := range specs {
		for seed := range int64(15) {
			first := newWorld(t, spec, seed, seed)
			for range 300 {
				if !first.step() {
					break
				}
			}
			text, words := first.told()
			if first.failed != "" || len(words) == 0 {
				t.Fatalf("%s: %d come: %s", spec, len(words), first.failed)
			}
			most = max(most, len(words))
			for chance := range int64(3) {
				again := newWorld(t, spec+"@"+text, seed, 1000+chance)
				for len(again.given) < len(first.given) && again.step() {
				}
				_, got := again.told()
				if again.failed != "" || !slices.Equal(again.given, first.given) ||
					len(got) < len(words)-1 ||
					!slices.Equal(got, words[:len(got)]) {
					t.Fatalf("%s, world %d: %s: %d of %d given, %d of %d come", spec, seed,
						again.failed, len(again.given), len(first.given), len(got), len(words))
				}
			}
		}
	}
	if most < 50 {
		t.Errorf("at most %d come", most)
	}
}

// turnOf is the turn of a word.
func turnOf(word string) string {
	turn, _, _ := strings.Cut(word[1:], ".")
	return turn
}

// TestToldPart makes random worlds again of which only the first arrivals are told: all goes the
// same way until these have come, and then nothing is told any more.
func TestToldPart(t *testing.T) {
	for _, spec := range specs {
		for seed := range int64(15) {
			first := newWorld(t, spec, seed, seed)
			for range 300 {
				if !first.step() {
					break
				}
			}
			_, words := first.told()
			for chance := range int64(5) {
				n := rand.New(rand.NewSource(seed + chance)).Intn(len(words))
				for n > 0 && n < len(words) && turnOf(words[n]) == turnOf(words[n-1]) {
					n++ // they are let in together
				}
				part := words[:n]
				again := newWorld(t, spec+"@"+strings.Join(append(part[:len(part):len(part)], "m"), "-"),
					seed, 1000+chance)
				for again.c.Arrivals.Told() && again.step() {
				}
				_, got := again.told()
				n = min(len(again.given), len(first.given))
				if again.failed != "" || again.c.Arrivals.Told() || !slices.Equal(got, part) ||
					!slices.Equal(again.given[:n], first.given[:n]) {
					t.Fatalf("%s, world %d: %s: %d given, %d come, want %d", spec, seed, again.failed,
						n, len(got), len(part))
				}
			}
		}
	}
}

// TestParted has what is told not come true, in each way: the run goes on, and says why.
func TestParted(t *testing.T) {
	name := func(m *machine, id uint32) string { return fmt.Sprintf("%x", m.c.Task(id).Name) }
	begin := func(told func(m *machine) string) *machine {
		m := newMachine(t, "first-0", 2)
		s, ok := ParseSpec("first-0@" + told(m))
		if !ok {
			t.Fatal("no spec")
		}
		m.c.Log.Turn(true)
		m.c.Begin(s, m.holder)
		return m
	}
	expect := func(m *machine, why Why, id uint32) {
		t.Helper()
		if m.c.Arrivals.Told() {
			t.Fatal("it has not parted")
		}
		for i, _ := m.c.Log.Len(); i > 0; i-- {
			if e := m.c.Log.At(i - 1); e.What == Parted {
				if e.Choice != uint32(why) || e.Task != id {
					t.Errorf("%+v, want %d of %d", e, why, id)
				}
				return
			}
		}
		t.Error("it is not logged")
	}
	other := func(m *machine) string { return "c3." + name(m, m.pending[0]) + ".5" }
	to := func(m *machine) { m.c.Choose(0); m.c.Choose(0) } // both have had their turn
	m := begin(func(m *machine) string { return "c2." + name(m, m.pending[0]) + ".5" })
	to(m)
	m.c.Arrivals.Come(m.pending[1])
	if m.c.Arrivals.Admit(&m.c) || !m.c.Arrivals.Waits() {
		t.Error("the wrong one is let in")
	}
	m.c.Arrivals.GiveUp(&m.c)
	expect(m, NotCome, m.pending[1])
	if !m.c.Arrivals.Admit(&m.c) || m.c.Choose(0) != m.pending[1] {
		t.Error("it does not go on")
	}
	m = begin(func(m *machine) string { return "c1." + name(m, m.pending[0]) + ".5" })
	to(m)
	expect(m, Passed, 0)
	m = begin(func(m *machine) string { return "l1." + name(m, m.pending[0]) + ".0" })
	to(m)
	expect(m, NotLeft, 0)
	m = begin(func(m *machine) string { return "i1." + name(m, m.pending[0]) + ".1" })
	to(m)
	expect(m, NotLeft, 0)
	m = begin(other)
	to(m)
	m.c.Arrivals.Come(m.pending[0]) // too early
	if m.c.Arrivals.Waits() || m.c.Arrivals.Complete(&m.c) {
		t.Error("it is not held")
	}
	m.c.Arrivals.GiveUp(&m.c)
	expect(m, Unexpected, m.pending[0])
	m = begin(other)
	m.c.Arrivals.Stays(&m.c, m.holder)
	expect(m, Stays, m.holder)
	m = begin(func(m *machine) string { return "m" })
	if m.c.Arrivals.Told() {
		t.Error("something is told")
	}
	for _, text := range []string{"c1.2", "c1.2.3.4", "x1.2.3", "c1..3", "c1.2.3-", "c1g.2.3", "mm"} {
		if parseArrivals(text) {
			t.Errorf("%q is taken", text)
		}
	}
}

// TestToldSpin has a task spin until another one comes, which comes too early or too late, or is
// not told: it is let in where it was, or at once.
func TestToldSpin(t *testing.T) {
	for _, told := range []string{"m", "", "c%d.%x.5", "c1.77.5"} {
		m := newMachine(t, "first-0", 2)
		waits, spins := m.pending[0], m.pending[1]
		const turn = 2 * admitIdle
		if strings.Contains(told, "%d") {
			told = fmt.Sprintf(told, turn-1, m.c.Task(waits).Name)
		}
		s, _ := ParseSpec("first-0@" + told)
		m.c.Begin(s, m.holder)
		m.c.Choose(0)
		m.c.Choose(0)
		m.c.Arrivals.Come(waits)
		got := 0
		for n := 3; n < 10*admitIdle && got == 0; n++ {
			m.c.Ready(spins)
			if m.c.Arrivals.Halts(&m.c) {
				t.Fatalf("%q: it waits for one that is there", told)
			}
			if m.c.Choose(0) == waits {
				got = n
			}
		}
		if want := admitIdle; told != "" && strings.Contains(told, ".5") && told[:3] != "c1." {
			if got < turn-1 {
				t.Errorf("%q: let in at %d", told, got)
			}
		} else if got == 0 || got > want+5 {
			t.Errorf("%q: let in at %d", told, got)
		}
	}
}
