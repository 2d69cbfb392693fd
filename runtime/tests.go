// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A test is a test, subtest or benchmark that package testing runs. Races are charged to the tests
// whose goroutines made them: a goroutine belongs to the test that it was started in, by whatever
// line of go statements. (With -race, a race is charged to all tests that run when it is found.)
type test struct {
	number uint32         // tests are numbered from 1
	own    atomic.Uintptr // the goroutine that runs the test's function; others of the test look at it
	charge atomic.Uint64  // number of the last race that was charged to it

	outer offheap.Ref[test]       // what it was begun in
	scope uint32                  // what it is instead of a test, see scopes.go; 0 for a test
	found atomic.Uint32           // of an expectation: what was found of it
	over  atomic.Uint32           // 1 when an expectation has ended
	inner offheap.AtomicRef[test] // the scope that ignores what is found in it
}

// A testTable finds tests by their numbers. Chunk k has firstTests<<k of them.
type testTable struct {
	lock   offheap.Lock
	last   uint32
	chunks [24]offheap.AtomicRef[test]
}

const firstTests = 64

var tests testTable

// place is the chunk of a test and its place there.
func (tt *testTable) place(number uint32) (chunk, i uint32) {
	for i = number - 1; i >= firstTests<<chunk; chunk++ {
		i -= firstTests << chunk
	}
	return chunk, i
}

// at returns the test with a number, nil for 0.
func (tt *testTable) at(number uint32) *test {
	if number == 0 {
		return nil
	}
	c, i := tt.place(number)
	return (*test)(unsafe.Add(unsafe.Pointer(tt.chunks[c].Load()), uintptr(i)*unsafe.Sizeof(test{})))
}

// add returns a new test.
func (tt *testTable) add() *test {
	tt.lock.Lock()
	tt.last++
	n := tt.last
	if c, i := tt.place(n); i == 0 {
		tt.chunks[c].Store((*test)(host.Alloc(firstTests << c * unsafe.Sizeof(test{}))))
	}
	tt.lock.Unlock()
	t := tt.at(n)
	t.number = n
	return t
}

var charges struct {
	last atomic.Uint64 // races are numbered from 1
}

// charge lays a race at the door of the tests that made it, by one or two of their goroutines.
func charge(a, b *test) {
	n := charges.last.Add(1)
	if a != nil {
		a.charge.Store(n)
	}
	if b != nil {
		b.charge.Store(n)
	}
}

func testAt(p uintptr) *test { return *(**test)(unsafe.Pointer(&p)) }
