// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tests

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Test is a test, subtest or benchmark that package testing runs. Races are charged to the tests
// whose goroutines made them: a goroutine belongs to the test that it was started in, by whatever
// line of go statements. (With -race, a race is charged to all tests that run when it is found.)
type Test struct {
	Number uint32         // tests are numbered from 1
	Runner atomic.Uintptr // the goroutine that runs the test's function; others of the test look at it
	Charge atomic.Uint64  // number of the last race that was charged to it

	Outer offheap.Ref[Test]       // what it was begun in
	Scope uint32                  // what it is instead of a test, see scopes.go; 0 for a test
	Found atomic.Uint32           // of an expectation: what was found of it
	Ended atomic.Uint32           // 1 when an expectation has ended
	inner offheap.AtomicRef[Test] // the scope that ignores what is found in it
}

// A testTable finds tests by their numbers. Chunk k has firstTests<<k of them.
type table struct {
	lock   offheap.Lock
	last   uint32
	chunks [24]offheap.AtomicRef[Test]
}

const firstTests = 64

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
	return (*Test)(unsafe.Add(unsafe.Pointer(tt.chunks[c].Load()), uintptr(i)*unsafe.Sizeof(Test{})))
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

var Charges struct {
	Last atomic.Uint64 // races are numbered from 1
}

// Charge lays a race at the door of the tests that made it, by one or two of their goroutines.
func Charge(a, b *Test) {
	n := Charges.Last.Add(1)
	if a != nil {
		a.Charge.Store(n)
	}
	if b != nil {
		b.Charge.Store(n)
	}
}

func TestOf(p uintptr) *Test { return *(**Test)(unsafe.Pointer(&p)) }
