// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

// maxSchedules is how many schedules of a program are looked at.
const maxSchedules = 60000

// schedules calls f with what happens in each schedule of a program, until f returns true, and
// reports whether it did. All is false if there are more schedules than are looked at, or one in
// which a goroutine waits for ever.
func (p *program) schedules(f func([]happening) bool) (found, all bool) {
	n, stuck := 0, false
	var search func(m machine, trace []happening) bool
	search = func(m machine, trace []happening) bool {
		over := true
		for i := range p.calls {
			if !m.ready(p, i) {
				continue
			}
			over = false
			next := m
			list, _ := next.run(p, i, trace)
			if search(next, list) {
				return true
			}
			if n > maxSchedules {
				return false
			}
		}
		if over {
			n++
			for i := range p.calls {
				stuck = stuck || !m.done(p, i)
			}
			return f(trace)
		}
		return false
	}
	var m machine
	found = search(m, make([]happening, 0, 64))
	return found, n <= maxSchedules && !stuck
}

// A claim is what a finding says of a program.
type claim struct {
	evidence Evidence
	pair     *pairOf
	shape    *compiled.SectionPair
	g, other int
	by       *op // the other's
}

// claimOf is what a finding says.
func (p *program) claimOf(f *Finding) claim {
	c := claim{evidence: f.Evidence, g: int(f.Act.Goid) - 1, other: int(f.Other.Goid) - 1}
	for _, fn := range p.functions {
		if &fn.code == f.Func.P() {
			c.pair, c.shape = &fn.pairs[f.Pair], &fn.code.Pairs[f.Pair]
		}
		for _, s := range fn.steps {
			for _, o := range s.ops {
				if o.touch == f.Other.Touch.P() {
					c.by = o
				}
			}
		}
	}
	return c
}

// lastCheck is the check that an act of a pair depends on, -1 if there is none.
func lastCheck(t []happening, act int, pair *pairOf) int {
	for i := act - 1; i >= 0; i-- {
		if t[i].op == pair.check && t[i].g == t[act].g && t[i].call == t[act].call {
			return i
		}
	}
	return -1
}

// matters reports whether an act does something.
func matters(h *happening, p *compiled.SectionPair) bool {
	return p.Value || p.Shape == compiled.FlagSet || p.Shape == compiled.Registered ||
		h.before != h.after
}

// cameLast reports whether the other's event came after an act in a trace.
func (c *claim) cameLast(t []happening) bool {
	for j := range t {
		if t[j].op != c.pair.act || t[j].g != c.g || lastCheck(t, j, c.pair) < 0 {
			continue
		}
		for k := j + 1; k < len(t); k++ {
			if t[k].g == c.other && t[k].op == c.by {
				return true
			}
		}
	}
	return false
}

// holds reports whether a trace shows what a finding claims: the other's event really falls between
// the check and the act, and the act still happens. Of a twin, both act; its check may also come
// before that of the first one, and see the same.
func (c *claim) holds(t []happening) bool {
	for j := range t {
		if t[j].op != c.pair.act || c.g >= 0 && t[j].g != c.g {
			continue
		}
		i := lastCheck(t, j, c.pair)
		if i < 0 || !matters(&t[j], c.shape) {
			continue
		}
		for k := range j {
			if k <= i && (c.evidence != Twin || t[k].after != t[i].after) {
				continue
			}
			if t[k].g == t[j].g || c.other >= 0 && t[k].g != c.other || t[k].op != c.by {
				continue
			}
			if c.evidence == Predicted && net(t, k, i) ||
				c.evidence == Observed && net(t, k, i) && differs(t, i, j) ||
				c.evidence == Twin && (t[k].key == t[i].key || !t[k].keyed()) &&
					c.actsToo(t, k, j) {
				return true
			}
		}
	}
	return false
}

// actsToo reports whether the goroutine that has made the check k makes the act of it after j.
func (c *claim) actsToo(t []happening, k, j int) bool {
	for l := j + 1; l < len(t); l++ {
		if t[l].g == t[k].g && t[l].call == t[k].call && t[l].op == c.pair.act &&
			lastCheck(t, l, c.pair) == k {
			return true
		}
	}
	return false
}

// isBug reports whether a trace shows that a pair is no single step: another goroutine's change
// falls between the check and an act that does something, and its goroutine was not told of it.
func isBug(t []happening, pair *pairOf, shape *compiled.SectionPair) bool {
	for j := range t {
		if t[j].op != pair.act {
			continue
		}
		i := lastCheck(t, j, pair)
		if i < 0 || !matters(&t[j], shape) {
			continue
		}
		for k := i + 1; k < j; k++ {
			if t[k].g != t[j].g && t[k].changes(&t[i]) && t[j].clock[t[k].g] < t[k].time &&
				now(t, i, j) != t[i].after {
				return true
			}
		}
	}
	return false
}

// differs reports whether the act j finds another value than its check i has seen, but for what its
// own goroutine has changed.
func differs(t []happening, i, j int) bool {
	v := now(t, i, j)
	return v != t[i].after || v != own(t, i, j)
}

// own is the value that the act j's goroutine would find at the point of the check i, if no other
// had changed it.
func own(t []happening, i, j int) int {
	v := t[i].after
	for k := i + 1; k < j; k++ {
		switch {
		case t[k].g != t[i].g || !t[k].changes(&t[i]) || t[k].time == t[j].time:
		case t[i].op.kind == compiled.Len:
			v += t[k].length - t[k].lengthBefore
		case t[k].op.kind == compiled.UpdateVar:
			v++
		default:
			v = t[k].after
		}
	}
	return v
}

// now is the value that the point of the check i has right before the act j.
func now(t []happening, i, j int) int {
	v := t[i].after
	for k := i + 1; k < j && t[k].time < t[j].time; k++ {
		if !t[k].changes(&t[i]) {
			continue
		}
		if t[i].op.kind == compiled.Len {
			v = t[k].length
		} else {
			v = t[k].after
		}
	}
	return v
}

// net reports whether the section of the write k has changed the point of the check i.
func net(t []happening, k, i int) bool {
	first, last := -1, -1
	for l := range t {
		h := &t[l]
		if h.g == t[k].g && h.time == t[k].time && h.writesPointOf(&t[i]) {
			if first < 0 {
				first = l
			}
			last = l
		}
	}
	switch {
	case first < 0:
		return false
	case t[i].op.kind == compiled.Len:
		return t[first].lengthBefore != t[last].length
	}
	return t[first].before != t[last].after
}

// isMade reports whether an act that does something is made in a trace.
func isMade(t []happening, pair *pairOf, shape *compiled.SectionPair) bool {
	for j := range t {
		if t[j].op == pair.act && lastCheck(t, j, pair) >= 0 && matters(&t[j], shape) {
			return true
		}
	}
	return false
}
