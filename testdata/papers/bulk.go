// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"slices"

	"github.com/commutego/commute/testdata/papers/turn"
)

// What looks at another vector, in several sections of its lock; and what does so in one.

// NewFrom is the constructor of figure 1: length, and then copy.
//
//commute:atomic the new one is what the other was
func NewFrom(o *Vector) *Vector {
	v := new(Vector)
	n := o.length()
	turn.Here()
	v.count.Store(int64(n))
	o.copyTo(v.data[:n])
	return v
}

// both calls a function with the locks of two vectors.
func both(v, o *Vector, f func(list []int)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	turn.Here()
	f(o.list())
}

//commute:atomic the new one is what the other was
func SafeNewFrom(o *Vector) *Vector {
	v := new(Vector)
	both(v, o, func(list []int) { v.count.Store(int64(copy(v.data[:], list))) })
	return v
}

//commute:atomic all are added, and no other
func (v *Vector) AddAll(o *Vector) {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := make([]int, o.length())
	turn.Here()
	for _, e := range list[:o.copyTo(list)] {
		v.set(add(e))
	}
}

//commute:atomic all are added, and no other
func (v *Vector) SafeAddAll(o *Vector) {
	both(v, o, func(list []int) {
		for _, e := range list {
			v.set(add(e))
		}
	})
}

// keep removes the elements that are, or are not, in another vector, which is asked of each.
func (v *Vector) keep(o *Vector, in bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.set(func(list []int) []int {
		return slices.DeleteFunc(list, func(e int) bool {
			has := o.contains(e)
			turn.Here()
			return has != in
		})
	})
}

//commute:atomic it is asked of one state of the other
func (v *Vector) RemoveAll(o *Vector) { v.keep(o, false) }

//commute:atomic it is asked of one state of the other
func (v *Vector) RetainAll(o *Vector) { v.keep(o, true) }

//commute:atomic it is asked of one state of the other
func (v *Vector) SafeRemoveAll(o *Vector) {
	both(v, o, func(other []int) {
		v.set(func(list []int) []int {
			return slices.DeleteFunc(list, func(e int) bool { return slices.Contains(other, e) })
		})
	})
}

//commute:atomic it is asked of one state of the other
func (v *Vector) ContainsAll(o *Vector) bool {
	for i := 0; i < o.length(); i++ {
		if turn.Here(); !v.contains(o.at(i)) {
			return false
		}
	}
	return true
}

// Equal looks at the other's number of modifications, so that it does not go on for nothing. It is
// no proof: the last look may come before a change.
//
//commute:atomic it is asked of one state of the other
func (v *Vector) Equal(o *Vector) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	mod := o.mod.Load()
	for i, e := range v.list() {
		if turn.Here(); o.mod.Load() != mod || e != o.at(i) {
			return false
		}
	}
	return o.length() == len(v.list())
}

//commute:atomic it is asked of one state of the other
func (v *Vector) SafeEqual(o *Vector) (same bool) {
	both(v, o, func(list []int) { same = slices.Equal(v.list(), list) })
	return same
}

// LastIndexOf looks at the count before it takes the lock.
//
//commute:atomic it is asked of one state
func (v *Vector) LastIndexOf(e int) int {
	n := v.count.Load()
	turn.Here()
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := min(n, v.count.Load()) - 1; i >= 0; i-- {
		if v.data[i] == e {
			return int(i)
		}
	}
	return -1
}

// Elements goes through the elements as they come.
//
//commute:atomic it is asked of one state
func (v *Vector) Elements() (sum int) {
	for i := int64(0); i < v.count.Load(); i++ {
		turn.Here()
		sum += v.at(int(i))
	}
	return sum
}

// vectors has each method that looks at a vector run beside all that change it: a phase for each.
func vectors(r run) {
	lookAndChange(r, append(looks(), func(_, o *Vector) { NewFrom(o) }), changes())
}

// stacks is as vectors, of a stack, which adds Push and Pop, and has no constructor from another.
func stacks(r run) {
	lookAndChange(r, looks(), append(changes(), func(v *Vector) { v.Push(4) },
		func(v *Vector) { v.Pop() }))
}

func looks() []func(v, o *Vector) {
	return []func(v, o *Vector){
		(*Vector).AddAll, (*Vector).RemoveAll, (*Vector).RetainAll,
		func(v, o *Vector) { v.ContainsAll(o) }, func(v, o *Vector) { v.Equal(o) },
		func(_, o *Vector) { o.LastIndexOf(1) }, func(_, o *Vector) { o.Elements() },
	}
}

func changes() []func(v *Vector) {
	return []func(v *Vector){
		func(v *Vector) { v.Add(1) }, func(v *Vector) { v.Insert(3) }, (*Vector).Remove,
		(*Vector).RemoveRange, (*Vector).EnsureCapacity, (*Vector).SetSize,
		(*Vector).RemoveAllElements, func(v *Vector) { v.Add(2) },
	}
}

func lookAndChange(r run, looks []func(v, o *Vector), changes []func(v *Vector)) {
	for range r.work {
		for _, look := range looks {
			shared := vectorOf(1, 2, 3)
			change := func(n int) {
				changes[n%len(changes)](shared)
				turn.Here()
			}
			once := run{r.seed, 1}
			turn.Go(
				func() { once.times(3, 1, func(int) { look(vectorOf(2, 3, 4), shared) }) },
				func() { once.times(10, 2, change) },
				func() { once.times(10, 3, change) },
			)
		}
	}
}
