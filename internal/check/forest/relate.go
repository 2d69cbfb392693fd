// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import "github.com/commutego/commute/internal/event"

// A usage is the first access of an item by a unit, of one kind.
type usage struct {
	lane, unit, op int
	kind           uint32
}

// relate finds after which units each operation comes, and from when on. That is done once, as a
// search makes very many steps.
func (s *schedule) relate() {
	if s.analysis.uses == nil {
		s.analysis.uses = make([][]usage, len(s.groups))
	}
	var used []uint32 // the numbers of items
	for i := range s.lanes {
		for k := range s.lanes[i].ops {
			o := &s.lanes[i].ops[k]
			if o.access == nil {
				continue
			}
			if n, shared := s.owners.number(o.access.item); shared {
				used = append(used, n)
				s.uses[n] = use(s.uses[n], usage{i, o.unit, k, o.access.kind})
			}
		}
	}
	defer func() {
		for _, n := range used {
			s.uses[n] = s.uses[n][:0]
		}
	}()
	for i := range s.lanes {
		l := &s.lanes[i]
		var from [maxLanes]uint16
		for k := range l.ops {
			o := &l.ops[k]
			if k > 0 && l.ops[k-1].unit != o.unit { // in the order of the program
				o.comes(l.ops[k-1].unit, i, k-1)
			}
			if o.access != nil {
				for _, u := range s.usages(o.access.item) {
					if u.unit != o.unit && s.conflict(o.access.item, u.kind, o.access.kind) {
						o.comes(u.unit, u.lane, u.op)
					}
				}
			}
			s.must(o, i, from)
			from = o.needs
		}
	}
}

// usages are those of an item, none if one thread has it.
func (s *schedule) usages(item uint32) []usage {
	if n, shared := s.owners.number(item); shared {
		return s.uses[n]
	}
	return nil
}

// use adds a usage to those of an item, unless the unit has one of that kind.
func use(list []usage, u usage) []usage {
	for _, v := range list {
		if v.unit == u.unit && v.kind == u.kind {
			return list
		}
	}
	return append(list, u)
}

// must finds which units of other lanes an operation comes after in must-order. Those operations
// that the one before it needs, too, are known by then, unless it joins a thread.
func (s *schedule) must(o *op, lane int, from [maxLanes]uint16) {
	if o.step.Event.Op == event.Join {
		from = [maxLanes]uint16{}
	}
	for j := range s.lanes {
		m := &s.lanes[j]
		last := -1 // the last unit that was found
		for k := int(from[j]); k < int(o.needs[j]); k++ {
			p := &m.ops[k]
			if j != lane && p.unit != last && s.forces(p, o, &s.lanes[lane]) {
				last = p.unit
				o.comes(p.unit, j, k)
			}
		}
	}
}

// comes notes that an operation comes after a unit once another operation is done.
func (o *op) comes(unit, lane, op int) {
	for i := range o.after {
		if a := &o.after[i]; a.unit == unit {
			a.done = min(a.done, uint16(op+1))
			return
		}
	}
	o.after = append(o.after, after{unit, lane, uint16(op + 1)})
}
