// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"testing"
	"time"
)

// Each test looks with one call and acts with another, and something comes in between. The drafts
// find it, whether it did or could have.

func twice(transaction func(pause func()), intrude func()) {
	between(transaction, intrude)
	after(transaction, intrude)
}

func TestRaceLRU(*testing.T) {
	c := NewLRU(8)
	twice(func(pause func()) {
		if _, ok := c.Get("k"); !ok {
			pause()
			c.Add("k", 1)
		}
		c.Remove("k")
	}, func() { c.Add("k", 2) })
}

func TestRaceTTL(*testing.T) {
	c := NewTTL(time.Hour)
	twice(func(pause func()) {
		if _, ok := c.Get("k"); !ok {
			pause()
			c.Set("k", "mine")
		}
	}, func() { c.Set("k", "other") })
}

func TestRaceCounters(*testing.T) {
	c := NewCounters()
	twice(func(pause func()) {
		n := c.Count("w")
		pause()
		c.Set("w", n+1)
	}, func() { c.Inc("w") })
}

func TestRacePool(*testing.T) {
	p := NewPool(1)
	twice(func(pause func()) {
		if p.Idle() < p.Max() {
			pause()
			p.Put(1)
		}
	}, func() { p.Put(2) })
}

func TestRaceRegistry(*testing.T) {
	r := NewRegistry()
	twice(func(pause func()) {
		if r.Lookup("g") == nil {
			pause()
			r.Register("g", &Gauge{"mine"})
		}
	}, func() { r.Register("g", &Gauge{"other"}) })
}

func TestRaceSet(*testing.T) {
	s := NewSet[string]()
	twice(func(pause func()) {
		if !s.Has("x") {
			pause()
			s.Put("x")
		}
	}, func() { s.Put("x") })
}

func TestRaceQueue(*testing.T) {
	q := NewQueue()
	twice(func(pause func()) {
		if q.Len() < 1 {
			pause()
			q.Push(1)
		}
	}, func() { q.Push(2) })
}

func TestRaceEventLog(*testing.T) {
	l := &EventLog{}
	l.Append("old")
	twice(func(pause func()) {
		if l.Last() != "new" {
			pause()
			l.Truncate()
		}
	}, func() { l.Append("newer") })
}

func TestRaceLimiter(*testing.T) {
	l := NewLimiter(9)
	twice(func(pause func()) {
		if l.Left("me") > 0 {
			pause()
			l.Use("me", 1)
		}
	}, func() { l.Use("me", 1) })
}

func TestRaceSessions(*testing.T) {
	s := NewSessions()
	twice(func(pause func()) {
		if _, ok := s.User("id"); !ok {
			pause()
			s.Put("id", "me")
		}
	}, func() { s.Put("id", "other") })
}
