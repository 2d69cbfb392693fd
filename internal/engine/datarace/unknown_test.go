// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"
)

// TestSurelyUnknown has goroutines go on and learn of each other. What is surely unknown to one is
// held against its clock, and most of what is asked again is at hand.
func TestSurelyUnknown(t *testing.T) {
	const n = 6
	r := rand.New(rand.NewPCG(5, 6))
	m := newReaders(t, n)
	defer m.end()
	var past []Word
	unknown, known, silent := 0, 0, 0
	for range 100_000 {
		g, h := m.list[r.IntN(n)], m.list[r.IntN(n)]
		switch k := r.IntN(100); {
		case k < 4:
			if g.next(); len(past) < 3000 {
				past = append(past, g.memory.currentEpoch()|1)
			}
		case k < 6 && g != h:
			m.learn(g.id, h.id)
		case len(past) > 0:
			w := past[max(0, len(past)-1-r.IntN(24))]
			want := !g.memory.own(w) && !g.clock.Knows(epochOf(w.epochID()))
			switch got := g.memory.surelyUnknown(w); {
			case got && !want:
				t.Fatalf("%#x is surely unknown, and the clock knows it", uint64(w))
			case got:
				unknown++
			case want:
				silent++
				g.memory.knows(w) // the clock is asked
			default:
				known++
			}
		}
	}
	if unknown < 20_000 || known < 20_000 || silent > unknown/2 {
		t.Errorf("%d are surely unknown, %d may be, %d are known", unknown, silent, known)
	}
}

// TestUnknownLater has a goroutine learn what was unknown to it, and the collector end a cycle: an
// epoch's number may stand for another one then.
func TestUnknownLater(t *testing.T) {
	p := newPair()
	defer p.end()
	w := p.b.memory.currentEpoch() | 1
	ask := func(v Word) bool {
		p.a.memory.knows(v)
		return p.a.memory.surelyUnknown(v)
	}
	if !ask(w) || !p.a.memory.surelyUnknown(w) {
		t.Fatal("an access by another goroutine is not unknown")
	}
	collector.freed.Add(1)
	if p.a.memory.surelyUnknown(w) {
		t.Error("it is surely unknown after a cycle of the collector")
	}
	if !ask(w) {
		t.Error("it is not unknown when the clock was asked again")
	}
	s := p.b.clock.RemoteSnapshot()
	p.a.clock.Join(&s)
	s.Drop()
	if p.a.memory.surelyUnknown(w) {
		t.Error("what was learned is surely unknown")
	}
	p.b.next()
	later := p.b.memory.currentEpoch() | 1
	if u := &p.a.memory.asked.unknown; u.placeOf(later.epochID()) == u.placeOf(w.epochID()) {
		t.Fatal("the two have one place")
	}
	if !ask(later) || p.a.memory.surelyUnknown(w) {
		t.Error("when another access is unknown, so is what was learned before")
	}
}

// TestUnknownNew has a goroutine ask for the first accesses of others, one after the other. Then
// each is surely unknown without the clock: they don't put each other out.
func TestUnknownNew(t *testing.T) {
	const n = 16
	m := newReaders(t, 1+n)
	defer m.end()
	k := &m.list[0].memory.knowledge
	var list []Word
	for _, g := range m.list[1:] {
		w := g.memory.currentEpoch() | 1
		k.knows(w)
		if list = append(list, w); !k.surelyUnknown(w) {
			t.Fatalf("%#x is not unknown", uint64(w))
		}
	}
	kept := 0
	for _, w := range list {
		if *k.asked.unknown.placeOf(w.epochID()) == w.epochID() {
			kept++
		}
	}
	if kept < n*3/4 {
		t.Errorf("%d of %d are at hand", kept, n)
	}
}
