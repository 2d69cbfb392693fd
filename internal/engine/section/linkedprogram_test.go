// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// link adds the linked pairs of a shape to all functions: of those that write one variable and then
// another one, or read a variable and then delete a key, and of those that read both.
func (p *program) link(shape compiled.Shape) {
	for _, f := range p.functions {
		for i := range f.steps {
			for j := i; j < len(f.steps); j++ {
				f.linkSteps(shape, f.steps[i].ops, f.steps[j].ops, i == j)
			}
		}
	}
}

// linkSteps adds the linked pairs of two steps, which may be the same.
func (f *function) linkSteps(shape compiled.Shape, first, second []*op, same bool) {
	for i, a := range first {
		for j, b := range second {
			if a.isReturn || b.isReturn || a.v == b.v && a.onMap() == b.onMap() {
				continue
			}
			var is bool
			switch {
			case shape == compiled.EntryGone && same: // a user, which looks up and writes
				is = a.kind == compiled.WriteVar && b.kind == compiled.Lookup
			case shape == compiled.EntryGone:
				is = a.kind == compiled.ReadVar && b.kind == compiled.Delete
			case a.isRead():
				is = a.kind == compiled.ReadVar && b.isRead() && b.kind != compiled.Len &&
					(!same || i < j)
			default:
				is = !same && a.kind == compiled.WriteVar && !b.isRead() && !f.writesAgain(a)
			}
			if is {
				f.pairs = append(f.pairs, pairOf{a, b})
				f.code.Pairs = append(f.code.Pairs, compiled.SectionPair{Check: a.touch,
					Act: b.touch, Shape: shape})
			}
		}
	}
}

// writesAgain reports whether a function has another write of a variable.
func (f *function) writesAgain(w *op) bool {
	for _, s := range f.steps {
		for _, o := range s.ops {
			if o != w && !o.isReturn && !o.isRead() && o.v == w.v && !o.onMap() {
				return true
			}
		}
	}
	return false
}

// holdsLinked reports whether a trace shows what a finding of a linked pair claims: the other
// goroutine reads the second variable between the two steps of the maker, which changes it, and has
// read the first one as the maker has written it. Of an entry, it finds the entry.
func (c *claim) holdsLinked(t []happening) bool {
	for j := range t {
		if t[j].op != c.pair.act || t[j].g != c.g || t[j].before == t[j].after {
			continue
		}
		i := lastCheck(t, j, c.pair)
		if i < 0 {
			continue
		}
		for k := i + 1; k < j; k++ {
			if t[k].g != c.other || t[k].op != c.by || t[k].time == t[j].time ||
				t[k].keyed() && t[k].key != t[j].key {
				continue
			}
			if c.shape.Shape == compiled.EntryGone {
				if t[k].after != 0 {
					return true
				}
				continue
			}
			for q := k - 1; q > i; q-- {
				if t[q].g == t[k].g && t[q].call == t[k].call && t[q].op.isRead() &&
					!t[q].op.onMap() && t[q].op.v == c.pair.check.v && t[q].after == t[i].after {
					return true
				}
			}
		}
	}
	return false
}

// TestRandomLinked runs random programs with linked pairs: for each finding there is a schedule
// that shows it.
func TestRandomLinked(t *testing.T) {
	n := *programs
	if n == 0 {
		n = 20000
		if testing.Short() {
			n = 6000
		}
	}
	for name, shape := range map[string]compiled.Shape{"halves": compiled.TornPair,
		"flags": compiled.HalfSeen, "entries": compiled.EntryGone} {
		var by [3]int
		wrong, unknown := 0, 0
		for seed := *from; seed < *from+int64(n); seed++ {
			p := makeProgram(seed, maker{linked: true})
			p.link(shape)
			s := newScript()
			r := rand.New(rand.NewSource(seed))
			trace := p.execute(s, r, 1+r.Intn(6))
			for i := range s.found {
				f := &s.found[i]
				if !f.Func.P().Pairs[f.Pair].Shape.Linked() {
					continue
				}
				c := p.claimOf(f)
				by[f.Evidence]++
				found, all := c.holdsLinked(trace), true
				if f.Evidence != Observed && !found {
					found, all = p.schedules(c.holdsLinked)
				}
				switch {
				case found:
				case !all:
					unknown++
				default:
					if wrong++; wrong < 3 {
						t.Errorf("%s, seed %d: no schedule shows evidence %d of goroutine %d's %v "+
							"and %v, with %d's %v in\n%v", name, seed, f.Evidence, c.g+1,
							c.pair.check, c.pair.act, c.other+1, c.by, p)
					}
				}
			}
		}
		t.Logf("%s in %d programs: observed %d, predicted %d; %d wrong, %d in too many schedules",
			name, n, by[Observed], by[Predicted], wrong, unknown)
		if by[Predicted] == 0 || by[Observed] == 0 {
			t.Errorf("%s: nothing was found", name)
		}
	}
}
