// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"testing"
	"time"
)

// Nothing here is wrong: a reader stands beside a writer, the last of two writers wins, one call
// looks and acts, or two goroutines look and act on keys of their own.

func TestNoRaceLRU(*testing.T) {
	c := NewLRU(8)
	own := func(key string) func() {
		return func() {
			if _, ok := c.Get(key); !ok {
				c.Add(key, 1)
			}
			c.Len()
			c.Keys()
		}
	}
	both(own("a"), own("b"))
	twice(func(pause func()) { own("c")(); pause(); c.Add("k", 1); c.Get("k") },
		func() { own("d")(); c.Add("k", 2); c.Remove("k") })
}

func TestNoRaceTTL(*testing.T) {
	c := NewTTL(time.Hour)
	once := func() { c.Add("k", "v"); c.Get("k"); c.Delete("k") }
	both(once, once)
	twice(func(pause func()) { c.Set("k", "v"); pause(); c.Get("k") }, func() { c.Set("k", "w") })
}

func TestNoRaceCounters(*testing.T) {
	c := NewCounters()
	count := func() { c.Inc("w"); c.Count("w"); c.Total() }
	both(count, count)
	twice(func(pause func()) { count(); pause(); count() }, func() { c.Set("w", 0) })
}

func TestNoRacePool(*testing.T) {
	p := NewPool(8)
	use := func() {
		conn, ok := p.Take()
		if !ok {
			conn = 1
		}
		p.Put(conn)
		p.Idle()
	}
	both(use, use)
	twice(func(pause func()) { use(); pause(); use() }, use)
}

func TestNoRaceRegistry(*testing.T) {
	r := NewRegistry()
	create := func() *Gauge { return &Gauge{"g"} }
	get := func() { r.GetOrCreate("g", create); r.Lookup("g") }
	both(get, get)
	twice(func(pause func()) { get(); pause(); get() }, get)
}

func TestNoRaceSet(*testing.T) {
	s := NewSet[string]()
	claim := func() {
		if s.Add("x") {
			s.Remove("x")
		}
		s.Has("x")
	}
	both(claim, claim)
	twice(func(pause func()) { claim(); pause(); s.Len() }, func() { s.Put("x"); claim() })
}

// What a queue hands on is the receiver's: it looks and acts on that alone.
func TestNoRaceQueue(*testing.T) {
	q, done := NewQueue(), NewSet[int]()
	both(func() {
		for x := range 8 {
			if !done.Has(x) {
				done.Put(x)
			}
			q.Push(x)
		}
	}, func() {
		for range 8 {
			x := q.Pop()
			if done.Has(x) {
				done.Remove(x)
				done.Put(-x)
			}
		}
	})
	done.Put(9)
	q.Push(9)
	both(func() { q.TryPop() }, func() { q.TryPop() })
}

// The same without a method that waits.
func TestNoRaceTryQueue(*testing.T) {
	q, done := NewQueue(), NewSet[int]()
	both(func() {
		for x := range 8 {
			if !done.Has(x) {
				done.Put(x)
			}
			q.Push(x)
		}
	}, func() {
		for range 1000 {
			if x, ok := q.TryPop(); ok && done.Has(x) {
				done.Put(x)
			}
		}
	})
}

func TestNoRaceEventLog(*testing.T) {
	l := &EventLog{}
	write := func() { l.Append("e"); l.Last(); l.Each(func(string) {}) }
	both(write, write)
	twice(func(pause func()) { write(); pause(); l.Sealed() }, l.Seal)
}

func TestNoRaceLimiter(*testing.T) {
	l := NewLimiter(9)
	try := func() {
		if l.Allow("me") {
			l.Left("me")
		}
	}
	both(try, try)
	twice(func(pause func()) { try(); pause(); try() }, func() { l.Reset("me") })
}

func TestNoRaceSessions(*testing.T) {
	s := NewSessions()
	login := func() {
		if s.Create("id", "me") == nil {
			s.User("id")
			s.End("id")
		}
		s.Count()
		s.All()
	}
	both(login, login)
	twice(func(pause func()) { login(); pause(); login() }, func() { s.Put("id", "other") })
}
