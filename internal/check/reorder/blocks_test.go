// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A pastAccess is one of all that there were.
type pastAccess struct {
	accessor
	write bool
}

// slowBlocks keeps all accesses.
type slowBlocks struct {
	number  map[uint32]uint32
	spoilt  map[uint32]bool
	history map[uint32][]pastAccess
	unsure  map[uint32]bool
}

func (b *slowBlocks) open(a pastAccess, but uint32) bool {
	return a.thread != but && a.block == b.number[a.thread]
}

func (b *slowBlocks) add(s *Step) (fixed bool) {
	t, x := s.Thread, s.Target
	fixed = b.spoilt[t]
	if s.plain() {
		list, write := b.history[x], s.Op == Write
		reads := !write || s.Reads
		fixed = fixed || reads && b.unsure[x]
		b.spoilt[t] = b.spoilt[t] || b.unsure[x]
		last := -1
		for i, a := range list {
			if a.write {
				last = i
			}
		}
		for i, a := range list {
			switch {
			case !b.open(a, t):
			case i == last:
				b.spoilt[a.thread], b.spoilt[t] = true, true
				fixed = fixed || reads
			case i > last && write:
				b.spoilt[a.thread] = true
			}
		}
		if write {
			b.unsure[x] = slices.ContainsFunc(list, func(a pastAccess) bool {
				return a.write && b.open(a, t)
			})
		}
		b.history[x] = append(list, pastAccess{accessor{t, b.number[t]}, write})
	}
	if s.Closes {
		b.number[t]++
		b.spoilt[t] = false
	}
	return fixed
}

// TestBlocks has the steps be fixed that are by all accesses that there were, though most are
// forgotten.
func TestBlocks(t *testing.T) {
	fixed, swept := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		fast := Blocks{least: 1 + r.IntN(4)}
		slow := slowBlocks{
			make(map[uint32]uint32), make(map[uint32]bool), make(map[uint32][]pastAccess),
			make(map[uint32]bool),
		}
		vars := 1 + r.Uint32N(8)
		for n := range 200 {
			s := Step{Op: []Op{Read, Read, Write, Acquire}[r.IntN(4)], Thread: r.Uint32N(4),
				Target: r.Uint32N(vars), Closes: r.IntN(5) == 0, Atomic: r.IntN(9) == 0}
			s.Reads = s.Op == Write && r.IntN(4) == 0
			if r.IntN(20) == 0 && vars < 30 {
				fast.Split(vars, s.Target)
				slow.history[vars] = slices.Clone(slow.history[s.Target])
				slow.unsure[vars] = slow.unsure[s.Target]
				vars++
			}
			want := slow.add(&s)
			before := len(fast.vars)
			if fast.Add(&s); s.Fixed != want {
				t.Fatalf("seed %d, step %d %+v: want fixed %v", seed, n, s, want)
			}
			if s.Fixed {
				fixed++
			}
			if len(fast.vars) < before {
				swept++
			}
		}
	}
	if fixed < 1000 || swept < 1000 {
		t.Errorf("%d steps are fixed, variables were forgotten %d times", fixed, swept)
	}
}
