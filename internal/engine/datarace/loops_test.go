// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"testing"
)

// loops has sequences in which goroutines read byte after byte of two cells, by turns or at once,
// with some writes and locks in between. Other tests have few accesses that join another.
type loops struct {
	*rand.Rand
	in []byte
}

func (l *loops) event(op, who, a, b int) {
	l.in = append(l.in, byte(op), byte(who), byte(a), byte(b))
}

// access is of a plain or atomic kind, to one byte of the window.
func (l *loops) access(who, kind, at int) { l.event(14, who, kind<<6, at<<2) }

// sequence is another one, of up to 80 events.
func (l *loops) sequence() []byte {
	const joining = 64
	l.in = l.in[:0]
	l.event(joining|l.IntN(16), 0, 0, 0)
	for range 1 + l.IntN(4) {
		l.event(0, 0, 0, 0)
	}
	for len(l.in) < 60*eventSize {
		cell, lock := 8*l.IntN(2), l.IntN(2)
		switch who := l.IntN(5); l.IntN(16) {
		case 0, 1:
			l.event(4, who, lock, 0) // acquires
		case 2, 3:
			l.event(7, who, lock, 0) // releases
		case 4, 5:
			l.event(10, who, lock, 0) // both
		case 6:
			l.access(who, 1+l.IntN(3), cell+l.IntN(8))
		case 7:
			l.event(11, who, cell/8, 0)         // the cell is freed
			l.event(13, who, 0, 4+5*l.IntN(50)) // the collector goes on
		default:
			l.reads(who, cell)
		}
	}
	return l.in
}

// reads has a goroutine, or two at once, read bytes of a cell in order.
func (l *loops) reads(who, cell int) {
	other, kind := who, 0
	if l.IntN(3) == 0 {
		other = l.IntN(5)
	}
	if l.IntN(8) == 0 {
		kind = l.IntN(4)
	}
	for i := l.IntN(4); i < 5+l.IntN(4); i++ {
		l.access(who, kind, cell+i)
		if other != who {
			l.access(other, 0, cell+i)
		}
	}
}

// TestLoopsAgreeWithOracle has accesses join those of their epoch, most of them in blocks.
func TestLoopsAgreeWithOracle(t *testing.T) {
	n := 20000
	if testing.Short() || underRace {
		n /= 20
	}
	l := &loops{Rand: rand.New(rand.NewPCG(1, 2))}
	m := newModel()
	defer m.close()
	for i := range n {
		m.collect = i%4 == 0
		in := l.sequence()
		if err := m.run(in); err != nil {
			t.Fatalf("sequence %d: %v\nthe least of it: %s", i, err,
				story(shrunk(append([]byte{}, in...))))
		}
	}
	t.Logf("%d accesses, %d races, %d left out, %d sites of others, %d forgotten",
		m.accesses, m.races, m.skipped, m.strange, m.lost)
	if m.races < n/4 || m.skipped < n || m.strange < n/20 {
		t.Error("the sequences are not what is wanted")
	}
}
