// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// One goroutine sees the half of what another one sets in two sections.

type line struct{ sent []string }

func (l *line) send(s string) { l.sent = append(l.sent, s) }

// A link is open before its line is there.
type link struct {
	mu   sync.Mutex
	open bool
	line *line
}

// dial says that the link is open, and makes the line later.
func (l *link) dial(pause func()) {
	l.mu.Lock()
	if l.line != nil {
		l.mu.Unlock()
		return
	}
	l.open = true
	l.mu.Unlock()
	pause()
	made := &line{sent: []string{"hello"}}
	l.mu.Lock()
	l.line = made
	l.mu.Unlock()
}

// say takes an open link for one with a line.
func (l *link) say(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		l.line.send(s)
	}
}

func TestRaceHalfSeenAfter(*testing.T) {
	l := new(link)
	after(l.dial, func() { l.say("a") })
}

func TestRaceHalfSeenBetween(*testing.T) {
	l := new(link)
	between(l.dial, func() { l.sayIfOpen("a") })
}

// sayIfOpen looks in a section of its own whether the link is open. It finds no line in the test,
// as nothing is sent to nobody.
func (l *link) sayIfOpen(s string) {
	if !l.isOpen() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line.keep(s)
}

func (l *link) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// keep needs no line while there is nothing to keep.
func (l *line) keep(s string) {
	if s != "a" {
		l.sent = append(l.sent, s)
	}
}

func TestRaceHalfSeenApartAfter(*testing.T) {
	l := new(link)
	after(l.dial, func() { l.sayIfOpen("b") })
}

// sayIfLine looks whether there is a line.
func (l *link) sayIfLine(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open {
		if to := l.line; to != nil {
			to.send(s)
		}
	}
}

func TestNoRaceHalfSeenLookedAfter(*testing.T) {
	l := new(link)
	after(l.dial, func() { l.sayIfLine("a") })
}

func TestNoRaceHalfSeenLookedBetween(*testing.T) {
	l := new(link)
	between(l.dial, func() { l.sayIfLine("a") })
}

// Who is told in the middle is meant to look then.
func TestNoRaceHalfSeenTold(*testing.T) {
	l := new(link)
	opened := make(chan bool, 1)
	both(func() { l.dial(func() { opened <- true }) }, func() {
		<-opened
		l.sayIfOpen("a")
	})
}

// A whole link is open when its line is there.
type whole struct{ link }

func (w *whole) dial(pause func()) {
	w.mu.Lock()
	found := w.line != nil
	w.mu.Unlock()
	pause()
	w.mu.Lock()
	if !found && w.line == nil {
		w.line = &line{}
		w.open = true
	}
	w.mu.Unlock()
}

func TestNoRaceHalfSeenWholeAfter(*testing.T) {
	w := new(whole)
	after(w.dial, func() { w.say("a") })
}

// A busy link takes its flag back: that says that the line is being made.
type busy struct {
	mu     sync.Mutex
	making bool
	line   *line
}

func (b *busy) dial(pause func()) {
	b.mu.Lock()
	if b.line != nil || b.making {
		b.mu.Unlock()
		return
	}
	b.making = true
	b.mu.Unlock()
	pause()
	made := &line{}
	b.mu.Lock()
	b.line, b.making = made, false
	b.mu.Unlock()
}

func (b *busy) say(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.making && b.line != nil {
		b.line.send(s)
	}
}

func TestNoRaceHalfSeenBusyBetween(*testing.T) {
	b := new(busy)
	between(b.dial, func() { b.say("a") })
}

func TestNoRaceHalfSeenBusyAfter(*testing.T) {
	b := new(busy)
	after(b.dial, func() { b.say("a") })
}
