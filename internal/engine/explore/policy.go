// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

// A Policy says how decisions are made.
type Policy uint8

// The policies.
const (
	First    Policy = iota // by default; what happens is written down, for the others
	Forced                 // by default, but for some decisions
	Random                 // each candidate is as likely as the others
	Again                  // who uses an object once more is held, so that others come between
	Tx                     // the same inside of transactions
	Surw                   // a candidate is as likely as it has points left, by the last First run
	Pos                    // operations have priorities; those in conflict draw anew
	Anchored               // by default, but for some decisions, which are told by their places
	Pair                   // who comes to one place is held until another one was at another place
	policies
)

var policyNames = [policies]string{"first", "forced", "random", "again", "tx", "surw", "pos",
	"anchored", "pair"}

// String is the policy's name.
func (p Policy) String() string { return policyNames[p] }

// PolicyOf is the policy of a name.
func PolicyOf(name string) (p Policy, ok bool) {
	for i, n := range policyNames {
		if n == name {
			return Policy(i), true
		}
	}
	return 0, false
}

const (
	// DemoteAfter is the number of points after which a task that goes on by default lets another
	// one run: it may spin.
	DemoteAfter = 500
	// letGoAfter is the number of decisions after which a task is held no longer: what others wait
	// for, in a loop with points or without, may be its to do.
	letGoAfter = 200
	// weighed is the number of candidates up to which each is looked at.
	weighed = 64
)

// next is the next number of the policy's own.
func (c *Control) next() uint64 {
	c.spec.state++
	return Mix(c.spec.state ^ c.spec.Seed<<1)
}

// decide is the index of a candidate, of n. What is not the default can be forced in another run,
// which goes the same way then: the default depends on the choices before, and not on the policy.
func (c *Control) decide(holder, n uint32) uint32 {
	c.decided++
	usual := c.byDefault(holder)
	c.choices.note(c, holder, n, usual)
	i := usual
	switch c.spec.Policy {
	case First:
	case Forced:
		i = c.spec.choose(c, usual, n)
	case Anchored:
		i = c.anchors.choose(c, holder, usual, n)
	case Again, Tx, Pair:
		i = c.among(holder, n)
	case Surw:
		i = c.byWeight(holder, n)
	case Pos:
		i = c.byPriority(holder, n)
	default:
		i = uint32(c.next() % uint64(n))
	}
	if i != usual {
		c.stay = 0
	}
	c.Log.decide(c, holder, n, i, usual)
	return i
}

// byDefault goes on with the holder, or takes the candidate that became pending first.
func (c *Control) byDefault(holder uint32) uint32 {
	if holder == 0 {
		c.stay = 0
		return 0
	}
	if c.stay++; c.stay > DemoteAfter {
		c.stay = 0
		return 1
	}
	return 0
}

// follow notes for policies Again and Tx, and for Pos, that the holder is about to use an object.
func (c *Control) follow(id, object uint32) {
	t := c.tasks.at(id)
	c.choices.again = t.uses(object)
	switch c.spec.Policy {
	case Again, Tx:
		c.letGo(object)
		if c.choices.again && (c.spec.Policy == Again || t.depth > 0 || !c.choices.seenTransaction) &&
			c.next()&1 == 0 {
			t.held, t.heldAt = true, c.decided
			if _, ok := c.holds.index(id); !ok {
				c.holds.add(id)
			}
		}
	case Pos:
		t.prio = c.next()
		for i := range min(c.pending.n, weighed) {
			if other := c.tasks.at(*c.pending.at(i)); other.object == object {
				other.prio = c.next()
			}
		}
	}
	t.use(object)
}

// letGo lets go of tasks that are held and that have used an object, each with probability 1/2. It
// takes time in proportion to the held ones, of which there are few: each decision holds one at
// most, and none is held for long.
func (c *Control) letGo(object uint32) {
	kept := uint32(0)
	for i := range c.holds.n {
		id := *c.holds.at(i)
		t := c.tasks.at(id)
		if !t.held || t.run != c.run {
			continue
		}
		if t.uses(object) && c.next()&1 == 0 || c.decided-t.heldAt > letGoAfter {
			t.held = false
			continue
		}
		*c.holds.at(kept) = id
		kept++
	}
	c.holds.n = kept
}

// among is one of the candidates that are not held, if there are any.
func (c *Control) among(holder, n uint32) uint32 {
	for range 8 {
		i := uint32(c.next() % uint64(n))
		if !c.isHeld(holder, i) {
			return i
		}
	}
	start := uint32(c.next() % uint64(n))
	for k := range n {
		if i := (start + k) % n; !c.isHeld(holder, i) {
			return i
		}
	}
	return start
}

func (c *Control) isHeld(holder, i uint32) bool {
	t := c.tasks.at(c.candidate(holder, i))
	return t.held && t.run == c.run && c.decided-t.heldAt <= letGoAfter
}

// byWeight draws a candidate by the points that it had left in the last First run.
func (c *Control) byWeight(holder, n uint32) uint32 {
	if n > weighed {
		return uint32(c.next() % uint64(n))
	}
	var weights [weighed]uint32
	sum := uint64(0)
	for i := range n {
		t := c.tasks.at(c.candidate(holder, i))
		t.fresh(c.run)
		w := uint32(1)
		if length := c.lengths.find(t.Name, false); length != nil && *length > t.done {
			w = *length - t.done
		}
		weights[i] = w
		sum += uint64(w)
	}
	at := c.next() % sum
	for i := range n {
		if at < uint64(weights[i]) {
			return i
		}
		at -= uint64(weights[i])
	}
	return n - 1
}

// byPriority is the candidate whose operation has the highest priority. Now and then it is any: one
// with a low priority would wait for ever for others that spin.
func (c *Control) byPriority(holder, n uint32) uint32 {
	if n > weighed || c.decided%weighed == 0 {
		return uint32(c.next() % uint64(n))
	}
	best, at := uint64(0), uint32(0)
	for i := range n {
		t := c.tasks.at(c.candidate(holder, i))
		if t.prio == 0 {
			t.prio = c.next()
		}
		if t.prio > best {
			best, at = t.prio, i
		}
	}
	c.tasks.at(c.candidate(holder, at)).prio = 0
	return at
}
