// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/commutego/commute/testdata/transactions/script"
)

// What has steps: subscribing, committing, shutting down, asking.

// A subscriber has an inbox, and a bus has subscribers.
type subscriber struct {
	mu     sync.Mutex
	inbox  []int
	closed bool
}

func (x *subscriber) deliver(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.closed {
		x.inbox = append(x.inbox, n)
	}
}

func (x *subscriber) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
}

type bus struct {
	mu   sync.Mutex
	subs []*subscriber
}

func (b *bus) list() []*subscriber {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]*subscriber(nil), b.subs...)
}

func (b *bus) unsubscribe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.subs[0]
	b.subs = b.subs[1:]
	x.close()
}

// atomic
func (b *bus) publishToCopy(s *script.Script) {
	subs := b.list()
	interrupt(s)
	for _, x := range subs {
		x.deliver(1)
	}
}

// atomic
func (b *bus) publishLocked(s *script.Script) {
	b.mu.Lock()
	defer b.mu.Unlock()
	invite(s)
	for _, x := range b.subs {
		x.deliver(1)
	}
}

func TestRaceUnsubscribe(t *testing.T) {
	b := &bus{subs: []*subscriber{{}, {}}}
	interrupted(b.publishToCopy, b.unsubscribe)
}

func TestNoRaceUnsubscribe(t *testing.T) {
	b := &bus{subs: []*subscriber{{}, {}}}
	interrupted(b.publishLocked, b.unsubscribe)
}

// A mailbox is waited for with a condition: who waits has let go the lock, so that only what comes after is atomic.
type mailbox struct {
	mu    sync.Mutex
	there *sync.Cond
	items []int
}

func newMailbox() *mailbox {
	m := new(mailbox)
	m.there = sync.NewCond(&m.mu)
	return m
}

func (m *mailbox) put(n int) {
	m.mu.Lock()
	m.items = append(m.items, n)
	m.mu.Unlock()
	m.there.Signal()
}

// atomic
func (m *mailbox) waitAndTake(s *script.Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) == 0 {
		s.Done("half")
		m.there.Wait()
	}
	m.items = m.items[1:]
}

func (m *mailbox) waitThenTake(s *script.Script) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Done("half")
	for len(m.items) == 0 {
		m.there.Wait()
	}
	//atomic
	{
		n := len(m.items)
		m.items = m.items[n:]
	}
}

func TestRaceCondition(t *testing.T) {
	m := newMailbox()
	interrupted(m.waitAndTake, func() { m.put(1) })
}

func TestNoRaceCondition(t *testing.T) {
	m := newMailbox()
	interrupted(m.waitThenTake, func() { m.put(1) })
}

// Two participants vote, and then commit.
type participant struct {
	mu    sync.Mutex
	voted bool
	value int
}

func (p *participant) vote() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.voted
	p.voted = true
	return !was
}

func (p *participant) commit(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.value = n
	p.voted = false
}

// atomic
func commitLetGo(a, b *participant, n int, s *script.Script) {
	if a.vote() && b.vote() {
		a.commit(n)
		interrupt(s)
		b.commit(n)
	}
}

// atomic
func commitHeld(a, b *participant, n int, s *script.Script) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	a.voted, b.voted = true, true
	a.value = n
	invite(s)
	b.value = n
	a.voted, b.voted = false, false
}

func TestRaceTwoPhaseCommit(t *testing.T) {
	var a, b participant
	interrupted(func(s *script.Script) { commitLetGo(&a, &b, 1, s) }, func() { a.vote(); b.vote() })
}

func TestNoRaceTwoPhaseCommit(t *testing.T) {
	var a, b participant
	interrupted(func(s *script.Script) { commitHeld(&a, &b, 1, s) }, func() { a.vote(); b.vote() })
}

// A service takes jobs until it is shut down.
type service struct {
	mu     sync.RWMutex
	closed bool
	jobs   chan int
}

func (x *service) isClosed() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.closed
}

func (x *service) shutdown() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return len(x.jobs)
}

// atomic
func (x *service) submitUnlocked(s *script.Script) {
	if !x.isClosed() {
		interrupt(s)
		x.mu.RLock()
		x.jobs <- 1
		x.mu.RUnlock()
	}
}

// atomic
func (x *service) submitLocked(s *script.Script) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if !x.closed {
		invite(s)
		x.jobs <- 1
	}
}

func TestRaceShutdown(t *testing.T) {
	x := &service{jobs: make(chan int, 1)}
	interrupted(x.submitUnlocked, func() { x.shutdown() })
}

func TestNoRaceShutdown(t *testing.T) {
	x := &service{jobs: make(chan int, 1)}
	interrupted(x.submitLocked, func() { x.shutdown() })
}

// A queue's head is looked at, and taken.
type queue struct {
	mu    sync.Mutex
	items []int
}

func (q *queue) peek() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items[0]
}

func (q *queue) pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.items[0]
	q.items = q.items[1:]
	return n
}

// atomic
func (q *queue) takeInTwo(s *script.Script) {
	if q.peek() == 1 {
		interrupt(s)
		q.pop()
	}
}

// atomic
func (q *queue) takeInOne(s *script.Script) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.items[0] == 1 {
		invite(s)
		q.items = q.items[1:]
	}
}

func TestRacePeekAndPop(t *testing.T) {
	q := &queue{items: []int{1, 2, 3}}
	interrupted(q.takeInTwo, func() { q.pop() })
}

func TestNoRacePeekAndPop(t *testing.T) {
	q := &queue{items: []int{1, 2, 3}}
	interrupted(q.takeInOne, func() { q.pop() })
}

// A goroutine has a number. Who asks it for that and then tells it another has waited for it; who tells it what to do has not.
type keeper struct {
	ask, set chan bool
	answer   chan int
	do       chan func(int) int
}

func newKeeper() *keeper {
	k := &keeper{make(chan bool), make(chan bool), make(chan int), make(chan func(int) int)}
	go func() {
		n := 0
		for {
			select {
			case <-k.ask:
				select {
				case k.answer <- n:
				case <-k.set:
				}
			case f, ok := <-k.do:
				if !ok {
					return
				}
				n = f(n)
			}
		}
	}()
	return k
}

// atomic
func (k *keeper) addInTwo() {
	k.ask <- true
	n := <-k.answer
	k.do <- func(int) int { return n + 1 }
}

// atomic
func (k *keeper) addInOne() { k.do <- func(n int) int { return n + 1 } }

func TestRaceKeeper(t *testing.T) {
	k := newKeeper()
	k.addInTwo()
	close(k.do)
}

func TestNoRaceKeeper(t *testing.T) {
	k := newKeeper()
	k.addInOne()
	close(k.do)
}

// In a bubble of package synctest channels are as they are elsewhere.
func TestRaceKeeperInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		k.addInTwo()
		close(k.do)
	})
}

func TestNoRaceKeeperInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper()
		k.addInOne()
		close(k.do)
	})
}

func TestRaceHandOffInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, a := make(chan int), make(chan int)
		script.Go(func() { ask(q, a) }, func() { a <- <-q })
	})
}

func TestNoRaceHandOffInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := make(chan int)
		script.Go(func() { tell(q) }, func() { <-q })
	})
}

// A lock is let go while a function of the user is called.
type hooked struct {
	mu   sync.Mutex
	hook func()
	n    int
}

// atomic
func (h *hooked) changeAround(s *script.Script) {
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
	h.hook()
	interrupt(s)
	h.mu.Lock()
	h.n++
	h.mu.Unlock()
}

// atomic
func (h *hooked) changeBefore(s *script.Script) {
	h.mu.Lock()
	h.n += 2
	h.mu.Unlock()
	h.hook()
	interrupt(s)
}

func (h *hooked) look() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

func TestRaceCallback(t *testing.T) {
	h := &hooked{hook: func() {}}
	interrupted(h.changeAround, func() { h.look() })
}

func TestNoRaceCallback(t *testing.T) {
	h := &hooked{hook: func() {}}
	interrupted(h.changeBefore, func() { h.look() })
}
