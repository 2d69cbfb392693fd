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
	inputs   uint32 // how often the holder has asked for input, since it got the token
	external uint32 // that have come

	outside outside // what is told of them
}

// begin begins a run. Who has come before it stays. If tells is set, a text tells what comes; see
// outside.go.
func (a *Arrivals) begin(tells bool, told string) {
	a.turns, a.calls, a.inputs, a.external = 0, 0, 0, 0
	a.outside.begin(tells, told)
}

// turn notes that the token is given.
func (a *Arrivals) turn(c *Control) {
	a.turns, a.calls, a.inputs = a.turns+1, 0, 0
	a.passed(c)
}

// CallsMost is after how many system calls in a row the holder lets others run: it may wait in a
// loop for what they do, as by a file, and have no points there.
const CallsMost = 1000

// Back notes that the holder is back from a system call. It reports whether it is to let others
// run.
//
//go:nosplit
func (a *Arrivals) Back() bool {
	a.calls++
	return a.calls%CallsMost == 0
}

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
		a.turn(c)
		return
	}
	a.Admit(c)
	c.Choose(0)
}

// Admit makes all arrivals pending, in the order of their names: that in which they have come may
// be another one in the next run. If it is told who comes, it is those that are told for this turn,
// when all have come. It reports whether there were any.
func (a *Arrivals) Admit(c *Control) bool {
	if a.outside.on {
		return a.admit(c)
	}
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
		a.enter(c, *a.here.at(i))
	}
	a.here.n = 0
	return n > 0
}

// enter lets an arrival in.
func (a *Arrivals) enter(c *Control, id uint32) {
	a.log(c, id)
	c.Ready(id)
}

// log logs that an arrival is let in.
func (a *Arrivals) log(c *Control, id uint32) {
	c.Log.add(Entry{What: Came, Task: id, Other: a.turns, N: c.points, PC: uint64(a.Clock),
		To: c.tasks.at(id).Name})
}

// Ask notes that the holder is about to ask for input, or to send. It reports whether time passes.
func (a *Arrivals) Ask(c *Control) bool {
	a.inputs++
	return c.Pace.ask()
}

// Leave notes that the holder's token is given to others, as it waits in a system call.
func (a *Arrivals) Leave(c *Control, id uint32) {
	if a.Leaves(c, id) {
		a.outside.comeTrue()
	}
	a.left(c, id, Left, a.calls)
}

// LeaveAsking notes that the holder gives the token up, as it waits for input.
func (a *Arrivals) LeaveAsking(c *Control, id uint32) {
	if a.LeavesAsking(c, id) {
		a.outside.comeTrue()
	}
	a.left(c, id, Asked, a.inputs)
}

func (a *Arrivals) left(c *Control, id uint32, what What, number uint32) {
	c.Log.add(Entry{What: what, Task: id, Other: a.turns, N: c.points, PC: uint64(number),
		To: c.tasks.at(id).Name})
}
