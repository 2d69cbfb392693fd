// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// Arrivals are what has come from outside in a run.
type Arrivals struct {
	// Clock is what the clock of the program shows where arrivals may be let in, in nanoseconds.
	Clock int64

	here     list   // those that are not let in yet
	turns    uint32 // how often the token was given
	calls    uint32 // system calls that the holder has come back from, since it got the token
	external uint32 // that have come
}

// clear begins a run. Who has come before it stays.
func (a *Arrivals) clear() { a.turns, a.calls, a.external = 0, 0, 0 }

// turn notes that the token is given.
func (a *Arrivals) turn() { a.turns, a.calls = a.turns+1, 0 }

// Back notes that the holder is back from a system call.
//
//go:nosplit
func (a *Arrivals) Back() { a.calls++ }

// Come notes a task that something outside of control has made ready.
func (a *Arrivals) Come(id uint32) {
	a.here.add(id)
	a.external++
}

// Take notes a task that something outside of control has made ready, and that gets the token at
// once, as nobody has it. The clock is what the program sees.
func (a *Arrivals) Take(c *Control, id uint32) {
	a.Come(id)
	if a.here.n > 1 || c.pending.n > 0 {
		a.here.n-- // others come from outside of a run; they wait
		a.log(c, id)
		a.turn()
		return
	}
	a.Admit(c)
	c.Choose(0)
}

// Admit makes all arrivals pending, in the order of their names: that in which they have come may
// be another one in the next run. It reports whether there were any.
func (a *Arrivals) Admit(c *Control) bool {
	n := a.here.n
	if n > 0 {
		c.Steps.Break()
	}
	for i := uint32(1); i < n; i++ { // most often they are few, and mostly in order
		id := *a.here.at(i)
		name, j := c.tasks.at(id).Name, i
		for ; j > 0 && c.tasks.at(*a.here.at(j - 1)).Name > name; j-- {
			*a.here.at(j) = *a.here.at(j - 1)
		}
		*a.here.at(j) = id
	}
	for i := range n {
		id := *a.here.at(i)
		a.log(c, id)
		c.Ready(id)
	}
	a.here.n = 0
	return n > 0
}

// log logs that an arrival is let in.
func (a *Arrivals) log(c *Control, id uint32) {
	c.Log.add(Entry{What: Came, Task: id, Other: a.turns, N: c.points, PC: uint64(a.Clock),
		To: c.tasks.at(id).Name})
}

// Leave logs that the holder's token is given to others, as it waits in a system call.
func (a *Arrivals) Leave(c *Control, id uint32) {
	c.Log.add(Entry{What: Left, Task: id, Other: a.turns, N: c.points, PC: uint64(a.calls),
		To: c.tasks.at(id).Name})
}
