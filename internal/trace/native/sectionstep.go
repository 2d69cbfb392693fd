// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// sectionSteps collects what the check of critical sections is told, for who asks for it.
type sectionSteps struct {
	wanted  bool
	begun   bool // there was a step that only that check needs
	steps   []trace.SectionStep
	threads []sectionThread
}

// A sectionThread is what is known of a thread's next step.
type sectionThread struct {
	full              bool // it is a touch, and has a word
	key, word, length uint64
	exchanges         bool // its release is part of an exchange, and its acquire is
}

// WantSections makes the reader collect the steps of critical sections.
func (r *Reader) WantSections() { r.sections.wanted = true }

// Sections returns the steps of critical sections among the events that were read since the last
// call of Sections.
func (r *Reader) Sections() []trace.SectionStep {
	steps := r.sections.steps
	r.sections.steps = nil
	return steps
}

func (c *sectionSteps) thread(number uint32) *sectionThread {
	for uint64(len(c.threads)) <= uint64(number) {
		c.threads = append(c.threads, sectionThread{})
	}
	return &c.threads[number]
}

// tellSection takes a Value that is told of critical sections.
func (r *Reader) tellSection(s *step) {
	c := &r.sections
	if !c.wanted {
		return
	}
	c.begun = true
	t := c.thread(s.thread)
	what, number := s.args[0]&(1<<spec.SiteShift-1), s.args[0]>>spec.SiteShift
	step := trace.SectionStep{
		Event: r.told.index, Kind: event.Value, Thread: s.thread, Pos: s.pos, What: what,
		Number: uint32(min(number, maxDescribed)), Address: s.args[1],
	}
	switch what {
	case spec.TouchKey:
		t.key = s.args[1]
		return
	case spec.TouchLen:
		t.length = s.args[1]
		return
	case spec.TouchWord:
		t.full, t.word = true, s.args[1]
		return
	case spec.Exchanges:
		t.exchanges = true
		return
	case spec.Touches:
		step.Full, step.Key, step.Word, step.Length = t.full, t.key, t.word, t.length
		t.full, t.key, t.word, t.length = false, 0, 0, 0
	case spec.Enters, spec.Leaves:
		step.Number = uint32(min(s.args[1], maxDescribed))
	case spec.Announces:
		step.Address = s.args[1] >> spec.SizeShift
		step.Size = 1 << (s.args[1] & (1<<spec.SizeShift - 1)) >> 1
	case spec.Operated:
		step.Address, step.Word = 0, s.args[1]
	}
	c.steps = append(c.steps, step)
}

// tellOrder tells of a step that orders threads, by its address in the program.
func (r *Reader) tellOrder(s *step) {
	c := &r.sections
	if !c.begun {
		return
	}
	step := trace.SectionStep{
		Event: r.told.index, Kind: s.kind, Thread: s.thread, Address: s.args[0],
		Inside: r.inside != 0 && s.pos == r.inside,
	}
	switch t := c.thread(s.thread); {
	case s.kind == event.Value:
		step.What, step.Address = s.args[0], 0
	case s.kind == event.Fresh:
		step.Size = s.args[1]
	case !t.exchanges:
	case s.kind == event.Acquire:
		return // it is told of with the release
	case s.kind == event.Release:
		step.Exchange, t.exchanges = true, false
	}
	c.steps = append(c.steps, step)
}

// tellFork tells of the start of a thread.
func (r *Reader) tellFork(thread, child uint32) {
	if c := &r.sections; c.begun {
		c.steps = append(c.steps, trace.SectionStep{
			Event: r.told.index, Kind: event.Fork, Thread: thread, Child: child,
		})
	}
}

// defineSection takes a definition of what the check of critical sections is told.
func (r *Reader) defineSection(rec *raw.Record) error {
	p, n, m := r.tables.Program, rec.Args[0], rec.Args[1]
	if n >= maxDescribed || rec.Kind == event.Pair && max(m, rec.Args[2]) >= maxDescribed {
		return r.fail("has a %v with number %d, and there may be %d", rec.Kind.Name(), n,
			maxDescribed)
	}
	switch rec.Kind {
	case event.TouchSite:
		p.SetTouchSite(uint32(n), m, rec.Texts[2], rec.Texts[3], rec.Texts[4], rec.Texts[5])
	case event.LockSite:
		p.SetLockSite(uint32(n), uint32(m), rec.Args[2], rec.Texts[3], rec.Texts[4])
	case event.Pair:
		p.SetPair(uint32(n), uint32(m), uint32(rec.Args[2]), rec.Args[3], rec.Texts[4],
			rec.Texts[5])
	}
	return nil
}
