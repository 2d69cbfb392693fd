// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A goroutine repeats a Load, which takes a lock of its own. All have one epoch, until another one
// has taken that lock: it comes after the Loads so far, and not after later ones.
func TestRepeated(t *testing.T) {
	spec := &commrace.Spec{Of: &fixture.MapSpec}
	seenBy[host.Shard()].Store((*commrace.Seen)(host.Alloc(unsafe.Sizeof(commrace.Seen{}))))
	defer seenBy[host.Shard()].Store(nil) // no other test is bound to a processor
	var memory [64]byte
	const lock = uintptr(0x7b0000300000)
	g, h := startCaller(), startCaller()
	defer g.Finish()
	defer h.Finish()
	load := func(inside func()) vclock.Epoch {
		c := fixture.CallOf(fixture.Load, 1, 0, true)
		c.Spec, c.Obj, c.State = spec, unsafe.Pointer(&memory), 0
		c.SetPlace(commrace.Place{Site: pcOf(t,
			"github.com/commutego/commute/internal/engine/call.pcOf.func1")})
		g.Begin(c)
		if !g.InCall {
			t.Fatal("no call is under way")
		}
		inside()
		if !sync.LetsAgain(&g.Thread, lock) && !sync.LetInCall(&g.Thread, lock) {
			sync.ReleaseLock(&g.Thread, lock)
		}
		c.State = 1
		g.End(c)
		if g.InCall || g.Clock.Held() != 0 || g.Repeats {
			t.Fatal("the call is under way still")
		}
		return g.Clock.Now()
	}
	nothing := func() {}
	before := counts.Totals()
	for range 2 {
		load(nothing)
	}
	now := load(nothing)
	for n := range 5 {
		if got := load(nothing); got != now {
			t.Fatalf("repetition %d has epoch %v, want %v", n, got, now)
		}
	}
	if got := counts.Totals().Calls - before.Calls; got != 8 {
		t.Errorf("%d calls are counted, want 8", got)
	}
	sync.AcquireLock(&h.Thread, lock)
	if !h.Clock.Knows(now) {
		t.Error("who takes the lock doesn't come after the calls")
	}
	if next := load(nothing); next == now || h.Clock.Knows(next) {
		t.Error("who has taken the lock comes after a later call")
	}
	now = load(nothing)
	load(func() { g.Begin(fixture.CallOf(fixture.Load, 2, 0, true)) })
	if g.Clock.Now() == now {
		t.Error("a call with another one inside has the epoch of the last one")
	}
	load(nothing)
	store := fixture.CallOf(fixture.Store, 1, 0, true)
	store.Spec, store.Obj, store.State = spec, unsafe.Pointer(&memory), 1
	load(func() {
		h.Begin(store)
		if sync.LetsAgain(&g.Thread, lock) {
			t.Error("a change has begun, which will know of the call before it ends")
		}
		h.End(store)
	})
	load(nothing)
	now = load(nothing)
	sync.SetWeakClocks(true)
	defer sync.SetWeakClocks(false)
	if load(nothing) == now {
		t.Error("a call that weak clocks have to follow has the epoch of the last one")
	}
}

// The owner of a map repeats a Store, which takes a lock of its own. All have one epoch, until
// another one has taken that lock, or calls the map.
func TestRepeatedChange(t *testing.T) {
	spec := &commrace.Spec{Of: &fixture.MapSpec}
	seenBy[host.Shard()].Store((*commrace.Seen)(host.Alloc(unsafe.Sizeof(commrace.Seen{}))))
	defer seenBy[host.Shard()].Store(nil) // no other test is bound to a processor
	var memory [64]byte
	const lock = uintptr(0x7b0000310000)
	g, h := startCaller(), startCaller()
	defer g.Finish()
	defer h.Finish()
	site := pcOf(t, "github.com/commutego/commute/internal/engine/call.pcOf.func1")
	begin := func(g *Caller, key int) *commrace.Call {
		c := fixture.CallOf(fixture.Store, key, 0, true)
		c.Spec, c.Obj, c.State = spec, unsafe.Pointer(&memory), 0
		c.SetPlace(commrace.Place{Site: site})
		g.Begin(c)
		return c
	}
	store := func(inside func()) vclock.Epoch {
		c := begin(g, 1)
		inside()
		if !sync.LetsAgain(&g.Thread, lock) && !sync.LetInCall(&g.Thread, lock) {
			sync.ReleaseLock(&g.Thread, lock)
		}
		c.State = 1
		g.End(c)
		if g.InCall || g.Clock.Held() != 0 || g.Repeats {
			t.Fatal("the call is under way still")
		}
		return g.Clock.Now()
	}
	nothing := func() {}
	for range 4 {
		store(nothing)
	}
	now := store(nothing)
	for n := range 5 {
		if got := store(nothing); got != now {
			t.Fatalf("repetition %d has epoch %v, want %v", n, got, now)
		}
	}
	sync.AcquireLock(&h.Thread, lock)
	if !h.Clock.Knows(now) {
		t.Error("who takes the lock doesn't come after the calls")
	}
	if next := store(nothing); next == now || h.Clock.Knows(next) {
		t.Error("who has taken the lock comes after a later call")
	}
	for range 2 {
		now = store(nothing)
	}
	next := store(func() {
		c := begin(h, 2)
		c.State = 1
		h.End(c)
	})
	if next == now || h.Clock.Knows(next) {
		t.Error("a call that another one meets has the epoch of the last one")
	}
}
