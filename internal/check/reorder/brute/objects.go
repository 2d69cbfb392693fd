// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"

	"github.com/commutego/commute/internal/event"
)

// ObjectProgram is a program like [RandomProgram] with more on channels: such without a buffer,
// selects, attempts, and close. It has a WaitGroup to which threads add, and a Cond. If it is named,
// its trace tells which object an operation is on.
func ObjectProgram(seed uint64, named bool) *Program {
	r := rand.New(rand.NewPCG(seed, 55))
	relation, err := event.NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 1})
	if err != nil {
		panic(err)
	}
	p := &Program{Relation: relation, threads: make([][]instruction, 2+r.IntN(3))}
	starts := r.IntN(3) == 0
	group := starts && r.IntN(2) == 0
	for t := range p.threads {
		p.threads[t] = objectThread(r, t, len(p.threads), starts, group)
	}
	p.run(r, named)
	return p
}

// objectThread is what a thread does. If there is a group, the first thread waits for the others.
func objectThread(r *rand.Rand, t, threads int, starts, group bool) (list []instruction) {
	for u := 1; u < threads && t == 0 && starts; u++ {
		if group {
			list = append(list, instruction{grow, 0})
		}
		list = append(list, instruction{goStart, u})
	}
	marked := r.IntN(2) == 0
	if marked {
		list = append(list, instruction{begin, 0})
	}
	for range 1 + r.IntN(3) {
		list = append(list, objectPart(r)...)
		if t == 0 && group && r.IntN(3) == 0 {
			list = append(list, instruction{rest, 0})
		}
	}
	if marked {
		list = append(list, instruction{end, 0})
	}
	if r.IntN(3) == 0 {
		list = append(list, objectPart(r)...)
	}
	if t > 0 && group {
		list = append(list, instruction{shrink, 0})
	}
	return list
}

// objectPart is some instructions that belong together.
func objectPart(r *rand.Rand) (list []instruction) {
	x, c := r.IntN(things), r.IntN(channels)
	switch n := r.IntN(20); {
	case n < 4:
		return randomPart(r, 2)
	case n < 5:
		return nestedPart(r, 0)
	case n < 8:
		return []instruction{{read + opcode(r.IntN(2)), x}}
	case n < 11:
		return []instruction{{send, c}}
	case n < 13:
		return []instruction{{receive, c}}
	case n < 14:
		return []instruction{{trySend + opcode(r.IntN(2)), c}}
	case n < 16:
		return []instruction{{choose + opcode(r.IntN(2)), r.IntN(len(pairs))}}
	case n < 17:
		return []instruction{{closeChannel, c}}
	case n < 18:
		return []instruction{{grow, 0}, {read + opcode(r.IntN(2)), x}, {shrink, 0}}
	case n < 19:
		return []instruction{{rest, 0}}
	}
	switch r.IntN(4) {
	case 0:
		return []instruction{{signal + opcode(r.IntN(2)), 0}}
	case 1:
		return []instruction{{lock, 0}, {write, x}, {signal + opcode(r.IntN(2)), 0}, {unlock, 0}}
	}
	return []instruction{{lock, 0}, {waitBegin, 0}, {woken, 0}, {lock, 0}, {read, x}, {unlock, 0}}
}
