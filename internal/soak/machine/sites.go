// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package machine executes plans of package plan. Commute does not watch the package itself. All
// accesses that commute has to see are made by functions of the program that uses it, each at a
// place of its own.
//
// Input: plans of package plan, and a program's functions that access variables. Output: a line for
// each round.
//
// # Terms
//
//	round    one execution of a plan
//	site     a place in the program that accesses variables of one type
//	link     a way to order two goroutines: a signal comes before the waits for it
//	turn     the operations of a plan go on one by one, in its order
//	notice   a flag that is raised and seen without synchronization, for turns
package machine

import (
	"sync"
	"unsafe"

	"github.com/commutego/commute/internal/soak/plan"
)

// Sites are the functions that access variables, by site.
type Sites struct {
	Memory [plan.Types][]Memory
	Calls  []Calls
	Txns   []Txns
	Bodies map[uint64]func(r *Round) []Body // by the seed of a plan
}

// A Body is the function of a goroutine. yield is that of an iterator, nil for others.
type Body func(yield func(int) bool)

// A Memory is two accesses to a variable of one type. A value is a small number.
type Memory struct {
	Read  func(p unsafe.Pointer) int
	Write func(p unsafe.Pointer, v int)
}

// Calls are two calls on a key.
type Calls struct {
	Load  func(m *sync.Map, key int) int
	Store func(m *sync.Map, key, v int)
}

// Txns are transactions: Whole is one critical section. Split is two, between which it calls gap,
// and Meddle is what comes in between.
type Txns struct {
	Whole  func(mu *sync.Mutex, p *int64)
	Split  func(mu *sync.Mutex, p *int64, gap func())
	Meddle func(mu *sync.Mutex, p *int64)
}

// A variable is the memory or key of a [plan.Var].
type variable struct {
	at  unsafe.Pointer // of its type
	m   *sync.Map      // if it is a key
	key int
}

// Globals are as many as there are sites.
var Globals [plan.SitesPerType]unsafe.Pointer

// packed are bytes that lie side by side.
type packed struct {
	bytes [16]byte
	next  int
}

// variables makes the variables of a plan.
func (r *Round) variables() {
	var bytes *packed
	var m *sync.Map
	for i := range r.p.Vars {
		v := variable{key: i}
		switch r.p.Vars[i].Type {
		case plan.Packed:
			if bytes == nil || bytes.next == len(bytes.bytes) {
				bytes = new(packed)
			}
			v.at = unsafe.Pointer(&bytes.bytes[bytes.next])
			bytes.next++
		case plan.MapKey:
			if m == nil || i%4 == 0 {
				m = new(sync.Map)
				m.Load(-1) // the first call initializes, which comes before what follows
			}
			v.m = m
		case plan.Global:
			v.at = r.global(i)
		default:
			v.at = allocate(r.p.Vars[i].Type)
		}
		r.vars = append(r.vars, v)
	}
}

// global is the global variable of the first site that accesses variable i: no other has it.
func (r *Round) global(i int) unsafe.Pointer {
	if r.again {
		return allocate(plan.Int64)
	}
	for k := range r.p.Ops {
		if o := &r.p.Ops[k]; o.Access() && o.Var == i {
			return Globals[o.Site]
		}
	}
	return nil // it is not accessed
}

// allocate makes a variable of a type on the heap.
func allocate(t plan.Type) unsafe.Pointer {
	switch t {
	case plan.Int64:
		return unsafe.Pointer(new(int64))
	case plan.Uint16:
		return unsafe.Pointer(new(uint16))
	case plan.Float64:
		return unsafe.Pointer(new(float64))
	case plan.Complex:
		return unsafe.Pointer(new(complex128))
	case plan.String:
		return unsafe.Pointer(new(string))
	case plan.Slice:
		return unsafe.Pointer(new([]byte))
	case plan.Struct:
		return unsafe.Pointer(new(Three))
	case plan.Array:
		return unsafe.Pointer(new([5]int32))
	case plan.Pointer:
		return unsafe.Pointer(new(*int))
	case plan.Element:
		s := make([]int, 3)
		return unsafe.Pointer(&s)
	case plan.Any:
		a := any(0)
		return unsafe.Pointer(&a)
	case plan.Table:
		m := make(map[int]int)
		return unsafe.Pointer(&m)
	}
	panic("no such type")
}

// Three is a struct.
type Three struct {
	A, B int64
	C    string
}

// Text has strings and slices of all lengths, and numbers that pointers point to.
var (
	Text    = string(make([]byte, 64))
	Bytes   = make([]byte, 64)
	Numbers [64]int
)

func init() {
	for i := range Numbers {
		Numbers[i] = i
	}
}

// Length is the length of a string or slice, whatever it points to. It takes the whole, so that all
// of it is read.
//
//go:noinline
func Length[T ~string | ~[]byte](s T) int { return len(s) }

// Number is what a pointer points to, 0 for nil.
//
//go:noinline
func Number(p *int) int {
	if p == nil {
		return 0
	}
	return *p
}

// Sum is what a struct was made from.
//
//go:noinline
func Sum(t Three) int { return int(t.A) }
