// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import "slices"

// A state is what is known at a place of a function: what registers and slots of the stack hold,
// and which accesses have been announced since the last call that is no hook.
type state struct {
	regs  [16]value
	slots []slot
	seen  []span
	frame int64 // bytes of the stack that the function has taken, -1 if that is not known
}

// A slot is some bytes of the function's frame, by their distance from the stack pointer. What it
// holds has zeros above.
type slot struct {
	at    int64
	bytes int
	holds value
}

// A span is bytes that were accessed, from a number and a constant on, up to another constant.
type span struct {
	base     int32
	from, to int64
	wrote    bool
}

// maxSeen is how many spans a state keeps. The oldest goes first.
const maxSeen = 64

func newState() *state {
	s := &state{frame: -1}
	s.forgetRegisters()
	return s
}

func (s *state) forgetRegisters() {
	for i := range s.regs {
		s.regs[i] = unknown
	}
}

// forget forgets all.
func (s *state) forget() {
	s.forgetRegisters()
	s.slots, s.seen = s.slots[:0], s.seen[:0]
	s.frame = -1
}

func (s *state) clone() *state {
	c := *s
	c.slots, c.seen = slices.Clone(s.slots), slices.Clone(s.seen)
	return &c
}

// forgetSlots forgets what slots hold that are not all outside of some bytes.
func (s *state) forgetSlots(from, to int64) {
	s.slots = slices.DeleteFunc(s.slots, func(c slot) bool {
		return c.at < to && from < c.at+int64(c.bytes)
	})
}

// store puts a value into a slot.
func (s *state) store(at int64, bytes int, v value) {
	s.forgetSlots(at, at+int64(bytes))
	s.slots = append(s.slots, slot{at, bytes, v})
}

// load is what a slot holds.
func (s *state) load(vs *values, at int64, bytes int) value {
	for i := range s.slots {
		if c := &s.slots[i]; c.at == at && c.bytes == bytes {
			return c.holds
		}
	}
	v := vs.fresh()
	if bytes < 8 {
		v = vs.low(v, bytes)
	}
	s.slots = append(s.slots, slot{at, bytes, v})
	return v
}

// covers reports whether each byte of a span was accessed already. A write is covered by writes.
func (s *state) covers(x span) bool {
	from := x.from
	for i := 0; from < x.to; {
		i = 0
		for ; i < len(s.seen); i++ {
			y := &s.seen[i]
			if y.base == x.base && (y.wrote || !x.wrote) && y.from <= from && from < y.to {
				break
			}
		}
		if i == len(s.seen) {
			return false
		}
		from = s.seen[i].to
	}
	return true
}

// add adds a span that was accessed.
func (s *state) add(x span) {
	if len(s.seen) == maxSeen {
		s.seen = slices.Delete(s.seen, 0, 1)
	}
	s.seen = append(s.seen, x)
}

// meet keeps what also holds in another state.
func (s *state) meet(o *state) {
	for i := range s.regs {
		if s.regs[i] != o.regs[i] {
			s.regs[i] = unknown
		}
	}
	s.slots = slices.DeleteFunc(s.slots, func(c slot) bool { return !slices.Contains(o.slots, c) })
	if s.frame != o.frame {
		s.frame = -1
	}
	mine := slices.Clone(s.seen)
	s.seen = slices.DeleteFunc(s.seen, func(x span) bool { return !o.covers(x) })
	both := state{seen: mine}
	for _, x := range o.seen {
		if both.covers(x) && !s.covers(x) {
			s.add(x)
		}
	}
}

// within reports whether all that s knows also holds in another state.
func (s *state) within(o *state) bool {
	for i := range s.regs {
		if s.regs[i] != unknown && s.regs[i] != o.regs[i] {
			return false
		}
	}
	for _, c := range s.slots {
		if !slices.Contains(o.slots, c) {
			return false
		}
	}
	if s.frame >= 0 && s.frame != o.frame {
		return false
	}
	return !slices.ContainsFunc(s.seen, func(x span) bool { return !o.covers(x) })
}
