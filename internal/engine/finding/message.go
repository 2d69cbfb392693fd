// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// A message is a report that is to be made, or the summary: a copy of all that its text depends on
// and that does not stay as it is.
type message struct {
	next offheap.Ref[message]
	text offheap.Ref[output.Text]
	kind messageKind

	race    report.Race
	calls   [3]commrace.Action // of the race: the first, the second and the check
	finding report.Finding

	addr  uintptr          // of a data race
	sides [2]report.Access // the first and the second
	lives [2]datarace.GoroutineRecord

	broken report.LostUpdate // the cycle, and the pair if it was inferred
	again  *violation        // or one that was reported in full before

	mem text.Memory
}

type messageKind byte

const (
	aRace messageKind = iota
	aDataRace
	aCycle
	anInferred
	aRepeat
	theSummary
)

var messages offheap.Slab[message]

func newMessage(kind messageKind) *message {
	m := messages.Get()
	m.kind, m.mem.N = kind, 0
	return m
}

// messageOf is the report of a race.
func messageOf(r *report.Race, f *report.Finding) *message {
	m := newMessage(aRace)
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
	m := newMessage(aDataRace)
	m.addr = addr
	for i, s := range [...]*report.Access{first, second} {
		l := &m.lives[i]
		l.Goid, l.Creator, l.Origin = s.Life.Goid, s.Life.Creator, s.Life.Origin
		l.Ended.Store(s.Life.Ended.Load())
		m.sides[i] = report.Access{Wrote: s.Wrote, Site: s.Site, Life: l, Test: s.Test}
	}
	m.mem.Note(addr)
	return m
}

// cycleMessage is the report of a violation.
func cycleMessage(c *atomicity.Cycle) *message {
	m := newMessage(aCycle)
	m.broken.Cycle = *c
	for i := range c.N {
		m.mem.Note(c.Edges[i].Addr)
	}
	for i := range c.NSyncEdges {
		m.mem.Note(c.SyncEdges[i].Addr)
	}
	return m
}

// inferredMessage is the report of one that nobody has marked.
func inferredMessage(x *report.LostUpdate) *message {
	m := cycleMessage(&x.Cycle)
	m.kind, m.broken.Pair = anInferred, x.Pair
	return m
}

// repeatMessage is the report of one that was reported in full, for another test.
func repeatMessage(v *violation) *message {
	m := newMessage(aRepeat)
	m.again = v
	return m
}

// Make makes the text. It takes as long as that may take, and holds no lock.
func (m *message) Make() {
	b := &m.text.P().Buffer
	b.Mem = offheap.To(&m.mem)
	switch m.kind {
	case aRace:
		m.race.Print(b, &m.finding, stack.FrameOf(m.race.Table, &outbox.prefix))
	case aDataRace:
		report.PrintDataRace(b, m.addr, &m.sides[0], &m.sides[1])
	case aCycle:
		report.PrintViolation(b, &m.broken.Cycle)
	case anInferred:
		report.PrintInferred(b, &m.broken)
	case aRepeat:
		m.again.printRepeat(b)
	case theSummary:
		summary(b)
	}
}
