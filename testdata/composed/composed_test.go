// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package composed

import (
	"testing"

	"example.com/rates.v1"
	"github.com/commutego/commute/testdata/composed/store"
	"github.com/commutego/commute/testdata/composed/user"
)

// The function is of another package than its methods' type, and than the test.

func TestRaceFillBetween(*testing.T) {
	s := store.New[*user.Item]()
	between(func(pause func()) { user.Fill(s, "k", pause) },
		func() { user.Fill(s, "k", nothing) })
}

func TestRaceFillAfter(*testing.T) {
	s := store.New[*user.Item]()
	after(func(pause func()) { user.Fill(s, "k", pause) }, func() { user.Fill(s, "k", nothing) })
}

func TestNoRaceFillOtherKey(*testing.T) {
	s := store.New[*user.Item]()
	between(func(pause func()) { user.Fill(s, "k", pause) },
		func() { user.Fill(s, "l", nothing) })
}

func TestNoRaceFillOtherStore(*testing.T) {
	s, other := store.New[*user.Item](), store.New[*user.Item]()
	between(func(pause func()) { user.Fill(s, "k", pause) },
		func() { user.Fill(other, "k", nothing) })
}

func TestNoRaceFillOrdered(*testing.T) {
	s := store.New[*user.Item]()
	done := make(chan bool)
	both(func() {
		user.Fill(s, "k", nothing)
		close(done)
	}, func() {
		<-done
		user.Fill(s, "k", nothing)
	})
}

func TestNoRaceFillNew(*testing.T) {
	s := store.New[*user.Item]()
	between(func(pause func()) { user.FillNew(s, "k", pause) },
		func() { user.FillNew(s, "k", nothing) })
}

func TestNoRaceFillLocked(*testing.T) {
	s := store.New[*user.Item]()
	after(func(pause func()) { user.FillLocked(s, "k", pause) },
		func() { user.FillLocked(s, "k", nothing) })
}

// The type is of another module.

func TestRaceRaiseBetween(*testing.T) {
	r := rates.New()
	between(func(pause func()) { user.Raise(r, "k", pause) },
		func() { user.Raise(r, "k", nothing) })
}

func TestRaceRaiseAfter(*testing.T) {
	r := rates.New()
	after(func(pause func()) { user.Raise(r, "k", pause) }, func() { user.Raise(r, "k", nothing) })
}

func TestNoRaceRaiseBy(*testing.T) {
	r := rates.New()
	between(func(pause func()) { user.RaiseBy(r, "k", pause) },
		func() { user.RaiseBy(r, "k", nothing) })
}

// The function is in the test itself, and composes one of another package with a method.

func double(r *rates.Rates, name string, pause func()) {
	n := user.Rate(r, name)
	pause()
	r.Set(name, 2*n)
}

func TestRaceDoubleBetween(*testing.T) {
	r := rates.New()
	r.Set("k", 1)
	between(func(pause func()) { double(r, "k", pause) }, func() { double(r, "k", nothing) })
}

func TestRaceDoubleAfter(*testing.T) {
	r := rates.New()
	r.Set("k", 1)
	after(func(pause func()) { double(r, "k", pause) }, func() { double(r, "k", nothing) })
}

func TestNoRaceDoubleWaited(*testing.T) {
	r := rates.New()
	r.Set("k", 1)
	double(r, "k", func() {
		done := make(chan bool)
		go func() {
			r.Set("k", 5)
			close(done)
		}()
		<-done
	})
}

// A literal composes.
func TestRaceLiteralBetween(*testing.T) {
	s := store.New[int]()
	add := func(pause func()) {
		n, _ := s.Get("k")
		pause()
		s.Put("k", n+1)
	}
	between(add, func() { add(nothing) })
}

func TestNoRaceLiteralOtherKey(*testing.T) {
	s := store.New[int]()
	add := func(k string, pause func()) {
		n, _ := s.Get(k)
		pause()
		s.Put(k, n+1)
	}
	between(func(pause func()) { add("k", pause) }, func() { add("l", nothing) })
}
