// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package models

import "sync"

// A Queue is first in, first out.
type Queue struct {
	mu   sync.Mutex
	list []int
}

func (q *Queue) Push(x int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, x)
}

func (q *Queue) Pop() (x int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return 0, false
	}
	x, q.list = q.list[0], q.list[1:]
	return x, true
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// A Log is append-only.
type Log struct {
	mu    sync.Mutex
	lines []string
}

func (l *Log) Append(lines ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, lines...)
}

func (l *Log) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.lines...)
}

func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

// A Counter is added to.
type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Add(d int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += d
}

func (c *Counter) Next() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *Counter) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// A Register holds one value.
type Register struct {
	mu sync.Mutex
	v  int
}

func (r *Register) Set(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.v = v
}

func (r *Register) Get() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.v
}

func (r *Register) CompareAndSwap(old, new int) (swapped bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.v != old {
		return false
	}
	r.v = new
	return true
}
