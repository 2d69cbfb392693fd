// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// Accounts are two of a bank.
type Accounts struct {
	mu       sync.Mutex
	from, to int
}

// Transfer has the debit and the credit in two sections.
//
//commute:atomic the sum stays the same
func (a *Accounts) Transfer(n int) {
	a.mu.Lock()
	a.from -= n
	a.mu.Unlock()
	turn.Here()
	a.mu.Lock()
	a.to += n
	a.mu.Unlock()
}

//commute:atomic the sum stays the same
func (a *Accounts) SafeTransfer(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.from -= n
	turn.Here()
	a.to += n
}

//commute:atomic the sum stays the same
func (a *Accounts) Sum() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.from + a.to
}

func account(r run) {
	a := new(Accounts)
	turn.Go(
		func() { r.times(3, 1, func(n int) { a.Transfer(n); a.SafeTransfer(n) }) },
		func() { r.times(3, 2, func(n int) { a.Transfer(n); a.SafeTransfer(n) }) },
		func() { r.times(6, 3, func(int) { a.Sum(); turn.Here() }) },
	)
}

// A Table has philosophers around it.
type Table struct {
	forks [seats]sync.Mutex
	meals [seats]int
}

const seats = 3

// Eat takes two forks, the one with the smaller number first.
//
//commute:atomic nobody else eats with these forks
func (t *Table) Eat(seat int) {
	first, second := min(seat, (seat+1)%seats), max(seat, (seat+1)%seats)
	t.forks[first].Lock()
	t.forks[second].Lock()
	t.meals[first]++
	turn.Here()
	t.meals[second]++
	t.forks[second].Unlock()
	t.forks[first].Unlock()
}

// Snatch lets the first fork go before it takes the second one.
//
//commute:atomic nobody else eats with these forks
func (t *Table) Snatch(seat int) {
	for _, fork := range [...]int{seat, (seat + 1) % seats} {
		t.forks[fork].Lock()
		t.meals[fork]++
		t.forks[fork].Unlock()
		turn.Here()
	}
}

func philo(r run) {
	t := new(Table)
	var list []func()
	for seat := range seats {
		list = append(list, func() { r.times(2, seat, func(int) { t.Eat(seat); turn.Here() }) })
	}
	turn.Go(list...)
}

// A Meeting counts who arrives.
type Meeting struct {
	mu             sync.Mutex
	arrived, round int
}

// Arrive looks in another section whether all have arrived.
//
//commute:atomic each round has as many as there are workers
func (b *Meeting) Arrive() {
	b.mu.Lock()
	b.arrived++
	b.mu.Unlock()
	turn.Here()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next()
}

//commute:atomic each round has as many as there are workers
func (b *Meeting) SafeArrive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived++
	turn.Here()
	b.next()
}

func (b *Meeting) next() {
	if b.arrived >= workers {
		b.arrived = 0
		b.round++
	}
}

//commute:atomic it is a look
func (b *Meeting) Round() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.round
}

func meeting(r run) {
	b := new(Meeting)
	r.workers(2, func(int) {
		b.Arrive()
		b.Round()
	})
}

// A Bench has methods of one section each.
type Bench struct {
	mu sync.Mutex
	n  int
}

//commute:atomic it is one section
func (b *Bench) Synchronized() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.n
	turn.Here()
	b.n = was + 1
	return b.n
}

// Halves is as Synchronized, in two sections.
//
//commute:atomic it is not: these are two
func (b *Bench) Halves() int {
	b.mu.Lock()
	was := b.n
	b.mu.Unlock()
	turn.Here()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n = was + 1
	return b.n
}

// Local works on what nobody else has.
//
//commute:atomic nobody else has it
func Local(n *int) { *n++ }

func synchBench(r run) {
	b := new(Bench)
	own := make([]int, workers)
	r.workers(4, func(part int) {
		b.Synchronized()
		Local(&own[part])
	})
}
