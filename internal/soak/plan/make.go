// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import (
	"math/rand/v2"
	"slices"
)

// Options say what plans are like.
type Options struct {
	Silent bool // nothing is to be reported
	Common bool // no starts and links that cost much
	Source bool // only what generated source can do
}

// A maker makes a plan, one operation after the other.
type maker struct {
	*tracker
	r        *rand.Rand
	o        Options
	kinds    []Kind  // those that this plan has
	starts   []Start //
	live     []bool  // by goroutine: may be given operations; an iterator only within a Next
	in       []int   // by goroutine: the lock that it is in, -1
	shared   []bool  //
	holders  []int   // by lock: how many are in it
	use      []uses  // by link
	per      [][]int // by variable: its accesses
	guarded  [][]int // by lock: variables that are only accessed under it
	sequence int     // of the values that are written
}

type uses struct {
	signals, waits []int // the goroutines
}

// Make makes a plan.
func Make(seed uint64, o Options) *Plan {
	p := &Plan{Seed: seed, Goroutines: []Goroutine{{}}}
	m := &maker{tracker: newTracker(p), r: rand.New(rand.NewPCG(seed, 17)), o: o}
	m.live, m.in, m.shared = []bool{true}, []int{-1}, []bool{false}
	p.Forced = m.r.IntN(3) == 0
	m.choose()
	most := 2 + m.r.IntN(10) // goroutines
	for range 1 + m.r.IntN(min(3, most)) {
		m.fork(0)
	}
	for range 20 + m.r.IntN(80) {
		g := m.r.IntN(len(m.live))
		if m.live[g] {
			m.step(g, most)
		}
	}
	for g := range m.in {
		m.leave(g)
	}
	m.types()
	return p
}

// choose takes some of the kinds and starts: a plan with few has more of each.
func (m *maker) choose() {
	for range 1 + m.r.IntN(8) {
		k := Kind(m.r.IntN(Kinds))
		if rare := properties[k].rare; rare == 0 || !m.o.Common && m.r.IntN(rare) == 0 {
			m.kinds = append(m.kinds, k)
		}
	}
	if len(m.kinds) == 0 {
		m.kinds = append(m.kinds, ChanQueue)
	}
	m.starts = append(m.starts, Go)
	for range m.r.IntN(4) {
		s := Go + Start(m.r.IntN(int(Exec-Go)))
		if !m.o.Common && !m.p.Forced && m.r.IntN(24) == 0 {
			s = Exec + Start(m.r.IntN(int(startsEnd-Exec)))
		}
		m.starts = append(m.starts, s)
	}
}

// add appends an operation.
func (m *maker) append(o Op) {
	m.p.Ops = append(m.p.Ops, o)
	m.add(&m.p.Ops[len(m.p.Ops)-1])
}

// step gives a goroutine something to do.
func (m *maker) step(g, most int) {
	waits := m.in[g] < 0 && !m.p.Goroutines[g].Start.Collected()
	switch n := m.r.IntN(100); {
	case n < 45:
		m.access(g)
	case n < 58:
		m.signal(g, waits)
	case n < 75 && waits:
		m.wait(g)
	case n < 82 && m.in[g] < 0 && len(m.p.Goroutines) < most && m.p.Goroutines[g].Start != Pull:
		m.fork(g)
	case n < 90 && m.in[g] >= 0:
		m.leave(g)
	case n < 90 && waits:
		m.enter(g)
	case n < 94 && waits && m.p.Goroutines[g].Start != Pull:
		m.next(g)
	case n < 97 && waits && m.p.Goroutines[g].Start != Pull:
		m.transaction(g)
	}
}

// access reads or writes a variable, mostly one whose accesses g knows already.
func (m *maker) access(g int) {
	action := Read + Action(m.r.IntN(2))
	if m.in[g] >= 0 && m.r.IntN(3) > 0 {
		m.guard(g, action)
		return
	}
	fresh := m.r.IntN(4) == 0
	for try := range 6 {
		if fresh || len(m.per) == 0 {
			break
		}
		v := m.r.IntN(len(m.per))
		if m.isGuarded(v) && m.o.Silent {
			continue
		}
		known := m.knows(g, v, action)
		if len(m.per[v]) < 5 && (known || !m.o.Silent && (try == 5 || m.r.IntN(8) == 0)) {
			m.touch(g, v, action)
			return
		}
	}
	m.touch(g, m.newVar(), action)
}

func (m *maker) newVar() int {
	m.p.Vars = append(m.p.Vars, Var{})
	m.per = append(m.per, nil)
	return len(m.per) - 1
}

// guard accesses a variable of the lock that g has.
func (m *maker) guard(g int, action Action) {
	k := m.in[g]
	if m.shared[g] {
		action = Read
	}
	of := &m.guarded[k]
	if len(*of) == 0 || m.r.IntN(4) == 0 {
		*of = append(*of, m.newVar())
	}
	if v := (*of)[m.r.IntN(len(*of))]; len(m.per[v]) < 8 {
		m.touch(g, v, action)
	}
}

func (m *maker) isGuarded(v int) bool {
	for _, of := range m.guarded {
		if slices.Contains(of, v) {
			return true
		}
	}
	return false
}

func (m *maker) touch(g, v int, action Action) {
	o := Op{G: g, Action: action, Var: v}
	if action == Write {
		m.sequence++
		o.Value = 1 + m.sequence%63
	}
	m.per[v] = append(m.per[v], len(m.p.Ops))
	m.append(o)
}

// knows reports whether an access by g now would be ordered after those that it conflicts with.
func (m *maker) knows(g, v int, action Action) bool {
	for _, i := range m.per[v] {
		if o := &m.p.Ops[i]; o.G != g && (action == Write || o.Action == Write) && !m.known(g, i) {
			return false
		}
	}
	return true
}

// fork starts a goroutine.
func (m *maker) fork(by int) {
	child := len(m.p.Goroutines)
	if child >= maxGoroutines {
		return
	}
	start := m.starts[m.r.IntN(len(m.starts))]
	m.p.Goroutines = append(m.p.Goroutines, Goroutine{Start: start, Parent: by})
	m.live = append(m.live, start != Pull)
	m.in, m.shared = append(m.in, -1), append(m.shared, false)
	m.append(Op{G: by, Action: Fork, Child: child})
}

// next resumes an iterator that g has started, and lets it do something.
func (m *maker) next(g int) {
	for c := range m.p.Goroutines {
		if m.p.Goroutines[c] != (Goroutine{Pull, g}) || m.r.IntN(2) == 0 {
			continue
		}
		m.append(Op{G: g, Action: Next, Child: c})
		for range m.r.IntN(4) {
			m.step(c, 0)
		}
		m.leave(c)
		m.append(Op{G: c, Action: Yield, Child: g})
		return
	}
}

// enter takes a lock that is free.
func (m *maker) enter(g int) {
	if len(m.p.Locks) == 0 || m.r.IntN(4) == 0 {
		m.p.Locks = append(m.p.Locks, Lock{RW: m.r.IntN(2) == 0})
		m.holders, m.guarded = append(m.holders, 0), append(m.guarded, nil)
	}
	k := m.r.IntN(len(m.p.Locks))
	if l := m.p.Locks[k]; l.Txn || m.holders[k] != 0 {
		return
	}
	m.in[g], m.shared[g] = k, m.p.Locks[k].RW && m.r.IntN(2) == 0
	m.holders[k]++
	m.append(Op{G: g, Action: Enter, Lock: k, Shared: m.shared[g]})
}

// leave lets the lock go that g has.
func (m *maker) leave(g int) {
	if k := m.in[g]; k >= 0 {
		m.in[g] = -1
		m.holders[k]--
		m.append(Op{G: g, Action: Leave, Lock: k, Shared: m.shared[g]})
	}
}

// types gives variables their types, once it is known which ones are raced on.
func (m *maker) types() {
	for v := range m.p.Vars {
		m.p.Vars[v].Type = Type(m.r.IntN(int(MapKey) + 1))
	}
	m.p.judge()
	for v := range m.p.Vars {
		if x := &m.p.Vars[v]; x.Ready == Ordered && m.r.IntN(8) == 0 && x.Type != MapKey {
			x.Type = Any + Type(m.r.IntN(int(typesEnd-Any)))
		}
	}
}
