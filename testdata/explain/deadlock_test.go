// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

type purse struct {
	mu  sync.Mutex
	id  int
	sum int
}

func transfer(from, to *purse, n int) {
	from.mu.Lock()
	to.mu.Lock() // transfer(a, b) and transfer(b, a) lock in opposite orders
	from.sum -= n
	to.sum += n
	to.mu.Unlock()
	from.mu.Unlock()
}

func transferInOrder(from, to *purse, n int) {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	second.mu.Lock()
	from.sum -= n
	to.sum += n
	second.mu.Unlock()
	first.mu.Unlock()
}

func TestRaceDeadlock(t *testing.T) {
	a, b := &purse{id: 1}, &purse{id: 2}
	oneByOne(func() { transfer(a, b, 1) }, func() { transfer(b, a, 1) })
}

func TestNoRaceDeadlock(t *testing.T) {
	a, b := &purse{id: 1}, &purse{id: 2}
	oneByOne(func() { transferInOrder(a, b, 1) }, func() { transferInOrder(b, a, 1) })
}
