// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tests

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Test is a test, subtest or benchmark that package testing runs. Findings are charged to the
// tests whose goroutines made them. A goroutine belongs to the test that it was started in, by
// whatever line of go statements. (With -race, a race is charged to all tests that run when it is
// found.)
type Test struct {
	Number uint32         // counted from 1
	Name   string         // as package testing has it; empty of a scope
	Runner atomic.Uintptr // the goroutine that runs the test's function, 0 when that has ended
	Charge atomic.Uint64  // the number of the last finding that was charged to it
	Told   atomic.Uint32  // how many findings were reported with it

	Outer offheap.Ref[Test]       // the test or scope that it was begun in
	Scope uint32                  // of a scope: its kind, see scopes.go; 0 for a test
	Found atomic.Uint32           // of an expectation: 1 when it was met
	Ended atomic.Uint32           // of an expectation: 1 when it has ended
	inner offheap.AtomicRef[Test] // the scope in it that ignores findings
}

// A table finds tests by their numbers. Chunk k has firstTests<<k of them.
type table struct {
	lock   offheap.Lock
	last   uint32
	chunks [24]offheap.AtomicRef[Test]
}

const firstTests = 64

// All has all tests.
var All table

// place is the chunk of a test and its place there.
func (tt *table) place(number uint32) (chunk, i uint32) {
	for i = number - 1; i >= firstTests<<chunk; chunk++ {
		i -= firstTests << chunk
	}
	return chunk, i
}

// At returns the test with a number, nil for 0.
func (tt *table) At(number uint32) *Test {
	if number == 0 {
		return nil
	}
	c, i := tt.place(number)
	return (*Test)(unsafe.Add(unsafe.Pointer(tt.chunks[c].Load()),
		uintptr(i)*unsafe.Sizeof(Test{})))
}

// Add returns a new test.
func (tt *table) Add() *Test {
	tt.lock.Lock()
	tt.last++
	n := tt.last
	if c, i := tt.place(n); i == 0 {
		tt.chunks[c].Store((*Test)(host.Alloc(firstTests << c * unsafe.Sizeof(Test{}))))
	}
	tt.lock.Unlock()
	t := tt.At(n)
	t.Number = n
	return t
}

// Charges counts the findings that tests were charged with, or would be.
var Charges struct {
	Last atomic.Uint64 // findings are numbered from 1
}

// Charge charges two tests with a finding; either may be nil, or both.
func Charge(a, b *Test) {
	n := Charges.Last.Add(1)
	if a != nil {
		a.Charge.Store(n)
	}
	if b != nil {
		b.Charge.Store(n)
	}
}

// Tell counts a finding that is reported with two tests, for the first time; either may be nil, or
// both.
func Tell(a, b *Test) {
	if a != nil {
		a.Told.Add(1)
	}
	if b != nil && b != a {
		b.Told.Add(1)
	}
}

// TestOf is the test that a word points to.
func TestOf(p uintptr) *Test { return *(**Test)(unsafe.Pointer(&p)) }
