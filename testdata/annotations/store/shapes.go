// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package store

import "sync"

// A KV is specified for what implements it, here and in packages that import this one.
//
//ecl:observer Get(k)/(v, ok), Count()/n
//ecl:commute Set(k1, v1)/err1, Set(k2, v2)/err2: k1 != k2
//ecl:commute Set(k1, v1)/err1, Get(k2)/(v2, ok2): k1 != k2
//ecl:commute Set(k1, v1)/err1, Count()/n2: err1 != nil
type KV interface {
	Set(k string, v int) error
	Get(k string) (v int, ok bool)
	Count() int
}

type memKV struct {
	mu sync.Mutex
	m  map[string]int
}

// NewKV returns a KV.
func NewKV() KV { return &memKV{m: make(map[string]int)} }

func (kv *memKV) Set(k string, v int) error {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	kv.m[k] = v
	return nil
}

func (kv *memKV) Get(k string) (int, bool) {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	v, ok := kv.m[k]
	return v, ok
}

func (kv *memKV) Count() int {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	return len(kv.m)
}

// drivers are registered under names.
//
//ecl:observer Driver(name)/(d, ok)
//ecl:commute Register(name1, d1)/isNew1, Register(name2, d2)/isNew2: name1 != name2
//ecl:commute Register(name1, d1)/isNew1, Driver(name2)/(d2, ok2): name1 != name2 || !isNew1
var drivers = make(map[string]any)

var driversMu sync.Mutex

// Register adds a driver, the first of its name.
func Register[D any](name string, d D) (isNew bool) {
	driversMu.Lock()
	defer driversMu.Unlock()
	if _, ok := drivers[name]; ok {
		return false
	}
	drivers[name] = d
	return true
}

// Driver returns the driver of that name.
func Driver(drivers string) (any, bool) {
	driversMu.Lock()
	defer driversMu.Unlock()
	return get(drivers)
}

func get(name string) (any, bool) { d, ok := drivers[name]; return d, ok }

// Limit is the largest size of a small request.
const Limit = 10

// A Request is for a Log.
type Request struct {
	Size int
	Flag struct{ Dry bool }
}

// A Log has conditions with constants and fields.
//
//ecl:commute Do(r1), Do(r2): r1.Flag.Dry && r2.Flag.Dry || r1.Size > Limit && r2.Size > Limit
type Log struct {
	mu   sync.Mutex
	list []int
}

// Do keeps small requests.
func (l *Log) Do(Limit Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !Limit.Flag.Dry && Limit.Size <= 10 {
		l.list = append(l.list, Limit.Size)
	}
}

// A Shared is one object with its copies.
//
//ecl:identity parts
//ecl:observer Has(k)/ok
//ecl:commute Add(k1), Add(k2): true
//ecl:commute Add(k1), Has(k2)/ok2: k1 != k2
type Shared struct {
	mu    *sync.Mutex
	parts []map[string]bool
}

// NewShared returns an empty set.
func NewShared() Shared { return Shared{new(sync.Mutex), []map[string]bool{{}}} }

// Add adds k.
func (s Shared) Add(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parts) > 0 {
		s.parts[0][k] = true
	}
}

// Has reports whether k is there.
func (s *Shared) Has(k string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.parts) > 0 && s.parts[0][k]
}

// An Inbox is a channel, and so are its copies.
//
//ecl:commute Send(x1), Send(x2): false
//ecl:commute Size()/n1, Send(x2): false
//ecl:observer Size()/n
type Inbox chan int

// Send puts x in.
func (i Inbox) Send(x int) { i <- x }

// Size is how much is in.
func (i Inbox) Size() int { return len(i) }

// A Queue is specified in queue.ecl.
type Queue[T any] struct {
	mu   sync.Mutex
	list []T
}

// Push appends xs.
func (q *Queue[T]) Push(xs ...T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, xs...)
}

// First returns the first.
func (q *Queue[T]) First() (x T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return x, false
	}
	return q.list[0], true
}

// Peek is First for who knows that there is one.
func (q *Queue[T]) Peek() T {
	x, _ := q.First()
	return x
}

// Len is how many there are.
func (q *Queue[T]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// Cap says nothing about what is in.
func (q *Queue[T]) Cap() int { return 1 << 20 }

// An UpdateFunc is a callback with parameters of its own.
type UpdateFunc[V any, K comparable] func(key K, old ...V) (V, error)

// A Table has callbacks of named types, and is one of functions as well.
//
//ecl:observer At(k)/v
//ecl:callback Update(_, f)
//ecl:commute Update(k1, f1)/err1, Update(k2, f2)/err2: k1 != k2 || err1 != nil && err2 != nil
//ecl:commute Update(k1, f1)/err1, At(k2)/v2: k1 != k2 || err1 != nil
type Table[A comparable, B any] struct {
	mu sync.Mutex
	m  map[A]B
}

// Update replaces the value of k, unless f has an error.
func (t *Table[A, B]) Update(k A, f UpdateFunc[B, A]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, err := f(k, t.m[k])
	if err != nil {
		return err
	}
	if t.m == nil {
		t.m = make(map[A]B)
	}
	t.m[k] = v
	return nil
}

// At returns the value of k.
func (t *Table[A, B]) At(k A) B {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k]
}
