// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/vclock"

// A clockSet is the join of the clocks of several threads' events. It keeps the clocks of a few
// threads apart, as most sets never have more, and those of a thread replace each other.
type clockSet struct {
	n     uint32
	clock [kept]vclock.Snapshot
	more  vclock.LockClock // the join of all others
}

const kept = 2

// add adds the present clock of t, whose present epoch is marked.
func (c *clockSet) add(t *vclock.Thread) {
	slot := t.Now().Slot()
	for i := range c.n {
		if c.clock[i].Epoch().Slot() == slot {
			c.clock[i].Renew(t)
			return
		}
	}
	c.makeRoom()
	c.clock[c.n].Renew(t)
	c.n++
}

// addSnapshot adds a thread's clock at an event, which may be an earlier one than the set has. It
// takes over the snapshot.
func (c *clockSet) addSnapshot(s vclock.Snapshot) {
	for i := range c.n {
		if at := &c.clock[i]; at.Epoch().Slot() == s.Epoch().Slot() {
			if at.Epoch() < s.Epoch() {
				at.Drop()
				*at = s
			} else {
				s.Drop()
			}
			return
		}
	}
	c.makeRoom()
	c.clock[c.n] = s
	c.n++
}

// makeRoom makes room for the clock of one more thread.
func (c *clockSet) makeRoom() {
	if c.n == kept {
		c.more.ReleaseMergeSnapshot(&c.clock[0])
		c.clock[0].Drop()
		c.clock[0] = c.clock[1]
		c.clock[1] = vclock.Snapshot{}
		c.n--
	}
}

// addSet adds all of another set.
func (c *clockSet) addSet(o *clockSet) {
	for i := range o.n {
		c.more.ReleaseMergeSnapshot(&o.clock[i])
	}
	s := o.more.Snapshot()
	c.more.ReleaseMergeSnapshot(&s)
	s.Drop()
}

// join makes t know all of the set.
func (c *clockSet) join(t *vclock.Thread) {
	for i := range c.n {
		t.Join(&c.clock[i])
	}
	c.more.Acquire(t)
}

// knows reports whether a thread that joined the set would know e.
func (c *clockSet) knows(e vclock.Epoch) bool {
	for i := range c.n {
		if c.clock[i].Knows(e) {
			return true
		}
	}
	return c.more.Knows(e)
}

// clear makes the set empty.
func (c *clockSet) clear() {
	for i := range c.n {
		c.clock[i].Drop()
	}
	c.n = 0
	if !c.more.Empty() {
		c.more.Clear()
	}
}
