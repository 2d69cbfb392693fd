// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"
)

// Predictions about two variables: between the two sections of one goroutine the other could have come with both of its
// accesses. As in predict_test.go, each goroutine is over before the next one begins, and only a flag that nobody sees has
// them in that order.

// atomic
func move(from, to *account, n int) {
	from.add(-n)
	to.add(n)
}

func (a *account) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// atomic
func sumUp(a, b *account) int { return a.get() + b.get() }

// Who adds up both may see what has been taken, and not yet what has been given.
func TestRacePredictedTotal(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() { move(&a, &b, 1) }, func() { sumUp(&a, &b) })
	})
}

// Who adds up may see one before, and the other after.
func TestRacePredictedMove(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() { sumUp(&a, &b) }, func() { move(&a, &b, 1) })
	})
}

// A lock around both keeps the other out.
func TestNoRacePredictedTotal(t *testing.T) {
	var a, b account
	var both sync.Mutex
	under := func(f func()) func() {
		return func() {
			both.Lock()
			defer both.Unlock()
			f()
		}
	}
	inTurn(under(func() { move(&a, &b, 1) }), under(func() { sumUp(&a, &b) }),
		under(func() { move(&b, &a, 1) }))
}

// The other is not marked: what it does one after the other is in that order all the same.
func TestRacePredictedUnmarked(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() { sumUp(&a, &b) }, func() { a.set(1); b.set(2) })
	})
}

// In the other order it is not: one could be added up before both, or after both.
func TestNoRacePredictedUnmarked(t *testing.T) {
	var a, b account
	inTurn(func() { sumUp(&a, &b) }, func() { b.set(1) }, func() { a.set(2) })
}

// In one transaction the order of the two doesn't matter.
func TestRacePredictedBackwards(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() { sumUp(&a, &b) }, func() {
			{ //atomic
				b.set(1)
				a.set(2)
			}
		})
	})
}

// It matters in two.
func TestNoRacePredictedBackwards(t *testing.T) {
	var a, b account
	inTurn(func() { sumUp(&a, &b) }, func() {
		b.set(1)
		a.set(2)
	})
}

// Each writes what the other reads.
func TestRacePredictedSkew(t *testing.T) {
	thrice(func() {
		var a, b account
		inTurn(func() {
			{ //atomic
				a.set(1)
				b.get()
			}
		}, func() {
			{ //atomic
				b.set(1)
				a.get()
			}
		})
	})
}

// What the second writes is nothing that the first has seen.
func TestNoRacePredictedSkew(t *testing.T) {
	var a, b, c account
	inTurn(func() {
		{ //atomic
			a.set(1)
			b.get()
		}
	}, func() {
		{ //atomic
			c.set(1)
			a.get()
		}
	})
}

// A name and what it stands for are behind one lock, and the reader lets it go in between.
type pair struct {
	mu               sync.Mutex
	name, size, kept int
}

func (p *pair) both(f func(name, size *int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.name, &p.size)
}

// atomic
func (p *pair) read() (name, size int) {
	p.both(func(n, _ *int) { name = *n })
	p.both(func(_, s *int) { size = *s })
	return name, size
}

// atomic
func (p *pair) readAtOnce() (name, size int) {
	p.both(func(n, s *int) { name, size = *n, *s })
	return name, size
}

func TestRacePredictedTorn(t *testing.T) {
	thrice(func() {
		var p pair
		inTurn(func() { p.read() }, func() { p.both(func(n, s *int) { *n, *s = 1, 2 }) })
	})
}

func TestNoRacePredictedTorn(t *testing.T) {
	var p pair
	inTurn(func() { p.readAtOnce() }, func() { p.both(func(n, s *int) { *n, *s = 1, 2 }) })
}

// A reader that looks at the name once more, before it keeps what it has read, is not misled.
//
// atomic
func (p *pair) keep() {
	name := 0
	p.both(func(n, _ *int) { name = *n })
	p.both(func(n, s *int) {
		if *n == name {
			p.kept = *s
		}
	})
}

func TestNoRacePredictedLooksAgain(t *testing.T) {
	var p pair
	inTurn(p.keep, func() { p.both(func(n, s *int) { *n, *s = 1, 2 }) })
}

// The second has to wait for what the first does in the end.
func TestNoRacePredictedAfter(t *testing.T) {
	var a, b, told account
	inTurn(func() {
		sumUp(&a, &b)
		told.set(1)
	}, func() {
		if told.get() == 1 {
			move(&a, &b, 1)
		}
	})
}

// It has to wait for what was there before.
func TestRacePredictedBefore(t *testing.T) {
	thrice(func() {
		var a, b, told account
		inTurn(func() {
			told.set(1)
			sumUp(&a, &b)
		}, func() {
			if told.get() == 1 {
				move(&a, &b, 1)
			}
		})
	})
}

// A third goroutine has done one of the two.
func TestNoRacePredictedThird(t *testing.T) {
	var a, b account
	inTurn(func() { sumUp(&a, &b) }, func() { a.set(1) }, func() { b.set(1) })
}
