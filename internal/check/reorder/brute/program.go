// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"math/rand/v2"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/event"
)

// A Program is a small random program, and the trace that one run of it leaves. Its channels have
// buffers and values, its WaitGroup a counter, its locks readers and writers. So whether it could
// have made an order of the trace's steps doesn't depend on the rules of package reorder.
type Program struct {
	Piece    *reorder.Piece
	Relation *event.Relation
	Nodes    int // the greatest number of states to visit

	threads [][]instruction
	saw     [][]uint64 // by thread and instruction: what it saw in the run
	at      []place    // by step
	silent  [][]bool   // by thread and instruction: no step is recorded of it
	chosen  [][]int    // likewise: the channel that it was on in the run; unchosen, or failed
	mates   [][]int    // likewise: 1 and the thread that it has met
	next    []int32    // see Stuck
}

// An instruction is an operation on one of several things of a kind.
type instruction struct {
	op opcode
	x  int
}

type opcode int

const (
	read opcode = iota
	write
	load
	store
	add // atomically
	lock
	unlock // nothing if the lock isn't held
	rlock
	runlock
	tryLock
	send
	receive
	done
	wait
	get
	put
	begin
	end
	goStart

	// Of ObjectProgram:
	trySend
	tryReceive
	choose     // of two channels to receive from
	chooseElse // or to go on
	closeChannel
	grow      // of a second WaitGroup: Add
	shrink    // Done
	rest      // Wait
	waitBegin // of Wait of a Cond: it lets go of a lock
	woken
	signal
	broadcast
)

// A place is the instruction that a step is of; several steps may be of one, of which the last is
// where it takes effect.
type place struct {
	thread, instruction int
	last                bool
}

// things is how many there are of a kind.
const things = 2

// A machine is a state of a program.
type machine struct {
	program            *Program
	pc                 [4]int
	seen               [4]uint64 // by thread: stands for all that it has seen
	vars, atoms, calls [things]uint64
	writer             [things]int // a thread and 1
	readers            [things]int
	queue              [channels][3]uint64
	queued, sent, got  [channels]int
	closed             [channels]bool
	counter, group     int
	waiters            [4]int // of a Cond, in their order
	waiting            int
	signalled          [4]bool
	started, broken    [4]bool
	met                [4]bool // it has met another one, and the steps of that are not all made

	meets int // 1 and the only thread that may be met, 0 for any

	// Of the last instruction:
	took    int // the channel
	with    int // 1 and the thread that was met
	withSaw uint64
	arrives bool // it has come to the one that has made the instruction, which waited
}

// RandomProgram is a program of some threads, with the trace of one run.
func RandomProgram(seed uint64) *Program {
	r := rand.New(rand.NewPCG(seed, 21))
	relation, err := event.NewRelation(2, [2]uint32{0, 1}, [2]uint32{1, 1})
	if err != nil {
		panic(err)
	}
	p := &Program{Relation: relation, threads: make([][]instruction, 2+r.IntN(2))}
	kinds := r.IntN(3)
	for t := range p.threads {
		p.threads[t] = randomThread(r, t, len(p.threads), kinds)
	}
	p.run(r, false)
	return p
}

// randomThread is what a thread does. The first starts the others, or they are there at once.
func randomThread(r *rand.Rand, t, threads, kinds int) (list []instruction) {
	if t == 0 && kinds == 0 {
		for u := 1; u < threads; u++ {
			list = append(list, instruction{goStart, u})
		}
	}
	marked := t == 0 || r.IntN(3) == 0
	if marked {
		list = append(list, instruction{begin, 0})
	}
	for range 1 + r.IntN(3) {
		list = append(list, randomPart(r, kinds)...)
	}
	if marked {
		list = append(list, instruction{end, 0})
	}
	if r.IntN(3) == 0 {
		list = append(list, randomPart(r, kinds)...)
	}
	return list
}

// randomPart is some instructions that belong together.
func randomPart(r *rand.Rand, kinds int) (list []instruction) {
	x := r.IntN(things)
	accesses := func() (list []instruction) {
		for range 1 + r.IntN(2) {
			list = append(list, instruction{read + opcode(r.IntN(2)), r.IntN(things)})
		}
		return list
	}
	switch n := r.IntN(12 + 2*kinds); {
	case n < 6:
		list = append([]instruction{{lock, x}}, accesses()...)
		return append(list, instruction{unlock, x})
	case n < 8:
		list = append([]instruction{{rlock, x}}, accesses()...)
		return append(list, instruction{runlock, x})
	case n < 9:
		list = append([]instruction{{tryLock, x}}, accesses()...)
		return append(list, instruction{unlock, x})
	case n < 11:
		return accesses()
	case n < 12:
		return []instruction{{get + opcode(r.IntN(2)), x}}
	}
	return []instruction{{[...]opcode{load, store, add, send, receive, done, wait}[r.IntN(7)], x}}
}

func newMachine(p *Program) machine {
	m := machine{program: p}
	for t := range m.started {
		m.started[t] = true
	}
	for _, list := range p.threads {
		for _, in := range list {
			switch in.op {
			case done:
				m.counter++
			case goStart:
				m.started[in.x] = false
			}
		}
	}
	return m
}

func mix(x, y uint64) uint64 {
	x = (x ^ y*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	return x ^ x>>29
}

// step makes the next instruction of a thread, if it can go on, and returns what it sees.
func (m *machine) step(t int) (saw uint64, ok bool) {
	list := m.program.threads[t]
	if !m.started[t] || m.pc[t] == len(list) || m.met[t] {
		return 0, false
	}
	in := list[m.pc[t]]
	x, fresh := in.x, m.fresh(t)
	m.with, m.took = 0, unchosen
	free := m.writer[x%things] == 0 && m.readers[x%things] == 0
	switch in.op {
	case read:
		saw = m.vars[x]
	case write:
		m.vars[x] = fresh
	case load:
		saw = m.atoms[x]
	case store:
		m.atoms[x] = fresh
	case add:
		saw = m.atoms[x]
		m.atoms[x] = mix(saw, fresh)
	case lock, tryLock:
		if free {
			m.writer[x], saw = t+1, 1
		} else if in.op == lock {
			return 0, false
		}
	case unlock:
		if m.writer[x] == t+1 {
			m.writer[x] = 0
		}
	case rlock:
		if m.writer[x] != 0 {
			return 0, false
		}
		m.readers[x]++
	case runlock:
		m.readers[x]--
	case send, receive, trySend, tryReceive, choose, chooseElse:
		var ok bool
		if saw, ok = m.communicate(t, in, fresh); !ok {
			return 0, false
		}
	case done:
		m.counter--
	case wait:
		if m.counter > 0 {
			return 0, false
		}
	case get:
		saw = m.calls[x]
	case put:
		m.calls[x] = fresh
	case goStart:
		m.started[x] = true
	default:
		if saw, ok := m.others(t, in); !ok {
			return saw, false
		}
	}
	m.pc[t]++
	m.seen[t] = mix(m.seen[t], saw+1)
	return saw, true
}
