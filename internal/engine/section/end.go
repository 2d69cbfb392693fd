// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// end ends the complete section of a lock, which was h. It reports whether the section stayed
// complete.
//
// What it has done is judged before its thread knows what it has seen, and then kept. The lock is
// locked all the while, so what two readers have done at once is judged one by one.
func (t *Thread) end(s *state, h *held) (complete bool) {
	w, l, clock := t.world.P(), h.lock.P(), t.clock.P()
	o := &s.section
	if o.n == 0 {
		o.waits = false
		return true // it has done nothing that could be in conflict
	}
	if o.alone {
		l.endAlone(h.addr, clock, o.wrote)
		return true
	}
	if again(s, l, clock) {
		return true
	}
	settle(t, s)
	s.compareForeign(l)
	l.spin.Lock()
	if l.addr.Load() != h.addr {
		l.spin.Unlock() // its memory was freed and is another's
		return false
	}
	l.endsAlone()
	if !s.expand(w, l) {
		l.spin.Unlock()
		h.complete = true
		t.makeOpaque(s, h)
		l.moveAll(h.addr)
		return false
	}
	if !s.run.Nil() {
		s.observe(t, l)
		s.findTwins(t, l)
		findLinked(t, s, l)
	}
	s.predict(t, l)
	s.join(t, l)
	if clock.Now() != o.begin {
		clock.Tick()
	}
	s.update(t, l)
	l.ended.add(clock)
	if !s.run.Nil() {
		s.keepActs(t, l)
		keepLinked(t, s, l)
		s.noteLooks(l)
	}
	keepRead(s, l, h, clock)
	l.spin.Unlock()
	return true
}

// join makes the weak clock know the sections that this one is in conflict with.
func (s *state) join(t *Thread, l *lock) {
	clock := t.clock.P()
	for r := s.run.P(); r != nil; r = r.outer.P() {
		for i := range r.nLooks {
			k := &r.looks[i]
			if p := k.place.point.P(); k.place.lock.P() == l && k.place.alive() &&
				p.version != k.place.version && !clock.Knows(p.changed) {
				k.found = p.version
			}
		}
	}
	for i := range s.section.nEntries {
		e := &s.section.entries[i]
		p := e.point.P()
		e.knew = p.by == 0 || clock.Knows(p.changed)
		if e.did&(reads|updates|sets) != 0 {
			p.written.join(clock)
		}
		if e.did&changes != 0 && e.changed {
			p.read.join(clock)
		}
	}
}

// update notes at each point what the section has done to it.
func (s *state) update(t *Thread, l *lock) {
	clock := t.clock.P()
	o := &s.section
	for i := range o.nEntries {
		e := &o.entries[i]
		p := e.point.P()
		if e.did&changes == 0 || !e.changed {
			p.read.add(clock)
			if p.value == Unknown {
				p.value = e.value // it was found out
			}
			if e.did&sets != 0 {
				rewritten(s, p)
			}
			continue
		}
		if e.did&adds == 0 {
			p.written.clear()
			p.read.clear()
		}
		if e.did&reads != 0 {
			p.read.add(clock)
		}
		p.written.add(clock)
		l.counter++
		l.changes.Add(1)
		p.version, p.value = l.counter, e.value
		p.by, p.changed, p.certain = s.id, o.begin, e.certain
		x := &o.touches[e.by]
		if x.event >= 0 {
			p.change = o.events[x.event]
		} else {
			p.change = Event{Touch: x.of, Value: x.value, Epoch: o.begin}
		}
		p.change.Was = e.before
		s.own(p, e.version)
	}
}

// own has the thread's looks at a point know of its own change.
func (s *state) own(p *point, before uint64) {
	for r := s.run.P(); r != nil; r = r.outer.P() {
		for i := range r.nLooks {
			k := &r.looks[i]
			if k.place.point.P() == p && k.place.created == p.created &&
				k.place.version == before {
				k.place.version, k.place.value = p.version, p.value
			}
		}
	}
}

// rewritten has the thread's looks at a point know that a section has written the value that was
// there before. If the check has seen that value, what others had written meanwhile is gone by the
// thread's own write, and a later act loses nothing of it.
func rewritten(s *state, p *point) {
	for r := s.run.P(); r != nil; r = r.outer.P() {
		for i := range r.nLooks {
			k := &r.looks[i]
			if k.place.point.P() == p && k.place.created == p.created &&
				equal(k.event.Value, p.value) {
				k.place.version, k.place.value = p.version, p.value
			}
		}
	}
}

// runs calls f for each pair of an activation of which p is the check, or the act. Of a function
// that has called itself, the innermost activation counts.
func (s *state) runs(p *compiled.SectionTouch, act bool, f func(r *run, pair int)) {
	n := 0
	for r := s.run.P(); r != nil && n < maxRuns; r = r.outer.P() {
		n++
		if s.calledAgain(r) {
			continue
		}
		pairs := r.of.P().Pairs
		for i := range pairs {
			if act && pairs[i].Act == p || !act && pairs[i].Check == p {
				f(r, i)
			}
		}
	}
}

// calledAgain reports whether there is an activation of the same function in r.
func (s *state) calledAgain(r *run) bool {
	for in := s.run.P(); in != r; in = in.outer.P() {
		if in.of == r.of {
			return true
		}
	}
	return false
}

// noteLooks notes the checks that the section has made, and all that it has read, for later acts.
func (s *state) noteLooks(l *lock) {
	o := &s.section
	for i := range o.n {
		x := &o.touches[i]
		p := x.of.P()
		if x.event < 0 || p.Hot.Load() != paired {
			continue
		}
		e := &o.entries[x.main]
		s.runs(p, false, func(r *run, pair int) {
			at, linked := e.point.P(), r.of.P().Pairs[pair].Shape.Linked()
			if linked && writes(p.Op) && !e.changed {
				return // others may have seen the same before
			}
			if o := at.place.P(); o.looked.Load() == 0 {
				o.looked.Store(1)
			}
			k := look{pair: pair, section: o.number, wide: l.wide, event: o.events[x.event]}
			k.wrote = o.bits(changes)
			k.linked, k.knew = linked, e.knew
			at.noted = true
			k.place = seen{lock: offheap.To(l), addr: l.addr.Load(), point: e.point,
				class: at.class, key: at.key, created: at.created, version: at.version,
				value: at.value}
			r.note(&k)
		})
	}
	for r := s.run.P(); r != nil; r = r.outer.P() {
		for i := range r.nLooks {
			k := &r.looks[i]
			k.spoiled = k.spoiled || k.section < o.number && k.wrote&o.bits(reads) != 0
			k.wrote |= o.bits(changes)
		}
		for i := range o.nEntries {
			if e := &o.entries[i]; e.did&reads != 0 {
				v := o.seen(e)
				v.lock, v.addr = offheap.To(l), l.addr.Load()
				e.point.P().noted = true
				r.noteRead(o.number, &v)
			}
		}
	}
}

// bits are the points that the section has done something to.
func (o *open) bits(did uint8) (set uint64) {
	for i := range o.nEntries {
		if e := &o.entries[i]; e.did&did != 0 {
			set |= bitOf(e.point.P())
		}
	}
	return set
}

// seen is what the section has seen of the point of an entry.
func (o *open) seen(e *entry) seen {
	p := e.point.P()
	return seen{point: e.point, class: p.class, key: p.key, created: p.created,
		version: e.version, value: e.before, mixed: e.mixed, site: o.touches[e.at].of}
}

// compareForeign finds out which points of other locks, which sections of the activations have
// read, have changed since.
func (s *state) compareForeign(l *lock) {
	for r := s.run.P(); r != nil; r = r.outer.P() {
		if r.nLooks == 0 {
			continue
		}
		for i := range r.nLog {
			g := &r.log[i]
			other := g.place.lock.P()
			if other == l || g.differs {
				continue
			}
			other.spin.Lock()
			g.differs = other.addr.Load() != g.place.addr || !g.place.alive() ||
				!g.place.matches(g.place.point.P())
			other.spin.Unlock()
		}
	}
}

// matches reports whether a point is as it was seen.
func (v *seen) matches(p *point) bool {
	return p.version == v.version || equal(p.value, v.value)
}
