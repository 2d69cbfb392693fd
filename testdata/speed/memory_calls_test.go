// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"math/rand/v2"
	"testing"
)

// The benchmarks here make calls that read and write memory: a detector that keeps stacks follows those too.

// A node is one of a binary search tree.
type node struct {
	left, right *node
	key, depth  int
}

func insert(n *node, key, depth int) *node {
	switch {
	case n == nil:
		return &node{key: key, depth: depth}
	case key < n.key:
		n.left = insert(n.left, key, depth+1)
	case key > n.key:
		n.right = insert(n.right, key, depth+1)
	}
	return n
}

// BenchmarkMemTreeInsert inserts a thousand keys into an empty tree.
func BenchmarkMemTreeInsert(b *testing.B) {
	b.ReportAllocs()
	order := rand.New(rand.NewPCG(1, 2)).Perm(accesses)
	for b.Loop() {
		memNode = nil
		for _, key := range order {
			memNode = insert(memNode, key, 0)
		}
	}
}

func fib(n int, calls *int) int {
	*calls++
	if n < 2 {
		return n
	}
	return fib(n-1, calls) + fib(n-2, calls)
}

// BenchmarkMemFib makes 1,973 calls that each write the same variable.
func BenchmarkMemFib(b *testing.B) {
	memHeap = new(int)
	for b.Loop() {
		fib(15, memHeap)
	}
}

// descend writes a variable of each call's own, on the heap, on the way back.
func descend(depth int, below *record) {
	r := &record{next: below}
	memRecord = r
	if depth > 0 {
		descend(depth-1, r)
	}
	r.count++
}

// BenchmarkMemDeep makes calls a thousand deep.
func BenchmarkMemDeep(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		descend(accesses, nil)
	}
	memRecord = nil
}

type shape interface{ grow(by int) }

type square struct{ side, area int }

func (s *square) grow(by int) {
	s.side += by
	s.area = s.side * s.side
}

type circle struct{ radius, area int }

func (c *circle) grow(by int) {
	c.radius += by
	c.area = 3 * c.radius * c.radius
}

// BenchmarkMemInterface calls methods of two types in turn, each of which writes two fields.
func BenchmarkMemInterface(b *testing.B) {
	shapes := []shape{new(square), new(circle)}
	for b.Loop() {
		for i := range accesses {
			memShape = shapes[i&1]
			memShape.grow(i)
		}
	}
}

// BenchmarkMemClosure calls a function that writes variables it has captured.
func BenchmarkMemClosure(b *testing.B) {
	sum, calls := 0, 0
	memFunc = func(i int) {
		sum += i
		calls++
	}
	for b.Loop() {
		for i := range accesses {
			memFunc(i)
		}
	}
}

// BenchmarkMemDefer calls a function whose writes are deferred.
func BenchmarkMemDefer(b *testing.B) {
	memRecord = new(record)
	update := func(r *record) {
		defer func() { r.used = false }()
		r.used = true
		r.id++
	}
	for b.Loop() {
		for range accesses {
			update(memRecord)
		}
	}
}
