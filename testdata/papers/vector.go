// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A Vector is that of JDK 1.4.2: each method takes its lock. Some read the count and the number of
// modifications without it. What has no exported name is a part of the methods that have one.
type Vector struct {
	mu         sync.Mutex
	count, mod atomic.Int64
	data       [most]int
}

const most = 8 // elements of a vector

// vectorOf is a vector of some elements, which nobody else has yet.
func vectorOf(elements ...int) *Vector {
	v := new(Vector)
	v.count.Store(int64(copy(v.data[:], elements)))
	return v
}

// list are the elements, for whoever holds the lock.
func (v *Vector) list() []int { return v.data[:v.count.Load()] }

func (v *Vector) length() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return int(v.count.Load())
}

// copyTo copies the elements, as many as there is room for.
func (v *Vector) copyTo(list []int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return copy(list, v.list())
}

// at is an element, 0 if there is none.
func (v *Vector) at(i int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	if list := v.list(); i < len(list) {
		return list[i]
	}
	return 0
}

func (v *Vector) contains(e int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Contains(v.list(), e)
}

// change counts a modification, and makes it, under the lock: f is given the elements, with room
// for more, and returns those that are left.
func (v *Vector) change(f func(list []int) []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set(f)
}

// set is change for whoever holds the lock.
func (v *Vector) set(f func(list []int) []int) {
	v.mod.Add(1)
	was := v.count.Load()
	if n := int64(len(f(v.list()))); n != was {
		v.count.Store(n)
	}
}

func add(e int) func(list []int) []int {
	return func(list []int) []int {
		if len(list) == most {
			return list
		}
		return append(list, e)
	}
}

// without leaves out the elements from lo on and before hi.
func without(lo, hi int) func(list []int) []int {
	return func(list []int) []int {
		lo, hi := min(lo, len(list)), min(hi, len(list))
		return append(list[:lo], list[hi:]...)
	}
}

//commute:atomic it is one section
func (v *Vector) Add(e int) { v.change(add(e)) }

//commute:atomic it is one section
func (v *Vector) Insert(e int) {
	v.change(func(list []int) []int {
		if len(list) == most {
			return list
		}
		return slices.Insert(list, 0, e)
	})
}

//commute:atomic it is one section
func (v *Vector) Remove() { v.change(without(0, 1)) }

//commute:atomic it is one section
func (v *Vector) RemoveRange() { v.change(without(0, 2)) }

//commute:atomic it is one section
func (v *Vector) EnsureCapacity() { v.change(func(list []int) []int { return list }) }

//commute:atomic it is one section
func (v *Vector) SetSize() { v.change(func(list []int) []int { return list[:3] }) }

//commute:atomic it is one section
func (v *Vector) RemoveAllElements() { v.change(without(0, most)) }

//commute:atomic it is one section
func (v *Vector) Push(e int) { v.change(add(e)) }

// Pop removes the last element, 0 if there is none.
//
//commute:atomic it is one section
func (v *Vector) Pop() (e int) {
	v.change(func(list []int) []int {
		if len(list) == 0 {
			return list
		}
		e = list[len(list)-1]
		return list[:len(list)-1]
	})
	return e
}
