// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// A Control is the state of exploration in a process. Callers hold one lock.
type Control struct {
	tasks    tasks
	pending  list
	Arrivals Arrivals
	strays   uint32 // tasks that none made

	spec    Spec
	run     uint32 // counts the runs
	random  uint64
	hash    uint64 // of what happened in this run, by tasks' names and objects' ordinals
	points  uint32
	Pace    Pace
	decided uint32 // decisions
	forced  uint32 // of the spec's, that were made
	prefix  uint64 // the hash when the first one was
	stay    uint32 // points at which the holder has gone on by default, one after the other
	holds   list   // tasks that are held, and some that were
	objects table
	lengths table // points by task's name, in the last run by default
	choices choices
	Seen    Orders
	Log     Log
	Steps   Steps
	anchors anchors
	open    bool // there is a run
}

// New makes the task of a goroutine g that another task, 0 for none, has made. It returns 0 if
// there are too many.
func (c *Control) New(g uintptr, parent uint32) uint32 {
	id := c.tasks.get()
	if id == 0 {
		return 0
	}
	t := c.tasks.at(id)
	t.G, t.born = g, c.run
	if parent == 0 {
		c.strays++
		t.Name = Mix(uint64(c.strays))
		c.Log.add(Entry{What: Made, Task: id, N: c.strays})
	} else {
		p := c.tasks.at(parent)
		p.births++
		t.Name = Mix(p.Name + uint64(p.births)*0x9E3779B97F4A7C15)
		c.Log.add(Entry{What: Made, Task: id, Other: parent, N: p.births})
	}
	c.Steps.made(t, id, parent)
	return id
}

// Task is the task of a number.
func (c *Control) Task(id uint32) *Task { return c.tasks.at(id) }

// End frees the number of a task whose goroutine is over. How many points it had is for policy
// Surw.
func (c *Control) End(id uint32) {
	t := c.tasks.at(id)
	if c.spec.Policy == First && t.run == c.run && t.done > 0 {
		*c.lengths.find(t.Name, true) = t.done
	}
	c.Log.add(Entry{What: Ended, Task: id})
	c.tasks.put(id)
}

// Made reports whether the present run has made a task.
func (c *Control) Made(id uint32) bool { return c.tasks.at(id).born == c.run }

// Ready makes a task pending.
func (c *Control) Ready(id uint32) {
	c.tasks.at(id).pending = true
	c.pending.add(id)
	c.Steps.add(Deed{Did: Readies, ID: id})
}

// Points is how many points this run has had.
func (c *Control) Points() uint32 { return c.points }

// Pending is the number of tasks that are pending.
func (c *Control) Pending() int { return int(c.pending.n) }

// Operate notes that a task, the holder, is about to make an operation on the object at an address.
// The program makes it at the return address pc, 0 if that is not known.
func (c *Control) Operate(id uint32, addr uintptr, k Kind, pc uintptr) {
	t := c.tasks.at(id)
	t.fresh(c.run)
	c.points++
	c.Pace.point()
	t.done++
	c.anchors.ran(t, c.run)
	object := uint32(0)
	if addr != 0 {
		object = *c.objects.find(uint64(addr), true)
	}
	t.object, t.kind, t.addr, t.pc = object, k, addr, pc
	t.about = object != 0 && pc != 0 && k.operates()
	c.hash = Mix(c.hash ^ t.Name ^ uint64(object)<<8 ^ uint64(k))
	c.Log.add(Entry{What: Operated, Task: id, Other: object, Kind: k, PC: uint64(pc)})
	if object != 0 {
		c.follow(id, object)
	}
	c.Steps.come(c, t)
	if c.spec.Policy == Pair {
		c.Seen.hold(c, t)
	}
}

// Same reports whether a point at an address is one with the point that the task has just had: the
// one announces the other's operation again.
func (c *Control) Same(id uint32, addr uintptr, k Kind) bool {
	t := c.tasks.at(id)
	switch t.kind {
	case WLock:
		return k == Lock && t.addr == addr
	case Begin:
		return (k == Atomic || k == Load) && t.addr == addr
	case Section:
		return (k == Lock || k == WLock || k == RLock || k == Atomic || k == Load) &&
			t.addr == addr
	case Observed:
		// what was left open there is left open here
		t.kind = None
		return k == Begin || k == Section || k == Lock || k == WLock || k == RLock
	}
	return false
}

// Choose decides who gets the token. The holder, if it can go on, is given with on set; it may be
// pending already. The one that is chosen is pending no longer. It returns 0 if there is none.
func (c *Control) Choose(holder uint32) uint32 {
	again := holder != 0 && c.tasks.at(holder).pending
	c.Steps.choose(c, holder, again)
	if c.Pace.Due() {
		c.Arrivals.Admit(c)
	}
	if again { // it goes first
		c.remove(holder)
	}
	n := c.pending.n
	if holder != 0 {
		n++
	}
	if n > 0 {
		c.Pace.idle++
	}
	switch n {
	case 0:
		c.Steps.goes(0)
		return 0
	case 1:
		c.stay = 0
		c.Arrivals.turn(c)
		id := c.take(holder, 0)
		c.Steps.goes(id)
		c.Seen.goOn(c, id)
		c.anchors.ran(c.tasks.at(id), c.run)
		c.Log.add(Entry{What: Chosen, Task: id, Other: holder})
		return id
	}
	i := c.decide(holder, n)
	c.Arrivals.turn(c)
	c.Seen.cross(c, holder, n, i)
	id := c.take(holder, i)
	c.Steps.goes(id)
	c.Seen.goOn(c, id)
	t := c.tasks.at(id)
	t.held = false
	c.anchors.ran(t, c.run)
	c.hash = Mix(c.hash ^ t.Name<<1)
	if again && id != holder {
		c.Ready(holder)
	}
	return id
}

// candidate is the task at an index among the candidates.
func (c *Control) candidate(holder, i uint32) uint32 {
	if holder != 0 {
		if i == 0 {
			return holder
		}
		i--
	}
	return *c.pending.at(i)
}

// take takes a candidate out of the pending ones.
func (c *Control) take(holder, i uint32) uint32 {
	id := c.candidate(holder, i)
	if id != holder {
		if holder != 0 {
			i--
		}
		c.tasks.at(id).pending = false
		c.pending.remove(i)
	}
	return id
}

// remove takes a task out of the pending ones.
func (c *Control) remove(id uint32) {
	c.tasks.at(id).pending = false
	if i, ok := c.pending.index(id); ok {
		c.pending.remove(i)
	}
}

// Spins notes that the holder yields as it may wait for others in a loop of system calls. None is
// held any longer, and the next choice lets arrivals in.
func (c *Control) Spins() {
	c.Steps.Break()
	c.Pace.spin()
	for i := range c.holds.n {
		c.tasks.at(*c.holds.at(i)).held = false
	}
	c.holds.n = 0
}

// Transaction notes that a task begins a transaction, or ends one with by = -1.
func (c *Control) Transaction(id uint32, by int) {
	t := c.tasks.at(id)
	t.fresh(c.run)
	switch {
	case by > 0 && t.depth < 255:
		if t.depth++; t.depth == 1 && c.spec.Policy == Tx {
			t.usedN = 0
		}
		c.choices.seenTransaction = true
	case by < 0 && t.depth > 0:
		t.depth--
	}
}

// Random is the next number for the program.
//
//go:nosplit
func (c *Control) Random() uint64 {
	c.random++
	return Mix(c.random ^ c.spec.Seed)
}
