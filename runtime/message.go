// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A message is a report that is to be made, or the summary: a copy of all that its text depends on
// and that does not stay as it is.
type message struct {
	next offheap.Ref[message]
	text offheap.Ref[text]
	kind messageKind

	race    race
	calls   [3]commrace.Action // of the race: the first, the second and the check
	finding finding

	addr  uintptr // of a data race
	sides [2]mop  // the first and the second
	lives [2]datarace.GoroutineRecord

	broken overwritten // the cycle, and the pair if it was inferred
	again  *violation  // or one that was reported in full before

	mem memory
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
	m.kind, m.mem.n = kind, 0
	return m
}

// messageOf is the report of a race.
func messageOf(r *race, f *finding) *message {
	m := newMessage(aRace)
	m.race, m.finding = *r, *f
	for i, p := range [...]**commrace.Action{&m.race.First, &m.race.Second, &m.race.Check} {
		if *p != nil {
			m.calls[i] = **p
			m.calls[i].OwnTexts()
			*p = &m.calls[i]
		}
	}
	m.mem.note(r.addr)
	return m
}

// dataRaceMessage is the report of a data race.
func dataRaceMessage(addr uintptr, first, second *mop) *message {
	m := newMessage(aDataRace)
	m.addr = addr
	for i, s := range [...]*mop{first, second} {
		l := &m.lives[i]
		l.Goid, l.Creator, l.Origin = s.life.Goid, s.life.Creator, s.life.Origin
		l.Ended.Store(s.life.Ended.Load())
		m.sides[i] = mop{s.wrote, s.site, l, s.test}
	}
	m.mem.note(addr)
	return m
}

// cycleMessage is the report of a violation.
func cycleMessage(c *atomicity.Cycle) *message {
	m := newMessage(aCycle)
	m.broken.cycle = *c
	for i := range c.N {
		m.mem.note(c.Edges[i].Addr)
	}
	for i := range c.NSyncEdges {
		m.mem.note(c.SyncEdges[i].Addr)
	}
	return m
}

// inferredMessage is the report of one that nobody has marked.
func inferredMessage(x *overwritten) *message {
	m := cycleMessage(&x.cycle)
	m.kind, m.broken.pair = anInferred, x.pair
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
	b := &m.text.P().buffer
	b.mem = offheap.To(&m.mem)
	switch m.kind {
	case aRace:
		m.race.print(b, &m.finding, frameOf(m.race.table, &outbox.prefix))
	case aDataRace:
		printDataRace(b, m.addr, &m.sides[0], &m.sides[1])
	case aCycle:
		printViolation(b, &m.broken.cycle)
	case anInferred:
		printInferred(b, &m.broken)
	case aRepeat:
		m.again.printRepeat(b)
	case theSummary:
		summary(b)
	}
}
