// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package models

import "sync"

// A Dict is the dictionary of the paper: nil stands for what is not there.
type Dict struct {
	mu sync.Mutex
	m  map[string]any
}

func NewDict() *Dict { return &Dict{m: make(map[string]any)} }

func (d *Dict) Put(k string, v any) (p any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p = d.m[k]
	if v == nil {
		delete(d.m, k)
	} else {
		d.m[k] = v
	}
	return p
}

func (d *Dict) Get(k string) (v any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.m[k]
}

func (d *Dict) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.m)
}

func (d *Dict) Del(k string) (had bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, had = d.m[k]
	delete(d.m, k)
	return had
}

// A Set has each element once.
type Set struct {
	mu sync.Mutex
	m  map[int]bool
}

func (s *Set) Add(x int) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = make(map[int]bool)
	}
	added = !s.m[x]
	s.m[x] = true
	return added
}

func (s *Set) Remove(x int) (removed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	removed = s.m[x]
	delete(s.m, x)
	return removed
}

func (s *Set) Has(x int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[x]
}

// An LRU forgets the keys that were used least recently. Get is no observer.
type LRU struct {
	mu    sync.Mutex
	max   int
	order []string
	m     map[string]int
}

func NewLRU(max int) *LRU { return &LRU{max: max, m: make(map[string]int)} }

func (c *LRU) touch(k string) {
	for i, x := range c.order {
		if x == k {
			c.order = append(c.order[:i:i], c.order[i+1:]...)
			break
		}
	}
	c.order = append(c.order, k)
	if len(c.order) > c.max {
		delete(c.m, c.order[0])
		c.order = c.order[1:]
	}
}

func (c *LRU) Get(k string) (v int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok = c.m[k]; ok {
		c.touch(k)
	}
	return v, ok
}

func (c *LRU) Put(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = v
	c.touch(k)
}

func (c *LRU) Peek(k string) (v int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok = c.m[k]
	return v, ok
}

// A Table is generic.
type Table[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func NewTable[K comparable, V any]() *Table[K, V] { return &Table[K, V]{m: make(map[K]V)} }

func (t *Table[K, V]) Load(k K) (v V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, ok = t.m[k]
	return v, ok
}

func (t *Table[K, V]) Store(k K, v V) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *Table[K, V]) LoadOrStore(k K, v V) (actual V, loaded bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if have, ok := t.m[k]; ok {
		return have, true
	}
	t.m[k] = v
	return v, false
}
