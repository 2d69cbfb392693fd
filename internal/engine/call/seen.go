// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/sync"
)

// seenBy has what the processors remember of the observations that their goroutines make.
var seenBy [host.Shards]offheap.AtomicRef[commrace.Seen]

// seenHere is what the current processor remembers, nil if the caller can't be bound to one.
//
//bundle:inline
func seenHere() *commrace.Seen {
	i := host.Shard()
	if sn := seenBy[i].Load(); sn != nil {
		return sn
	}
	return makeSeen(i)
}

// makeSeen is seenHere where there is nothing yet.
func makeSeen(i uint32) *commrace.Seen {
	if !host.Bound || i == host.Shards-1 {
		return nil
	}
	sn := (*commrace.Seen)(host.Alloc(unsafe.Sizeof(commrace.Seen{})))
	seenBy[i].Store(sn)
	return sn
}

// endObservation is [Caller.check] for a call of g that changes nothing and calls nothing back.
// Most such calls repeat one that the processor remembers.
func endObservation(g *Caller, o *sync.Object, c *commrace.Call) {
	sn := seenHere()
	if sn == nil || recorder.On() || instance.Transactions.Running() {
		g.check(o, c, false)
		return
	}
	if sync.Covers() {
		cover(g, o, c)
	}
	endObserved(g, o, c, sn)
}

// endObserved is endObservation where nobody else asks for the call.
func endObserved(g *Caller, o *sync.Object, c *commrace.Call, sn *commrace.Seen) {
	if sn == nil || !sn.EndAgain(&o.Object, c, &g.Clock, g, lastOf(g)) {
		before, after := sn.End(&o.Object, c, &g.Clock, g)
		advance(g, o, before, after)
	}
}

// endChange is [Caller.check] for a call of g that may change its object.
func endChange(g *Caller, o *sync.Object, c *commrace.Call) {
	if recorder.On() || instance.Transactions.Running() {
		g.check(o, c, false)
		return
	}
	if sync.Covers() {
		cover(g, o, c)
	}
	endChanged(g, o, &o.Table().Methods[c.Method], c)
}

// endChanged is endChange where nobody else asks for the call, which is one of m.
func endChanged(g *Caller, o *sync.Object, m *commrace.Method, c *commrace.Call) {
	before, after, ok := commrace.EndOwned(&o.Object, m, c, &g.Clock, g, lastOf(g))
	if !ok {
		before, after = seenHere().End(&o.Object, c, &g.Clock, g)
	}
	advance(g, o, before, after)
}
