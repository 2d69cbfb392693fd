// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/vclock"
)

// noSink is a section.Sink that nothing is to be reported to.
type noSink struct{ t *testing.T }

func (noSink) Capture(*section.Event) {}
func (s noSink) Report(f *section.Finding) {
	s.t.Errorf("reported: %+v", *f)
}

// weakly turns on the weak clocks for a test.
func weakly(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of a weak clock")
	}
	check := &compiled.SectionTouch{Op: compiled.Lookup}
	act := &compiled.SectionTouch{Op: compiled.Insert}
	was := WeakClocks()
	RegisterSection(&compiled.SectionFunc{Pairs: []compiled.SectionPair{{Check: check, Act: act}}})
	FollowSections()
	t.Cleanup(func() { SetWeakClocks(was) })
}

// TestSeverePairs registers a function: below level all it keeps the pairs that are reported, and
// one that has no such pair turns nothing on.
func TestSeverePairs(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of a weak clock")
	}
	option.Ready()
	level, was := option.Current.Level, WeakClocks()
	t.Cleanup(func() {
		option.Current.Level = level
		SetWeakClocks(was)
	})
	pair := func(s compiled.Shape) compiled.SectionPair {
		return compiled.SectionPair{Check: &compiled.SectionTouch{Op: compiled.Lookup},
			Act: &compiled.SectionTouch{Op: compiled.Insert}, Shape: s}
	}
	for _, c := range []struct {
		level option.Level
		all   []compiled.Shape
		want  []compiled.Shape
	}{
		{option.Races, []compiled.Shape{compiled.TornPair, compiled.Computed}, nil},
		{option.Violations, []compiled.Shape{compiled.Computed}, nil},
		{option.Races, []compiled.Shape{compiled.Computed, compiled.LostUpdate, compiled.TornPair,
			compiled.FlagSet}, []compiled.Shape{compiled.LostUpdate, compiled.FlagSet}},
		{option.All, []compiled.Shape{compiled.TornPair, compiled.Computed},
			[]compiled.Shape{compiled.TornPair, compiled.Computed}},
	} {
		option.Current.Level = c.level
		SetWeakClocks(false)
		var f compiled.SectionFunc
		for _, s := range c.all {
			f.Pairs = append(f.Pairs, pair(s))
		}
		wanted := RegisterSection(&f)
		var got []compiled.Shape
		for _, p := range f.Pairs {
			got = append(got, p.Shape)
			if p.Check.Hot.Load() != 0 || p.Act.Hot.Load() != 0 {
				t.Errorf("level %d, %v: a pair of shape %d is hot", c.level, c.all, p.Shape)
			}
		}
		if !slices.Equal(got, c.want) || wanted != (len(got) > 0) || WeakClocks() {
			t.Errorf("level %d, %v: kept %v, wanted %v, on %v", c.level, c.all, got, wanted,
				WeakClocks())
		}
	}
}

// TestFollowSections has weak clocks begin where instrumented code does, and not before.
func TestFollowSections(t *testing.T) {
	if wordBits != 64 {
		t.Skip("addresses have no room for the mark of a weak clock")
	}
	was := WeakClocks()
	SetWeakClocks(false)
	t.Cleanup(func() { SetWeakClocks(was) })
	RegisterSection(&compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: &compiled.SectionTouch{Op: compiled.Lookup},
		Act:   &compiled.SectionTouch{Op: compiled.Insert},
	}}})
	g := startThread()
	t.Cleanup(g.Finish)
	g.Release(0xc710000000)
	if WeakClocks() || g.Weak.Started() {
		t.Error("a function with a pair turns weak clocks on before instrumented code runs")
	}
	g.Follow(g.TimerContext)
	if !WeakClocks() || !g.Weak.Started() || !instance.Sections.On() {
		t.Error("instrumented code turns nothing on")
	}
}

// TestLastOfAnother asks whose the last release at an address was that told something.
func TestLastOfAnother(t *testing.T) {
	const addr = uintptr(0xc720000000)
	g, h := startThread(), startThread()
	t.Cleanup(g.Finish)
	t.Cleanup(h.Finish)
	want := func(when string, ofG, ofH bool) {
		t.Helper()
		p := PageAt(addr)
		if got := p.lastOfAnother(g, addr); got != ofG {
			t.Errorf("%s: another than g: %v", when, got)
		}
		if got := p.lastOfAnother(h, addr); got != ofH {
			t.Errorf("%s: another than h: %v", when, got)
		}
	}
	want("no page", false, false)
	g.Release(addr + 8)
	want("no release", false, false)
	g.Release(addr)
	want("released by g", false, true)
	h.Acquire(addr)
	h.Clock.Tick() // it has something to tell
	h.Release(addr)
	want("released by h", true, false)
	g.Clock.Tick()
	g.ReleaseMerge(addr)
	want("merged by g", true, true)
}

// weakThread is a thread that knows nothing of others.
func weakThread(t *testing.T) *Thread {
	g := startThread()
	t.Cleanup(g.Finish)
	g.hasWeak(false)
	// In an activation all sections are recorded.
	g.Weak.Section.Enter(new(section.Activation), &inferred)
	return g
}

var inferred compiled.SectionFunc

// mark is an event of a goroutine in its weak clock.
func mark(g *Thread) vclock.Epoch { return g.Weak.Clock.P().Thread.Tick() }

// TestWeakOrder has each event that orders goroutines: the weak clock knows it, too.
func TestWeakOrder(t *testing.T) {
	weakly(t)
	const addr = uintptr(0xc700000000)
	for name, order := range map[string]func(g, h *Thread){
		"release":       func(g, h *Thread) { g.Release(addr); h.Acquire(addr) },
		"release merge": func(g, h *Thread) { g.ReleaseMerge(addr); h.Acquire(addr) },
		"slot":          func(g, h *Thread) { g.ReleaseAcquire(addr); h.ReleaseAcquire(addr) },
		"atomic":        func(g, h *Thread) { g.AtomicRMW(addr); h.Acquire(addr) },
		"two atomics":   func(g, h *Thread) { g.AtomicRMW(addr); h.AtomicRMW(addr) },
		"rendezvous":    func(g, h *Thread) { g.Rendezvous(h) },
		"join of all":   func(g, h *Thread) { h.JoinAll() },
		"calls of one object": func(g, h *Thread) {
			g.OrderWeak(addr)
			h.OrderWeak(addr)
		},
		"a word of a sync.Map in a call": func(g, h *Thread) {
			g.InCall, h.InCall = true, true
			g.PlainStore(addr)
			h.PlainLoad(addr)
			g.InCall, h.InCall = false, false
		},
		"a word that is swapped in a call": func(g, h *Thread) {
			g.InCall, h.InCall = true, true
			g.PlainRMW(addr)
			h.PlainLoad(addr)
			g.InCall, h.InCall = false, false
		},
		"release in a call": func(g, h *Thread) {
			g.InCall, h.InCall = true, true
			g.Release(addr)
			h.Acquire(addr)
			g.InCall, h.InCall = false, false
			g.Clock.RestoreHeld(0)
		},
		"timer": func(g, h *Thread) {
			timer := new(Thread)
			timer.Reset()
			timer.TimerContext = true
			g.Set(addr)
			timer.Acquire(addr)
			timer.Release(addr + 64)
			h.Acquire(addr + 64)
			timer.Finish()
		},
	} {
		g, h := weakThread(t), weakThread(t)
		now := mark(g)
		if h.Weak.Clock.P().Thread.Knows(now) {
			t.Fatalf("%s: it knows what nobody has told", name)
		}
		order(g, h)
		if !h.Weak.Clock.P().Thread.Knows(now) {
			t.Errorf("%s: the weak clock doesn't have it", name)
		}
		Free(addr, 256)
	}
	g, child := weakThread(t), new(Thread)
	child.Reset()
	now := mark(g)
	g.Fork(child, 1)
	if !child.Weak.Clock.P().Thread.Knows(now) {
		t.Error("fork: the weak clock doesn't have it")
	}
	child.Finish()
}

// TestSectionsDontOrder has sections of a lock. What a complete one has done, the next complete one
// doesn't know; an opaque one does, and what that has done all know.
func TestSectionsDontOrder(t *testing.T) {
	weakly(t)
	const addr = uintptr(0xc710000000)
	complete := &compiled.LockSite{Size: 8, Complete: true}
	opaque := &compiled.LockSite{Size: 8}
	read := &compiled.SectionTouch{Op: compiled.ReadVar}
	for _, c := range []struct {
		name          string
		first, second *compiled.LockSite
		want          bool
	}{
		{"complete, complete", complete, complete, false},
		{"complete, opaque", complete, opaque, true},
		{"opaque, complete", opaque, complete, true},
		{"opaque, opaque", opaque, opaque, true},
	} {
		g, h := weakThread(t), weakThread(t)
		var now [2]vclock.Epoch
		for i, g := range []*Thread{g, h} {
			site := c.first
			if i == 1 {
				site = c.second
			}
			g.Weak.Section.Locking(site, addr, noSink{t})
			g.Acquire(addr)
			now[i] = mark(g)
			g.Weak.Section.Touch(noSink{t}, read, addr+16, 0, 1, 0)
			g.Release(addr)
		}
		if got := h.Weak.Clock.P().Thread.Knows(now[0]); got != c.want {
			t.Errorf("%s: weakly known: %v", c.name, got)
		}
		if !h.Clock.Knows(g.Clock.Now()) {
			t.Errorf("%s: the call clock doesn't have the order of the lock", c.name)
		}
		Free(addr, 256)
	}
}

// TestReleaseInSection has a section that reads what another has written, and sends before it ends:
// who receives that knows of the other.
func TestReleaseInSection(t *testing.T) {
	weakly(t)
	const addr, channel = uintptr(0xc720000000), uintptr(0xc720000400)
	complete := &compiled.LockSite{Size: 8, Complete: true}
	read := &compiled.SectionTouch{Op: compiled.ReadVar}
	write := &compiled.SectionTouch{Op: compiled.WriteVar}
	for name, send := range map[string]func(g, h *Thread){
		"release":       func(g, h *Thread) { g.Release(channel); h.Acquire(channel) },
		"release merge": func(g, h *Thread) { g.ReleaseMerge(channel); h.Acquire(channel) },
		"slot": func(g, h *Thread) {
			g.ReleaseAcquire(channel)
			h.ReleaseAcquire(channel)
		},
		"atomic":     func(g, h *Thread) { g.AtomicRMW(channel); h.Acquire(channel) },
		"rendezvous": func(g, h *Thread) { g.Rendezvous(h) },
		"call":       func(g, h *Thread) { g.OrderWeak(channel); h.OrderWeak(channel) },
	} {
		f, g, h := weakThread(t), weakThread(t), weakThread(t)
		f.Weak.Section.Locking(complete, addr, noSink{t})
		f.Acquire(addr)
		now := mark(f)
		f.Weak.Section.Touch(noSink{t}, write, addr+16, 0, 1, 0)
		f.Release(addr)
		g.Weak.Section.Locking(complete, addr, noSink{t})
		g.Acquire(addr)
		g.Weak.Section.Touch(noSink{t}, read, addr+16, 0, 1, 0)
		send(g, h)
		if !h.Weak.Clock.P().Thread.Knows(now) {
			t.Errorf("%s: the weak clock doesn't have what the sender has read", name)
		}
		g.Release(addr)
		Free(addr, 4096)
	}
}
