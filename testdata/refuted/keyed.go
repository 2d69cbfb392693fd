// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package refuted

import "sync"

// A Dict forgets that Get and Put of one key don't commute.
//
//ecl:observer Get(k)/(v)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Get(k1)/(v1), Put(k2, v2): true
type Dict struct{ m sync.Map }

func (d *Dict) Get(k string) any    { v, _ := d.m.Load(k); return v }
func (d *Dict) Put(k string, v any) { d.m.Store(k, v) }

// A Sized forgets that Put may add a key.
//
//ecl:observer Len()/(n)
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Len()/(n1), Put(k2, v2): true
type Sized struct {
	mu sync.Mutex
	m  map[string]int
}

func NewSized() *Sized { return &Sized{m: make(map[string]int)} }

func (s *Sized) Put(k string, v int) { s.mu.Lock(); s.m[k] = v; s.mu.Unlock() }
func (s *Sized) Len() int            { s.mu.Lock(); defer s.mu.Unlock(); return len(s.m) }

// A Deleter forgets that Delete tells whether there was something.
//
//ecl:commute Put(k1), Put(k2): true
//ecl:commute Put(k1), Delete(k2)/(n2): k1 != k2
//ecl:commute Delete(k1)/(n1), Delete(k2)/(n2): true
type Deleter map[string]bool

func NewDeleter() Deleter { return make(Deleter) }

func (d *Deleter) Put(k string) { (*d)[k] = true }
func (d *Deleter) Delete(k string) int {
	n := len(*d)
	delete(*d, k)
	return n - len(*d)
}

// A Set forgets that Add tells whether the element is new.
//
//ecl:observer Has(x)/(ok)
//ecl:commute Add(x1)/(ok1), Add(x2)/(ok2): true
//ecl:commute Add(x1)/(ok1), Has(x2)/(ok2): x1 != x2 || !ok1
type Set struct{ m map[int]bool }

func (s *Set) Has(x int) bool { return s.m[x] }
func (s *Set) Add(x int) bool {
	if s.m[x] {
		return false
	}
	if s.m == nil {
		s.m = make(map[int]bool)
	}
	s.m[x] = true
	return true
}

// A Table is generic, and forgets that only one LoadOrStore of a key can store.
//
//ecl:observer Load(k)/(v, ok)
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), LoadOrStore(k2, v2)/(a2, loaded2): true
//ecl:commute LoadOrStore(k1, v1)/(a1, loaded1), Load(k2)/(v2, ok2): k1 != k2 || loaded1
type Table[K comparable, V any] struct{ m map[K]V }

func NewTable[K comparable, V any]() *Table[K, V] { return &Table[K, V]{make(map[K]V)} }

func (t *Table[K, V]) Load(k K) (V, bool) { v, ok := t.m[k]; return v, ok }
func (t *Table[K, V]) LoadOrStore(k K, v V) (V, bool) {
	if have, ok := t.m[k]; ok {
		return have, true
	}
	t.m[k] = v
	return v, false
}

// A Keyed lists its keys in random order, and forgets that Put may add one.
//
//ecl:observer Keys()/(list), Each(f)
//ecl:callback Each(f)
//ecl:commute Put(k1), Put(k2): true
//ecl:commute Put(k1), Keys()/(list2): false
//ecl:commute Put(k1), Each(f2): true
type Keyed struct{ m map[string]bool }

func (t *Keyed) Put(k string) {
	if t.m == nil {
		t.m = make(map[string]bool)
	}
	t.m[k] = true
}

func (t *Keyed) Keys() (list []string) {
	for k := range t.m {
		list = append(list, k)
	}
	return list
}

func (t *Keyed) Each(f func(k string) bool) {
	for k := range t.m {
		if !f(k) {
			return
		}
	}
}
