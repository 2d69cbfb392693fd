// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A halves program has a goroutine that sets a flag and then a pointer, and one that reads both.
type halves struct {
	s            *script
	maker, user  *compiled.SectionFunc
	a, b, c      *goroutine
	flag, points uint64
	read, write  *compiled.SectionTouch // of another variable
}

func newHalves(shape compiled.Shape) *halves {
	h := &halves{s: newScript()}
	h.maker = &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: site(compiled.WriteVar, "flag"), Act: site(compiled.WriteVar, "p"), Shape: shape}}}
	h.user = &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: site(compiled.ReadVar, "flag"), Act: site(compiled.ReadVar, "p"), Shape: shape}}}
	h.s.register(h.maker)
	h.s.register(h.user)
	h.read, h.write = site(compiled.ReadVar, "z"), site(compiled.WriteVar, "z")
	for _, x := range []*compiled.SectionTouch{h.read, h.write} {
		h.s.world.Heat(x)
	}
	h.a, h.b, h.c = h.s.start(nil), h.s.start(nil), h.s.start(nil)
	for _, g := range []*goroutine{h.a, h.b, h.c} { // so that the lock is no single goroutine's
		g.lock(complete, mutex)
		g.Touch(g, h.user.Pairs[0].Check, object, 0, 0, 0)
		g.Touch(g, h.user.Pairs[0].Act, object+8, 0, 0, 0)
		g.unlock(mutex)
	}
	return h
}

// The steps: the maker's two sections, and the user's one or two.
func (h *halves) first() {
	h.a.enter(h.maker)
	h.a.lock(complete, mutex)
	h.flag = 1
	h.a.Touch(h.a, h.maker.Pairs[0].Check, object, 0, 1, 0)
	h.a.unlock(mutex)
}

func (h *halves) second() {
	h.a.lock(complete, mutex)
	h.points = 7
	h.a.Touch(h.a, h.maker.Pairs[0].Act, object+8, 0, 7, 0)
	h.a.unlock(mutex)
	h.a.leave()
}

func (h *halves) reads(flag, points bool) {
	h.b.lock(complete, mutex)
	if flag {
		h.b.Touch(h.b, h.user.Pairs[0].Check, object, 0, h.flag, 0)
	}
	if points {
		h.b.Touch(h.b, h.user.Pairs[0].Act, object+8, 0, h.points, 0)
	}
	h.b.unlock(mutex)
}

func (h *halves) use() {
	h.b.enter(h.user)
	h.reads(true, true)
	h.b.leave()
}

func (h *halves) useApart(between func()) {
	h.b.enter(h.user)
	h.reads(true, false)
	between()
	h.reads(false, true)
	h.b.leave()
}

// third is a section of a third goroutine: it touches the pointer, and then writes something else.
func (h *halves) third(pointer *compiled.SectionTouch) {
	h.c.lock(complete, mutex)
	h.c.Touch(h.c, pointer, object+8, 0, h.points, 0)
	h.c.Touch(h.c, h.write, object+16, 0, 3, 0)
	h.c.unlock(mutex)
}

// TestHalves has a goroutine that reads both variables before, between and after the sections of
// another one that sets them.
func TestHalves(t *testing.T) {
	told := func(h *halves) {
		h.a.release(chanel, false)
		h.b.acquire(chanel)
	}
	for name, test := range map[string]struct {
		run  func(h *halves)
		want []Evidence
	}{
		"after":   {func(h *halves) { h.first(); h.second(); h.use() }, []Evidence{Predicted}},
		"between": {func(h *halves) { h.first(); h.use(); h.second() }, []Evidence{Observed}},
		"before":  {func(h *halves) { h.use(); h.first(); h.second() }, nil},
		"apart, after": {func(h *halves) { h.first(); h.second(); h.useApart(func() {}) },
			[]Evidence{Predicted}},
		"apart, around the second": {func(h *halves) { h.first(); h.useApart(h.second) },
			[]Evidence{Predicted}},
		"apart, between": {func(h *halves) { h.first(); h.useApart(func() {}); h.second() },
			[]Evidence{Observed}},
		"told in the middle": {func(h *halves) { h.first(); told(h); h.use(); h.second() }, nil},
		"told in the middle, after": {func(h *halves) { h.first(); told(h); h.second(); h.use() },
			nil},
		"told at the end": {func(h *halves) { h.first(); h.second(); told(h); h.use() }, nil},
		"told between the reads": {func(h *halves) {
			h.first()
			h.useApart(func() { h.second(); told(h) })
		}, nil},
		"told in the middle, apart": {func(h *halves) {
			h.first()
			told(h)
			h.useApart(func() {})
			h.second()
		}, nil},
		"told of the flag between the reads": {func(h *halves) {
			h.first()
			h.useApart(func() { told(h) })
			h.second()
		}, nil},
		"the pointer was set before": {func(h *halves) {
			h.first()
			h.points = 5
			h.third(h.maker.Pairs[0].Act)
			h.second()
			h.use()
		}, nil},
		"with what came of the pointer": {func(h *halves) {
			h.first()
			h.second()
			h.third(h.user.Pairs[0].Act)
			h.b.enter(h.user)
			h.b.lock(complete, mutex)
			h.b.Touch(h.b, h.user.Pairs[0].Check, object, 0, 1, 0)
			h.b.Touch(h.b, h.read, object+16, 0, 3, 0)
			h.b.Touch(h.b, h.user.Pairs[0].Act, object+8, 0, 7, 0)
			h.b.unlock(mutex)
			h.b.leave()
		}, nil},
		"with the user's own pointer": {func(h *halves) {
			h.first()
			h.second()
			h.b.enter(h.user)
			h.b.lock(complete, mutex)
			h.b.Touch(h.b, h.user.Pairs[0].Check, object, 0, 1, 0)
			h.b.Touch(h.b, h.maker.Pairs[0].Act, object+8, 0, 7, 0)
			h.b.Touch(h.b, h.user.Pairs[0].Act, object+8, 0, 7, 0)
			h.b.unlock(mutex)
			h.b.leave()
		}, nil},
		"answered": {func(h *halves) {
			h.first()
			h.use()
			h.b.release(chanel, false)
			h.a.acquire(chanel)
			h.second()
		}, nil},
	} {
		h := newHalves(compiled.HalfSeen)
		test.run(h)
		h.s.finish()
		if got := h.s.evidence(); !slices.Equal(got, test.want) {
			t.Errorf("%s: found %v, want %v", name, got, test.want)
		}
	}
}

// An entries program has a goroutine that releases an entry of a map, and deletes it if nobody uses
// it; and one that looks the entry up and counts itself.
type entries struct {
	s            *script
	release, get *compiled.SectionFunc
	a, b         *goroutine
	refs         uint64
	there        bool
}

func newEntries() *entries {
	e := &entries{s: newScript(), refs: 1, there: true}
	e.release = &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: site(compiled.ReadVar, "refs"), Act: site(compiled.Delete, "m"),
		Shape: compiled.EntryGone}}}
	e.get = &compiled.SectionFunc{Pairs: []compiled.SectionPair{{
		Check: site(compiled.UpdateVar, "refs"), Act: site(compiled.Lookup, "m"),
		Shape: compiled.EntryGone}}}
	e.s.register(e.release)
	e.s.register(e.get)
	e.a, e.b = e.s.start(nil), e.s.start(nil)
	for _, g := range []*goroutine{e.a, e.b} {
		g.lock(complete, mutex)
		g.Touch(g, e.get.Pairs[0].Act, object, 1, 7, 0)
		g.unlock(mutex)
	}
	return e
}

// The steps: the two sections of who releases, and that of who gets.
func (e *entries) leaves() {
	e.a.enter(e.release)
	e.a.lock(complete, mutex)
	e.refs--
	e.a.Touch(e.a, e.release.Pairs[0].Check, object+0x100, 0, e.refs, 0)
	e.a.unlock(mutex)
}

func (e *entries) removes() {
	if e.refs == 0 || e.there {
		e.a.lock(complete, mutex)
		e.there = false
		e.a.Touch(e.a, e.release.Pairs[0].Act, object, 1, 0, 0)
		e.a.unlock(mutex)
	}
	e.a.leave()
}

func (e *entries) gets() {
	e.b.enter(e.get)
	e.b.lock(complete, mutex)
	if e.there {
		e.b.Touch(e.b, e.get.Pairs[0].Act, object, 1, 7, 0)
		e.refs++
		e.b.Touch(e.b, e.get.Pairs[0].Check, object+0x100, 0, e.refs, 0)
	} else {
		e.b.Touch(e.b, e.get.Pairs[0].Act, object, 1, 0, 0)
	}
	e.b.unlock(mutex)
	e.b.leave()
}

// TestEntries has a goroutine that looks an entry up before, between and after the sections of
// another one that deletes it.
func TestEntries(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(e *entries)
		want []Evidence
	}{
		"after":   {func(e *entries) { e.leaves(); e.removes(); e.gets() }, []Evidence{Predicted}},
		"between": {func(e *entries) { e.leaves(); e.gets(); e.removes() }, []Evidence{Observed}},
		"before":  {func(e *entries) { e.gets(); e.leaves(); e.leaves(); e.removes() }, nil},
		"told at the end": {func(e *entries) {
			e.leaves()
			e.removes()
			e.a.release(chanel, false)
			e.b.acquire(chanel)
			e.gets()
		}, nil},
		"answered": {func(e *entries) {
			e.leaves()
			e.gets()
			e.b.release(chanel, false)
			e.a.acquire(chanel)
			e.removes()
		}, nil},
	} {
		e := newEntries()
		test.run(e)
		e.s.finish()
		if got := e.s.evidence(); !slices.Equal(got, test.want) {
			t.Errorf("%s: found %v, want %v", name, got, test.want)
		}
	}
}
