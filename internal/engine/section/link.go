// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "github.com/commutego/commute/internal/engine/compiled"

// The check and the act of a linked pair are of two variables that belong together. A function that
// makes a change of both in two sections has such a pair: its maker. A function that reads both has
// one of the same shape, with reads alone: it uses them. If it reads between the maker's two
// sections, it has seen the half of the change.
//
//	HalfSeen, TornPair   the maker writes one variable and then the other; the user reads the
//	                     first as the maker has written it, and the second before the maker does.
//	                     For HalfSeen, that is nil in the section of the maker's first write.
//	EntryGone            the maker reads a field of a map's entry, and then removes the entry; the
//	                     user looks the entry up, and changes the field in the same section
//
// A user's act is its read of what the maker's act writes.
//
// Who was told of the maker's first section by other means than a conflict of sections was meant to
// look then: that is no finding.

// links calls f for each second step of a linked pair that the section makes, by makers or by
// users: x is the touch, e its entry. Of the first step k is the look, or q the entry if it is in
// the same section. Users that have found no entry have changed none.
func links(s *state, uses bool, f func(r *run, pair int, k *look, q *entry, x *touch, e *entry)) {
	o := &s.section
	for i := range o.n {
		x := &o.touches[i]
		if x.event < 0 || x.of.P().Hot.Load() != paired || writes(x.of.P().Op) == uses {
			continue
		}
		e := &o.entries[x.main]
		s.runs(x.of.P(), true, func(r *run, pair int) {
			p := &r.of.P().Pairs[pair]
			switch {
			case !p.Shape.Linked():
				return
			case uses && p.Shape == compiled.EntryGone:
				f(r, pair, nil, o.changed(p.Check), x, e)
				return
			}
			for j := range i {
				if y := &o.touches[j]; uses && y.of.P() == p.Check {
					if q := &o.entries[y.main]; q.did&changes == 0 {
						f(r, pair, nil, q, x, e)
					}
				}
			}
			for j := range r.nLooks {
				k := &r.looks[j]
				if k.pair == pair && k.section < o.number && !(uses && k.knew) && o.untouched(k) {
					f(r, pair, k, nil, x, e)
				}
			}
		})
	}
}

// changed is the entry of what the section has changed by a touch, nil if it has not.
func (o *open) changed(p *compiled.SectionTouch) *entry {
	for i := range o.n {
		if x := &o.touches[i]; x.of.P() == p && o.entries[x.main].changed {
			return &o.entries[x.main]
		}
	}
	return nil
}

// untouched reports whether a section does nothing to the point of a look, which may be another
// lock's.
func (o *open) untouched(k *look) bool {
	for i := range o.nEntries {
		if o.entries[i].point == k.place.point {
			return false
		}
	}
	return true
}

// findLinked reports the linked pairs that this section comes between, or can, and those of which
// it ends the second step after another goroutine came between.
func findLinked(t *Thread, s *state, l *lock) {
	if t.world.P().linked.Load() == 0 {
		return
	}
	links(s, true, func(r *run, pair int, k *look, q *entry, x *touch, e *entry) {
		p, shape := e.point.P(), r.of.P().Pairs[pair].Shape
		if shape != compiled.EntryGone && e.did&changes != 0 {
			return // it may read what it has written itself, and the maker might change nothing
		}
		for j := int(p.links.n) - 1; j >= 0; j-- {
			a := p.links.act[j].P()
			if a.uses || a.by == s.id || a.wide != l.wide || a.pairOf().Shape != shape ||
				t.clock.P().Knows(a.epoch) || !s.section.fitsLinked(a, e) {
				continue
			}
			if shape == compiled.EntryGone || sawFirst(t, s, a, k, q) {
				s.reportKept(t, l, a, Predicted, x, e)
				return
			}
		}
	})
	links(s, false, func(r *run, pair int, k *look, _ *entry, x *touch, e *entry) {
		p, shape := e.point.P(), r.of.P().Pairs[pair].Shape
		for j := int(p.links.n) - 1; j >= 0; j-- {
			u := p.links.act[j].P()
			if !u.uses || u.by == s.id || u.wide != l.wide || u.pairOf().Shape != shape ||
				t.clock.P().Knows(u.epoch) || !s.section.isHalf(shape, k, l, x, e) ||
				u.version != e.version || !u.comesBetween(shape, k, l) {
				continue
			}
			if f := s.finding(t, r.of.P(), pair, Observed); f != nil {
				f.Check, f.Other = k.event, u.act
				s.complete(f, l, x, e)
			}
			return
		}
	})
}

// comesBetween reports whether a user came after the maker's first step, which k is of: it has seen
// what that has written, or has changed what that has read, the field of an entry.
func (a *act) comesBetween(shape compiled.Shape, k *look, l *lock) bool {
	v := &a.seen[0]
	if shape != compiled.EntryGone {
		return sameAs(v, &k.place)
	}
	return k.place.lock.P() == l && k.place.alive() && v.point == k.place.point &&
		v.created == k.place.created && v.version == v.point.P().version &&
		v.version > k.place.version
}

// sameAs reports whether two sections have seen the same point with the same version.
func sameAs(a, b *seen) bool {
	return a.point == b.point && a.created == b.created && a.version == b.version
}

// sawFirst reports whether a user has seen what the first step of a maker has written, and knows of
// it by that alone.
func sawFirst(t *Thread, s *state, a *act, k *look, q *entry) bool {
	if k != nil {
		return sameAs(&k.place, &a.seen[0])
	}
	v := s.section.seen(q)
	return sameAs(&v, &a.seen[0]) && !t.clock.P().Knows(q.point.P().changed)
}

// isHalf reports whether it matters that the maker's second step comes later than the first, which
// k is of.
func (o *open) isHalf(shape compiled.Shape, k *look, l *lock, x *touch, e *entry) bool {
	switch {
	case !e.changed || !e.certain || !o.writesAlone(x):
		return false
	case shape != compiled.EntryGone && e.did&reads != 0:
		return false // it may be made only as it is because of what it has read
	case shape == compiled.HalfSeen: // nobody else has written the second variable since
		return k.place.lock.P() == l && e.version < k.place.version
	case shape == compiled.EntryGone:
		return e.before != 0
	}
	return true
}

// writesAlone reports whether a touch is the only one of its section that writes its point.
func (o *open) writesAlone(x *touch) bool {
	for i := range o.n {
		if y := &o.touches[i]; y != x && y.main == x.main && writes(y.of.P().Op) {
			return false
		}
	}
	return true
}

// fitsLinked reports whether a user's section could have come right before that of a maker's second
// step. It reads what that writes, of which e is the entry. What else it reads must be from no
// section that weakly knows that of the maker.
func (o *open) fitsLinked(a *act, e *entry) bool {
	for i := range o.nEntries {
		q := &o.entries[i]
		p := q.point.P()
		if q.did&(changes|updates) != 0 && a.reads&bitOf(p) != 0 ||
			q != e && q.did&reads != 0 && p.written.knows(a.epoch) {
			return false
		}
	}
	return true
}

// keepLinked keeps the second steps that the section makes, with their points.
func keepLinked(t *Thread, s *state, l *lock) {
	if t.world.P().linked.Load() == 0 {
		return
	}
	links(s, false, func(r *run, pair int, k *look, _ *entry, x *touch, e *entry) {
		if !s.section.isHalf(r.of.P().Pairs[pair].Shape, k, l, x, e) {
			return
		}
		a := linkedAct(s, r, pair, l, x, e)
		a.check, a.seen[0] = k.event, k.place
		a.act.Was = s.section.entries[x.main].before
		t.world.P().acts.Add(1)
		e.point.P().links.keep(a)
	})
	links(s, true, func(r *run, pair int, k *look, q *entry, x *touch, e *entry) {
		entry := r.of.P().Pairs[pair].Shape == compiled.EntryGone
		if e.did&changes != 0 || k == nil && (q == nil || q.knew && !entry) {
			return
		}
		a := linkedAct(s, r, pair, l, x, e)
		switch {
		case entry: // what it has written
			p := q.point.P()
			a.seen[0] = seen{point: q.point, created: p.created, version: p.version}
		case k != nil:
			a.seen[0] = k.place
		default:
			a.seen[0] = s.section.seen(q)
		}
		a.uses, a.version = true, e.version
		e.point.P().links.keep(a)
	})
}

// linkedAct is a record of a second step.
func linkedAct(s *state, r *run, pair int, l *lock, x *touch, e *entry) *act {
	a := actSlab.Get()
	*a = act{of: r.of, pair: pair, by: s.id, epoch: s.section.begin, wide: l.wide, value: x.value,
		there: e.before, reads: s.section.bits(reads), nSeen: 1, act: s.section.events[x.event]}
	return a
}
