// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"

	"github.com/commutego/commute/internal/event"
)

// NestedProgram is a program like [RandomProgram] whose threads take locks while they hold others.
func NestedProgram(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 34))
	relation, err := event.NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 1})
	if err != nil {
		panic(err)
	}
	p := &Program{Relation: relation, threads: make([][]instruction, 2+r.IntN(2))}
	kinds := r.IntN(3)
	for t := range p.threads {
		var list []instruction
		if t == 0 && kinds == 0 {
			for u := 1; u < len(p.threads); u++ {
				list = append(list, instruction{goStart, u})
			}
		}
		marked := r.IntN(2) == 0
		if marked {
			list = append(list, instruction{begin, 0})
		}
		for range 1 + r.IntN(2) {
			if r.IntN(3) == 0 {
				list = append(list, randomPart(r, kinds)...)
			}
			list = append(list, nestedPart(r, kinds)...)
		}
		if marked {
			list = append(list, instruction{end, 0})
		}
		p.threads[t] = list
	}
	p.run(r, false)
	return p
}

// nestedPart takes two locks, one inside of the other.
func nestedPart(r *rand.Rand, kinds int) (list []instruction) {
	x := r.IntN(things)
	outer, inner := lock, lock
	switch r.IntN(6) {
	case 0:
		outer = rlock
	case 1:
		inner = rlock
	case 2:
		inner = tryLock
	}
	ends := map[opcode]opcode{lock: unlock, tryLock: unlock, rlock: runlock}
	list = append(list, instruction{outer, x})
	if r.IntN(2) == 0 {
		list = append(list, instruction{read + opcode(r.IntN(2)), r.IntN(things)})
	}
	if kinds > 0 && r.IntN(4) == 0 {
		list = append(list, instruction{[...]opcode{send, receive, done, wait}[r.IntN(4)], x})
	}
	list = append(list, instruction{inner, 1 - x})
	for range 1 + r.IntN(2) {
		list = append(list, instruction{read + opcode(r.IntN(2)), r.IntN(things)})
	}
	return append(list, instruction{ends[inner], 1 - x}, instruction{ends[outer], x})
}
