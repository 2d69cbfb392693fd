// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"maps"
	"math/rand"
	"runtime"
	"testing"
)

// An operation is what a task is about to do.
type operation struct {
	object uintptr
	kind   Kind
	pc     uintptr
}

// An orderMachine runs a random program, and keeps the orders that there are by looking at all
// tasks.
type orderMachine struct {
	*machine
	about map[uint32]operation
	want  map[[2]Site]bool
}

func (m *orderMachine) operate(object uintptr, k Kind, pc uintptr) {
	m.c.Operate(m.holder, object, k, pc)
	if k.operates() && object != 0 && pc != 0 {
		m.about[m.holder] = operation{object, k, pc}
	}
	m.pick(m.holder)
}

// pick has the Control choose, and notes who was about to do what.
func (m *orderMachine) pick(holder uint32) {
	could := append([]uint32{holder}, m.pending...)
	m.choose(holder)
	if op, ok := m.about[m.holder]; ok {
		for _, id := range could {
			other, ok := m.about[id]
			readers := map[Kind]bool{RLock: true, Load: true, Wait: true}
			if ok && id != m.holder && other.object == op.object && other.pc != op.pc &&
				!(readers[op.kind] && readers[other.kind]) {
				m.want[[2]Site{siteOf(op.pc, op.kind), siteOf(other.pc, other.kind)}] = true
			}
		}
	}
	delete(m.about, m.holder)
}

// TestOrders compares the orders that are told with those that there are, in several runs of random
// programs. Each is told once.
func TestOrders(t *testing.T) {
	for _, spec := range append(specs, "forced-0-3.1-9.2", "pair-5-7.9") {
		for seed := range int64(20) {
			m := &orderMachine{machine: newMachine(t, spec, 3), want: make(map[[2]Site]bool)}
			got := make(map[[2]Site]bool)
			r := rand.New(rand.NewSource(seed))
			s, _ := ParseSpec(spec)
			for range 3 {
				m.about = make(map[uint32]operation)
				m.c.Begin(s, m.holder)
				for range 200 {
					switch x := r.Intn(8); {
					case x == 0 && len(m.pending) < 8:
						m.spawn()
					case x == 1 && len(m.pending) > 1:
						m.c.End(m.holder)
						m.pick(0)
					case x == 2 && len(m.pending) > 1: // it waits, and somebody lets it go on
						id := m.holder
						m.pick(0)
						m.c.Ready(id)
						m.pending = append(m.pending, id)
					default:
						m.operate(uintptr(r.Intn(4)*8+4096)*uintptr(min(1, r.Intn(9))),
							Kind(1+r.Intn(int(Load))), uintptr(r.Intn(9)))
					}
				}
				for i := range m.c.Seen.New() {
					o := m.c.Seen.At(i)
					key := [2]Site{o.Before, o.After}
					if got[key] {
						t.Fatalf("%s, program %d: %v is told twice", spec, seed, o)
					}
					got[key] = true
				}
				if !maps.Equal(got, m.want) {
					t.Fatalf("%s, program %d: %d orders are told, and there are %d", spec, seed,
						len(got), len(m.want))
				}
			}
			if s.Policy != First && s.Policy != Forced && len(got) < 10 {
				t.Fatalf("%s: only %d orders", spec, len(got))
			}
		}
	}
}

// TestSites expects a place to be one site for one kind of operation, whichever lock that is.
func TestSites(t *testing.T) {
	here, _, _, _ := runtime.Caller(0)
	there, _, _, _ := runtime.Caller(0)
	if siteOf(here, Lock) != siteOf(here, WLock) || siteOf(here, Lock) == siteOf(here, RLock) ||
		siteOf(here, Lock) == siteOf(there, Lock) || siteOf(here, Lock).Short() == 0 {
		t.Error("sites are told apart in another way")
	}
}

// TestPair expects policy Pair to bring about an order that is rare by chance: one task makes an
// operation after some others, and another one at once.
func TestPair(t *testing.T) {
	late, early := siteOf(2, Lock), siteOf(1, Lock)
	pair := fmt.Sprintf("%d.%d", early.Short(), late.Short())
	chance, aimed := rareOrders(t, "random-%x"), rareOrders(t, "pair-%x-"+pair)
	if aimed < 60 || chance > 10 {
		t.Errorf("the order comes about %d times of 100, and by chance %d", aimed, chance)
	}
}

// rareOrders counts, of 100 seeds, those by which the task that is late operates before the others.
func rareOrders(t *testing.T, format string) (n int) {
	for seed := range 100 {
		m := newMachine(t, fmt.Sprintf(format, seed), 1)
		slow := m.pending[0]
		done := make(map[uint32]int)
		for done[slow] < 6 {
			id := m.holder
			done[id]++
			switch {
			case id == slow && done[id] == 6:
				m.c.Operate(id, 4096, Lock, 2)
			case id != slow && done[id] == 2:
				m.c.Operate(id, 4096, Lock, 1)
			default:
				m.c.Operate(id, uintptr(8192+8*id), Lock, uintptr(100+done[id]))
			}
			m.choose(id)
		}
		for m.holder != slow && done[m.holder] < 9 { // until it goes on
			id := m.holder
			done[id]++
			if done[id] == 2 {
				m.c.Operate(id, 4096, Lock, 1)
			} else {
				m.c.Operate(id, uintptr(8192+8*id), Lock, uintptr(100+done[id]))
			}
			m.choose(id)
		}
		for i := range m.c.Seen.New() {
			if o := m.c.Seen.At(i); o.BeforePC == 2 && o.AfterPC == 1 {
				n++
				break
			}
		}
	}
	return n
}

// TestPairLetsGo expects policy Pair to hold a task until another one has gone on with the other
// operation, and nobody after that.
func TestPairLetsGo(t *testing.T) {
	pair := fmt.Sprintf("%d.%d", siteOf(1, Lock).Short(), siteOf(2, Lock).Short())
	let := 0
	for seed := range 50 {
		m := newMachine(t, fmt.Sprintf("pair-%x-%s", seed, pair), 1)
		one := m.holder
		m.c.Operate(one, 4096, Lock, 1)
		if !m.c.Task(one).held {
			continue
		}
		m.choose(one)
		other := m.holder
		if other == one {
			t.Fatal("it goes on, though it is held")
		}
		m.c.Operate(other, 4096, Lock, 2)
		m.choose(other)
		if m.holder != other || m.c.Task(one).held {
			t.Fatalf("seed %d: it is held, though the other one has gone on", seed)
		}
		m.c.Operate(other, 4096, Lock, 1)
		if m.c.Task(other).held {
			t.Fatalf("seed %d: another one is held", seed)
		}
		let++
	}
	if let < 20 {
		t.Errorf("only %d were held", let)
	}
}

// TestPairOnePlace expects policy Pair to hold one task alone, if others are to come to the place
// at which it is held.
func TestPairOnePlace(t *testing.T) {
	place := siteOf(1, Lock).Short()
	let := 0
	for seed := range 50 {
		m := newMachine(t, fmt.Sprintf("pair-%x-%d.%d", seed, place, place), 1)
		one := m.holder
		m.c.Operate(one, 4096, Lock, 1)
		if !m.c.Task(one).held {
			continue
		}
		m.choose(one)
		other := m.holder
		m.c.Operate(other, 4096, Lock, 1)
		if m.c.Task(other).held || m.c.Task(one).held == (other == one) {
			t.Fatalf("seed %d: both are held, or none is", seed)
		}
		m.choose(other)
		if m.holder != other || m.c.Task(one).held {
			t.Fatalf("seed %d: it is held, though the other one has gone on", seed)
		}
		let++
	}
	if let < 20 {
		t.Errorf("only %d were held", let)
	}
}
