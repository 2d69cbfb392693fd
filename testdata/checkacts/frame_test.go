// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkacts

import "testing"

// Which activation of a function makes a call is told by where its frame is on the stack.

// nested looks in one activation, and acts in another one, which that calls.
func (c *cache) nested(look bool, pause func()) {
	ok := false
	if look {
		_, ok = c.m.Load("k")
		pause()
		c.nested(false, nothing)
	}
	if !ok && !look {
		c.m.Store("k", "mine")
	}
}

func TestRacePlainNested(*testing.T) {
	c := new(cache)
	between(func(pause func()) { c.nested(true, pause) }, c.set)
}

// deepen needs so much stack that the runtime moves it.
//
//go:noinline
func deepen(n int) byte {
	var room [1 << 10]byte
	if n > 0 {
		room[n] = deepen(n - 1)
	}
	return room[n/2]
}

// The stack is moved between the look and the act.
func TestRaceGetMovedStack(*testing.T) {
	c := new(cache)
	between(func(pause func()) {
		c.get(func() {
			deepen(200)
			pause()
		})
	}, c.set)
}
