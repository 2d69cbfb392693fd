// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"sync"
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// A tally adds with a goroutine of its own. What that does is part of the call, and of no interest to transactions, as long
// as the call goes on.
//
//ecl:commute Add(word1), Add(word2): word1 != word2
//ecl:commute Begin(a1, b1), _: true
type tally struct {
	mu          sync.Mutex
	count       map[string]int
	front, back int
	done        chan bool
}

// Add counts a word. It looks at what the program writes too.
func (t *tally) Add(word string) {
	var wg sync.WaitGroup
	wg.Go(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.count[word]++
		t.count[""] += t.front + t.back
	})
	wg.Wait()
}

// Begin starts what goes on when the call is over.
func (t *tally) Begin(then chan bool, done chan bool) {
	go func() {
		<-then
		done <- true
	}()
}

func newTally() *tally { return &tally{count: map[string]int{}, done: make(chan bool)} }

// atomic
func (t *tally) addTwice(word string, s *script.Script) {
	t.Add(word)
	interrupt(s)
	t.Add(word)
}

func TestRaceOneWord(t *testing.T) {
	x := newTally()
	interrupted(func(s *script.Script) { x.addTwice("a", s) }, func() { x.Add("a") })
}

func TestNoRaceTwoWords(t *testing.T) {
	x := newTally()
	interrupted(func(s *script.Script) { x.addTwice("a", s) }, func() { x.Add("b") })
}

// move writes what Add, or what it starts, reads in between.
//
// atomic
func (t *tally) move(s *script.Script) {
	t.front = 1
	interrupt(s)
	t.back = 1
}

func TestRaceReadBetween(t *testing.T) {
	x := newTally()
	interrupted(x.move, func() { _ = x.front + x.back })
}

func TestNoRaceReadInCall(t *testing.T) {
	x := newTally()
	interrupted(x.move, func() { x.Add("a") })
}

// beginAndWait has something started by a call, which is not what the program does, and waits for it.
//
// atomic
func (t *tally) beginAndWait(then chan bool) {
	t.Begin(then, t.done)
	<-t.done
}

func TestNoRaceStartedByCall(t *testing.T) {
	x := newTally()
	then := make(chan bool)
	close(then)
	x.beginAndWait(then)
}
