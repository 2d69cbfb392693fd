// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// An act is an act that was made, with what has to be known to say what another order of it and a
// later section would have led to. It is kept with the point of its check.
type act struct {
	of    offheap.Ref[compiled.SectionFunc]
	pair  int
	by    uint64       // the thread
	epoch vclock.Epoch // the begin of its section
	wide  uint64       // of the lock
	value uint64       // what it has written
	saw   uint64       // what the check has seen
	there uint64       // the value of the check's point right before its section
	// The points that its section reads, a bit for each: a section that writes one can't be moved
	// to right before it.
	reads  uint64
	hidden bool // as in its run
	nWrote int
	wrote  [maxWrote]wrote
	nSeen  int
	seen   [maxSeen]seen // by the activation, up to the check's section
	check  Event
	act    Event

	// Of a linked pair, see link.go:
	uses    bool   // it only reads
	version uint64 // of its point, before its section
}

// pairOf is the pair that the act is of.
func (a *act) pairOf() *compiled.SectionPair { return &a.of.P().Pairs[a.pair] }

// A wrote is a point that the act's section has written.
type wrote struct {
	point   offheap.Ref[point]
	created uint64
	same    bool // before that it was as the check's section has seen it
}

const (
	maxWrote = 8
	maxSeen  = 12
)

// bitOf is the bit of a point in a set.
func bitOf(p *point) uint64 { return 1 << (hashOf(p.place.P(), p.class, p.key) & 63) }

// acts calls f for each act that the section makes: x is the touch, k the check that it depends on,
// and e what the section did to the check's point.
func (s *state) acts(l *lock, f func(r *run, k *look, x *touch, e *entry)) {
	o := &s.section
	for i := range o.n {
		x := &o.touches[i]
		if x.event < 0 || x.of.P().Hot.Load() != paired || !writes(x.of.P().Op) {
			continue
		}
		s.runs(x.of.P(), true, func(r *run, pair int) {
			if r.of.P().Pairs[pair].Shape.Linked() {
				return
			}
			for j := range r.nLooks {
				k := &r.looks[j]
				if k.pair != pair || k.section >= o.number || k.place.lock.P() != l ||
					r.of.P().Pairs[pair].Latest && r.lookedAgain(k, o.number) {
					continue
				}
				e := o.find(&k.place)
				if e == nil || e.did&changes == 0 || e.point.P().place != x.place {
					continue
				}
				k.acted = true
				if k.wide == l.wide {
					f(r, k, x, e)
				}
			}
		})
	}
}

// find is the entry of a point that was seen, nil if the section has not touched it.
func (o *open) find(v *seen) *entry {
	for i := range o.nEntries {
		if e := &o.entries[i]; e.point == v.point && v.alive() {
			return e
		}
	}
	return nil
}

// counts reports whether an act, the touch x, does something that its check may be wrong for.
func counts(p *compiled.SectionPair, x *touch, e *entry) bool {
	moved := x.moved
	switch e.point.P().class {
	case length:
		moved = x.grew
	case all:
		moved = x.moved || x.grew
	}
	return e.changed && moved || p.Value || p.Shape.Once()
}

// always reports whether an act is made whatever its check sees, and is wrong if that has changed.
func always(p *compiled.SectionPair) bool { return p.Value && p.Always }

// observe reports the acts of which another goroutine has changed what their checks have seen.
func (s *state) observe(t *Thread, l *lock) {
	s.acts(l, func(r *run, k *look, x *touch, e *entry) {
		pair, p := &r.of.P().Pairs[k.pair], e.point.P()
		if e.version == k.place.version || p.by == 0 || p.by == s.id || !p.certain ||
			equal(p.value, k.place.value) ||
			t.clock.P().Knows(p.changed) && (k.told || k.found != p.version) {
			return
		}
		if !counts(pair, x, e) {
			findRepeated(t, s, l, r, k, e)
			return
		}
		e.found = true
		f := s.finding(t, r.of.P(), k.pair, Observed)
		if f == nil {
			return
		}
		f.Check, f.Other = k.event, p.change
		s.complete(f, l, x, e)
	})
}

// findRepeated reports an act that this section repeats, so that it changes nothing: another
// goroutine has made it since the look k. The two have looked before either acted.
func findRepeated(t *Thread, s *state, l *lock, r *run, k *look, e *entry) {
	p := e.point.P()
	if r.of.P().Pairs[k.pair].Fill {
		return // they have stored the same
	}
	for i := range p.acts.n {
		a := p.acts.act[i].P()
		if a.of != r.of || a.pair != k.pair || a.by != p.by || a.epoch != p.changed ||
			a.wide != l.wide || a.saw != k.event.Value {
			continue
		}
		e.found = true
		if f := s.finding(t, r.of.P(), k.pair, Twin); f != nil {
			f.Check, f.Act, f.Other = a.check, a.act, k.event
			s.locate(f, l, e)
		}
		return
	}
}

// complete fills in the rest of a finding of an act of the present section.
func (s *state) complete(f *Finding, l *lock, x *touch, e *entry) {
	f.Act = s.section.events[x.event]
	f.Act.Was = s.section.entries[x.main].before
	s.locate(f, l, e)
}

// locate fills in where a finding is.
func (s *state) locate(f *Finding, l *lock, e *entry) {
	p := e.point.P()
	f.Lock, f.Site = l.lo, s.section.site
	f.Object, f.Key = p.place.P().addr.Load(), p.key
}

// finding returns a finding to fill in, nil if there have been enough of its kind.
func (s *state) finding(t *Thread, of *compiled.SectionFunc, pair int, e Evidence) *Finding {
	if s.nFound == maxFound {
		return nil
	}
	if n := t.world.P().reported.at(of, pair, uint64(e)); n.Load() >= maxReported {
		return nil
	} else {
		n.Add(1)
	}
	f := &s.found[s.nFound]
	s.nFound++
	*f = Finding{Func: offheap.To(of), Pair: pair, Evidence: e}
	return f
}

// maxReported is how many findings of a pair with one kind of evidence there may be.
const maxReported = 16

// Deliver hands to the sink the findings in the goroutine's sections that are not reported yet. It
// comes before the goroutine ends.
func (t *Thread) Deliver(sink Sink) {
	if s := t.state.P(); s != nil {
		s.deliver(sink)
	}
}

// deliver is Deliver for a state.
func (s *state) deliver(sink Sink) {
	for s.nFound > 0 {
		s.nFound--
		sink.Report(&s.found[s.nFound])
	}
}

// keepActs keeps the acts of the section, with the points of their checks.
func (s *state) keepActs(t *Thread, l *lock) {
	s.acts(l, func(r *run, k *look, x *touch, e *entry) {
		pair := &r.of.P().Pairs[k.pair]
		if k.section <= r.lost || k.spoiled || !counts(pair, x, e) {
			return
		}
		a := actSlab.Get()
		*a = act{of: r.of, pair: k.pair, by: s.id, epoch: s.section.begin, wide: l.wide,
			value: x.value, saw: k.event.Value, there: e.before, hidden: r.hidden,
			check: k.event, act: s.section.events[x.event]}
		a.act.Was = s.section.entries[x.main].before
		if !s.describe(a, r, k, e, pair) {
			actSlab.Put(a)
			return
		}
		t.world.P().acts.Add(1)
		e.point.P().acts.keep(a)
	})
}

// Behind reports whether acts were kept since the last call of Behind for the thread.
func Behind(t *Thread) bool {
	if t.world.Nil() {
		return false
	}
	n := t.world.P().acts.Load()
	behind := n != t.acts
	t.acts = n
	return behind
}

// describe fills in what an act has to say of the sections of its activation. It returns false if
// another activation that has seen what this one's check has seen need not act, or if there is no
// room for what has to be known.
func (s *state) describe(a *act, r *run, k *look, e *entry, pair *compiled.SectionPair) bool {
	o := &s.section
	if seen := r.saw(k.section, e.point.P()); !always(pair) &&
		(seen == nil || seen.version != e.version && !equal(seen.value, e.before)) {
		return false
	}
	for i := range o.nEntries {
		e1 := &o.entries[i]
		p := e1.point.P()
		if e1.did&reads != 0 {
			a.reads |= bitOf(p)
			// Who acts later reads here what this section has written, and may not act.
			if (e1.changed || k.wrote&bitOf(p) != 0) && !(always(pair) && e1 == e) ||
				k.otherKey(p.class, p.key) {
				return false
			}
		}
		if !e1.changed {
			continue
		}
		if a.nWrote == maxWrote {
			return false
		}
		seen := r.saw(k.section, p)
		a.wrote[a.nWrote] = wrote{e1.point, p.created, seen != nil &&
			(seen.version == e1.version || equal(seen.value, e1.before)) || e1 == e && always(pair)}
		a.nWrote++
	}
	return s.describeReads(a, r, k)
}

// note notes what the check's activation has seen, unless it has seen something else there later.
func (a *act) note(v *seen) {
	for i := range a.nSeen {
		if a.seen[i].point == v.point || a.seen[i].site == v.site {
			return
		}
	}
	if a.nSeen < maxSeen {
		a.seen[a.nSeen] = *v
		a.nSeen++
	}
}

// otherKey reports whether a point is of a key that an activation may have chosen otherwise which
// makes the check that k is of.
func (k *look) otherKey(c class, key uint64) bool {
	return c == element && (k.place.class != element || k.place.key != key)
}

// describeReads fills in what the check's section has seen. What sections between the check and
// the act have seen must be there still, right before the act or after it. Else another
// activation would see something else, and need not act.
func (s *state) describeReads(a *act, r *run, k *look) bool {
	o := &s.section
	before, after := true, true
	for i := r.nLog - 1; i >= 0; i-- {
		g := &r.log[i]
		switch {
		case g.section <= k.section:
			a.note(&g.place)
		case g.section >= o.number:
		case k.otherKey(g.place.class, g.place.key):
			return false
		case g.place.lock != k.place.lock:
			before, after = before && !g.differs, after && !g.differs
		case !g.place.alive():
			return false
		default:
			p := g.place.point.P()
			after = after && g.place.matches(p)
			if e := o.find(&g.place); e != nil {
				before = before && (e.version == g.place.version ||
					equal(e.before, g.place.value))
			} else {
				before = before && g.place.matches(p)
			}
		}
	}
	return before || after
}
