// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import "testing"

func TestRaceAccount(t *testing.T) {
	interrupt(t, []scene{
		{"Transfer", func() (first, other func()) {
			a := new(Accounts)
			return func() { a.Transfer(1) }, func() { a.Sum() }
		}},
		{"Transfers", func() (first, other func()) {
			a := new(Accounts)
			return func() { a.Transfer(1) }, func() { a.SafeTransfer(2) }
		}},
	})
}

func TestNoRaceAccount(t *testing.T) {
	invite(t, []scene{
		{"SafeTransfer", func() (first, other func()) {
			a := new(Accounts)
			return func() { a.SafeTransfer(1) }, func() { a.Sum() }
		}},
		{"SafeTransfers", func() (first, other func()) {
			a := new(Accounts)
			return func() { a.SafeTransfer(1) }, func() { a.SafeTransfer(2) }
		}},
	})
}

func TestRacePhilo(t *testing.T) {
	interrupt(t, []scene{{"Snatch", func() (first, other func()) {
		x := new(Table)
		return func() { x.Snatch(0) }, func() { x.Eat(0) }
	}}})
}

func TestNoRacePhilo(t *testing.T) {
	invite(t, []scene{{"Eat", func() (first, other func()) {
		x := new(Table)
		return func() { x.Eat(0) }, func() { x.Eat(1) }
	}}})
}

func TestRaceBarrier(t *testing.T) {
	interrupt(t, []scene{{"Arrive", func() (first, other func()) {
		b := new(Meeting)
		return b.Arrive, b.SafeArrive
	}}})
}

func TestNoRaceBarrier(t *testing.T) {
	invite(t, []scene{{"SafeArrive", func() (first, other func()) {
		b := new(Meeting)
		return b.SafeArrive, func() { b.SafeArrive(); b.Round() }
	}}})
}

func TestRaceSynchBench(t *testing.T) {
	interrupt(t, []scene{{"Halves", func() (first, other func()) {
		b := new(Bench)
		return func() { b.Halves() }, func() { b.Synchronized() }
	}}})
}

func TestNoRaceSynchBench(t *testing.T) {
	invite(t, []scene{{"Synchronized", func() (first, other func()) {
		b := new(Bench)
		return func() { b.Synchronized() }, func() { b.Synchronized() }
	}}})
}

func TestRaceThrift(t *testing.T) {
	interrupt(t, []scene{{"PopInTwo", func() (first, other func()) {
		q := new(Queue)
		q.Push(1)
		return func() { q.PopInTwo() }, func() { q.Pop() }
	}}})
}

func TestNoRaceThrift(t *testing.T) {
	invite(t, []scene{{"Pop", func() (first, other func()) {
		q := new(Queue)
		q.Push(1)
		return func() { q.Pop() }, func() { q.Pop(); q.Push(2) }
	}}})
}

func TestRaceElevator(t *testing.T) {
	interrupt(t, []scene{
		{"ClaimUp", func() (first, other func()) {
			f := &Floor{waiting: 1}
			return func() { f.ClaimUp() }, func() { f.ClaimUp() }
		}},
		{"ClaimDown", func() (first, other func()) {
			f := &Floor{waiting: 1}
			return func() { f.ClaimDown() }, f.Arrive
		}},
	})
}

func TestNoRaceElevator(t *testing.T) {
	invite(t, []scene{{"SafeClaim", func() (first, other func()) {
		f := &Floor{waiting: 1}
		return func() { f.SafeClaim() }, func() { f.SafeClaim(); f.Arrive(); f.Press() }
	}}})
}

// tour is one of which a length is known.
func tour() *Tour {
	t := new(Tour)
	t.best.Store(long)
	return t
}

func TestRaceTsp(t *testing.T) {
	interrupt(t, []scene{
		{"Solve", func() (first, other func()) {
			x := tour()
			return func() { x.Solve(1) }, func() { x.SetBest(2, 10) }
		}},
		{"SetBestOnce", func() (first, other func()) {
			x := tour()
			return func() { x.SetBestOnce(1, 20) }, func() { x.SetBest(2, 10) }
		}},
	})
}

func TestNoRaceTsp(t *testing.T) {
	interrupt(t, []scene{{"SafeSolve", func() (first, other func()) {
		x := tour()
		return func() { x.SafeSolve(1) }, func() { x.SetBest(2, 10) }
	}}})
	// The other looks before the first writes, and waits for its lock.
	invite(t, []scene{{"SetBest", func() (first, other func()) {
		x := tour()
		return func() { x.SetBest(2, 10) }, func() { x.SetBest(1, 20) }
	}}})
}
