// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// more is a step of which some events are still to come. They are accesses to the bytes from addr
// on, or begins of transactions. Or they are releases of allLock by the threads that acted, from
// index addr on, and then the thread's acquire.
type more struct {
	event.Event
	addr, n uint64
}

// allLock is the lock of an AcquireAll. It keeps what was released to it, so a thread that did
// nothing since its last release need not release again.
const allLock = trace.AllLock

// actors are the threads that have acted since all that they did was released.
type actors struct {
	list, released []uint32
	acted          []bool // by thread
}

func (a *actors) acts(thread uint32) {
	if uint64(thread) < uint64(len(a.acted)) && a.acted[thread] {
		return
	}
	for uint64(len(a.acted)) <= uint64(thread) {
		a.acted = append(a.acted, false)
	}
	a.acted[thread] = true
	a.list = append(a.list, thread)
}

// release moves the list to those that release now, and returns how many they are.
func (a *actors) release() uint64 {
	for _, thread := range a.list {
		a.acted[thread] = false
	}
	a.list, a.released = a.released[:0], a.list
	return uint64(len(a.released))
}

// repeat makes the next of them: three events at most.
func (r *Reader) repeat(events []event.Event) (n int, err error) {
	e, at := r.more.Event, r.more.addr
	switch e.Op {
	case event.Read, event.Write:
		return r.part(events)
	case event.Acquire:
		if r.more.n > 1 {
			e.Op, e.Thread = event.ReleaseMerge, r.actors.released[at]
		}
	}
	r.more.addr++
	r.more.n--
	events[0] = e
	return 1, nil
}

// convert makes events of a step, three at most; of others repeat tells.
func (r *Reader) convert(s *step, events []event.Event) (n int, err error) {
	e := event.Event{Flags: s.flags, Thread: s.thread, Pos: s.pos}
	if !r.sparse && namesByAddress(s.kind) {
		return 0, r.fail("has a %v record, which must be in a trace that names by addresses",
			s.kind.Name())
	}
	r.actors.acts(s.thread)
	if r.isHidden(s.thread) || r.inside != 0 && s.pos == r.inside ||
		r.middle.from > 0 && !r.middle.known[s.thread] {
		e.Flags |= event.Hidden
	}
	if r.quiet && !r.isWatched(s.pos) {
		e.Flags |= event.Quiet
	}
	var v uint64
	switch s.kind {
	case event.Read, event.Write:
		e.Op = s.kind
		if r.sparse {
			return r.access(e, s.args[0], 1, events)
		}
		v, err = r.number(spec.Variable, s.args[0])
		e.Target = uint32(v)
	case event.ReadRange, event.WriteRange:
		e.Op = event.Read + event.Kind(s.kind-event.ReadRange)
		return r.access(e, s.args[0], s.args[1], events)
	case event.Fresh:
		if !r.sparse {
			return 0, nil // a variable stays what it is
		}
		r.tellOrder(s)
		return r.forget(s.args[0], s.args[1], events)
	case event.Split:
		return r.splits(s.args[0], s.args[1], events)
	case event.Acquire, event.Release, event.ReleaseMerge:
		e.Op = s.kind
		r.tellSync(s.thread, s.args[0])
		r.tellOrder(s)
		if v, err = r.number(spec.Lock, s.args[0]); err == nil {
			err = r.tellName(s.thread, s.args[0], uint32(v))
		}
		e.Target = uint32(v)
	case event.AtomicLoad, event.AtomicStore, event.AtomicRMW:
		return r.atomic(s, e, events)
	case event.Begin, event.End:
		if e.Flags&event.Hidden != 0 {
			return 0, nil
		}
		e.Op, e.Flags = s.kind, s.flags
		if s.kind == event.Begin {
			e.Pos = r.begins(s.pos, s.args[0])
		}
	case event.Fork, event.Join:
		e.Op = s.kind
		e.Target, err = r.threadNumber(s.args[0])
		e.Flags = e.Flags&^event.Quiet | s.flags
		if s.kind == event.Fork {
			r.tellFork(s.thread, e.Target)
			if r.middle.from > 0 {
				r.middle.known[e.Target] = true // it has done nothing yet
			}
		}
	case event.Touch, event.TouchKey:
		e.Op = event.Touch
		e.Point = uint32(min(s.args[1], math.MaxUint32))
		e.Target, err = r.target(s.args[0], s.args[2], s.kind == event.TouchKey, s.args[1])
		e.Pos = r.called(s.thread, s.args[0], s.pos)
		e.Flags &= s.flags | event.Hidden
	case event.Call:
		if err := r.call(s.thread, s.args[0], s.args[1], s.pos); err != nil {
			return 0, err
		}
		return 0, r.tell(s)
	case event.Value:
		if !ofObject(s.args[0]) {
			return 0, r.tell(s)
		}
		if !r.sparse {
			return 0, r.fail("tells of an object, and does not name by addresses")
		}
		makes, err := r.tellObject(s)
		if err != nil || !makes {
			return 0, err
		}
		e.Op, e.Target = event.Acquire, trace.NoLock
		e.Flags |= event.Quiet
	case event.Enter, event.Exit:
		return 0, r.tell(s)
	default:
		r.special(s, e)
		return 0, nil
	}
	events[0] = e
	return 1, err
}

// namesByAddress reports whether steps of a kind are for traces that name by addresses only.
func namesByAddress(k spec.Kind) bool {
	switch k {
	case event.ReadRange, event.WriteRange, event.AcquireAll, event.Hide, event.Show:
		return true
	}
	return false
}

// A call is a goroutine's last: its touches follow.
type call struct {
	object   uint64
	pos      uint32
	position uint32 // that stands for it
	known    bool
}

// call takes note of a call.
func (r *Reader) call(thread uint32, object, method uint64, pos uint32) error {
	if method >= maxDescribed {
		return r.fail("has a call of method %d, and there may be %d", method, maxDescribed)
	}
	for uint64(len(r.calls)) <= uint64(thread) {
		r.calls = append(r.calls, call{})
	}
	r.calls[thread] = call{object, pos, r.tables.Program.Call(pos, uint32(method)), true}
	return nil
}

// called is the position that stands for the call that a touch of an object is part of.
func (r *Reader) called(thread uint32, object uint64, pos uint32) uint32 {
	if uint64(thread) < uint64(len(r.calls)) {
		if c := &r.calls[thread]; c.known && c.object == object && c.pos == pos {
			return c.position
		}
	}
	return pos
}

// begins is the position that stands for the beginning of a section.
func (r *Reader) begins(pos uint32, section uint64) uint32 {
	if section == 0 || section >= maxDescribed {
		return pos
	}
	return r.tables.Program.Section(pos, uint32(section))
}

// atomicBit is in the address of the variable that stands for atomic operations in transactions.
// The variable at the address without the bit is for plain accesses.
const atomicBit = 1 << 63

// atomic is convert for an atomic operation. In transactions the operation is a read or a write
// of a variable of its own.
func (r *Reader) atomic(s *step, e event.Event, events []event.Event) (n int, err error) {
	l, err := r.number(spec.Lock, s.args[0])
	if err != nil {
		return 0, err
	}
	r.tellAtomic(s.kind, s.thread, s.args[0])
	r.tellOrder(s)
	access, order := e, e
	order.Target = uint32(l)
	if r.quiet {
		order.Flags |= event.Quiet
	}
	if s.kind != event.AtomicStore {
		order.Op = event.Acquire
		events[n] = order
		n++
	}
	if r.quiet {
		v, err := r.number(spec.Variable, s.args[0]|atomicBit)
		if err != nil {
			return n, err
		}
		access.Op, access.Target = event.Write, uint32(v)
		access.Flags |= event.Only
		if s.kind == event.AtomicLoad {
			access.Op = event.Read
		}
		events[n] = access
		n++
	}
	if s.kind != event.AtomicLoad {
		order.Op = event.Release
		if s.kind == event.AtomicRMW {
			order.Op = event.ReleaseMerge
		}
		events[n] = order
		n++
	}
	return n, nil
}

// isWatched reports whether a position is in the source of a watched package.
func (r *Reader) isWatched(pos uint32) bool {
	return uint64(pos)/64 < uint64(len(r.watched)) && r.watched[pos/64]>>(pos%64)&1 != 0
}

// splits is convert for a Split, which only dense traces have.
func (r *Reader) splits(part, from uint64, events []event.Event) (n int, err error) {
	if r.sparse {
		return 0, r.fail("has a Split record, which must not be in a trace that names by addresses")
	}
	p, err := r.number(spec.Variable, part)
	if err != nil {
		return 0, err
	}
	f, err := r.number(spec.Variable, from)
	if err == nil && p == f {
		return 0, r.fail("has a Split record of variable %d from itself", p)
	}
	events[0] = event.Event{Op: event.Split, Thread: r.thread, Target: uint32(p), Point: uint32(f)}
	return 1, err
}

// special is convert for what makes no event by itself.
func (r *Reader) special(s *step, e event.Event) {
	switch s.kind {
	case event.AcquireAll:
		e.Op, e.Target = event.Acquire, allLock
		e.Flags |= event.Quiet
		_ = r.tell(s) // it fails for calls only
		r.more = more{e, 0, r.actors.release() + 1}
	case event.Hide, event.Show:
		r.hide(s.thread, s.kind == event.Hide)
	case event.State:
		r.resume(s)
	}
}

// hide notes that what a thread does is hidden from here on, or no more.
func (r *Reader) hide(thread uint32, hidden bool) {
	for uint64(len(r.hidden)) <= uint64(thread) {
		r.hidden = append(r.hidden, false)
	}
	r.hidden[thread] = hidden
}

func (r *Reader) isHidden(thread uint32) bool {
	return uint64(thread) < uint64(len(r.hidden)) && r.hidden[thread]
}
