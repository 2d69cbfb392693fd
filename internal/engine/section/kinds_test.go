// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A kind is a kind of program: a function that each of three goroutines calls, once. Its steps are
// critical sections and whatever else it does at once; a step returns false to leave the function.
type kind struct {
	name  string
	shape compiled.Shape
	value bool
	fill  bool
	// check and act are the operations of the pair, at object 0.
	check, act compiled.TouchOp
	steps      func(r *runner) []func() bool
}

// A runner is a goroutine that runs a kind, and what all goroutines of the program share.
type runner struct {
	*goroutine
	*shared
	n        int // its number, from 0
	get, put *compiled.SectionTouch
	x, y     int
}

type siteKey struct {
	op  compiled.TouchOp
	obj int
}

// A shared is a map, and a few variables: a generation, busy flags and so on.
type shared struct {
	m     map[int]int
	v     [6]int
	sites map[siteKey]*compiled.SectionTouch
	token int
}

// site is the site of an operation on an object, one for each.
func (r *runner) site(op compiled.TouchOp, obj int) *compiled.SectionTouch {
	k := siteKey{op, obj}
	if r.sites[k] == nil {
		r.sites[k] = site(op, "x")
		r.world().Heat(r.sites[k])
	}
	return r.sites[k]
}

func (r *runner) world() *World { return &r.s.world }

// do makes a section of the lock of a step.
func (r *runner) do(f func()) func() bool {
	return r.on(mutex, func() bool { f(); return true })
}

// on makes a section of a lock; f returns false to leave the function.
func (r *runner) on(lock uintptr, f func() bool) func() bool {
	return func() bool {
		r.lock(complete, lock)
		ok := f()
		r.unlock(lock)
		return ok
	}
}

// value is an engine's value of an int of a map.
func value(n int, ok bool) uint64 {
	if !ok {
		return 0
	}
	return uint64(n) + 1
}

// The operations on the map and on variables. Touch is nil for a site of their own.
func (r *runner) lookup(t *compiled.SectionTouch, k int) (int, bool) {
	v, ok := r.m[k]
	if t == nil {
		t = r.site(compiled.Lookup, 0)
	}
	r.Touch(r, t, object, uint64(k), value(v, ok), 0)
	return v, ok
}

func (r *runner) insert(t *compiled.SectionTouch, k, v int) {
	r.m[k] = v
	if t == nil {
		t = r.site(compiled.Insert, 0)
	}
	r.Touch(r, t, object, uint64(k), value(v, true), uint64(len(r.m)))
}

func (r *runner) remove(t *compiled.SectionTouch, k int) {
	delete(r.m, k)
	r.Touch(r, t, object, uint64(k), 0, uint64(len(r.m)))
}

func (r *runner) length(t *compiled.SectionTouch) int {
	if t == nil {
		t = r.site(compiled.Len, 0)
	}
	r.Touch(r, t, object, 0, uint64(len(r.m)), 0)
	return len(r.m)
}

func (r *runner) read(t *compiled.SectionTouch, i int) int {
	if t == nil {
		t = r.site(compiled.ReadVar, i)
	}
	r.Touch(r, t, object+0x100+uintptr(i)*8, 0, uint64(r.v[i]), 0)
	return r.v[i]
}

func (r *runner) write(t *compiled.SectionTouch, i, v int) {
	r.v[i] = v
	if t == nil {
		t = r.site(compiled.WriteVar, i)
	}
	r.Touch(r, t, object+0x100+uintptr(i)*8, 0, uint64(v), 0)
}

// claim sets a flag, and reports whether it was not set.
func (r *runner) claim() bool {
	if r.read(nil, 1) != 0 {
		return false
	}
	r.write(nil, 1, 1)
	return true
}

// fresh is a value that no other goroutine makes: a pointer.
func (r *runner) fresh() int { r.token++; return 1000 + r.token }

// run runs a kind. Turns is how often another goroutine goes on after a step: once in so many
// times.
func (k *kind) run(seed int64, turns int) *script {
	s := newScript()
	random := rand.New(rand.NewSource(seed))
	get, put := site(k.check, "x"), site(k.act, "x")
	f := &compiled.SectionFunc{Pairs: []compiled.SectionPair{{Check: get, Act: put, Shape: k.shape,
		Value: k.value, Always: k.value, Fill: k.fill}}}
	s.register(f)
	common := &shared{m: map[int]int{1: 7}, sites: make(map[siteKey]*compiled.SectionTouch)}
	var steps [3][]func() bool
	for i := range steps {
		r := &runner{goroutine: s.start(nil), shared: common, n: i, get: get, put: put}
		s.keep = append(s.keep, r)
		steps[i] = k.steps(r)
	}
	at, first := [3]int{}, random.Intn(3)
	for g, left := first, len(steps); left > 0; {
		if at[g] == len(steps[g]) || random.Intn(turns) == 0 {
			g = (g + 1 + random.Intn(2)) % 3
			continue
		}
		if at[g] == 0 {
			s.started[g].enter(f)
		}
		at[g]++
		if !steps[g][at[g]-1]() {
			at[g] = len(steps[g])
		}
		if at[g] == len(steps[g]) {
			s.started[g].leave()
			left--
		}
	}
	s.finish()
	return s
}

// TestWrongKinds runs each program that is wrong with no overlap at all, in each order of its
// goroutines: a twin must be found.
func TestWrongKinds(t *testing.T) {
	for _, k := range wrongKinds {
		for seed := range int64(20) {
			s := k.run(seed, 1<<30)
			if len(s.found) == 0 {
				t.Errorf("%s, seed %d: nothing found", k.name, seed)
				break
			}
			for _, e := range s.evidence() {
				if e == Observed {
					t.Errorf("%s, seed %d: observed, and nothing overlaps", k.name, seed)
				}
			}
		}
	}
}

// TestRightKinds runs each program that is right, with no overlap and with any: nothing may be
// found.
func TestRightKinds(t *testing.T) {
	seeds := int64(1000)
	if testing.Short() {
		seeds = 200
	}
	for _, k := range rightKinds {
		for seed := range seeds {
			turns := 1 << 30
			if seed%2 == 0 {
				turns = 1 + int(seed%5)
			}
			if s := k.run(seed, max(turns, 2)); len(s.found) > 0 {
				t.Errorf("%s, seed %d: found %v", k.name, seed, s.evidence())
				break
			}
		}
	}
}
