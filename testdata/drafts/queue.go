// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Queue hands values from one goroutine to another.
type Queue struct {
	mu    sync.Mutex
	some  *sync.Cond
	items []int
}

// NewQueue makes an empty queue.
func NewQueue() *Queue {
	q := &Queue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

func (q *Queue) Push(x int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, x)
	q.some.Signal()
}

func (q *Queue) TryPop() (x int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return 0, false
	}
	return q.pop(), true
}

// Pop waits until there is a value.
func (q *Queue) Pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.some.Wait()
	}
	return q.pop()
}

func (q *Queue) pop() int {
	x := q.items[0]
	q.items = q.items[1:]
	return x
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}
