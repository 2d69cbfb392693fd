// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestLate runs random programs twice: sections are followed from the start, and from the first
// activation on. The same is found, but where a map's length matters that was read before.
func TestLate(t *testing.T) {
	n, skipped, found, missed := 6000, 0, 0, 0
	if testing.Short() {
		n = 1000
	}
	for seed := range int64(n) {
		like := maker{atomics: seed%3 == 1, blocks: seed%3 == 2}
		var got [2][]string
		var p *program
		for i, late := range []bool{false, true} {
			p = makeProgram(seed, like)
			p.warmUp(seed, like)
			s := newScript()
			s.late = late
			r := rand.New(rand.NewSource(seed))
			p.execute(s, r, 1+r.Intn(6))
			for j := range s.found {
				f := &s.found[j]
				c := p.claimOf(f)
				got[i] = append(got[i], fmt.Sprintf("evidence %d of goroutine %d's %v and %v, with %d's %v",
					c.evidence, c.g+1, c.pair.check, c.pair.act, c.other+1, c.by))
			}
			skipped += s.skipped
		}
		found += len(got[0])
		for _, f := range got[1] {
			if !slices.Contains(got[0], f) {
				t.Errorf("seed %d: found\n%v, late\n%v, of\n%v", seed, got[0], got[1], p)
			}
		}
		missed += len(got[0]) - len(got[1])
	}
	if skipped < n/2 || found < n/50 {
		t.Errorf("%d events came before the first activation, %d were found: too few to tell",
			skipped, found)
	}
	if missed > 1+found/50 {
		t.Errorf("%d of %d are not found late", missed, found)
	}
	t.Logf("%d events before the first activation, %d found, %d only early", skipped, found, missed)
}

// warmUp has some goroutines begin with calls of a function that has no pairs.
func (p *program) warmUp(seed int64, like maker) {
	m := &like
	m.Rand = rand.New(rand.NewSource(-1 - seed))
	f := m.function()
	f.pairs, f.code.Pairs = nil, nil
	p.functions = append(p.functions, f)
	for i := range p.calls {
		if m.Intn(3) > 0 {
			p.calls[i] = append([]call{{f, 0, 1000 + i}}, p.calls[i]...)
		}
	}
}

// TestAwait makes packages hot before and after the begin: nothing is followed before it, and
// operations of sync/atomic are from the first pair of such on.
func TestAwait(t *testing.T) {
	pairs := func(kind compiled.AtomicKind) *compiled.SectionFunc {
		check, act := site(compiled.ReadVar, "v"), site(compiled.WriteVar, "v")
		check.Atomic, act.Atomic = kind, kind
		return &compiled.SectionFunc{Pairs: []compiled.SectionPair{{Check: check, Act: act}}}
	}
	for _, c := range []struct {
		before, after compiled.AtomicKind
		atomics       [2]bool // after the begin, and after the second function
	}{
		{compiled.NotAtomic, compiled.NotAtomic, [2]bool{false, false}},
		{compiled.NotAtomic, compiled.AtomicSigned, [2]bool{false, true}},
		{compiled.AtomicSigned, compiled.NotAtomic, [2]bool{true, true}},
	} {
		var w World
		f := pairs(c.before)
		w.Await(f)
		w.lookFor(f)
		if w.On() || w.Atomics() {
			t.Errorf("%+v: followed before the begin", c)
		}
		w.Begin()
		if !w.On() || w.Atomics() != c.atomics[0] {
			t.Errorf("%+v: after the begin on: %v, atomics: %v", c, w.On(), w.Atomics())
		}
		f = pairs(c.after)
		w.Await(f)
		if w.Atomics() != c.atomics[0] {
			t.Errorf("%+v: awaited, atomics: %v", c, w.Atomics())
		}
		w.lookFor(f)
		if w.Atomics() != c.atomics[1] {
			t.Errorf("%+v: at last atomics: %v", c, w.Atomics())
		}
	}
}

// TestShared has a lock that another goroutine has let go before sections were followed. The first
// section that is known is recorded, as are those of a lock with several goroutines.
func TestShared(t *testing.T) {
	const addr = 0x7b0000600000
	where := &compiled.LockSite{Size: 8, Complete: true}
	for _, before := range []bool{false, true} {
		s := newScript()
		s.late = true
		g, h := s.start(nil), s.start(nil)
		if before {
			h.lock(where, addr)
			h.unlock(addr)
		}
		f := &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
			Check: site(compiled.ReadVar, "v"), Act: site(compiled.WriteVar, "v")}}}
		s.register(f)
		h.enter(f)
		h.leave()
		for i := range 2 {
			g.lock(where, addr)
			if alone := g.state.P().section.alone; alone == before {
				t.Errorf("released before: %v, section %d counts as alone: %v", before, i, alone)
			}
			g.unlock(addr)
		}
		s.finish()
	}
}
