// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package programs

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"

	"github.com/commutego/commute/internal/event"
)

// stay is out of how many steps a thread is left for another one, on average.
const stay = 12

// A machine runs the threads of a program one step at a time, in an order that a seed determines,
// and keeps the events. A position is the line of the program that makes an event.
type machine struct {
	events  []event.Event
	methods map[uint32]string // of marked transactions, by the position of the begin
	rand    *rand.Rand
	threads []*thread
	now     *thread
	cells   uint32 // how many variables there are
	mutexes uint32
}

// A thread is one of the program's. It is a coroutine, which goes on when the machine says so.
type thread struct {
	*machine
	number  uint32
	pause   func(struct{}) bool
	resume  func() (struct{}, bool)
	waitFor func() bool // nil if it can go on
	forked  bool
	over    bool
	depth   int // of transactions
}

// A cell is a variable.
type cell struct {
	number uint32
	v      int
}

// A mutex is a lock that its holder may take again, as Java's may.
type mutex struct {
	number uint32
	holder *thread
	depth  int
}

func newMachine(seed uint64) *machine {
	return &machine{methods: make(map[uint32]string), rand: rand.New(rand.NewPCG(seed, 1))}
}

func (m *machine) cell() *cell {
	m.cells++
	return &cell{number: m.cells - 1}
}

// array is n variables.
func (m *machine) array(n int) (list []*cell) {
	for range n {
		list = append(list, m.cell())
	}
	return list
}

func (m *machine) mutex() *mutex {
	m.mutexes++
	return &mutex{number: m.mutexes - 1}
}

// run runs a program from its first thread on, until all are over.
func (m *machine) run(body func(*thread)) {
	m.spawn(body)
	m.now = m.threads[0]
	for m.choose() {
		m.now.waitFor = nil
		if _, more := m.now.resume(); !more {
			m.now.over = true
		}
	}
}

// spawn makes a thread.
func (m *machine) spawn(body func(*thread)) *thread {
	t := &thread{machine: m, number: uint32(len(m.threads))}
	t.resume, _ = iter.Pull(func(yield func(struct{}) bool) {
		t.pause = yield
		body(t)
	})
	m.threads = append(m.threads, t)
	return t
}

// choose decides which thread goes on, and reports whether there is one.
func (m *machine) choose() bool {
	if m.now.ready() && m.rand.IntN(stay) > 0 {
		return true
	}
	at, left := m.rand.IntN(len(m.threads)), false
	for i := range m.threads {
		t := m.threads[(at+i)%len(m.threads)]
		if t.ready() {
			m.now = t
			return true
		}
		left = left || !t.over
	}
	if left {
		panic("the threads of a program wait for each other")
	}
	return false
}

// ready reports whether a thread can make its next step.
func (t *thread) ready() bool {
	return !t.over && (t.waitFor == nil || t.waitFor())
}

// step makes an event, when it is this thread's turn. It is called by what the program calls.
func (t *thread) step(op event.Kind, target uint32) {
	t.pause(struct{}{})
	t.keep(op, target, 3)
}

// keep adds an event, with the line of a caller.
func (t *thread) keep(op event.Kind, target uint32, skip int) {
	_, _, line, _ := runtime.Caller(skip)
	t.events = append(t.events, event.Event{Op: op, Thread: t.number, Target: target,
		Pos: uint32(line)})
}

// get reads a variable.
func (t *thread) get(c *cell) int {
	t.step(event.Read, c.number)
	return c.v
}

// set writes a variable.
func (t *thread) set(c *cell, v int) {
	t.step(event.Write, c.number)
	c.v = v
}

// lock takes a lock, for which it may have to wait.
func (t *thread) lock(l *mutex) {
	if l.holder == t {
		l.depth++
		return
	}
	t.waitFor = func() bool { return l.holder == nil }
	t.pause(struct{}{})
	l.holder, l.depth = t, 1
	t.keep(event.Acquire, l.number, 2)
}

// unlock lets a lock go.
func (t *thread) unlock(l *mutex) {
	if l.depth--; l.depth > 0 {
		return
	}
	t.step(event.Release, l.number)
	l.holder = nil
}

// atomic runs a method that is marked as atomic. One in another is a part of it.
func (t *thread) atomic(method string, body func()) {
	if t.depth++; t.depth == 1 {
		t.step(event.Begin, 0)
		begin := t.events[len(t.events)-1].Pos
		if was, ok := t.methods[begin]; ok && was != method {
			panic(fmt.Sprintf("%s and %s begin in one line", was, method))
		}
		t.methods[begin] = method
	}
	body()
	if t.depth--; t.depth == 0 {
		t.step(event.End, 0)
	}
}

// together runs threads until all are over: a phase between two barriers.
func (t *thread) together(bodies ...func(*thread)) {
	var list []*thread
	for _, body := range bodies {
		child := t.spawn(body)
		child.waitFor = func() bool { return child.forked }
		list = append(list, child)
		t.step(event.Fork, child.number)
		child.forked = true
	}
	for _, child := range list {
		t.waitFor = func() bool { return child.over }
		t.step(event.Join, child.number)
	}
}

// each is n threads of one body.
func each(n int, body func(t *thread, i int)) (list []func(*thread)) {
	for i := range n {
		list = append(list, func(t *thread) { body(t, i) })
	}
	return list
}
