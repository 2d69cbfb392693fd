// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkacts

import (
	"sync"
	"testing"
)

// A store is a map of which one method looks, and another one puts. Who calls both checks and acts.
type store struct{ m sync.Map }

//go:noinline
func (s *store) get(k string) (int, bool) {
	v, ok := s.m.Load(k)
	if !ok {
		return 0, false
	}
	return v.(int), true
}

//go:noinline
func (s *store) put(k string, n int) { s.m.Store(k, n) }

func (s *store) has(k string) bool {
	_, ok := s.m.Load(k)
	return ok
}

func (s *store) putInlined(k string, n int) { s.m.Store(k, n) }

//go:noinline
func (s *store) putDeep(k string, n int) { s.put(k, n) }

func (s *store) add(pause func()) {
	n, _ := s.get("k")
	pause()
	s.put("k", n+1)
}

func (s *store) addDeep(pause func()) {
	n, _ := s.get("k")
	pause()
	s.putDeep("k", n+1)
}

func (s *store) addInlined(pause func()) {
	n := 1
	if s.has("k") {
		n = 2
	}
	pause()
	s.putInlined("k", n)
}

func (s *store) ensure(pause func()) {
	if !s.has("k") {
		pause()
		s.m.Store("k", 1)
	}
}

func (s *store) set() { s.m.Store("k", 7) }

func TestRaceThroughBetweenSet(*testing.T) { s := new(store); between(s.add, s.set) }
func TestRaceThroughAfterSet(*testing.T)   { s := new(store); after(s.add, s.set) }

func TestRaceThroughDeepBetweenSet(*testing.T)    { s := new(store); between(s.addDeep, s.set) }
func TestRaceThroughInlinedBetweenSet(*testing.T) { s := new(store); between(s.addInlined, s.set) }
func TestRaceThroughCheckBetweenSet(*testing.T)   { s := new(store); between(s.ensure, s.set) }

func TestRaceThroughBetweenThrough(*testing.T) {
	s := new(store)
	between(s.add, func() { s.add(nothing) })
}

func TestRaceThroughAfterThrough(*testing.T) {
	s := new(store)
	after(s.add, func() { s.add(nothing) })
}

// An earlier activation was called from another place. The goroutine's own later one is the check.
func TestRaceThroughTwice(*testing.T) {
	s := new(store)
	between(func(pause func()) {
		s.add(nothing)
		s.add(pause)
	}, s.set)
}

// Another goroutine looks at the same place of get, but acts on nothing.
func TestRacePlainThroughLook(*testing.T) {
	s := new(store)
	after(s.add, func() { s.get("k") })
}

// maybe acts without a check, too. So what came before may be another activation's.
func (s *store) maybe(look bool) {
	n := 0
	if look {
		n, _ = s.get("k")
	}
	s.put("k", n+1)
}

func TestRacePlainThroughMaybe(*testing.T) {
	s := new(store)
	after(func(func()) {
		for _, look := range []bool{true, false} {
			s.maybe(look)
		}
	}, s.set)
}

// Two functions check and act apart.
func TestRacePlainThroughApart(*testing.T) {
	s := new(store)
	after(func(func()) {
		n, _ := s.get("k")
		ignore(n)
		s.put("k", 1)
	}, s.set)
}

//go:noinline
func ignore(int) {}

// addOnce is add mended.
func (s *store) addOnce(pause func()) {
	if s.has("k") {
		return
	}
	pause()
	s.m.LoadOrStore("k", 1)
}

func TestNoRaceThroughOnce(*testing.T) {
	s := new(store)
	between(s.addOnce, func() { s.addOnce(nothing) })
}

func TestNoRaceThroughOtherKey(*testing.T) {
	s := new(store)
	between(s.add, func() { s.put("other", 1) })
}

// A request has its key behind a getter.
type request struct{ key string }

//go:noinline
func (r *request) GetKey() string { return r.key }

//go:noinline
func (r *request) String() string { return r.key }

func (s *store) serve(r *request, pause func()) {
	n, _ := s.get(r.GetKey())
	pause()
	s.put(r.GetKey(), n+1)
}

func (s *store) serveHere(r *request, pause func()) {
	v, _ := s.m.Load(r.String())
	n, _ := v.(int)
	pause()
	s.m.Store(r.String(), n+1)
}

func TestRaceThroughGetter(*testing.T) {
	s := new(store)
	between(func(pause func()) { s.serve(&request{"k"}, pause) }, s.set)
}

func TestRaceKeyByCall(*testing.T) {
	s := new(store)
	between(func(pause func()) { s.serveHere(&request{"k"}, pause) }, s.set)
}
