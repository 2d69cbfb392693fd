// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// A run may be made again with what had come from outside in it: the spec's text goes on with @ and
// a word for each arrival, in order, with dashes between:
//
//	c<turn>.<name>.<clock>  the task comes, before the token is given once more
//	l<turn>.<name>.<calls>  the task leaves: its token is given to others in a system call
//	i<turn>.<name>.<times>  the task waits for input, when it has asked for it so many times
//	m                       there are more, which are not told
//
// Numbers are hexadecimal. An arrival that comes too early waits for its turn. For one that is late
// the runtime waits, where nobody else can run. So the outside can't make such a run another one,
// unless what is to come does not come, or what is not to come is all that comes. The run has
// parted then, and goes on as if nothing had been told.

// A Why says why a run has parted.
type Why uint8

// Why runs part.
const (
	Not        Why = iota // it has not
	NotCome               // nothing came in time
	NotLeft               // the task came back from its system calls, and was to leave
	Passed                // the turn has come without a place where arrivals are let in
	Unexpected            // a task came, and was not to come
	Stays                 // a task stays in a system call, and was not to leave
)

// outside is what is told of arrivals.
type outside struct {
	on    bool // there is something, and the run has not parted
	text  string
	at    int    // where the word after next begins
	index uint32 // of next
	next  arrival
	ready list // those that are told for this turn, and have come
	clock int64
}

// An arrival is a word. Its what is 0 at the end.
type arrival struct {
	what   byte
	turn   uint32
	name   uint64
	number uint64
}

// parseArrival reads a word.
func parseArrival(word string) (a arrival, ok bool) {
	if word == "m" {
		return arrival{what: 'm'}, true
	}
	if word == "" || word[0] != 'c' && word[0] != 'l' && word[0] != 'i' {
		return a, false
	}
	a.what = word[0]
	var numbers [3]uint64
	field, at := 0, 1
	for i := 1; i <= len(word); i++ {
		if i < len(word) && word[i] != '.' {
			continue
		}
		if field == len(numbers) {
			return a, false
		}
		if numbers[field], ok = number(word[at:i], 16); !ok {
			return a, false
		}
		field, at = field+1, i+1
	}
	a.turn, a.name, a.number = uint32(numbers[0]), numbers[1], numbers[2]
	return a, field == len(numbers) && numbers[0] < 1<<32
}

// parseArrivals reports whether a text tells arrivals.
func parseArrivals(text string) bool {
	for at := 0; at <= len(text); {
		word, _ := cutDash(text[at:])
		if _, ok := parseArrival(word); !ok {
			return false
		}
		at += len(word) + 1
	}
	return true
}

// begin begins a run. If tells is set, a text tells what comes, and nothing does if it is empty.
func (o *outside) begin(tells bool, text string) {
	*o = outside{on: tells && (text == "" || parseArrivals(text)), text: text, ready: o.ready}
	o.ready.n = 0
	if o.on {
		o.advance()
		o.index = 0
		o.finish()
	}
}

// advance reads the next word.
func (o *outside) advance() {
	o.index++
	o.next = arrival{}
	if o.at >= len(o.text) {
		return
	}
	word, _ := cutDash(o.text[o.at:])
	o.at += len(word) + 1
	o.next, _ = parseArrival(word)
}

// match takes those that have come, and that are told for this turn.
func (a *Arrivals) match(c *Control) {
	for o := &a.outside; a.expects(); {
		i := uint32(0)
		for i < a.here.n && c.tasks.at(*a.here.at(i)).Name != o.next.name {
			i++
		}
		if i == a.here.n {
			return
		}
		o.ready.add(*a.here.at(i))
		a.here.remove(i)
		o.clock = int64(o.next.number)
		o.advance()
	}
}

// admit makes those pending that are told for this turn, if all have come.
func (a *Arrivals) admit(c *Control) bool {
	o := &a.outside
	if !a.Complete(c) {
		return false
	}
	a.Clock = max(a.Clock, o.clock)
	for i := range o.ready.n {
		a.enter(c, *o.ready.at(i))
	}
	o.ready.n = 0
	o.finish()
	return true
}

// comeTrue notes that a task has left, or asks, as was told.
func (o *outside) comeTrue() {
	o.advance()
	o.finish()
}

// finish ends what is told, if there is more that is not.
func (o *outside) finish() {
	if o.next.what == 'm' && o.ready.n == 0 {
		o.on = false // as far as is known, the run has come true
	}
}

// part notes that the run has parted.
func (a *Arrivals) part(c *Control, why Why, id uint32) {
	c.Log.add(Entry{What: Parted, Task: id, Other: a.turns, N: c.points, PC: uint64(a.outside.index),
		Choice: uint32(why)})
	a.free()
}

// free has all that have come wait as in a run of which nothing is told.
func (a *Arrivals) free() {
	o := &a.outside
	o.on = false
	for i := range o.ready.n {
		a.here.add(*o.ready.at(i))
	}
	o.ready.n = 0
}

// passed notes that the token is given. What was told for the time before has come true, or else
// the run has parted.
func (a *Arrivals) passed(c *Control) {
	switch o := &a.outside; {
	case !o.on:
	case (o.next.what == 'l' || o.next.what == 'i') && o.next.turn < a.turns:
		a.part(c, NotLeft, 0)
	case o.ready.n > 0, o.next.what == 'c' && o.next.turn < a.turns:
		a.part(c, Passed, 0)
	}
}

// expects reports whether one that has not come is to come in this turn.
func (a *Arrivals) expects() bool {
	o := &a.outside
	return o.on && o.next.what == 'c' && o.next.turn == a.turns
}

// Told reports whether it is told what comes, and the run has not parted.
func (a *Arrivals) Told() bool { return a.outside.on }

// Waits reports whether one is to be let in in this turn: time is not to pass before.
func (a *Arrivals) Waits() bool { return a.outside.on && (a.expects() || a.outside.ready.n > 0) }

// Halts reports whether the next choice has to wait: arrivals are let in there, and one is to come.
func (a *Arrivals) Halts(c *Control) bool {
	if !a.outside.on || !c.Pace.Due() {
		return false
	}
	a.match(c)
	if !a.Waits() && a.outside.next.what == 0 && a.here.n > 0 {
		a.part(c, Unexpected, *a.here.at(0)) // who runs may wait for it, in a loop
	}
	return a.expects()
}

// Complete reports whether all that are to come in this turn have come.
func (a *Arrivals) Complete(c *Control) bool {
	a.match(c)
	return a.outside.on && !a.expects() && a.outside.ready.n > 0
}

// Held reports whether somebody has come and is not let in, and how many words have come true.
func (a *Arrivals) Held() (held bool, index uint32) { return a.here.n > 0, a.outside.index }

// GiveUp has the run part: what is to come has not come for long, or something else is all that
// has.
func (a *Arrivals) GiveUp(c *Control) {
	id := uint32(0)
	if a.here.n > 0 {
		id = *a.here.at(0)
	}
	if a.expects() {
		a.part(c, NotCome, id)
	} else {
		a.part(c, Unexpected, id)
	}
}

// Leaves reports whether the holder, which is in a system call or comes back from it, is to leave.
func (a *Arrivals) Leaves(c *Control, id uint32) bool {
	o := &a.outside
	return o.on && o.next.what == 'l' && o.next.turn == a.turns &&
		o.next.name == c.tasks.at(id).Name && uint64(a.calls) >= o.next.number
}

// LeavesAsking reports whether the holder, which asks for input, is to wait for it.
func (a *Arrivals) LeavesAsking(c *Control, id uint32) bool {
	o := &a.outside
	return o.on && o.next.what == 'i' && o.next.turn == a.turns &&
		o.next.name == c.tasks.at(id).Name && uint64(a.inputs) >= o.next.number
}

// Stays has the run part, as a task stays in a system call for long, or waits for input, and is
// not to leave.
func (a *Arrivals) Stays(c *Control, id uint32) { a.part(c, Stays, id) }
