// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// What goes through many: lists, loops, types with all their methods.

func (v *vector) at(i int) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.items[min(i, len(v.items)-1)]
}

func (v *vector) remove(i int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.items = append(v.items[:i:i], v.items[i+1:]...)
}

// atomic
func (v *vector) sumOneByOne(s *script.Script) (sum int) {
	for i := range v.size() {
		sum += v.at(i)
		if i == 0 {
			interrupt(s)
		}
	}
	return sum
}

// atomic
func (v *vector) sumLocked(s *script.Script) (sum int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, n := range v.items {
		sum += n
		if i == 0 {
			invite(s)
		}
	}
	return sum
}

func TestRaceIterator(t *testing.T) {
	v := &vector{items: []int{1, 2, 3}}
	interrupted(func(s *script.Script) { v.sumOneByOne(s) }, func() { v.remove(0) })
}

func TestNoRaceIterator(t *testing.T) {
	v := &vector{items: []int{1, 2, 3}}
	interrupted(func(s *script.Script) { v.sumLocked(s) }, func() { v.remove(0) })
}

// Each round of a loop is a transaction: what comes between two is no harm.
func (a *account) addAll(s *script.Script, list ...int) {
	for i, n := range list { //atomic
		was := a.get()
		if i == 1 {
			interrupt(s)
		}
		a.set(was + n)
	}
}

func (a *account) addBetween(s *script.Script, list ...int) {
	for i, n := range list {
		if i == 1 {
			interrupt(s)
		}
		//atomic
		{
			a.set(a.get() + n)
		}
	}
}

func TestRaceRound(t *testing.T) {
	var a account
	interrupted(func(s *script.Script) { a.addAll(s, 1, 2, 3) }, func() { a.set(5) })
}

func TestNoRaceRound(t *testing.T) {
	var a account
	interrupted(func(s *script.Script) { a.addBetween(s, 1, 2, 3) }, func() { a.set(5) })
}

// A function literal may be marked.
func TestRaceLiteral(t *testing.T) {
	var a account
	interrupted(
		//atomic
		func(s *script.Script) {
			was := a.get()
			interrupt(s)
			a.set(was + 1)
		}, func() { a.set(5) })
}

func TestNoRaceLiteral(t *testing.T) {
	var a account
	interrupted(func(s *script.Script) {
		add := func() { a.set(a.get() + 1) }
		add()
		interrupt(s)
		add()
	}, func() { a.set(5) })
}

// All exported methods of a register are marked, with the type.
//
// atomic
type register struct {
	mu sync.Mutex
	m  map[string]int
}

func (r *register) look(k string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[k]
}

func (r *register) put(k string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[k] = n
}

// Next is marked.
func (r *register) Next(k string, s *script.Script) {
	n := r.look(k)
	interrupt(s)
	r.put(k, n+1)
}

// next is not: it is not exported.
func (r *register) next(k string, s *script.Script) {
	n := r.look(k)
	interrupt(s)
	r.put(k, n+1)
}

func TestRaceType(t *testing.T) {
	r := &register{m: map[string]int{}}
	interrupted(func(s *script.Script) { r.Next("k", s) }, func() { r.put("k", 5) })
}

func TestNoRaceType(t *testing.T) {
	r := &register{m: map[string]int{}}
	interrupted(func(s *script.Script) { r.next("k", s) }, func() { r.put("k", 5) })
}

// A list is gone through hand over hand: who comes behind does not overtake.
type node struct {
	mu   sync.Mutex
	n    int
	next *node
}

// atomic
func (l *node) addHandOverHand(s *script.Script) {
	l.mu.Lock()
	l.n++
	l.next.mu.Lock()
	l.mu.Unlock()
	invite(s)
	l.next.n++
	l.next.mu.Unlock()
}

// atomic
func (l *node) addLettingGo(s *script.Script) {
	l.mu.Lock()
	l.n++
	l.mu.Unlock()
	interrupt(s)
	l.next.mu.Lock()
	l.next.n++
	l.next.mu.Unlock()
}

// atomic
func (l *node) sumAll() (sum int) {
	l.mu.Lock()
	sum = l.n
	l.next.mu.Lock()
	l.mu.Unlock()
	sum += l.next.n
	l.next.mu.Unlock()
	return sum
}

func TestRaceHandOverHand(t *testing.T) {
	l := &node{next: &node{}}
	interrupted(l.addLettingGo, func() { l.sumAll() })
}

func TestNoRaceHandOverHand(t *testing.T) {
	l := &node{next: &node{}}
	interrupted(l.addHandOverHand, func() { l.sumAll() })
}

// A key of a sync.Map is renamed.
type names struct {
	mu sync.RWMutex
	m  sync.Map
}

// atomic
func (x *names) renameUnlocked(s *script.Script) {
	v, _ := x.m.LoadAndDelete("old")
	interrupt(s)
	x.m.LoadOrStore("new", v)
}

// atomic
func (x *names) renameLocked(s *script.Script) {
	x.mu.Lock()
	defer x.mu.Unlock()
	v, _ := x.m.LoadAndDelete("old")
	invite(s)
	x.m.LoadOrStore("new", v)
}

// atomic
func (x *names) hasLocked() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.has()
}

func (x *names) has() bool {
	_, old := x.m.Load("old")
	_, renamed := x.m.Load("new")
	return old || renamed
}

func TestRaceRename(t *testing.T) {
	var x names
	x.m.Store("old", 1)
	interrupted(x.renameUnlocked, func() { x.has() })
}

func TestNoRaceRename(t *testing.T) {
	var x names
	x.m.Store("old", 1)
	interrupted(x.renameLocked, func() { x.hasLocked() })
}

// What is between two locks need not be known.
func TestRaceLockOnly(t *testing.T) {
	a := new(account)
	interrupted(func(s *script.Script) { a.lockAgain(s) }, func() { touch(&a.mu) })
}

func TestNoRaceLockOnly(t *testing.T) {
	a := new(account)
	interrupted(func(s *script.Script) { a.lockThroughout(s) }, func() { touch(&a.mu) })
}

// atomic
func (a *account) lockAgain(s *script.Script) {
	touch(&a.mu)
	interrupt(s)
	touch(&a.mu)
}

// atomic
func (a *account) lockThroughout(s *script.Script) {
	a.mu.Lock()
	defer a.mu.Unlock()
	invite(s)
}
