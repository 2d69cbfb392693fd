// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"sync"

	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// Predictions predicts violations in one trace. It makes the program's calls of package predict, in
// the order of the trace.
type Predictions struct {
	*forecast
	program *trace.Program
	found   func(Prediction)
	threads []*planner
	cells   []accessed // by variable
	index   uint64     // of the event that comes next
	running int        // transactions
	begun   bool       // one has begun, some time
	ended   endedRing
	tests   map[string]uintptr // a number for each
}

// A Prediction is a violation that could have happened: the transaction makes First and Second;
// Entry and Other, which are of another thread, could come between them. Entry and Other are one
// step, or steps of transactions Entered and Left, which may be the same.
type Prediction struct {
	Transaction, Entered, Left  event.Transaction
	First, Entry, Other, Second event.Step
	ValuesDiffer                bool // see [predict.Prediction]
	OtherReads                  bool
}

// A forecast is the engine's part. Its memory is never given back, so the next trace goes on with
// it.
type forecast struct {
	engine predict.Predictor
	times  vclock.World
}

var idleForecasts struct {
	sync.Mutex
	list []*forecast
}

func takeForecast() *forecast {
	idleForecasts.Lock()
	defer idleForecasts.Unlock()
	n := len(idleForecasts.list)
	if n == 0 {
		return new(forecast)
	}
	f := idleForecasts.list[n-1]
	idleForecasts.list = idleForecasts.list[:n-1]
	return f
}

func (f *forecast) giveBack() {
	f.engine.Reset()
	idleForecasts.Lock()
	idleForecasts.list = append(idleForecasts.list, f)
	idleForecasts.Unlock()
}

// A planner is a thread's part in the prediction. Its clock only tells its events from each other.
type planner struct {
	engine  predict.Thread
	number  uint32
	carrier bool // a timer: it only relays what its setter depends on
	clock   *vclock.Thread
	depth   int               // of transactions
	now     event.Transaction // the one that runs
	count   uint32            // of those that it has begun
	told    int               // synchronization to come that was told otherwise: see package spec
	calls   []uint32          // the objects of those that are under way, the innermost last
}

// NewPredictions is the prediction for the trace of a program. It calls found for each violation
// that could have happened.
func NewPredictions(program *trace.Program, found func(Prediction)) *Predictions {
	p := &Predictions{
		forecast: takeForecast(), program: program, found: found, tests: make(map[string]uintptr),
	}
	p.engine.Last = p.last
	return p
}

// Events takes the next events, and the steps of calls that come before each. Events before the
// first transaction don't matter.
func (p *Predictions) Events(events []event.Event, steps []trace.CallStep) {
	for i := range events {
		for len(steps) > 0 && steps[0].Event <= p.index {
			p.step(&steps[0])
			steps = steps[1:]
		}
		if p.begun || events[i].Op == event.Begin {
			p.event(&events[i])
		}
		p.index++
	}
	for i := range steps {
		p.step(&steps[i])
	}
}

// thread is a thread that does something. Nothing is known of how it was started.
func (p *Predictions) thread(number uint32) *planner {
	p.threads = table.Grow(p.threads, number)
	t := p.threads[number]
	if t == nil {
		t = p.start(number, nil)
	}
	return t
}

// start starts a thread, which another one has started or nobody.
func (p *Predictions) start(number uint32, by *planner) *planner {
	t := &planner{number: number}
	p.threads = table.Grow(p.threads, number)
	p.threads[number] = t
	g, ok := p.program.Goroutine(number)
	if t.carrier = ok && g.ID == 0; t.carrier {
		return t
	}
	t.clock = clocks.Get()
	p.times.Start(t.clock)
	if by == nil {
		p.engine.Fork(nil, &t.engine, t.clock.Pin())
	} else {
		p.engine.Fork(&by.engine, &t.engine, t.clock.Pin())
	}
	return t
}

// epoch is t's present; timers have none.
func (t *planner) epoch() vclock.Epoch {
	if t.carrier {
		return 0
	}
	return t.clock.Pin()
}

// advance begins an epoch.
func (t *planner) advance() {
	if !t.carrier {
		t.clock.Advance()
	}
}

// step takes a step that is no event.
func (p *Predictions) step(s *trace.CallStep) {
	if !p.begun || s.Kind == event.Fresh {
		return
	}
	t := p.thread(s.Thread)
	switch s.Kind {
	case event.Enter:
		t.calls = append(t.calls, s.Object)
		p.calls(t, s.Object)
	case event.Call:
		t.ends(s.Object)
		if p.program.CallsBack(s.Method) {
			t.calls = append(t.calls, s.Object) // what it sees of its object, it goes on to see
		}
		p.calls(t, s.Object)
	case event.Exit:
		p.exit(t)
	case event.AcquireAll:
		p.engine.UnknownEvent(&t.engine, t.epoch())
	case event.AtomicLoad, event.AtomicStore, event.AtomicRMW:
		p.atomic(t, s)
	case event.Value:
		p.value(t, s)
	}
}

// value takes a step that says something of synchronization, or of a call.
func (p *Predictions) value(t *planner, s *trace.CallStep) {
	switch s.What {
	case spec.Takes:
		t.told++
		if s.Flags&spec.Waits != 0 {
			t.told++
		}
		p.locks(t, lockAddress(s.Object), s.Flags&spec.Reader != 0)
	case spec.Frees:
		t.told++
		p.unlocks(t, lockAddress(s.Object), s.Flags)
	case spec.FailsOn:
		if s.Touches == 0 {
			p.engine.UnknownEvent(&t.engine, t.epoch())
		} else {
			t.engine.OtherEvent()
		}
	case spec.Fails:
		p.engine.UnknownEvent(&t.engine, t.epoch())
	case spec.Meets:
		p.meet(t, p.thread(s.Object))
	case spec.Passes:
		t.told++
	case spec.Gone:
		if n := len(t.calls); n > 0 {
			o := t.calls[n-1]
			t.calls = t.calls[:n-1]
			p.calls(t, o)
		}
	}
}

// ends takes a call of an object out of those that are under way, if it has begun. What has begun
// later can't be under way any more.
func (t *planner) ends(object uint32) {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if t.calls[i] == object {
			t.calls = t.calls[:i]
			return
		}
	}
}

// Package predict knows locks, objects and variables by addresses: the lowest bit of a lock's is 0.
func lockAddress(number uint32) uintptr     { return 16 * (uintptr(number) + 1) }
func syncAddress(number uint32) uintptr     { return lockAddress(number) }
func objectAddress(number uint32) uintptr   { return lockAddress(number) | 1 }
func variableAddress(number uint32) uintptr { return 8 * (uintptr(number) + 1) }
func variableAt(address uintptr) uint32     { return uint32(address/8 - 1) }

// calls orders a call that begins or ends with the others of its object.
func (p *Predictions) calls(t *planner, object uint32) {
	p.order(t, objectAddress(object), true, true)
}

// order takes synchronization other than by a lock.
func (p *Predictions) order(t *planner, address uintptr, acquires, releases bool) {
	if acquires {
		p.engine.Acquire(&t.engine, address, t.epoch())
	}
	if releases {
		p.engine.Release(&t.engine, address)
		t.advance()
	}
}

func (p *Predictions) locks(t *planner, lock uintptr, read bool) {
	if t.carrier {
		return
	}
	if p.engine.Lock(&t.engine, lock, read, t.epoch()) {
		t.advance()
		p.engine.BeginSection(&t.engine, t.epoch())
	}
}

func (p *Predictions) unlocks(t *planner, lock uintptr, flags uint8) {
	if t.carrier {
		return
	}
	p.engine.Unlock(&t.engine, lock, flags&spec.Reader != 0, flags&spec.Direct != 0, t.epoch())
	t.advance()
	p.collect()
}

// meet takes a meeting. The two releases and acquires of each that follow stand for it.
func (p *Predictions) meet(t, u *planner) {
	t.told += 2
	u.told += 2
	if !t.carrier && !u.carrier {
		p.engine.Rendezvous(&t.engine, &u.engine, t.epoch(), u.epoch())
		t.advance()
		u.advance()
	}
}

// event takes an event.
func (p *Predictions) event(e *event.Event) {
	if e.Op == event.Split {
		p.split(e.Target, e.Point)
		return
	}
	t := p.thread(e.Thread)
	switch e.Op {
	case event.Read, event.Write:
		if e.Flags&event.Only == 0 && !t.carrier {
			p.access(t, e)
		}
	case event.Acquire, event.Release, event.ReleaseMerge:
		switch {
		case e.Target == trace.AllLock: // a step tells of it
		case e.Target == trace.NoLock && p.program.Objects: // it orders nothing
		case t.told > 0:
			t.told--
		default:
			p.order(t, syncAddress(e.Target), e.Op == event.Acquire, e.Op != event.Acquire)
		}
	case event.Fork:
		if p.threads = table.Grow(p.threads, e.Target); p.threads[e.Target] == nil {
			p.start(e.Target, t)
			t.advance()
		}
	case event.Join:
		p.engine.UnknownEvent(&t.engine, t.epoch())
	case event.Begin:
		p.begin(t, e)
	case event.End:
		p.end(t)
	}
}

func (p *Predictions) begin(t *planner, e *event.Event) {
	p.begun = true
	if t.depth++; t.depth > 1 || t.carrier {
		return
	}
	p.running++
	t.count++
	t.now = event.Transaction{
		Thread: t.number, Number: t.count, Marked: true, First: p.index, Pos: e.Pos,
	}
	t.advance()
	t.engine.Begin(codeAt(e.Pos), p.program.Independent(e.Pos), t.epoch())
}

// codeAt stands for the code of the transactions that begin at a position. Package predict takes it
// for an address, the lowest four bits of which say little.
func codeAt(pos uint32) uintptr { return (uintptr(pos) + 1) << 4 }

func (p *Predictions) end(t *planner) {
	if t.depth == 0 {
		return
	}
	if t.depth--; t.depth > 0 || t.carrier {
		return
	}
	p.running--
	p.engine.End(&t.engine)
	p.ended.keep(ended{t.now, p.index})
	t.now = event.Transaction{}
	p.collect()
}

// exit ends a thread.
func (p *Predictions) exit(t *planner) {
	if t.depth > 0 {
		t.depth = 1
		p.end(t)
	}
	if !t.carrier {
		p.engine.End(&t.engine)
		p.collect()
		t.clock.End()
		clocks.Put(t.clock)
	}
	p.threads[t.number] = nil
}

// Close frees the engine's memory that the prediction uses.
func (p *Predictions) Close() {
	for _, t := range p.threads {
		if t != nil {
			p.exit(t)
		}
	}
	p.giveBack()
}
