// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A flagged is a function that looks at an atomic flag and then sets it.
type flagged struct {
	*script
	code      compiled.SectionFunc
	look, set *compiled.SectionTouch
	add       *compiled.SectionTouch
	a, b      *goroutine
}

func newFlagged(t *testing.T) *flagged {
	f := unfinished()
	t.Cleanup(f.finish)
	return f
}

// unfinished is newFlagged for a caller that finishes the script.
func unfinished() *flagged {
	f := &flagged{script: newScript()}
	of := func(op compiled.TouchOp) *compiled.SectionTouch {
		x := site(op, "started")
		x.Atomic = compiled.AtomicSigned
		return x
	}
	f.look, f.set, f.add = of(compiled.ReadVar), of(compiled.WriteVar), of(compiled.UpdateVar)
	f.code.Pairs = []compiled.SectionPair{{Check: f.look, Act: f.set, Shape: compiled.FlagSet}}
	f.register(&f.code)
	f.world.Heat(f.add)
	f.a, f.b = f.start(nil), f.start(nil)
	return f
}

// announced is an operation that is announced.
func (g *goroutine) announced(p *compiled.SectionTouch, value uint64) {
	g.Announce(p, object, 8, g)
	g.operate(p.Op, object, value)
}

// run has a goroutine look at the flag, and set it if it is not set.
func (f *flagged) run(g *goroutine, flag *uint64, between func()) {
	g.enter(&f.code)
	g.announced(f.look, *flag)
	if *flag == 0 {
		between()
		*flag = 1
		g.announced(f.set, 1)
	}
	g.leave()
}

// TestAtomicFlag has two goroutines look at a flag and set it, with something else in between.
func TestAtomicFlag(t *testing.T) {
	nothing := func() {}
	for name, c := range map[string]struct {
		run  func(f *flagged, flag *uint64)
		want []Evidence
	}{
		"at once": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, func() { f.run(f.b, flag, nothing) })
		}, []Evidence{Observed}},
		"one after the other": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, nothing)
			f.run(f.b, flag, nothing)
		}, []Evidence{Twin}},
		"told": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, nothing)
			f.a.release(chanel, false)
			f.b.acquire(chanel)
			f.run(f.b, flag, nothing)
		}, nil},
		"seen before": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, nothing)
			f.b.announced(f.look, 1)
			f.run(f.b, flag, nothing)
		}, nil},
		"seen before, by an operation that is not announced": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, nothing)
			f.b.operate(compiled.ReadVar, object, 1)
			f.run(f.b, flag, nothing)
		}, nil},
		"swapped in between": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, func() { f.b.operate(compiled.UpdateVar, object, 0) })
			f.run(f.b, flag, nothing)
		}, nil},
		"stored by others in between": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, func() { f.b.operate(compiled.WriteVar, object, 0) })
			f.run(f.b, flag, nothing)
		}, nil},
		"in sections of a lock": {func(f *flagged, flag *uint64) {
			for _, g := range []*goroutine{f.a, f.b} {
				g.lock(complete, mutex)
				f.run(g, flag, nothing)
				g.unlock(mutex)
			}
		}, nil},
		"added to in between": {func(f *flagged, flag *uint64) {
			f.run(f.a, flag, func() { f.b.announced(f.add, 5) })
		}, []Evidence{Observed}},
	} {
		f := newFlagged(t)
		flag := uint64(0)
		c.run(f, &flag)
		if got := f.evidence(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestAtomicOrder has an operation that is not announced between two that are: it comes after the
// first one, and before the second.
func TestAtomicOrder(t *testing.T) {
	for _, kind := range []compiled.TouchOp{compiled.WriteVar, compiled.UpdateVar} {
		f := newFlagged(t)
		c := f.start(nil)
		f.a.enter(&f.code) // so that all is recorded
		f.a.announced(f.set, 1)
		then := f.a.clock.Now()
		f.b.operate(kind, object, 2)
		if c.clock.Knows(then) {
			t.Fatal("it knows what nobody has told")
		}
		c.enter(&f.code)
		c.announced(f.look, 2)
		if !c.clock.Knows(then) {
			t.Errorf("kind %d: what came before it is not known", kind)
		}
		c.leave()
		f.a.leave()
	}
}

// TestAtomicValue has an atomic.Value, which is stored in two steps, or three the first time.
func TestAtomicValue(t *testing.T) {
	f := newFlagged(t)
	second := uintptr(object) + 8
	store := func(g *goroutine, value uint64, first bool) {
		g.Announce(f.set, object, sizeOfValue, g)
		g.acquire(object) // the load of the type
		if g.Making(object, compiled.ReadVar, false) {
			t.Error("the load is taken for the store")
		}
		if first {
			if !g.Ordering(object) || g.Making(object, compiled.UpdateVar, false) {
				t.Error("the reservation is taken for the store, or not for a part of it")
			}
			g.acquire(object)
		}
		if !g.Releasing(second) || !g.Making(second, compiled.WriteVar, false) {
			t.Error("the store was not announced")
		}
		op, addr, size, making := Operation(&g.Thread)
		if op != compiled.WriteVar || addr != object || size != sizeOfValue || !making {
			t.Errorf("operation %d of %d bytes at %#x is made: %v", op, size, addr, making)
		}
		g.Made(value)
		if _, _, _, making = Operation(&g.Thread); making {
			t.Error("the operation that was made is still under way")
		}
		if first && !g.Releasing(object) {
			t.Error("the last step of the store is one of its own")
		}
	}
	load := func(g *goroutine, value uint64) {
		g.Announce(f.look, object, sizeOfValue, g)
		g.operate(compiled.ReadVar, object, value)
		if value != 0 {
			g.acquire(second)
		}
	}
	for i, g := range []*goroutine{f.a, f.b} {
		g.enter(&f.code)
		load(g, uint64(i)*100)
		store(g, uint64(100+i), i == 0)
		g.leave()
	}
	if got := f.evidence(); !slices.Equal(got, []Evidence{Twin}) {
		t.Errorf("found %v, want a twin", got)
	}
}

// TestAtomicWords has values that stand for nothing else, and reads that can't be told from them.
func TestAtomicWords(t *testing.T) {
	f := newFlagged(t)
	a := announced{touch: offheap.To(f.look), size: 4}
	for _, c := range []struct{ in, out uint64 }{{0, 0}, {7, 7}, {0xffff_fff9, ^uint64(6)},
		{0xffff_ffff, ^uint64(0)}} {
		w := a.wordOf(c.in)
		if w == Unknown || AtomicValue(w) != c.out {
			t.Errorf("%#x is the word %#x, of the value %#x", c.in, w, AtomicValue(w))
		}
	}
}

// TestMadeReports has Made hand on what Making was told, once.
func TestMadeReports(t *testing.T) {
	f := newFlagged(t)
	if _, _, _, making := Operation(&f.a.Thread); making {
		t.Error("nothing was announced")
	}
	for _, fixed := range []bool{false, true} {
		f.a.Announce(f.look, object, 8, f.a)
		if f.a.Making(object, compiled.WriteVar, fixed) ||
			f.a.Making(chanel, compiled.ReadVar, fixed) {
			t.Error("another operation was announced")
		}
		if !f.a.Making(object, compiled.ReadVar, fixed) {
			t.Error("it was announced")
		}
		_, _, _, making := Operation(&f.a.Thread)
		if also := f.a.Made(0); !making || also != fixed {
			t.Errorf("made %v, fixed %v, want %v", making, also, fixed)
		}
		if f.a.Making(object, compiled.ReadVar, fixed) {
			t.Error("it was announced once")
		}
	}
}

// BenchmarkAtomicFlag is a look at an atomic flag in an activation: that of a goroutine alone, and
// with others that look as well; and an operation that nobody has announced.
func BenchmarkAtomicFlag(b *testing.B) {
	s := newScript()
	look, set := site(compiled.ReadVar, "f"), site(compiled.WriteVar, "f")
	look.Atomic, set.Atomic = compiled.AtomicBool, compiled.AtomicBool
	f := &compiled.SectionFunc{Pairs: []compiled.SectionPair{{Check: look, Act: set,
		Shape: compiled.FlagSet}}}
	s.register(f)
	g, h := s.start(nil), s.start(nil)
	const word = 0
	op := func(g *goroutine) {
		g.Announce(look, object, 4, g)
		g.Acquired(object)
		g.Making(object, compiled.ReadVar, false)
		g.Made(word)
		g.Acquired(object)
	}
	run := func(name string, inside bool) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if inside {
					g.enter(f)
				}
				op(g)
				if inside {
					g.leave()
				}
			}
		})
	}
	run("alone", false)
	run("activation", true)
	op(h)
	run("several", false)
	b.Run("other address", func(b *testing.B) {
		for range b.N {
			g.Acquired(chanel)
			g.Making(chanel, compiled.ReadVar, false)
		}
	})
	s.finish()
}
