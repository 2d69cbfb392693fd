// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// findTwins reports the kept acts right before which a check of this section could have come: the
// same check of the same function, by another goroutine, which would have seen what the act's
// check has seen, and so acts, too.
func (s *state) findTwins(t *Thread, l *lock) {
	o := &s.section
	for i := range o.n {
		x := &o.touches[i]
		if x.event < 0 || x.of.P().Hot.Load() != paired {
			continue
		}
		e := &o.entries[x.main]
		p := e.point.P()
		if p.acts.n == 0 {
			continue
		}
		s.runs(x.of.P(), false, func(r *run, pair int) {
			if r.hidden {
				return // it may have seen something by which it does not act
			}
			for j := int(p.acts.n) - 1; j >= 0; j-- {
				a := p.acts.act[j].P()
				if a.of != r.of || a.pair != pair || a.hidden || a.by == s.id || a.wide != l.wide ||
					t.clock.P().Knows(a.epoch) || !a.agreesBefore(r) || !s.fitsBefore(a, e) {
					continue
				}
				if r.of.P().Pairs[pair].Fill {
					continue // the other would store an equal value
				}
				s.reportKept(t, l, a, Twin, x, e)
				return
			}
		})
	}
}

// fitsBefore reports whether the section could have come right before that of an act, and would
// have seen there what the act's check has seen. Its point is that of e, nil for a section that
// makes no check.
//
// What it reads and the act's section has written must have been before that as the check's section
// has seen it; then it does not matter who has written it since (b). What else it has from sections
// after the act makes it impossible (a). What it writes the act's section must not read.
func (s *state) fitsBefore(a *act, e *entry) bool {
	o := &s.section
	for i := range o.nEntries {
		q := &o.entries[i]
		p := q.point.P()
		if q.did&(changes|updates) != 0 && a.reads&bitOf(p) != 0 {
			return false
		}
		if q.did&reads == 0 {
			continue
		}
		if w := a.wroteAt(p); w != nil {
			if e == nil || !w.same || q.mixed != 0 && !(q == e && always(a.pairOf())) {
				return false
			}
			continue
		}
		if p.written.knows(a.epoch) {
			return false
		}
		if v := o.seen(q); e != nil && !(q == e && always(a.pairOf())) && !a.agrees(&v) {
			return false
		}
	}
	return true
}

// wroteAt is what the act's section has done to a point, nil if it has not written it, or if others
// may have done so since that the act's section is not in conflict with.
func (a *act) wroteAt(p *point) *wrote {
	if (p.class == length || p.class == all) && (p.by != a.by || p.changed != a.epoch) {
		return nil
	}
	for i := range a.nWrote {
		if w := &a.wrote[i]; w.point.P() == p && w.created == p.created {
			return w
		}
	}
	return nil
}

// agrees reports whether the check's activation has seen, up to the check, what v has seen: at the
// point, or at the site, where it may have read another variable. What it has not read there tells
// nothing: if it took another way, it has seen something else before.
func (a *act) agrees(v *seen) bool {
	for i := range a.nSeen {
		o := &a.seen[i]
		switch {
		case o.point == v.point && o.created == v.created:
			return o.mixed == v.mixed && (o.version == v.version || equal(o.value, v.value))
		case o.site == v.site:
			return o.mixed == v.mixed && (o.value == v.value || o.value == Unknown)
		}
	}
	return true
}

// agreesBefore reports whether the activation r has seen, before the present section, what the
// check's has.
func (a *act) agreesBefore(r *run) bool {
	for i := range r.nLog {
		if !a.agrees(&r.log[i].place) {
			return false
		}
	}
	return true
}

// predict reports the kept acts right before which a write of this section could have come. What an
// update has read decides nothing, so it could have come there as well.
func (s *state) predict(t *Thread, l *lock) {
	o := &s.section
	for i := range o.nEntries {
		e := &o.entries[i]
		p := e.point.P()
		if e.found || p.acts.n == 0 || e.did&reads != 0 || e.did&sets == 0 {
			continue
		}
		for j := int(p.acts.n) - 1; j >= 0; j-- {
			a := p.acts.act[j].P()
			if a.by == s.id || a.wide != l.wide || t.clock.P().Knows(a.epoch) || !a.undoes(e) ||
				!s.fitsBefore(a, nil) {
				continue
			}
			s.reportKept(t, l, a, Predicted, &o.touches[e.by], e)
			break
		}
	}
}

// undoes reports whether the act undoes the write of a section that comes right before its own.
func (a *act) undoes(e *entry) bool {
	pair := a.pairOf()
	if e.did&updates != 0 {
		// Updates are additions mostly. If the act writes what one of them would have led to, it
		// changes nothing.
		after := a.there + e.value - e.before
		return e.certain && (pair.Value || pair.Shape.Once() || a.value != after)
	}
	return e.value != Unknown && a.there != Unknown && a.there != e.value &&
		(pair.Value || pair.Shape.Once() || a.value != Unknown && a.value != e.value)
}

// reportKept reports a kept act, and the touch of the present section that can come before it.
func (s *state) reportKept(t *Thread, l *lock, a *act, v Evidence, x *touch, e *entry) {
	f := s.finding(t, a.of.P(), a.pair, v)
	if f == nil {
		return
	}
	f.Check, f.Act, f.Last = a.check, a.act, true
	if x.event >= 0 {
		f.Other = s.section.events[x.event]
	} else {
		f.Other = Event{Touch: x.of, Value: x.value, Epoch: s.section.begin}
	}
	f.Other.Was = e.before
	f.Seldom = v == Twin && t.world.P().quiet.has(hashOfPair(a.of.P(), a.pair, a.saw))
	s.locate(f, l, e)
}
