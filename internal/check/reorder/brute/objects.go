// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"
	"slices"

	"github.com/commutego/commute/internal/event"
)

// ObjectProgram is a program like [RandomProgram] with more on channels: channels without a buffer,
// selects, attempts, and close. It has a WaitGroup to which threads add, and a Cond. If named is
// set, its trace says which object an operation is on.
func ObjectProgram(seed uint64, named bool) *Program {
	return objectProgram(rand.New(rand.NewPCG(seed, 55)), named, false)
}

// NestedObjects is an ObjectProgram whose threads take locks while they hold others.
func NestedObjects(seed uint64, named bool) *Program {
	return objectProgram(rand.New(rand.NewPCG(seed, 89)), named, true)
}

func objectProgram(r *rand.Rand, named, nested bool) *Program {
	relation, err := event.NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 1})
	if err != nil {
		panic(err)
	}
	p := &Program{Relation: relation, threads: make([][]instruction, 2+r.IntN(3))}
	starts := r.IntN(3) == 0
	group := starts && r.IntN(2) == 0
	var fixed int // instructions at the beginning of the first thread
	apart := r.IntN(3) == 0 || nested && r.IntN(2) == 0
	if !nested && r.IntN(6) == 0 {
		p.threads = meetingThreads(r)
		p.run(r, named)
		return p
	}
	for t := range p.threads {
		if apart {
			p.threads[t] = apartThread(r, t, nested)
		} else {
			p.threads[t] = objectThread(r, t, starts, group)
		}
	}
	group = group && !apart
	for range r.IntN(4) {
		if apart {
			break
		}
		from, to := r.IntN(len(p.threads)), r.IntN(len(p.threads))
		message(r, p.threads, from, to)
	}
	for u := 1; u < len(p.threads) && starts; u++ {
		first := []instruction{{goStart, u}}
		if group {
			first = append([]instruction{{grow, 0}}, first...)
		}
		p.threads[0] = slices.Insert(p.threads[0], fixed, first...)
		fixed += len(first)
	}
	p.run(r, named)
	return p
}

// message has a thread send what another one receives.
func message(r *rand.Rand, threads [][]instruction, from, to int) {
	c := r.IntN(channels)
	if from == to {
		return
	}
	receives := instruction{receive, c}
	switch r.IntN(6) {
	case 0:
		receives.op = tryReceive
	case 1, 2:
		receives = instruction{choose + opcode(r.IntN(2)), r.IntN(len(pairs))}
	}
	sends := instruction{send, c}
	if r.IntN(6) == 0 {
		sends.op = trySend
	}
	add := func(t int, in instruction) {
		threads[t] = slices.Insert(threads[t], r.IntN(len(threads[t])+1), in)
	}
	add(from, sends)
	add(to, receives)
}

// meetingThreads are a thread in a select, one that tries to meet it, and one that makes the other
// channel ready; or the like. There are accesses before and after, some of them under a lock.
func meetingThreads(r *rand.Rand) [][]instruction {
	access := func() instruction { return instruction{read + opcode(r.IntN(2)), r.IntN(things)} }
	around := func(in instruction) (list []instruction) {
		list = []instruction{access(), in, access()}
		if r.IntN(2) == 0 {
			list = append(append([]instruction{{lock, 0}}, list...), instruction{unlock, 0})
		}
		return list
	}
	x := r.IntN(2)
	threads := [][]instruction{
		around(instruction{choose, x}), around(instruction{trySend, unbuffered}),
		around(instruction{[]opcode{send, closeChannel}[r.IntN(2)], x}),
	}
	switch r.IntN(3) {
	case 0: // an attempt, and a channel that becomes ready
		threads = [][]instruction{
			around(instruction{chooseElse, x}), around(instruction{closeChannel, unbuffered}),
		}
	case 1: // what is taken off by another one, and who waits
		threads = [][]instruction{
			around(instruction{grow, 0}), around(instruction{shrink, 0}),
			around(instruction{rest, 0}),
		}
	}
	for t := range threads {
		if t == 0 || r.IntN(2) == 0 {
			threads[t] = append([]instruction{{begin, 0}}, threads[t]...)
			threads[t] = append(threads[t], access(), instruction{end, 0})
		}
	}
	r.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
	return threads
}

// apartThread is a thread of a program whose threads have channels of their own. It uses them under
// locks that others use, too.
func apartThread(r *rand.Rand, t int, nested bool) (list []instruction) {
	marked := t == 0 || r.IntN(3) == 0
	if marked {
		list = append(list, instruction{begin, 0})
	}
	for range 1 + r.IntN(2) {
		x := r.IntN(things)
		access := func() instruction {
			return instruction{read + opcode(r.IntN(2)), r.IntN(things)}
		}
		ops := []opcode{send, send, tryReceive, trySend, closeChannel}
		in := instruction{ops[r.IntN(len(ops))], t % 2}
		list = append(list, instruction{lock, x}, access(), in)
		if nested && r.IntN(3) > 0 {
			list = append(list, instruction{lock, 1 - x}, access(), instruction{unlock, 1 - x})
		}
		list = append(list, access(), instruction{unlock, x})
	}
	if r.IntN(2) == 0 {
		list = append(list, randomPart(r, 0)...)
	}
	if marked {
		list = append(list, instruction{end, 0})
	}
	return list
}

// objectThread is what a thread does. If there is a group, the first thread may wait for the
// others.
func objectThread(r *rand.Rand, t int, starts, group bool) (list []instruction) {
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

// sectionWith is a critical section with an operation on an object in it.
func sectionWith(r *rand.Rand) []instruction {
	x, c := r.IntN(things), r.IntN(channels)
	access := func() instruction { return instruction{read + opcode(r.IntN(2)), r.IntN(things)} }
	in := instruction{send, c}
	switch n := r.IntN(8); {
	case n < 2:
		in.op = receive
	case n < 3:
		in.op = trySend
	case n < 4:
		in.op = tryReceive
	case n < 5:
		in.op = closeChannel
	case n < 6:
		in = instruction{chooseElse, r.IntN(len(pairs))}
	case n < 7:
		in = instruction{grow, 0}
	}
	list := []instruction{{lock, x}, access(), in, {unlock, x}}
	if r.IntN(2) == 0 {
		list = slices.Insert(list, 3, access())
	}
	if in.op == grow {
		list = append(list, instruction{shrink, 0})
	}
	return list
}

// objectPart is some instructions that belong together.
func objectPart(r *rand.Rand) (list []instruction) {
	x, c := r.IntN(things), r.IntN(channels)
	access := instruction{read + opcode(r.IntN(2)), x}
	switch n := r.IntN(30); {
	case n >= 24:
		return sectionWith(r)
	case n < 6:
		return []instruction{access}
	case n < 13:
		return randomPart(r, 0)
	case n < 14:
		return randomPart(r, 2)
	case n < 15:
		return nestedPart(r, 0)
	case n < 16:
		return []instruction{{send, c}, access}
	case n < 17:
		return []instruction{access, {receive, c}}
	case n < 18:
		return []instruction{{trySend + opcode(r.IntN(2)), c}, access}
	case n < 19:
		return []instruction{{chooseElse, r.IntN(len(pairs))}, access}
	case n < 20:
		return []instruction{{closeChannel, c}}
	case n < 21:
		return []instruction{{grow, 0}, access, {shrink, 0}}
	case n < 22:
		return []instruction{{rest, 0}, access}
	}
	switch r.IntN(4) {
	case 0:
		return []instruction{{signal + opcode(r.IntN(2)), 0}}
	case 1:
		return []instruction{{lock, 0}, {write, x}, {signal + opcode(r.IntN(2)), 0}, {unlock, 0}}
	}
	return []instruction{{lock, 0}, {waitBegin, 0}, {woken, 0}, {lock, 0}, {read, x}, {unlock, 0}}
}

// Length is how many instructions were made.
func (p *Program) Length() (n int) {
	for _, list := range p.threads {
		n += len(list)
	}
	return n
}
