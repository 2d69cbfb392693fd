// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A Queue is one between threads, as Thrift's. Each method is one section of its lock, but for
// PopInTwo.
type Queue struct {
	mu         sync.Mutex
	head, tail int
	slots      [4]int
}

//commute:atomic each task is taken once
func (q *Queue) Pop() (task int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.tail {
		return 0, false
	}
	turn.Here()
	return q.take(), true
}

func (q *Queue) take() int {
	task := q.slots[q.head%len(q.slots)]
	q.head++
	return task
}

func (q *Queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.head == q.tail
}

// PopInTwo looks in one section and takes in another one.
//
//commute:atomic each task is taken once
func (q *Queue) PopInTwo() (task int, ok bool) {
	if q.empty() {
		return 0, false
	}
	turn.Here()
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take(), true
}

//commute:atomic no task is lost
func (q *Queue) Push(task int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tail-q.head == len(q.slots) {
		return false
	}
	q.slots[q.tail%len(q.slots)] = task
	q.tail++
	return true
}

// Served is how much was done.
type Served struct {
	mu sync.Mutex
	n  int
}

//commute:atomic it is one section
func (s *Served) Count(task int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += task
	return s.n > task
}

func thrift(r run) {
	q, served := new(Queue), new(Served)
	serve := func(int) {
		if task, ok := q.Pop(); ok {
			served.Count(task)
		}
		turn.Here()
	}
	turn.Go(
		func() { r.times(6, 1, serve) },
		func() { r.times(6, 2, serve) },
		func() { r.times(12, 3, func(n int) { q.Push(n); turn.Here() }) },
	)
}
