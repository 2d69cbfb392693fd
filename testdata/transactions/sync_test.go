// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// Locks alone: nothing is accessed under them.
//
// atomic
func lockTwice(mu *sync.Mutex, s *script.Script) {
	touch(mu)
	s.Done("once")
	s.Await("other")
	touch(mu)
}

// atomic
func lockOnce(mu *sync.Mutex, s *script.Script) {
	mu.Lock()
	defer mu.Unlock()
	s.Done("once")
	s.Try("other")
}

func touch(mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
}

func TestRaceLocksOnly(t *testing.T) {
	var mu sync.Mutex
	var s script.Script
	script.Go(func() { lockTwice(&mu, &s) }, func() { s.Await("once"); touch(&mu); s.Done("other") })
}

func TestNoRaceLocksOnly(t *testing.T) {
	var mu sync.Mutex
	var s script.Script
	script.Go(func() { lockOnce(&mu, &s) }, func() { s.Await("once"); touch(&mu); s.Done("other") })
}

// A channel hands something over in the middle, and back.
//
// atomic
func ask(questions, answers chan int) int {
	questions <- 1
	return <-answers
}

// atomic
func tell(questions chan int) { questions <- 1 }

func TestRaceHandOff(t *testing.T) {
	q, a := make(chan int, 1), make(chan int, 1)
	script.Go(func() { ask(q, a) }, func() { a <- <-q })
}

func TestRaceHandOffUnbuffered(t *testing.T) {
	q, a := make(chan int), make(chan int)
	script.Go(func() { ask(q, a) }, func() { a <- <-q })
}

func TestNoRaceHandOff(t *testing.T) {
	q := make(chan int, 1)
	script.Go(func() { tell(q) }, func() { <-q })
}

func TestNoRaceHandOffUnbuffered(t *testing.T) {
	q := make(chan int)
	script.Go(func() { tell(q) }, func() { <-q })
}

// A goroutine is started and waited for.
//
// atomic
func startAndWait(n *int) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		*n++
		wg.Done()
	}()
	wg.Wait()
}

// atomic
func startOnly(n *int, done chan bool) {
	go func() {
		*n++
		close(done)
	}()
}

func TestRaceStartAndWait(t *testing.T) {
	var n int
	startAndWait(&n)
}

func TestNoRaceStart(t *testing.T) {
	var n int
	done := make(chan bool)
	startOnly(&n, done)
	<-done
}

// What the library shares inside is nobody's: fmt takes buffers from a pool.
//
// atomic
func format(s *script.Script) string {
	a := fmt.Sprint(1)
	s.Done("once")
	s.Try("other")
	return a + fmt.Sprint(2)
}

func TestNoRaceLibrary(t *testing.T) {
	var s script.Script
	script.Go(func() { format(&s) }, func() { s.Await("once"); _ = fmt.Sprint(3); s.Done("other") })
}

// lazy fills in what isn't there.
type lazy struct {
	mu    sync.Mutex
	value *int
	once  sync.Once
}

// atomic
func (l *lazy) getInTwo(s *script.Script, mine, other string) int {
	l.mu.Lock()
	v := l.value
	l.mu.Unlock()
	s.Done(mine)
	s.Await(other)
	if v == nil {
		v = new(int)
		l.mu.Lock()
		l.value = v
		l.mu.Unlock()
	}
	return *v
}

// atomic
func (l *lazy) getOnce() int {
	l.once.Do(func() { l.value = new(int) })
	return *l.value
}

func TestRaceLazy(t *testing.T) {
	var l lazy
	var s script.Script
	script.Go(func() { l.getInTwo(&s, "1", "2") }, func() { l.getInTwo(&s, "2", "1") })
}

func TestNoRaceLazy(t *testing.T) {
	var l lazy
	script.Go(func() { l.getOnce() }, func() { l.getOnce() }, func() { l.getOnce() })
}

// vector is as java.util.Vector: its constructor takes the length of another, and then its elements.
type vector struct {
	mu    sync.Mutex
	items []int
}

func (v *vector) size() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.items)
}

func (v *vector) copyTo(to []int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	copy(to, v.items)
}

func (v *vector) clear() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.items = nil
}

// atomic
func newVector(from *vector, s *script.Script) *vector {
	v := &vector{items: make([]int, from.size())}
	s.Done("sized")
	s.Await("other")
	from.copyTo(v.items)
	return v
}

// atomic
func newVectorLocked(from *vector, s *script.Script) *vector {
	from.mu.Lock()
	defer from.mu.Unlock()
	v := &vector{items: make([]int, len(from.items))}
	s.Done("sized")
	s.Try("other")
	copy(v.items, from.items)
	return v
}

func TestRaceVector(t *testing.T) {
	v := &vector{items: []int{1, 2, 3}}
	var s script.Script
	script.Go(func() { newVector(v, &s) }, func() { s.Await("sized"); v.clear(); s.Done("other") })
}

func TestNoRaceVector(t *testing.T) {
	v := &vector{items: []int{1, 2, 3}}
	var s script.Script
	script.Go(func() { newVectorLocked(v, &s) }, func() { s.Await("sized"); v.clear(); s.Done("other") })
}

// A transaction that ends by a panic, or by Goexit, is over.
//
// atomic
func (a *account) fails(how string) {
	a.set(1)
	if how == "panic" {
		panic(how)
	}
	runtime.Goexit()
}

func TestNoRaceEnds(t *testing.T) {
	for _, how := range []string{"panic", "exit"} {
		t.Run(how, func(t *testing.T) {
			var a account
			var s script.Script
			script.Go(func() {
				defer s.Done("over")
				defer func() { _ = recover() }()
				a.fails(how)
			}, func() { s.Await("over"); a.set(2); s.Done("other") })
			s.Await("other")
			a.set(3)
		})
	}
}

func TestNoRaceAfterPanic(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() {
		func() {
			defer func() { _ = recover() }()
			a.fails("panic")
		}()
		s.Done("over")
		s.Await("other")
		a.set(3)
	}, func() { s.Await("over"); a.set(2); s.Done("other") })
}

// A transaction in another belongs to that.
//
// atomic
func (a *account) nested(s *script.Script) {
	a.depositInOne(1, s)
	a.set(2)
}

func TestRaceNested(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() {
		a.nested2(&s)
	}, func() { s.Await("half"); a.set(5); s.Done("other") })
}

// atomic
func (a *account) nested2(s *script.Script) {
	a.inner()
	s.Done("half")
	s.Await("other")
	a.inner()
}

// atomic
func (a *account) inner() { a.set(a.get() + 1) }

func TestNoRaceNested(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.nested(&s) })
	script.Go(func() { a.set(1) })
}

// Not marked, it's no transaction.
func (a *account) unmarked(s *script.Script) {
	was := a.get()
	s.Done("looked")
	s.Await("other")
	a.set(was + 1)
}

func TestNoRaceUnmarked(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.unmarked(&s) }, func() { s.Await("looked"); a.set(5); s.Done("other") })
}

// A block is a transaction too.
func (a *account) block(s *script.Script) {
	//atomic
	{
		was := a.get()
		s.Done("looked")
		s.Await("other")
		a.set(was + 1)
	}
}

func (a *account) afterBlock(s *script.Script) {
	//atomic
	{
		a.set(a.get() + 1)
	}
	s.Done("looked")
	s.Try("other")
	a.set(7)
}

func TestRaceBlock(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.block(&s) }, func() { s.Await("looked"); a.set(5); s.Done("other") })
}

func TestNoRaceBlock(t *testing.T) {
	var a account
	var s script.Script
	script.Go(func() { a.afterBlock(&s) }, func() { s.Await("looked"); a.set(5); s.Done("other") })
}

// Of two sends on one channel, the second orders nothing after the first's goroutine.
//
// atomic
func sendThenLock(ch chan int, mu *sync.Mutex, s *script.Script) {
	ch <- 1
	s.Done("sent")
	s.Await("other")
	touch(mu)
}

func TestNoRaceSecondSend(t *testing.T) {
	ch := make(chan int)
	var mu sync.Mutex
	var s script.Script
	script.Go(func() { sendThenLock(ch, &mu, &s) },
		func() { <-ch; s.Done("received") },
		func() { s.Await("received"); s.Await("sent"); ch <- 2 },
		func() {
			s.Await("received")
			s.Await("sent")
			<-ch
			touch(&mu)
			s.Done("other")
		})
}

// What the receiver of the first does after it comes between.
func TestRaceFirstSend(t *testing.T) {
	ch := make(chan int)
	var mu sync.Mutex
	var s script.Script
	script.Go(func() { sendThenLock(ch, &mu, &s) },
		func() {
			<-ch
			s.Await("sent")
			touch(&mu)
			s.Done("other")
		})
}
