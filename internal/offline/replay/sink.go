// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"encoding/binary"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A place is what is known of calls at a position.
type place struct {
	site   uintptr
	unused bool        // their results are not used
	acts   []trace.Act // that depend on them
}

func (r *Replay) place(pos uint32) *place {
	p := r.places[pos]
	if p == nil {
		call, _ := r.program.CallAt(pos)
		p = &place{
			site: uintptr(r.program.PC(pos)), unused: call.Site.Flags&spec.Unused != 0,
			acts: r.program.Acts(pos),
		}
		r.places[pos] = p
		if p.acts != nil {
			r.sites[p.site] = pos
		}
	}
	return p
}

// An action is known by: the index of its first touch (Stack), its position (Owner), and its thread
// (Goid, 1 more than the number).

// Capture fills in an action of the thread.
func (t *thread) Capture(a *commrace.Action, _ unsafe.Pointer) {
	c := t.ending
	a.Goid, a.Owner = uint64(t.number)+1, uintptr(c.pos)
	a.Stack = uintptr(c.touches[0].Index)
	for i := range c.touches {
		if c.touches[i].Index != c.touches[0].Index+uint64(i) {
			t.replay.noteGap(a.Stack, c.touches)
			break
		}
	}
	recall(a, c.values)
}

// Recapture fills in an action for a later call of the thread.
func (t *thread) Recapture(a *commrace.Action, args unsafe.Pointer) { t.Capture(a, args) }

// recall gives an action the values that were recorded of its call.
func recall(a *commrace.Action, values []trace.Value) {
	var kept [8]byte
	for _, v := range values {
		switch i := int(v.What & 7); v.What &^ 7 {
		case spec.KeptOf:
			a.Recall(i, binary.LittleEndian.AppendUint64(kept[:0], v.Value), v.Value)
		case spec.TrueOf:
			a.Recall(i, []byte{byte(v.Value)}, v.Value)
		case spec.HashOf: // it comes after what is kept
			if i < len(a.Args()) {
				args := a.Args()
				a.Recall(i, append(kept[:0], args[i].Bytes()...), v.Value)
			}
		}
	}
}

// noteGap notes where the touches of a call are, among which there are others' events.
func (r *Replay) noteGap(first uintptr, touches []event.Step) {
	var list []uint64
	for i := range touches {
		list = append(list, touches[i].Index)
	}
	r.gaps[first] = list
}

// touchOf is the i-th touch of an action, of what target says.
func (r *Replay) touchOf(o *object, a *commrace.Action, i int, target uint32) event.Step {
	index := uint64(a.Stack) + uint64(i)
	if gap := r.gaps[a.Stack]; i < len(gap) {
		index = gap[i]
	}
	return event.Step{Index: index, Event: event.Event{
		Op: event.Touch, Thread: uint32(a.Goid - 1), Target: target, Pos: uint32(a.Owner),
		Point: o.of.point + uint32(o.Table().Touched(a, i)),
	}}
}

// Race tells of a race of the thread's call.
func (t *thread) Race(_ *commrace.Object, race commrace.Race) {
	r, o := t.replay, t.ending.object
	i, j, ok := o.Table().Where(race.First, race.Second)
	if !ok || r.world.Exhausted.Load() != 0 {
		return
	}
	second := t.ending.touches[j]
	found := Race{
		Race: race, Table: o.Table(), Second: second,
		First: r.touchOf(o, race.First, i, second.Event.Target),
	}
	if race.Check != nil {
		found.Check = r.touchOf(o, race.Check, 0, second.Event.Target)
		act := race.First
		if race.ActSecond {
			act = race.Second
		}
		if p := t.through(o.Table(), race.Check, act); p.ok &&
			!t.decidesItself(o.Table(), race.Check, act) {
			found.Depth = p.frame
		} else if pos, ok := r.sites[race.CheckAt.Site]; ok {
			found.Check.Event.Pos = pos
		}
	}
	r.found(found)
}

// Unused reports whether the result of a call is not used, as the trace says of its place.
func (t *thread) Unused(_ *commrace.Table, a *commrace.Action) bool {
	return t.replay.place(uint32(a.Owner)).unused
}

// What a call does needs no record here: the trace is in order.
func (t *thread) Begins()   {}
func (t *thread) Joins()    {}
func (t *thread) Leaves()   {}
func (t *thread) Resumes()  {}
func (t *thread) Abandons() {}

// IsZero reports whether an argument or result is zero, as far as it was kept.
func IsZero(a *commrace.Arg) bool {
	switch b := a.Bytes(); len(b) {
	case 1: // whether it is true
		return b[0] == 0
	case 8: // see spec.KeptOf
		return b[0]&1 != 0
	}
	return false
}
