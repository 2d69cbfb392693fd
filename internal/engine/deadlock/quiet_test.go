// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// A noteSink keeps which uses are noted. Locks that are taken at an address below 4 are the
// library's, and those that are taken at 4 are new.
type noteSink struct {
	Sink
	clock vclock.Thread
	notes []string
}

func (s *noteSink) Own(at *Place) bool         { return at.PCs[0] >= 4 }
func (s *noteSink) Fresh(at *Place) bool       { return at.PCs[0] == 4 }
func (s *noteSink) OrderClock() *vclock.Thread { return &s.clock }
func (s *noteSink) Report(*Cycle)              {}
func (s *noteSink) Capture(d *Side, _ *Place) {
	s.notes = append(s.notes, fmt.Sprint(d.Held, d.Wanted, d.HeldRead, d.WantedRead,
		d.Gates[:d.NGates]))
}

// A noted is a goroutine, alone in its world, and what is noted of it. If repeats is not nil, it
// takes locks by TakesAgain and lets them go by GivesLast, where it can.
type noted struct {
	w       *World
	t       *Thread
	repeats map[key]Repeat // by lock and mode
	again   [2]int         // how often each of these was enough
	noteSink
}

type key struct {
	lock uintptr
	mode Mode
}

func newNoted() *noted {
	n := &noted{w: new(World), t: new(Thread)}
	new(vclock.World).Start(&n.clock)
	return n
}

// take takes a lock. It reports whether all its locks are known to be the library's.
func (n *noted) take(lock, pc uintptr, m Mode, released uint32) (alone bool) {
	at := n.t.TakesAlone(n.w, lock, m, released)
	k := key{lock, m}
	if r, ok := n.repeats[k]; ok && at == nil {
		if at = n.t.TakesAgain(n.w, &r, lock, m, released); at != nil {
			n.again[0]++
			*at = Place{PCs: [3]uintptr{pc}}
			return false
		}
	}
	if alone = at != nil; !alone {
		at = n.t.Next(n.w)
	}
	*at = Place{PCs: [3]uintptr{pc}}
	if !alone {
		n.t.Wants(n.w, lock, m, released, n)
		n.t.Takes(n.w, lock, m, released)
		if r, ok := n.t.Repeat(n.w, lock, m); ok && n.repeats != nil {
			n.repeats[k] = r
		}
	}
	return alone
}

// gives lets a lock go. It returns what Gives does.
func (n *noted) gives(lock uintptr, released uint32) (vclock.Epoch, uint32, bool) {
	if n.repeats != nil && n.t.GivesLast(lock, released) {
		n.again[1]++
		return 0, released, true
	}
	return n.t.Gives(n.w, lock, n)
}

// forgets reports whether some pair was forgotten, or how often one of was came.
func (n *noted) forgets(was *quietWants) bool {
	s := n.t.state.P()
	if s == nil {
		return false
	}
	for i := range was {
		if a, b := &was[i], &s.quiet[i]; a.to != 0 && (a.to != b.to || a.held != b.held) {
			return true
		}
	}
	return slices.ContainsFunc(s.known.next[:], func(n uint8) bool { return n >= ways })
}

// check compares the hash of what is held with what is held, and which locks were let go since
// nothing was held with those that are known to be.
func (n *noted) check(t *testing.T, seed uint64, let map[uintptr]bool) {
	s := n.t.state.P()
	if s == nil || s.n == 0 {
		return
	}
	context := uint64(0)
	for i, h := range s.held[:s.n] {
		context += mix(h.lock, uintptr(i+1))
	}
	if s.context != context {
		t.Fatalf("seed %d: what is held has hash %x, want %x", seed, s.context, context)
	}
	passed := make(map[uintptr]bool)
	for _, g := range s.passed[:s.nPassed] {
		passed[g.lock] = true
	}
	if !maps.Equal(passed, let) {
		t.Fatalf("seed %d: locks that were let go: %v, want %v", seed, passed, let)
	}
}

// A step takes a lock, or lets it go.
type step struct {
	lock, pc uintptr
	mode     Mode
	gives    bool
}

// steps are random steps with a few locks of all kinds. At their end no lock is held.
func steps(rnd *rand.Rand) (all []step) {
	var locks [3]step
	for i := range locks {
		m := []Mode{0, Shared, Shared | Read}[rnd.IntN(3)]
		locks[i] = step{lock: uintptr(i+1) << 12, pc: uintptr(3 + rnd.UintN(2)), mode: m}
	}
	var held []uintptr
	for n := 3 + rnd.IntN(4); n > 0 || len(held) > 0; n-- {
		l := locks[rnd.IntN(len(locks))]
		i := slices.Index(held, l.lock)
		switch {
		case n > 0 && (i < 0 || l.mode&Read != 0 && rnd.IntN(2) == 0):
			held = append(held, l.lock)
			if l.pc > 3 {
				l.pc += uintptr(rnd.UintN(3))
			}
		case i >= 0:
			held = slices.Delete(held, i, i+1)
			l.gives = true
		default:
			continue
		}
		all = append(all, l)
	}
	return all
}

// TestQuietWants takes a few locks of all kinds, in a few orders again and again, with releases in
// between. What is noted is the same, at the same time, if it is never remembered that there is
// nothing to note.
func TestQuietWants(t *testing.T) {
	skipped, rounds, again := false, 0, [2]int{}
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		got, want := newNoted(), newNoted()
		if seed%2 == 0 {
			got.repeats = make(map[key]Repeat)
		}
		orders := [][]step{steps(rnd), steps(rnd)}
		let, held := make(map[uintptr]bool), 0
		released := uint32(0)
		for round := 0; round < 400; round++ {
			rounds++
			for _, s := range orders[rnd.IntN(2)] {
				if rnd.IntN(3) > 0 {
					released++
				}
				if s.gives {
					_, a, held1 := got.gives(s.lock, released)
					_, b, held2 := want.gives(s.lock, released)
					if a != b || held1 != held2 {
						t.Fatalf("seed %d, round %d: let go: %d %v, want %d %v", seed, round,
							a, held1, b, held2)
					}
					let[s.lock] = true
					if held--; held == 0 {
						clear(let)
					}
					got.check(t, seed, let)
					continue
				}
				held++
				var was quietWants
				if st := want.t.state.P(); st != nil {
					st.quiet = quietWants{}
					was = got.t.state.P().quiet
				}
				a := got.take(s.lock, s.pc, s.mode, released)
				b := want.take(s.lock, s.pc, s.mode, released)
				if a != b {
					t.Fatalf("seed %d, round %d: taken alone: %v, want %v", seed, round, a, b)
				}
				if got.forgets(&was) {
					round = 400 // what is forgotten is noted anew, sooner or later
					break
				}
				if !slices.Equal(got.notes, want.notes) {
					t.Fatalf("seed %d, round %d: noted %q, want %q",
						seed, round, got.notes, want.notes)
				}
				if st := got.t.state.P(); st != nil {
					skipped = skipped || st.quiet != was && slices.ContainsFunc(st.quiet[:],
						func(q quietWant) bool { return q.done > 0 })
				}
			}
		}
		again[0], again[1] = again[0]+got.again[0], again[1]+got.again[1]
	}
	if !skipped || rounds < 20000 || min(again[0], again[1]) < 2000 {
		t.Errorf("%d rounds; something was skipped: %v; %v locks taken and let go again", rounds,
			skipped, again)
	}
}

// TestQuietWriter takes an RWMutex inside of a lock that nobody else knows, so that there is
// nothing to note. Once others have noted something, there is: its writers may be part of a cycle.
func TestQuietWriter(t *testing.T) {
	const outer, inner = 1 << 12, 2 << 12
	n := newNoted()
	n.repeats = make(map[key]Repeat)
	for i := range uint32(100) {
		n.take(outer, 4, 0, i)
		n.take(inner, 5, Shared, i)
		n.t.Gives(n.w, inner, n)
		n.t.Gives(n.w, outer, n)
		if i == 50 {
			if len(n.notes) != 0 {
				t.Fatalf("noted %q", n.notes)
			}
			n.w.on.Store(1)
		}
		if i == 51 && len(n.notes) != 1 {
			t.Errorf("noted %q at the first time that there is something to note", n.notes)
		}
	}
}
