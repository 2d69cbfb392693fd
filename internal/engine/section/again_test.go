// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A looped is two executions of the same events. In the second, no section repeats another.
type looped struct {
	scripts  [2]*script
	threads  [2][]*goroutine
	get, put *compiled.SectionTouch
	look     *compiled.SectionTouch // of no pair
	looks    [2]*compiled.SectionTouch
	f        *compiled.SectionFunc
	entered  []bool
	value    [4]uint64 // of the keys
	token    uint64
	again    int               // sections that have repeated another
	crossed  bool              // sections take the lock of the other map
	inside   func(*goroutine)  // what is done in a section after its first touch, if anything
	past     [][2]vclock.Epoch // when other sections have ended
}

func newLooped(n int) *looped {
	l := &looped{look: site(compiled.Lookup, "m"), entered: make([]bool, n)}
	l.looks = [2]*compiled.SectionTouch{l.look, site(compiled.Len, "m")}
	l.f, l.get, l.put = raise()
	for k := range l.scripts {
		s := newScript()
		s.register(l.f)
		l.scripts[k] = s
		for range n {
			l.threads[k] = append(l.threads[k], s.start(nil))
		}
	}
	return l
}

// each does something in both.
func (l *looped) each(i int, do func(g *goroutine)) {
	for k := range l.threads {
		g := l.threads[k][i]
		if s := g.state.P(); s != nil && k == 1 {
			s.earlier = earlier{}
		}
		do(g)
	}
}

// section is a section of a lock, with touches of keys of the map that it guards.
func (l *looped) section(i int, site *compiled.LockSite, touch *compiled.SectionTouch,
	keys ...uint64) {
	before, again := l.value, l.again
	l.each(i, func(g *goroutine) {
		l.value = before
		lock := mutex + 64*uintptr(keys[0]%2) // each lock guards two keys
		if l.crossed {
			lock ^= 64
		}
		g.lock(site, lock)
		for n, key := range keys {
			if touch == l.put {
				l.value[key] = l.token
			}
			g.Touch(g, touch, object+64*uintptr(keys[0]%2), key>>1, l.value[key], 0)
			if n == 0 && l.inside != nil {
				l.inside(g)
			}
		}
		e := &g.state.P().earlier
		kept := e.kept
		g.unlock(lock)
		if kept != 0 && e.kept == kept && g.clock.Now() == kept {
			l.again++
		}
	})
	if l.again == again && site != opaque { // an opaque one has no epoch of its own
		l.past = append(l.past, [2]vclock.Epoch{l.threads[0][i].marked(), l.threads[1][i].marked()})
	}
}

// marked is the epoch of the goroutine's last section.
func (g *goroutine) marked() vclock.Epoch {
	if o := &g.state.P().section; !o.alone {
		return o.begin
	}
	return g.clock.Now()
}

// differs says which section a goroutine knows in one of the executions only, "" if there is none.
func (l *looped) differs() string {
	for i := range l.entered {
		a, b := &l.threads[0][i].clock, &l.threads[1][i].clock
		for n, p := range l.past {
			if x, y := a.Knows(p[0]), b.Knows(p[1]); x != y {
				return fmt.Sprintf("goroutine %d knows section %d: %v, and if all are recorded %v",
					i, n, x, y)
			}
		}
	}
	return ""
}

// ordering is a random event that orders goroutines, and says what it is.
func ordering(r *rand.Rand) (what string, do func(g *goroutine)) {
	addr := chanel + 64*uintptr(r.Intn(2))
	switch r.Intn(4) {
	case 0:
		return fmt.Sprintf("receive of %#x", addr), func(g *goroutine) { g.acquire(addr) }
	case 1:
		return fmt.Sprintf("send of %#x", addr), func(g *goroutine) { g.release(addr, true) }
	case 2:
		return fmt.Sprintf("close of %#x", addr), func(g *goroutine) { g.release(addr, false) }
	}
	return fmt.Sprintf("addition to %#x", addr), func(g *goroutine) { g.order(addr) }
}

// step does something at random, and says what.
func (l *looped) step(r *rand.Rand) (did string) {
	i, key := r.Intn(len(l.entered)), uint64(r.Intn(2))
	l.token = uint64(1 + r.Intn(2))
	l.crossed = r.Intn(16) == 0
	orders, order := ordering(r)
	l.inside = nil
	if r.Intn(4) == 0 {
		l.inside = order
		defer func() { did += ", with " + orders }()
	}
	switch n := r.Intn(17); {
	case n < 2:
		l.each(i, order)
		return fmt.Sprintf("%d: %s", i, orders)
	case n == 16:
		l.each(i, func(g *goroutine) {
			g.Touch(g, l.put, object+64*uintptr(key%2), key>>1, l.token, 0)
		})
		l.value[key] = l.token
		return fmt.Sprintf("%d: writes %d without a lock", i, key)
	case n == 2:
		l.section(i, opaque, l.look, key)
		return fmt.Sprintf("%d: opaque section, reads %d", i, key)
	case n == 3:
		l.section(i, complete, l.put, key)
		return fmt.Sprintf("%d: writes %d", i, key)
	case n < 8 && l.entered[i]:
		l.entered[i] = false
		l.section(i, complete, l.put, key)
		l.each(i, (*goroutine).leave)
		return fmt.Sprintf("%d: acts on %d and leaves", i, key)
	case n < 8:
		l.entered[i] = true
		l.each(i, func(g *goroutine) { g.enter(l.f) })
		l.section(i, complete, l.get, key)
		return fmt.Sprintf("%d: enters and checks %d", i, key)
	}
	if !l.entered[i] && r.Intn(16) == 0 { // it enters within a section
		l.entered[i] = true
		l.inside = func(g *goroutine) { g.enter(l.f) }
		l.section(i, completeRead, []*compiled.SectionTouch{l.get, l.look}[r.Intn(2)], key, key|2)
		return fmt.Sprintf("%d: reads %d and enters, crossed %v", i, key, l.crossed)
	}
	keys := [][]uint64{{key}, {key | 2}, {key, key | 2}, {key | 2, key}}[r.Intn(4)]
	looks := l.looks[r.Intn(2)]
	for range 1 + r.Intn(4) {
		l.section(i, completeRead, looks, keys...)
		if r.Intn(8) == 0 {
			l.value[keys[0]] = uint64(1 + r.Intn(2)) // nobody tells of that
		}
	}
	return fmt.Sprintf("%d: reads %d, crossed %v", i, keys, l.crossed)
}

// TestAgain wants the same findings whether or not a section that repeats the last one is recorded,
// and that goroutines know the same other sections.
func TestAgain(t *testing.T) {
	again, found := 0, 0
	seeds := int64(5000)
	if testing.Short() {
		seeds = 1000
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		l := newLooped(3 + r.Intn(2))
		var log []string
		for range 10 + r.Intn(60) {
			log = append(log, l.step(r))
			if d := l.differs(); d != "" {
				t.Fatalf("seed %d: %s:\n%q", seed, d, log)
			}
		}
		for _, s := range l.scripts {
			s.finish()
		}
		words := func(s *script) (list []string) {
			for i := range s.found {
				f := &s.found[i]
				list = append(list, fmt.Sprintf("evidence %d: %d, %d; %d, %d, %d; no epoch: %v",
					f.Evidence, f.Act.Goid, f.Other.Goid, f.Check.Value, f.Act.Value, f.Other.Value,
					f.Check.Epoch == 0 || f.Act.Epoch == 0 || f.Other.Epoch == 0))
			}
			return list
		}
		a, b := words(l.scripts[0]), words(l.scripts[1])
		if !slices.Equal(a, b) {
			t.Fatalf("seed %d: found %q, and if all sections are recorded %q:\n%q", seed, a, b, log)
		}
		again += l.again
		found += len(a)
	}
	if again < 2*int(seeds) || found < int(seeds)/25 {
		t.Errorf("%d sections have repeated another, %d findings: that says little", again, found)
	}
	t.Logf("%d sections have repeated another; %d findings", again, found)
}

// TestAgainElsewhere has another lock's section read what two sections of a lock read. Then the
// second one is recorded, so that a write without a lock is taken for one under that lock.
func TestAgainElsewhere(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		s := newScript()
		f, _, put := raise()
		s.register(f)
		look := site(compiled.Lookup, "m")
		a, b, other := s.start(nil), s.start(nil), s.start(nil)
		reads := func(g *goroutine, lock uintptr) {
			g.lock(completeRead, lock)
			g.Touch(g, look, object, 0, 1, 0)
			g.unlock(lock)
		}
		reads(b, mutex+64) // so that no lock is one goroutine's alone
		reads(b, mutex)
		reads(other, mutex+64)
		reads(a, mutex)
		if elsewhere {
			reads(b, mutex+64)
		}
		e := &a.state.P().earlier
		kept := e.kept
		reads(a, mutex)
		if again := e.kept == kept; again == elsewhere {
			t.Errorf("read elsewhere: %v, and the second section repeats the first: %v",
				elsewhere, again)
		}
		l := s.world.knownLock(mutex)
		before := l.wide
		other.Touch(other, put, object, 0, 2, 0)
		if l.wide == before {
			t.Errorf("read elsewhere: %v, and the write is none under the lock", elsewhere)
		}
		s.finish()
	}
}

// TestAgainFreed has the map freed between two sections that read it, and another one made in its
// place: the second one reads something else.
func TestAgainFreed(t *testing.T) {
	for _, freed := range []bool{false, true} {
		s := newScript()
		f, _, _ := raise()
		s.register(f)
		look := site(compiled.Lookup, "m")
		a, b := s.start(nil), s.start(nil)
		read := func(g *goroutine) (kept vclock.Epoch) {
			g.lock(completeRead, mutex)
			g.Touch(g, look, object, 0, 1, 0)
			g.unlock(mutex)
			return g.state.P().earlier.kept
		}
		read(b) // so that the lock is not one goroutine's alone
		kept := read(a)
		if freed {
			s.world.Freed(object, object+1, nil)
		}
		if again := read(a) == kept; again == freed {
			t.Errorf("freed: %v, and the second section repeats the first: %v", freed, again)
		}
		s.finish()
	}
}

// TestAgainJoined has a goroutine act after it has joined all others, while one of them is in a
// section that repeats its last one so far, and then writes. The goroutine comes after that
// section, so it must count as known.
func TestAgainJoined(t *testing.T) {
	for _, joined := range []bool{false, true} {
		s := newScript()
		f, _, put := raise()
		s.register(f)
		look := site(compiled.Lookup, "m")
		a, b, other := s.start(nil), s.start(nil), s.start(nil)
		read := func(g *goroutine) {
			g.lock(complete, mutex)
			g.Touch(g, look, object, 1, 7, 0)
		}
		read(b) // so that the lock is not one goroutine's alone
		b.unlock(mutex)
		read(a)
		a.unlock(mutex)
		read(a)
		if joined {
			Joins(&other.Thread)
			other.clock.JoinAll()
			other.Learned()
		}
		a.Touch(a, put, object, 1, 8, 1)
		a.unlock(mutex)
		l := s.world.knownLock(mutex)
		p := l.find(s.world.tracked.find(object), element, 1)
		if known := other.clock.Knows(p.changed); known != joined {
			t.Errorf("joined: %v, and the write is known: %v", joined, known)
		}
		s.finish()
	}
}

// TestAgainReleases has a goroutine release in a section that repeats its last one so far, and
// then writes. Whoever acquires that knows the section.
func TestAgainReleases(t *testing.T) {
	ways := map[string]func(g *goroutine){
		"channel":    func(g *goroutine) { g.release(chanel, false) },
		"merge":      func(g *goroutine) { g.release(chanel, true) },
		"atomic":     func(g *goroutine) { g.order(chanel) },
		"outer lock": func(g *goroutine) { g.unlock(mutex + 64) },
	}
	for name, release := range ways {
		s := newScript()
		f, _, put := raise()
		s.register(f)
		look := site(compiled.Lookup, "m")
		a, b, other := s.start(nil), s.start(nil), s.start(nil)
		read := func(g *goroutine) {
			g.lock(complete, mutex)
			g.Touch(g, look, object, 1, 7, 0)
		}
		read(b) // so that the lock is not one goroutine's alone
		b.unlock(mutex)
		read(a)
		a.unlock(mutex)
		if name == "outer lock" {
			a.lock(opaque, mutex+64)
			read(a)
			a.unlock(mutex)
		}
		read(a)
		release(a)
		a.Touch(a, put, object, 1, 8, 1)
		a.unlock(mutex)
		addr := chanel
		if name == "outer lock" {
			addr = mutex + 64
		}
		other.acquire(addr)
		l := s.world.knownLock(mutex)
		p := l.find(s.world.tracked.find(object), element, 1)
		if !other.clock.Knows(p.changed) {
			t.Errorf("%s: the section of the release is not known", name)
		}
		s.finish()
	}
}

// TestAgainEnters has a goroutine enter a function in a section that repeats its last one so far.
// The activation is told what the section reads, and a check of it has an epoch.
func TestAgainEnters(t *testing.T) {
	f, get, _ := raise()
	for _, touch := range []*compiled.SectionTouch{get, site(compiled.Lookup, "m")} {
		s := newScript()
		s.register(f)
		a, b := s.start(nil), s.start(nil)
		read := func(g *goroutine, inside func()) {
			g.lock(complete, mutex)
			g.Touch(g, touch, object, 1, 7, 0)
			inside()
			g.Touch(g, touch, object, 2, 7, 0)
			g.unlock(mutex)
		}
		read(b, func() {}) // so that the lock is not one goroutine's alone
		read(a, func() {})
		read(a, func() { a.enter(f) })
		r := a.state.P().run.P()
		if r.nLog != 2 {
			t.Errorf("%d reads are known of the activation", r.nLog)
		}
		if touch == get && (r.nLooks != 1 ||
			r.looks[0].event.Epoch != a.state.P().section.begin) {
			t.Errorf("the check is %+v", r.looks[:r.nLooks])
		}
		s.finish()
	}
}
