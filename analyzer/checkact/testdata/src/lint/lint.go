// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package lint has pairs that another goroutine can come between, and twins that it can't, or in which it would do no harm.
package lint

import "sync"

var all sync.Map

type store struct {
	mu sync.Mutex
	m  sync.Map
}

func (s *store) get(k string) any {
	if v, ok := s.m.Load(k); ok {
		return v
	}
	v := new(int)
	s.m.Store(k, v) // want `Store depends on Load \(line 17\), and another goroutine can come between: use LoadOrStore, or hold a lock`
	return v
}

func (s *store) getOrStore(k string) any {
	if v, ok := s.m.Load(k); ok {
		return v
	}
	v, _ := s.m.LoadOrStore(k, new(int))
	return v
}

func (s *store) getLocked(k string) any {
	if v, ok := s.m.Load(k); ok {
		return v
	}
	v := new(int)
	s.m.Store(k, v)
	return v
}

func (s *store) underLock(k string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.m.Load(k); ok {
		return v
	}
	v := new(int)
	s.m.Store(k, v)
	return v
}

func (s *store) again(k string) any {
	if v, ok := s.m.Load(k); ok {
		return v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.m.Load(k); ok {
		return v
	}
	v := new(int)
	s.m.Store(k, v)
	return v
}

func (s *store) tooLate(k string) {
	_, ok := s.m.Load(k)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok {
		s.m.Store(k, 1) // want `Store depends on Load .*use LoadOrStore`
	}
}

// Helper is called with the lock held.
func (s *store) helper(k string) {
	if _, ok := s.m.Load(k); !ok {
		s.m.Store(k, 1)
	}
}

func (s *store) Outer(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.helper(k)
}

func (s *store) open(k string) {
	if _, ok := s.m.Load(k); !ok {
		s.m.Store(k, 1) // want `use LoadOrStore`
	}
}

func (s *store) Outside(k string) {
	s.mu.Lock()
	s.open(k)
	s.mu.Unlock()
	s.open(k)
}

func count(k string) {
	v, _ := all.Load(k)
	n, _ := v.(int)
	all.Store(k, n+1) // want `use CompareAndSwap with the value that was seen, and try again`
}

type header struct{ name string }

func fill(h *header, k string) {
	if v, ok := all.Load(k); ok {
		h.name = v.(string)
	} else {
		h.name = "x"
		all.Store(k, h.name) // want `use LoadOrStore`
	}
}

func drop(m *sync.Map, k string) {
	if v, ok := m.Load(k); ok && v == nil {
		m.Delete(k) // want `use LoadAndDelete, or CompareAndDelete with the value that was seen`
	}
}

func sweep() {
	all.Range(func(k, v any) bool {
		if v.(int) < 3 {
			all.Delete(k) // want `Delete depends on Range \(line \d+\), .*use CompareAndDelete with the value that was seen`
		}
		return true
	})
	all.Range(func(k, v any) bool {
		all.Delete(k)
		return true
	})
	all.Range(func(k, v any) bool {
		if v.(int) < 3 {
			all.CompareAndDelete(k, v)
		}
		return true
	})
}

func own() *sync.Map {
	var m sync.Map
	if _, ok := m.Load(1); !ok {
		m.Store(1, 2)
	}
	return &m
}

func ignored(k string) {
	if _, ok := all.Load(k); !ok {
		all.Store(k, 1) //commute:ignore the last one is as good as the first
	}
	if _, ok := all.Load(k); !ok {
		//commute:ignore likewise
		all.Store(k, 1)
	}
}

func otherKey(k, l string) {
	if _, ok := all.Load(k); !ok {
		all.Store(l, 1)
	}
}

func independent(k string) {
	all.Load(k)
	all.Store(k, 1)
}

func init() {
	if _, ok := all.Load("x"); !ok {
		all.Store("x", 1)
	}
}

// A Cache has a method that checks and acts.
//
//ecl:observer Get(k)/v
//ecl:arbiter GetOrPut(k, v)/w
//ecl:default false
//ecl:mutator Put(k, v)
type Cache struct{ m map[string]int }

func (c *Cache) Get(k string) int             { return c.m[k] }
func (c *Cache) Put(k string, v int)          { c.m[k] = v }
func (c *Cache) GetOrPut(k string, v int) int { return v }

// A Set has none.
//
//ecl:observer Has(k)/ok
//ecl:default false
//ecl:mutator Add(k)
type Set struct{ m map[string]bool }

func (s *Set) Has(k string) bool { return s.m[k] }
func (s *Set) Add(k string)      { s.m[k] = true }

func specified(c *Cache, s *Set, k string) {
	if c.Get(k) == 0 {
		c.Put(k, 1) // want `Put depends on Get \(line \d+\), and another goroutine can come between: use GetOrPut, or hold a lock`
	}
	if !s.Has(k) {
		s.Add(k)
	}
}
