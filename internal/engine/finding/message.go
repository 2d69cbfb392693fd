// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
)

// A message is a report that is to be made, or the summary: a copy of all that its text depends on
// and may change.
type message struct {
	next offheap.Ref[message]
	text offheap.Ref[output.Text]
	kind messageKind

	race    report.Race
	calls   [3]commrace.Action // of the race: the first, the second and the check
	finding report.Finding

	addr       uintptr          // of a data race
	sides      [2]report.Access // of the data race: the first access and the second
	goroutines [2]datarace.GoroutineRecord

	cycle    atomicity.Cycle
	sections report.Sections // a check and act in two critical sections
	deadlock deadlock.Cycle  // a potential deadlock
	leaked   report.Leaked   // goroutines that wait for ever
	warning  bool            // it fails nothing
	repeated *violation      // a violation that was reported in full before

	tests [2]*tests.Test // that it is charged to; either may be nil, or both
	mem   text.Addresses // what was known of the addresses
}

// of notes the tests that a message is charged to.
func (m *message) of(a, b *tests.Test) *message {
	m.tests = [2]*tests.Test{a, b}
	return m
}

// A messageKind says what a message reports.
type messageKind byte

const (
	kindRace messageKind = iota
	kindDataRace
	kindCycle
	kindRepeat
	kindSections
	kindDeadlock
	kindLeak
	kindSummary
)

var messages offheap.Slab[message]

// newMessage returns an empty message.
func newMessage(kind messageKind) *message {
	m := messages.Get()
	m.kind, m.mem.N, m.tests = kind, 0, [2]*tests.Test{}
	return m
}

// messageOf is the report of a race.
func messageOf(r *report.Race, f *report.Finding) *message {
	m := newMessage(kindRace)
	m.race, m.finding = *r, *f
	for i, p := range [...]**commrace.Action{&m.race.First, &m.race.Second, &m.race.Check} {
		if *p != nil {
			m.calls[i] = **p
			m.calls[i].OwnTexts()
			*p = &m.calls[i]
		}
	}
	m.mem.Note(r.Addr)
	return m
}

// dataRaceMessage is the report of a data race.
func dataRaceMessage(addr uintptr, first, second *report.Access) *message {
	m := newMessage(kindDataRace)
	m.addr = addr
	for i, s := range [...]*report.Access{first, second} {
		l := &m.goroutines[i]
		l.Goid, l.Creator, l.Origin = s.Goroutine.Goid, s.Goroutine.Creator, s.Goroutine.Origin
		l.Ended.Store(s.Goroutine.Ended.Load())
		m.sides[i] = report.Access{Wrote: s.Wrote, Site: s.Site, Goroutine: l, Test: s.Test}
	}
	m.mem.Note(addr)
	return m
}

// cycleMessage is the report of a violation.
func cycleMessage(c *atomicity.Cycle) *message {
	m := newMessage(kindCycle)
	m.cycle = *c
	for i := range c.N {
		m.mem.Note(c.Edges[i].Addr)
	}
	for i := range c.NSyncEdges {
		m.mem.Note(c.SyncEdges[i].Addr)
	}
	return m
}

// repeatMessage is the report of a violation for a test that is not its first.
func repeatMessage(v *violation) *message {
	m := newMessage(kindRepeat)
	m.repeated = v
	return m
}

// sectionsMessage is the report of a check and act in two critical sections.
func sectionsMessage(s *report.Sections) *message {
	m := newMessage(kindSections)
	m.sections = *s
	m.mem.Note(s.Object)
	return m
}

// MakeText makes the text. That may take long, so no lock is held.
func (m *message) MakeText() {
	b := &m.text.P().Buffer
	b.Addresses = offheap.To(&m.mem)
	switch m.kind {
	case kindRace:
		m.race.Print(b, &m.finding, stack.FrameOf(m.race.Table, &outbox.prefix))
	case kindDataRace:
		report.PrintDataRace(b, m.addr, &m.sides[0], &m.sides[1])
	case kindCycle:
		report.PrintViolation(b, &m.cycle)
	case kindRepeat:
		m.repeated.printRepeat(b)
	case kindSections:
		m.sections.Print(b)
	case kindDeadlock:
		report.PrintDeadlock(b, &m.deadlock, m.warning)
	case kindLeak:
		report.PrintLeak(b, &m.leaked, m.warning)
	case kindSummary:
		summary(b)
	}
	if m.isFull() {
		m.printTests(b)
	}
}

// isFull reports whether a message is a full report.
func (m *message) isFull() bool { return m.kind != kindRepeat && m.kind != kindSummary }

// printTests writes the tests that a report is charged to, before its last line.
func (m *message) printTests(b *text.Buffer) {
	first, second := m.tests[0], m.tests[1]
	if first == nil {
		first, second = second, nil
	}
	if first == nil {
		return
	}
	b.N -= len(report.Ruler)
	if m.kind == kindCycle {
		b.Text("\n")
	}
	b.Texts("Test: ", first.Name)
	if second != nil && second != first {
		b.Texts(", ", second.Name)
	}
	b.Texts("\n", report.Ruler)
}
