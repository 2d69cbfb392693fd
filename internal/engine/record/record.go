// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
)

// A trace records what the checkers here are told. Of accesses to memory it has those that don't
// repeat another one of the same epoch. It has all synchronization, forks and ends of goroutines,
// transactions, and calls (recordcall.go). Synchronization outside of watched packages has no
// position: it orders goroutines, and makes no conflict of transactions.

var recorded struct {
	goroutines atomic.Uint32
	lock       offheap.Lock
	positions  [maxSites / siteChunk]offheap.AtomicRef[[siteChunk]atomic.Uint32] // by site
	sections   offheap.Memo                                                      // by place
	nSections  uint32
	chain      [maxChain]uint32
	inside     atomic.Uint32 // see insidePosition
	numberings offheap.Memo  // by the address of the table
	points     uint32        // of all specifications that are defined
	methods    uint32
	callSites  offheap.Memo // the position and the method, and 1: those that are defined
	keys       [1 << 12]atomic.Uint64
}

const (
	maxSites  = 1 << 22 // as package datarace has it
	siteChunk = 1 << 12
	maxChain  = 256
)

// Recorded is a goroutine's part in the trace.
type Recorded struct {
	sync.Thread
	InTrace       recorder.Thread           // its number is 0 if none is recorded
	HiddenInTrace bool                      // what it does was last recorded as hidden
	unrecorded    uint32                    // transactions that run and are not in the trace
	calling       offheap.Ref[recordedCall] // the call that is recorded next
}

// Reset makes g part of a new goroutine, which is not recorded yet.
func (g *Recorded) Reset() {
	g.Thread.Reset()
	g.InTrace, g.HiddenInTrace, g.unrecorded = recorder.Thread{}, false, 0
	dropCall(g)
}

// RecordStart records that parent has started g at a position; that g is no one's is said by nil.
func (g *Recorded) RecordStart(parent *Recorded, goid uint64, pos uint32) {
	g.InTrace = recorder.Thread{Number: recorded.goroutines.Add(1)}
	by := uint32(0)
	if parent != nil {
		by = parent.InTrace.Number
	}
	recorder.Goroutine(&g.InTrace, goid, by, pos)
	if t := g.Test.P().Charged(); parent != nil && parent.TimerContext && t != nil {
		recorder.Member(g.InTrace.Number, t.Number) // what sets a timer is not known, only its test
	}
	if by != 0 {
		recorder.StepOf(event.Fork, &parent.InTrace, pos, g.InTrace.Number)
	}
}

// RecordTimer records that a carrier picks up a timer. Two timers have nothing to do with each
// other, so each is a goroutine of its own, if it does anything that orders others. Most timers
// end a Sleep, and order nothing.
func (g *Recorded) RecordTimer(timer uintptr, orders bool) {
	if g.InTrace.Number != 0 {
		recorder.Step(event.Exit, &g.InTrace, 0)
		g.InTrace = recorder.Thread{}
	}
	if !orders {
		return
	}
	g.InTrace = recorder.Thread{Number: recorded.goroutines.Add(1)}
	recorder.Goroutine(&g.InTrace, 0, 0, 0)
	recorder.Sync(event.Acquire, &g.InTrace, 0, uint64(timer))
}

// RecordTest records that g begins its test.
func (g *Recorded) RecordTest(name string) {
	if g.InTrace.Number == 0 {
		return
	}
	n := g.Test.P().ID()
	recorder.Test(n, name)
	recorder.Member(g.InTrace.Number, n)
	recorder.StepOf(event.TestBegin, &g.InTrace, 0, n)
}

// Position is that of a stack, as its return addresses tell.
func Position(s *stack.Stack) uint32 { return positionOf(s.Site()) }

// positionOf is the number of a site's innermost frame in the trace.
func positionOf(site uint32) uint32 {
	if p := defined(site); p != 0 {
		return p &^ watchedBit
	}
	return define(site)
}

// defined is the number of a position, with watchedBit, and 0 if it has none yet.
func defined(site uint32) uint32 {
	if c := recorded.positions[site/siteChunk].Load(); c != nil {
		return c[site%siteChunk].Load()
	}
	return 0
}

// define defines a position, and its callers'.
func define(site uint32) uint32 {
	if site <= datarace.CutOff {
		return 0
	}
	recorded.lock.Lock()
	r := &recorded
	n := 0
	caller := uint32(0)
	for s := site; s > datarace.CutOff && n < maxChain; s = datarace.Caller(s) {
		at := recordedAt(s)
		if at.Load() != 0 {
			caller = at.Load() &^ watchedBit
			break
		}
		r.chain[n] = s
		n++
	}
	for n--; n >= 0; n-- {
		caller = defineFrames(datarace.PC(r.chain[n]), caller)
		bit := uint32(0)
		if source.Counts(r.chain[n]) {
			recorder.Watched(caller)
			bit = watchedBit
		}
		recordedAt(r.chain[n]).Store(caller | bit)
	}
	recorded.lock.Unlock()
	return caller
}

// watchedBit is set for positions that are watched.
const watchedBit = 1 << 31

// libraryPosition is positionOf for a function of a library that a watched package calls. What
// the function does counts as done by the package.
func libraryPosition(site uint32) uint32 {
	if p := defined(site); p&watchedBit != 0 {
		return p &^ watchedBit
	}
	pos := positionOf(site)
	if pos == 0 {
		return 0
	}
	recorded.lock.Lock()
	if at := recordedAt(site); at.Load()&watchedBit == 0 {
		recorder.Watched(pos)
		at.Store(pos | watchedBit)
	}
	recorded.lock.Unlock()
	return pos
}

func recordedAt(site uint32) *atomic.Uint32 {
	at := &recorded.positions[site/siteChunk]
	if at.Load() == nil {
		at.Store((*[siteChunk]atomic.Uint32)(host.Alloc(unsafe.Sizeof([siteChunk]atomic.Uint32{}))))
	}
	return &at.Load()[site%siteChunk]
}

// defineFrames defines the functions at a return address, the outermost of which caller calls.
func defineFrames(pc uintptr, caller uint32) uint32 {
	n := 0
	for {
		if _, ok := host.NameAt(pc, n); !ok {
			break
		}
		n++
	}
	for n--; n >= 0; n-- {
		name, file, line, _ := host.PlaceAt(pc, n)
		caller = recorder.Position(uint64(pc), caller, line, name, file)
	}
	return caller
}

// RecordAccess records an access to n bytes.
func (g *Recorded) RecordAccess(addr, n uintptr, kind event.Access, site uint32) {
	if g.InTrace.Number == 0 || kind&datarace.Atomic != 0 {
		return
	}
	g.recordHidden()
	pos := positionOf(site)
	hide := g.Txn.Left && !g.HiddenInTrace // it may race, and is no conflict
	if hide {
		recorder.Step(event.Hide, &g.InTrace, 0)
	}
	switch write := kind&datarace.Write != 0; {
	case n > 1 && write:
		recorder.Range(event.WriteRange, &g.InTrace, pos, uint64(addr), uint64(n))
	case n > 1:
		recorder.Range(event.ReadRange, &g.InTrace, pos, uint64(addr), uint64(n))
	case write:
		recorder.Access(event.Write, &g.InTrace, pos, uint64(addr))
	default:
		recorder.Access(event.Read, &g.InTrace, pos, uint64(addr))
	}
	if hide {
		recorder.Step(event.Show, &g.InTrace, 0)
	}
}

// recordHidden records that from here on what g does is part of a call, or no more.
func (g *Recorded) recordHidden() {
	if g.InCall != g.HiddenInTrace || !g.WorksFor.Nil() {
		g.recordScope()
	}
}

func (g *Recorded) recordScope() {
	if hidden := g.InAnyCall(); hidden != g.HiddenInTrace {
		g.HiddenInTrace = hidden
		k := event.Show
		if hidden {
			k = event.Hide
		}
		recorder.Step(k, &g.InTrace, 0)
	}
}

// On reports whether a trace is recorded.
//
//go:nosplit
func On() bool { return recorder.On() }

// Epoch is [recorder.Epoch].
//
//go:nosplit
func Epoch() uint32 { return recorder.Epoch() }

// RecordSync records synchronization at addr; where is 0 if it's not by a watched package.
func (g *Recorded) RecordSync(addr uintptr, k event.Kind, where uint32) {
	if g.InTrace.Number == 0 {
		return
	}
	g.recordHidden()
	if g.Txn.Left {
		where = 0
	}
	pos := libraryPosition(where)
	if k >= event.PlainLoad && k <= event.PlainRMW {
		pos = insidePosition()
	}
	first, second := k.Recorded()
	if second != 0 {
		if !g.TimerContext { // a timer context doesn't learn what the channel does
			recordExchange(g)
			recorder.Sync(first, &g.InTrace, pos, uint64(addr))
		}
		first = second
	}
	bare := k == event.TimerSet && g.HiddenInTrace // what a call sets is for the program
	if bare {
		recorder.Step(event.Show, &g.InTrace, 0)
	}
	recorder.Sync(first, &g.InTrace, pos, uint64(addr))
	if bare {
		recorder.Step(event.Hide, &g.InTrace, 0)
	}
}

// insidePosition is that of what an implementation does for itself. Observations whose beginnings
// are not announced do it, too.
func insidePosition() uint32 {
	if p := recorded.inside.Load(); p != 0 {
		return p
	}
	recorded.lock.Lock()
	p := recorded.inside.Load()
	if p == 0 {
		p = recorder.Inside()
		recorded.inside.Store(p)
	}
	recorded.lock.Unlock()
	return p
}

// RecordBegin records that g begins a transaction, unless no violation of it is to be told.
func (g *Recorded) RecordBegin(p *atomicity.AtomicCode) {
	if g.unrecorded > 0 || g.Test.P().Silences() {
		g.unrecorded++
		return
	}
	if g.InTrace.Number != 0 {
		g.recordHidden()
		recorder.StepOf(event.Begin, &g.InTrace, 0, codeNumber(p))
	}
}

// RecordEnd records that g ends a transaction.
func (g *Recorded) RecordEnd() {
	if g.unrecorded > 0 {
		g.unrecorded-- // what has begun last ends first
		return
	}
	if g.InTrace.Number != 0 {
		g.recordHidden()
		recorder.Step(event.End, &g.InTrace, 0)
	}
}

// codeNumber is the number of marked code in the trace.
func codeNumber(p *atomicity.AtomicCode) uint32 {
	place := uint64(uintptr(unsafe.Pointer(p)))
	if n, ok := recorded.sections.Get(place); ok {
		return uint32(n)
	}
	r := &recorded
	r.lock.Lock()
	n, ok := r.sections.Get(place)
	if !ok {
		r.nSections++
		n = uint64(r.nSections)
		recorder.Section(uint32(n), p.Name, p.Pos)
		if p.ValueIndependent {
			recorder.Independent(uint32(n))
		}
		r.sections.Put(place, n)
	}
	r.lock.Unlock()
	return uint32(n)
}
