// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package refuted

import (
	"errors"
	"slices"
)

// A Stack forgets that the last of two Pushes is popped first. No observer shows it.
//
//ecl:commute Push(x1), Push(x2): true
//ecl:commute Push(x1), Pop()/(x2, ok2): false
//ecl:commute Pop()/(x1, ok1), Pop()/(x2, ok2): !ok1 && !ok2
type Stack struct{ xs []int }

func (s *Stack) Push(x int) { s.xs = append(s.xs, x) }
func (s *Stack) Pop() (x int, ok bool) {
	if n := len(s.xs); n > 0 {
		x, s.xs = s.xs[n-1], s.xs[:n-1]
		return x, true
	}
	return 0, false
}

// A Queue forgets that two Pops get different elements.
//
//ecl:observer Len()/(n)
//ecl:commute Push(x1), Push(x2): false
//ecl:commute Push(x1), Pop()/(x2, ok2): false
//ecl:commute Pop()/(x1, ok1), Pop()/(x2, ok2): true
//ecl:commute Pop()/(x1, ok1), Len()/(n2): !ok1
//ecl:commute Push(x1), Len()/(n2): false
type Queue struct{ xs []string }

func (q *Queue) Push(x string) { q.xs = append(q.xs, x) }
func (q *Queue) Len() int      { return len(q.xs) }
func (q *Queue) Pop() (x string, ok bool) {
	if len(q.xs) > 0 {
		x, q.xs = q.xs[0], q.xs[1:]
		return x, true
	}
	return "", false
}

// A Must is a stack that panics if it is empty, and forgets it.
//
//ecl:commute Push(x1), Push(x2): false
//ecl:commute Push(x1), Pop()/(x2): true
//ecl:commute Pop()/(x1), Pop()/(x2): false
type Must struct{ xs []int }

func (s *Must) Push(x int) { s.xs = append(s.xs, x) }
func (s *Must) Pop() (x int) {
	n := len(s.xs)
	if n == 0 {
		panic(errors.New("empty"))
	}
	x, s.xs = s.xs[n-1], s.xs[:n-1]
	return x
}

// An LRU keeps two keys, and forgets that Get is no observer: it says what is dropped next.
//
//ecl:observer Get(k)/(v)
//ecl:commute Put(k1, v1), Put(k2, v2): false
//ecl:commute Get(k1)/(v1), Put(k2, v2): false
type LRU struct {
	keys []int
	m    map[int]bool
}

func (c *LRU) Get(k int) bool {
	if i := slices.Index(c.keys, k); i >= 0 {
		c.keys = append(slices.Delete(c.keys, i, i+1), k)
	}
	return c.m[k]
}

func (c *LRU) Put(k int, v bool) {
	c.Get(k)
	if !slices.Contains(c.keys, k) {
		c.keys = append(c.keys, k)
	}
	if c.m == nil {
		c.m = make(map[int]bool)
	}
	if c.m[k] = v; len(c.keys) > 2 {
		delete(c.m, c.keys[0])
		c.keys = c.keys[1:]
	}
}

// A Log forgets that what is appended stays in order.
//
//ecl:observer All()/(xs)
//ecl:commute Append(xs1), Append(xs2): true
//ecl:commute Append(xs1), All()/(xs2): false
type Log struct{ xs []int }

func (l *Log) All() []int       { return slices.Clone(l.xs) }
func (l *Log) Append(xs ...int) { l.xs = append(l.xs, xs...) }
