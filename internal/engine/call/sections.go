// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/stack"
)

// A Touch is an access to what critical sections guard, as instrumented code announces it.
type Touch struct {
	At     *compiled.SectionTouch
	Object uintptr
	// Key and Value are the words of the key and the value, whose types are KeyType and ValueType
	// and which are at KeyAt and ValueAt. N is the length of a map that was written.
	Key, Value, N      uint64
	KeyType, ValueType unsafe.Pointer
	KeyAt, ValueAt     unsafe.Pointer
}

// A handedTouch is what Capture needs of a touch that is being handed on: its key and value.
type handedTouch struct {
	keyType, valueType unsafe.Pointer
	keyAt, valueAt     unsafe.Pointer
	key                uint64
	pos                uint32 // where it is, in a trace; 0 if nothing has asked
}

var handedTouches offheap.Slab[handedTouch]

// handed is g's handedTouch. It stays with g, which may be another goroutine's next.
func handed(g *Caller) *handedTouch {
	if g.touch.Nil() {
		g.touch = offheap.To(handedTouches.Get())
	}
	return g.touch.P()
}

// Wants reports whether a touch of g at a place has to be handed on in full, by Touches. If not, it
// is done with.
func (g *Caller) Wants(p *compiled.SectionTouch, object uintptr) bool {
	full, matters := g.Weak.Section.Note(p, object)
	if matters && recorder.On() {
		g.RecordTouch(&record.Touched{At: p, Object: object})
	}
	return full
}

// Touches hands on a touch of g.
func (g *Caller) Touches(t *Touch) {
	h := handed(g)
	*h = handedTouch{t.KeyType, t.ValueType, t.KeyAt, t.ValueAt, t.Key, 0}
	g.Weak.Section.Touch((*sectionSink)(g), t.At, t.Object, t.Key, t.Value, t.N)
	if recorder.On() {
		g.RecordTouch(&record.Touched{
			At: t.At, Object: t.Object, Full: true, Keyed: t.KeyType != nil, Key: t.Key,
			Value: t.Value, Length: t.N, Pos: h.pos,
		})
	}
	h.keyAt, h.valueAt = nil, nil
}

// EnterPaired notes that g enters a function with a check and an act in two critical sections. In a
// marked transaction, it is part of that, unless it is marked itself.
func (g *Caller) EnterPaired(a *section.Activation, f *compiled.SectionFunc) {
	if g.TimerContext || g.Txn.InTransaction() && !f.Marked {
		return
	}
	counts.Paired()
	g.Follow(g.TimerContext)
	if f.Hot.Load() == 0 {
		record.HeatSections(f)
	}
	g.Weak.Section.Enter(a, f)
	if recorder.On() && g.Weak.Section.Entered(a) != 0 {
		g.RecordEntered(f)
	}
}

// LeavePaired notes that g leaves the function.
func (g *Caller) LeavePaired(a *section.Activation) {
	if recorder.On() {
		if n := g.Weak.Section.Entered(a); n != 0 {
			g.RecordLeaves(n)
		}
	}
	g.Weak.Section.Leave(a, (*sectionSink)(g))
}

// Locks notes that g is about to take a lock, and returns for how many microseconds it should pause
// before: 0 is not at all, and 1 is to let others run.
func (g *Caller) Locks(s *compiled.LockSite, lock uintptr) (pause uint32) {
	if recorder.On() {
		g.RecordLocking(s, lock) // without a weak clock nothing is recorded
	} else {
		g.Follow(g.TimerContext)
	}
	return g.Weak.Section.Locking(s, lock, (*sectionSink)(g))
}

// Operates notes that g is about to make an atomic operation, as Locks does for a lock.
func (g *Caller) Operates(p *compiled.SectionTouch, addr, size uintptr) (pause uint32) {
	h := handed(g)
	h.pos = 0
	if !recorder.On() {
		g.Follow(g.TimerContext)
	}
	pause = g.Weak.Section.Announce(p, addr, size, (*sectionSink)(g))
	if recorder.On() {
		g.RecordAnnounced(p, addr, size, h.pos)
	}
	return pause
}

// DeliverSections hands on what was found when g's last section ended.
func (g *Caller) DeliverSections() { g.Weak.Section.Deliver((*sectionSink)(g)) }

// A sectionSink is what package section asks of a goroutine.
type sectionSink Caller

// Capture fills in where and by whom a touch was made, and keeps the texts of its key and value.
func (s *sectionSink) Capture(e *section.Event) {
	g := (*Caller)(s)
	var pcs [stack.MaxDepth + stack.Outermost]uintptr
	n, elided := host.Callers(pcs[:], stack.Outermost)
	at := stack.All.Put(pcs[:n], elided)
	e.Stack = uintptr(unsafe.Pointer(at))
	e.Origin = uintptr(unsafe.Pointer(g.Origin.P()))
	e.Owner = uintptr(unsafe.Pointer(g.Test.P()))
	e.Goid, e.Creator = host.Goid(), g.Creator
	h := handed(g)
	keepWord(h.key, h.keyType, h.keyAt)
	keepWord(e.Value, h.valueType, h.valueAt)
	if recorder.On() {
		h.pos = record.Position(at)
		g.RecordWord(h.key, h.keyType, h.keyAt)
		g.RecordWord(e.Value, h.valueType, h.valueAt)
	}
}

var sectionReports offheap.Slab[report.Sections]

// Report hands a finding on to package finding.
func (s *sectionSink) Report(f *section.Finding) {
	r := sectionReports.Get()
	*r = report.Sections{Finding: *f}
	r.Key = keptWord(f.Key)
	for i, e := range [...]*section.Event{&f.Check, &f.Act, &f.Other} {
		if e.Value != section.Unknown {
			r.Values[i] = keptWord(e.Value)
		}
	}
	if f.Act.Was != section.Unknown {
		r.Was = keptWord(f.Act.Was)
	}
	finding.Sections(r)
	sectionReports.Put(r)
}
