// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A passing is a world in which touches are asked for by Passes first, or not.
type passing struct {
	world    World
	clocks   vclock.World
	threads  [2]Thread
	clock    [2]*vclock.Thread
	sinks    [2]counter
	acts     [2]Activation
	in       [2]bool
	memory   map[uintptr]map[uint64]uint64 // what is in the maps and variables
	passes   bool
	passed   int
	wantedIn int
}

func newPassing(passes bool, f *compiled.SectionFunc) *passing {
	w := &passing{passes: passes, memory: make(map[uintptr]map[uint64]uint64)}
	w.world.Register(f)
	for i := range w.threads {
		w.clock[i] = new(vclock.Thread)
		w.clocks.Start(w.clock[i])
		w.threads[i].Start(&w.world, w.clock[i])
		w.sinks[i].goid = uint64(i + 1)
	}
	return w
}

// touch is a touch as a hook tells of it, and says what became of it. One that writes does so.
func (w *passing) touch(i int, p *compiled.SectionTouch, at uintptr, key, value uint64) string {
	g := &w.threads[i]
	if w.memory[at] == nil {
		w.memory[at] = make(map[uint64]uint64)
	}
	if writes(p.Op) {
		w.memory[at][key] = value
	}
	value, n := w.memory[at][key], uint64(len(w.memory[at]))
	if w.passes && (Quiet(g, p) || Passes(g, p, false)) {
		w.passed++
	} else if g.Wants(p, at) {
		w.wantedIn++
		g.Touch(&w.sinks[i], p, at, key, value, n)
	}
	s := g.state.P()
	if s == nil {
		return "none"
	}
	o := &s.section
	out := fmt.Sprint(o.on, o.on && o.alone, o.on && o.alone && o.wrote, o.on, o.on && o.n > 0)
	for n := range uintptr(2) { // and which locks it was a write under
		if l := w.world.knownLock(mutex + n*0x100); l != nil {
			out += fmt.Sprint(" ", l.changes.Load())
		}
	}
	return out
}

// step makes a step of a random program.
func (w *passing) step(
	r *rand.Rand, f *compiled.SectionFunc, sites []*compiled.SectionTouch,
) string {
	i, n, key := r.IntN(2), uintptr(r.IntN(2)), r.Uint64N(2)
	g, addr, at := &w.threads[i], mutex+n*0x100, object+n*0x100
	switch r.IntN(8) {
	case 0, 1:
		if w.in[i] = !w.in[i]; w.in[i] {
			g.Enter(&w.acts[i], f)
		} else {
			g.Leave(&w.acts[i], &w.sinks[i])
		}
		return ""
	case 2:
		return w.touch(i, sites[r.IntN(len(sites))], at, key, r.Uint64N(3))
	}
	p := []*compiled.LockSite{opaque, complete, complete, complete, completeRead}[r.IntN(5)]
	g.Locking(p, addr, &w.sinks[i])
	g.Acquired(addr)
	out := ""
	for range r.IntN(3) {
		p := sites[r.IntN(2)]
		if r.IntN(4) == 0 {
			p = sites[r.IntN(len(sites))]
		}
		out += w.touch(i, p, at, key, r.Uint64N(3))
		if r.IntN(12) == 0 { // one inside of it, so that both are opaque, or the outer one is
			inner := mutex + (1-n)*0x100
			g.Locking([]*compiled.LockSite{opaque, complete}[r.IntN(2)], inner, &w.sinks[i])
			g.Acquired(inner)
			out += w.touch(i, p, at, key, r.Uint64N(3))
			out += fmt.Sprint(g.Releasing(inner))
			out += w.touch(i, sites[r.IntN(len(sites))], at, key, r.Uint64N(3))
		}
	}
	return out + fmt.Sprint(g.Releasing(addr))
}

// TestPasses runs random programs twice, once with Passes. What is wanted is the same, and so is
// what is found.
func TestPasses(t *testing.T) {
	passed, wanted, found := 0, 0, 0
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 600
	}
	for seed := range seeds {
		f, get, put := raise()
		sites := []*compiled.SectionTouch{get, put, site(compiled.Len, "m"),
			site(compiled.WriteVar, "v"), site(compiled.ReadVar, "v"),
			site(compiled.WriteBacking, "b")}
		var worlds [2]*passing
		for i := range worlds {
			worlds[i] = newPassing(i == 1, f)
			for _, p := range sites {
				worlds[i].world.Heat(p)
			}
		}
		a, b := rand.New(rand.NewPCG(seed, 3)), rand.New(rand.NewPCG(seed, 3))
		for n := range 150 {
			x, y := worlds[0].step(a, f, sites), worlds[1].step(b, f, sites)
			if x != y {
				t.Fatalf("seed %d, step %d: %s, and with Passes %s", seed, n, x, y)
			}
			if worlds[0].sinks != worlds[1].sinks {
				t.Fatalf("seed %d, step %d: found %v, and with Passes %v", seed, n,
					worlds[0].sinks, worlds[1].sinks)
			}
		}
		passed, wanted = passed+worlds[1].passed, wanted+worlds[1].wantedIn
		for _, c := range worlds[1].sinks {
			found += c.found[0] + c.found[1] + c.found[2]
		}
	}
	if passed < 3*int(seeds) || wanted < 3*int(seeds) || found < int(seeds)/30 {
		t.Errorf("%d touches passed, %d were wanted, %d findings", passed, wanted, found)
	}
}
