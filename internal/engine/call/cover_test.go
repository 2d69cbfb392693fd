// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/coverage"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/sync"
)

// A made call is one that was made, with what its goroutine knew then, for an oracle.
type made struct {
	who    int
	method uint32
	site   uintptr
	key    int
	clock  map[int]int
}

// conflicts is whether two calls conflict, by the specification as it is compiled.
func conflicts(a, b made) bool {
	spec := &fixture.MapSpec
	for _, t := range spec.Methods[a.method].Touch[0] {
		for _, u := range spec.Methods[b.method].Touch[0] {
			p := &spec.Points[t.Point]
			if p.Conflicts>>u.Point&1 != 0 && (!p.Keyed || a.key == b.key) {
				return true
			}
		}
	}
	return false
}

func learn(into, from map[int]int) {
	for k, v := range from {
		into[k] = max(into[k], v)
	}
}

// An oracle has plain vector clocks. A call learns, after it was compared, what those know that it
// conflicts with: all of them, or only those that are no observations. Package commrace is between
// the two: what was observed before is observed again without a trace.
type oracle struct {
	changes bool // only changes are learned from
	clocks  [3]map[int]int
	lock    map[int]int
	past    []made
	want    map[string]uint32 // by the two operations
}

// A covered world is callers that make calls of one object, and two oracles.
type coveredWorld struct {
	callers []*caller
	oracles [2]oracle
	memory  *[64]byte
}

// call compares a call with all earlier ones.
func (o *oracle) call(m made) {
	clock := o.clocks[m.who]
	clock[m.who]++
	m.clock = maps.Clone(clock)
	for _, p := range o.past {
		if !conflicts(p, m) {
			continue
		}
		s := uint32(coverage.Unordered)
		switch known := p.clock[p.who] <= m.clock[p.who]; {
		case p.who == m.who:
			s = coverage.Alone
		case known && p.method == m.method && p.site == m.site:
			s = coverage.Before | coverage.After
		case known:
			s = coverage.Before
		}
		name, s := pairName([2]uint32{p.method, m.method}, [2]uintptr{p.site, m.site}, s)
		o.want[name] |= s
		if !o.changes || !observes(p.method) {
			learn(clock, p.clock)
		}
	}
	m.clock = maps.Clone(clock)
	o.past = append(o.past, m)
}

func observes(method uint32) bool { return fixture.MapSpec.Methods[method].Role == 'o' }

// pairName names two operations, the one with the lower site first, and turns what was seen of them
// round if that is the other one.
func pairName(kinds [2]uint32, sites [2]uintptr, s uint32) (string, uint32) {
	if sites[0] > sites[1] || sites[0] == sites[1] && kinds[0] > kinds[1] {
		kinds[0], kinds[1], sites[0], sites[1] = kinds[1], kinds[0], sites[1], sites[0]
		s = s&^(coverage.Before|coverage.After) | s&coverage.Before<<1 | s&coverage.After>>1
	}
	return fmt.Sprint(kinds, sites), s
}

// call makes a call.
func (w *coveredWorld) call(m made) {
	for i := range w.oracles {
		w.oracles[i].call(m)
	}
	c := w.callers[m.who]
	c.runs(func() {
		var call *commrace.Call
		if call = fixture.CallOf(m.method, m.key); m.method == fixture.Size {
			call = fixture.CallOf(m.method)
		}
		if observes(m.method) {
			c.Observe(coverSpec, unsafe.Pointer(w.memory), m.method, 0, call.Keys[0], call.Args,
				call.Nargs, commrace.Place{Site: m.site})
			return
		}
		call.Spec, call.Obj = coverSpec, unsafe.Pointer(w.memory)
		call.SetPlace(commrace.Place{Site: m.site})
		c.Begin(call)
		c.End(call)
	})
}

var coverSpec = &commrace.Spec{Of: &fixture.MapSpec}

// step makes a random step.
func (w *coveredWorld) step(r *rand.Rand) {
	who := r.IntN(len(w.callers))
	c, lock := w.callers[who], uintptr(unsafe.Pointer(&w.memory[32]))
	switch r.IntN(8) {
	case 0:
		for _, o := range w.oracles {
			learn(o.clocks[who], o.lock)
		}
		c.runs(func() { c.Acquire(lock) })
	case 1:
		for i := range w.oracles {
			w.oracles[i].lock = maps.Clone(w.oracles[i].clocks[who])
		}
		c.runs(func() { c.Release(lock) })
	default:
		w.call(made{who: who, method: uint32(r.IntN(len(fixture.MapSpec.Methods))),
			site: uintptr(0x100 + r.IntN(2)), key: r.IntN(2)})
	}
}

// startCovered is a world in which nothing was called.
func startCovered() *coveredWorld {
	w := &coveredWorld{memory: new([64]byte)}
	kept = append(kept, w.memory) // no other object gets its address
	for i := range w.oracles {
		w.oracles[i] = oracle{changes: i == 1, want: make(map[string]uint32)}
		for j := range w.oracles[i].clocks {
			w.oracles[i].clocks[j] = make(map[int]int)
		}
	}
	for i := range w.oracles[0].clocks {
		w.callers = append(w.callers, startSteps(uint64(i+1)))
	}
	return w
}

// level is what was seen at most.
func level(s uint32) uint32 {
	for _, l := range []uint32{coverage.Unordered, coverage.Before | coverage.After,
		coverage.Before, coverage.After} {
		if s&l == l {
			return l
		}
	}
	return s
}

// TestRandomCoverage has random calls of random goroutines, through the check of races: what a call
// learns by that, and calls that repeat others, make no pair unordered that was not, nor miss one.
func TestRandomCoverage(t *testing.T) {
	fixture.Clear(t)
	sync.SetCovers(true)
	defer sync.SetCovers(false)
	defer coverage.Forget()
	levels := make(map[uint32]int)
	exact, all := 0, 0
	for seed := range uint64(1500) {
		coverage.Forget()
		r := rand.New(rand.NewPCG(seed, 11))
		w := startCovered()
		for range 30 {
			w.step(r)
		}
		got := make(map[string]uint32)
		coverage.Each(func(kinds [2]uint32, sites [2]uintptr, s uint32) {
			name, s := pairName(kinds, sites, s)
			got[name] = level(s)
			levels[level(s)]++
		})
		for name, s := range w.oracles[0].want {
			least, most := level(s), level(w.oracles[1].want[name])
			if got[name] < least || got[name] > most {
				t.Fatalf("seed %d: %s is %b, want %b to %b", seed, name, got[name], least, most)
			}
			if all++; least == most {
				exact++
			}
		}
		if len(got) != len(w.oracles[0].want) {
			t.Fatalf("seed %d: %d pairs, want %d", seed, len(got), len(w.oracles[0].want))
		}
		for _, c := range w.callers {
			close(c.do)
			c.Finish()
		}
	}
	if 100*exact < 90*all {
		t.Errorf("of %d pairs, only %d have one state that they may have", all, exact)
	}
	for l := range uint32(coverage.Unordered + 1) {
		if (l == level(l) && l != 0) && levels[l] < 50 {
			t.Errorf("only %d pairs are %b", levels[l], l)
		}
	}
}
