// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/instance"
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/predict"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
)

// What package predict is told of: mutexes that the program uses by themselves, and of all other synchronization, that of
// packages that are not watched included, that it orders.

// Locked tells that g has taken a lock, after the order that this makes is known.
func (g *Goroutine) Locked(addr uintptr, read bool) {
	if g == nil || g.carrier {
		return
	}
	if instance.Predictor.Lock(&g.past, addr, read, g.busyEpoch()) {
		g.line.P().Advance()
		instance.Predictor.BeginSection(&g.past, g.line.P().Pin())
		g.memory.SetQuickOff(true)
	}
}

// Unlocking tells that g is about to release one. Free is whether it's the program itself that does.
func (g *Goroutine) Unlocking(addr uintptr, read, free bool) {
	if g == nil || g.carrier {
		return
	}
	instance.Predictor.Unlock(&g.past, addr, read, free, g.busyEpoch())
	g.memory.SetQuickOff(false)
	if instance.Predictor.Found() {
		tellPredictions()
	}
}

// busyEpoch is g's present, if anything is to be told of it.
func (g *Goroutine) busyEpoch() vclock.Epoch {
	if g.carrier || !instance.Predictor.Busy() {
		return 0
	}
	return g.line.P().Pin()
}

// forkPast tells that g, which may be nil, has started child.
func (g *Goroutine) forkPast(child *Goroutine) {
	if child.carrier {
		return
	}
	var from *predict.Thread
	if g != nil {
		from = &g.past
	}
	instance.Predictor.Fork(from, &child.past, child.line.P().Pin())
}

// Dependent reports whether it matters who calls Unlock.
func (g *Goroutine) Dependent() bool { return g != nil && instance.Predictor.HasDependences(&g.past) }

// Order tells of synchronization that is not that of a lock, of a kind as in Contact.
func (g *Goroutine) Order(addr uintptr, k event.Kind) {
	if g == nil {
		return
	}
	if k.Acquires() {
		instance.Predictor.Acquire(&g.past, addr, g.busyEpoch())
	}
	if k.Releases() {
		instance.Predictor.Release(&g.past, addr)
	}
}

// OrderBoth tells that g and h, which stands still, order each other.
func (g *Goroutine) OrderBoth(h *Goroutine) {
	if g != nil && h != nil && !g.carrier && !h.carrier {
		instance.Predictor.Rendezvous(&g.past, &h.past, g.busyEpoch(), h.busyEpoch())
	}
}

// Untold tells that what g does next may depend on anything that has happened so far.
func (g *Goroutine) Untold() {
	if g != nil {
		instance.Predictor.UnknownEvent(&g.past, g.busyEpoch())
	}
}

// OrderCall tells that g begins, or ends, a call of a specified method of an object. All calls count as ordered.
func (g *Goroutine) OrderCall(obj unsafe.Pointer) {
	if g != nil {
		g.Order(uintptr(obj)|1, event.ReleaseAcquire)
	}
}

// lockLayer is the layer of who calls the function of a lock that a return address is in, or LayerSync if that's one too.
func lockLayer(pc uintptr) int {
	for i := 0; ; i++ {
		name, ok := host.NameAt(pc, i)
		if !ok {
			return LayerSync
		}
		through := false
		for _, prefix := range [...]string{"sync.(*Mutex).", "sync.(*RWMutex).", "sync.(*rlocker).", "internal/sync.(*Mutex).", "runtime."} {
			through = through || hasPrefix(name, prefix)
		}
		switch {
		case through:
		case isWatched(packageOf(name)):
			return LayerWatched
		default:
			return LayerOther
		}
	}
}

// lockLayers and knownLockLayers remember what lockLayer has found, as layers and knownLayers do.
var (
	lockLayers      [1 << 8]PCNumber
	knownLockLayers offheap.Memo
)

// LockLayer is lockLayer.
func LockLayer(pc uintptr) int {
	at := &lockLayers[pc>>1%uintptr(len(lockLayers))]
	if layer, ok := at.Get(pc); ok {
		return layer
	}
	layer, ok := knownLockLayers.Get(uint64(pc))
	if !ok {
		layer = knownLockLayers.Put(uint64(pc), uint64(lockLayer(pc)))
	}
	at.Put(pc, int(layer))
	return int(layer)
}

// telling is not 0 while somebody is about to tell of a prediction: who asks then whether anything was found has to wait.
var telling atomic.Uint32

// tellPredictions reports what has been found and not been told yet. Afterwards, tests have been charged with all.
func tellPredictions() {
	for instance.Predictor.Found() || telling.Load() != 0 {
		ready()
		found.lock.Lock()
		telling.Add(1)
		p, ok := instance.Predictor.Collect()
		if !ok {
			telling.Add(^uint32(0))
			found.lock.Unlock()
			return
		}
		c := cycleOf(&p)
		tells := chargeCycle(&c, testAt(p.First.Owner), testAt(p.Other.Owner), nil)
		telling.Add(^uint32(0))
		found.lock.Unlock()
		if tells {
			wake()
		}
	}
}

// cycleOf is the cycle that a prediction would be, had it happened.
func cycleOf(p *predict.Prediction) atomicity.Cycle {
	c := atomicity.Cycle{
		Code: markAt(p.First.Code), Goid: p.First.Goid, N: 2,
		Predicted: true, ValuesDiffer: p.ValuesDiffer, OtherReads: p.OtherReads,
	}
	for i, sides := range [...][2]*predict.Access{{&p.First, &p.Other}, {&p.Other, &p.Second}} {
		a, b := sides[0], sides[1]
		c.Edges[i] = atomicity.Edge{
			Kind: atomicity.Memory, Addr: p.Addr, From: a.Epoch, To: b.Epoch, FromGoid: a.Goid, ToGoid: b.Goid,
			FromSite: a.Site, ToSite: b.Site, FromWrites: a.Writes, ToWrites: b.Writes,
		}
		c.From[i], c.To[i] = markAt(a.Code), markAt(b.Code)
	}
	return c
}

func markAt(p uintptr) *atomicity.AtomicCode { return *(**atomicity.AtomicCode)(unsafe.Pointer(&p)) }

// foreseen writes what a prediction rests on.
func foreseen(b *buffer, c *atomicity.Cycle) {
	b.text("\nWhat can go wrong: atomicity: no order of whole transactions has the effect of the order above\n")
	b.text("Evidence: predicted: it has not happened in this run; all that goroutine ")
	b.uint(c.Edges[0].ToGoid)
	b.text(" needs for its access could come before, for only the order in which locks were taken had to be another")
	if c.ValuesDiffer {
		b.text(", and what it does in its transaction doesn't depend on the values that it reads there")
	}
	if c.OtherReads {
		b.text("; it would see what has not been completed")
	}
	b.text("\n")
}

// observed reports whether what v predicts, or has observed, has been reported for the test t as observed, or predicted: a
// violation of the same place whose last access is the same.
func observed(v *violation, t *test) bool {
	for o := broken; o != nil; o = o.next {
		if o.place != v.place || o.last != v.last || o.predicted == v.predicted {
			continue
		}
		for _, told := range o.told[:o.tells] {
			if told == t {
				return true
			}
		}
	}
	return false
}

// lastPC is where the last access of a cycle is.
func lastPC(c *atomicity.Cycle) uintptr {
	if site := c.Edges[c.N-1].ToSite; site > datarace.CutOff {
		return datarace.PC(site)
	}
	return 0
}
