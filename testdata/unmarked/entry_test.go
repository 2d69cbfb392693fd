// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"sync"
	"testing"
)

// Entries of a map count who uses them, and are removed when nobody does.

type page struct {
	uses int
	text string
}

type pages struct {
	mu sync.Mutex
	m  map[string]*page
}

func newPages() *pages { return &pages{m: map[string]*page{}} }

func (p *pages) get(key string) *page {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.m[key]
	if x == nil {
		x = &page{text: key}
		p.m[key] = x
	}
	x.uses++
	return x
}

// put removes the page by what the count was a moment ago.
func (p *pages) put(key string, x *page, pause func()) {
	p.mu.Lock()
	x.uses--
	left := x.uses
	p.mu.Unlock()
	if left > 0 {
		return
	}
	pause()
	p.mu.Lock()
	delete(p.m, key)
	p.mu.Unlock()
}

func TestRaceEntryGoneBetween(*testing.T) {
	p := newPages()
	x := p.get("k")
	between(func(pause func()) { p.put("k", x, pause) }, func() { p.get("k") })
}

func TestRaceEntryGoneAfter(*testing.T) {
	p := newPages()
	x := p.get("k")
	after(func(pause func()) { p.put("k", x, pause) }, func() { p.get("k") })
}

func TestNoRaceEntryOtherAfter(*testing.T) {
	p := newPages()
	x := p.get("k")
	after(func(pause func()) { p.put("k", x, pause) }, func() { p.get("l") })
}

// Whoever uses the page gives it back, and is done before another one begins.
func TestNoRaceEntryInTurns(*testing.T) {
	p := newPages()
	turn := make(chan bool, 1)
	use := func() {
		<-turn
		p.put("k", p.get("k"), nothing)
		turn <- true
	}
	turn <- true
	both(use, use)
}

// Two use the page, and the first one that gives it back is not the last.
func TestNoRaceEntryStillUsed(*testing.T) {
	p := newPages()
	x, y := p.get("k"), p.get("k")
	after(func(pause func()) { p.put("k", x, pause) }, func() {
		y.text = p.get("k").text
	})
}

// putAgain looks again under the lock.
func (p *pages) putAgain(key string, x *page, pause func()) {
	p.mu.Lock()
	x.uses--
	left := x.uses
	p.mu.Unlock()
	if left > 0 {
		return
	}
	pause()
	p.mu.Lock()
	if x.uses == 0 {
		delete(p.m, key)
	}
	p.mu.Unlock()
}

func TestNoRaceEntryAgainBetween(*testing.T) {
	p := newPages()
	x := p.get("k")
	between(func(pause func()) { p.putAgain("k", x, pause) }, func() { p.get("k") })
}

func TestNoRaceEntryAgainAfter(*testing.T) {
	p := newPages()
	x := p.get("k")
	after(func(pause func()) { p.putAgain("k", x, pause) }, func() { p.get("k") })
}

// A sheet says when it is about to go, and nobody takes it then.
type sheet struct {
	uses  int
	going bool
}

type sheets struct {
	mu sync.Mutex
	m  map[string]*sheet
}

func (p *sheets) get(key string) *sheet {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.m[key]
	if x == nil || x.going {
		x = &sheet{}
		p.m[key] = x
	}
	x.uses++
	return x
}

func (p *sheets) put(key string, x *sheet, pause func()) {
	p.mu.Lock()
	x.uses--
	left := x.uses
	x.going = left == 0
	p.mu.Unlock()
	if left > 0 {
		return
	}
	pause()
	p.mu.Lock()
	if p.m[key] == x {
		delete(p.m, key)
	}
	p.mu.Unlock()
}

func TestNoRaceEntryGoingBetween(*testing.T) {
	p := &sheets{m: map[string]*sheet{}}
	x := p.get("k")
	between(func(pause func()) { p.put("k", x, pause) }, func() { p.get("k") })
}

func TestNoRaceEntryGoingAfter(*testing.T) {
	p := &sheets{m: map[string]*sheet{}}
	x := p.get("k")
	after(func(pause func()) { p.put("k", x, pause) }, func() { p.get("k") })
}
