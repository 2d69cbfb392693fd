// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package coverage

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A place is an operation, as the oracle names it: a kind and a site.
type place struct {
	kind uint32
	site uintptr
}

// A twin is a pair of places, the first of which has the lower site, or kind.
type twin [2]place

// states are what was seen of pairs, as words.
type states map[twin]string

// seen is what package coverage has noted.
func seen() states {
	all := make(states)
	Each(func(kinds [2]uint32, sites [2]uintptr, s uint32) {
		a, b := place{kinds[0], sites[0]}, place{kinds[1], sites[1]}
		if less(b, a) {
			a, b = b, a
			s = s&^(Before|After) | s&Before<<1 | s&After>>1
		}
		all[twin{a, b}] = word(s)
	})
	return all
}

func less(a, b place) bool { return a.site < b.site || a.site == b.site && a.kind < b.kind }

// word is the state in a word, the greatest of what was seen.
func word(s uint32) string {
	switch {
	case s&Unordered != 0:
		return "unordered"
	case s&Before != 0 && s&After != 0:
		return "both"
	case s&Before != 0:
		return "before"
	case s&After != 0:
		return "after"
	}
	return "alone"
}

// A past is what a thread did on an object, for the oracle.
type past struct {
	place
	object, thread, time int
	key                  uint64
}

// An oracle compares each event with all that came before, by plain vector clocks.
type oracle struct {
	past []past
	bits map[twin]uint32
}

func (o *oracle) add(e past, meet func(a, b past) bool, knows func(past) bool) {
	if o.bits == nil {
		o.bits = make(map[twin]uint32)
	}
	for _, p := range o.past {
		if p.object != e.object || !meet(p, e) {
			continue
		}
		s := uint32(Unordered)
		switch {
		case p.thread == e.thread:
			s = Alone
		case p.place == e.place && knows(p):
			s = Before | After
		case knows(p) && less(p.place, e.place):
			s = Before
		case knows(p):
			s = After
		}
		a, b := p.place, e.place
		if less(b, a) {
			a, b = b, a
		}
		o.bits[twin{a, b}] |= s
	}
	o.past = append(o.past, e)
}

func (o *oracle) states() states {
	all := make(states)
	for k, s := range o.bits {
		all[k] = word(s)
	}
	return all
}

// meets is whether calls conflict, by the specification as it is compiled.
func meets(a, b past) bool {
	spec := &fixture.MapSpec
	for _, t := range spec.Methods[a.kind].Touch[0] {
		for _, u := range spec.Methods[b.kind].Touch[0] {
			p := &spec.Points[t.Point]
			if p.Conflicts>>u.Point&1 != 0 && (!p.Keyed || a.key == b.key) {
				return true
			}
		}
	}
	return false
}

// A thread is one of a random program.
type thread struct {
	vclock.Thread
	covered offheap.Ref[Thread]
	clock   map[int]int // the plain one
	ended   bool
}

// A program is what random events are of.
type program struct {
	world   vclock.World
	threads []*thread
	locks   [2]vclock.LockClock
	plain   [2]map[int]int
	objects [2]offheap.AtomicRef[Object]
	life    [2]int
	table   *commrace.Table
	oracle  oracle
	keys    int
}

func (p *program) start(parent *thread) {
	t := &thread{clock: make(map[int]int)}
	if parent == nil {
		p.world.Start(&t.Thread)
	} else {
		parent.Fork(&t.Thread)
		t.clock = maps.Clone(parent.clock)
		parent.tick(p)
	}
	p.threads = append(p.threads, t)
	t.tick(p)
}

// number is the number of a thread.
func (p *program) number(t *thread) int {
	for i, u := range p.threads {
		if u == t {
			return i
		}
	}
	panic("no thread")
}

func (t *thread) tick(p *program) { t.clock[p.number(t)]++ }

func join(into, from map[int]int) {
	for k, v := range from {
		into[k] = max(into[k], v)
	}
}

// step makes a random event.
func (p *program) step(r *rand.Rand) {
	t := p.threads[r.IntN(len(p.threads))]
	if t.ended {
		return
	}
	l := r.IntN(len(p.locks))
	switch n := r.IntN(20); {
	case n < 2:
		p.locks[l].Acquire(&t.Thread)
		join(t.clock, p.plain[l])
	case n < 3:
		p.locks[l].Release(&t.Thread)
		p.plain[l] = maps.Clone(t.clock)
		t.tick(p)
	case n < 4:
		p.locks[l].ReleaseMerge(&t.Thread)
		if p.plain[l] == nil {
			p.plain[l] = make(map[int]int)
		}
		join(p.plain[l], t.clock)
		t.tick(p)
	case n < 5 && len(p.threads) < 8:
		p.start(t)
	case n < 6 && len(p.threads) > 3:
		t.ended = true
		End(&t.covered)
		t.End()
	case n < 7 && r.IntN(4) == 0:
		i := r.IntN(len(p.objects))
		Drop(&p.objects[i])
		p.life[i]++
	default:
		p.call(t, r)
	}
}

// call makes a random call.
func (p *program) call(t *thread, r *rand.Rand) {
	i := r.IntN(len(p.objects))
	method := uint32(r.IntN(len(fixture.MapSpec.Methods)))
	e := past{place: place{method, uintptr(1 + r.IntN(3))}, object: i + len(p.objects)*p.life[i],
		thread: p.number(t), key: uint64(r.IntN(p.keys))}
	if method == fixture.Size {
		e.key = 0
	}
	e.time = t.clock[e.thread]
	p.oracle.add(e, meets, func(o past) bool { return o.time <= t.clock[o.thread] })
	keys := [commrace.Keys]uint64{e.key}
	ThreadAt(&t.covered).Called(ObjectAt(&p.objects[i]), &t.Thread, uint64(e.thread+1), p.table,
		method, 0, &keys, e.site)
}

// TestRandomCalls has random calls of random threads, which are compared with the oracle. With few
// keys, an object has room for all entries, so that the two are the same. With many, a pair may be
// missed, but what is noted was seen.
func TestRandomCalls(t *testing.T) {
	defer Forget()
	table := fixture.MapTable(t)
	counts := make(map[string]int)
	for seed := range uint64(3000) {
		Forget()
		r := rand.New(rand.NewPCG(seed, 1))
		p := &program{table: table, keys: 1}
		few := seed%2 == 0
		if !few {
			p.keys = 40
		}
		p.start(nil)
		p.start(nil)
		for range 40 + 400*int(seed%2) {
			p.step(r)
		}
		got, want := seen(), p.oracle.states()
		for k, s := range got {
			counts[s]++
			if few && s != want[k] || !few && !within(s, want[k]) {
				t.Fatalf("seed %d: %v is %s, want %s", seed, k, s, want[k])
			}
		}
		for k, s := range want {
			if few && got[k] == "" {
				t.Fatalf("seed %d: %v is missing, want %s", seed, k, s)
			}
		}
		for i := range p.objects {
			Drop(&p.objects[i])
		}
	}
	for _, s := range []string{"alone", "before", "after", "both", "unordered"} {
		if counts[s] < 100 {
			t.Errorf("only %d pairs are %s", counts[s], s)
		}
	}
}

// within reports whether a state is at most another one.
func within(s, most string) bool {
	order := map[string]int{"": 0, "alone": 1, "before": 2, "after": 2, "both": 3, "unordered": 4}
	return s == most || order[s] < order[most]
}

// TestRandomLocks has random locks of random threads, compared with the oracle.
func TestRandomLocks(t *testing.T) {
	defer Forget()
	counts := make(map[string]int)
	for seed := range uint64(3000) {
		Forget()
		r := rand.New(rand.NewPCG(seed, 2))
		var objects [2]offheap.AtomicRef[Object]
		threads := make([]offheap.Ref[Thread], 2+r.IntN(4))
		var o oracle
		for time := range 30 {
			e := past{place: place{uint32(shared), uintptr(1 + r.IntN(4))}, object: r.IntN(2),
				thread: r.IntN(len(threads)), time: time}
			if r.IntN(2) == 0 {
				e.kind |= read
			}
			o.add(e, func(a, b past) bool { return a.kind&b.kind&read == 0 },
				func(past) bool { return true })
			ThreadAt(&threads[e.thread]).Locked(ObjectAt(&objects[e.object]), uint64(e.thread+1),
				e.kind&read != 0, true, e.site)
		}
		got, want := seen(), o.states()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		for _, s := range got {
			counts[s]++
		}
		for i := range threads {
			End(&threads[i])
		}
		for i := range objects {
			Drop(&objects[i])
		}
	}
	for _, s := range []string{"alone", "before", "after", "both"} {
		if counts[s] < 100 {
			t.Errorf("only %d pairs are %s", counts[s], s)
		}
	}
}
