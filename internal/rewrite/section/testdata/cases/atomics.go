// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "sync/atomic"

func init() {
	cases["atomics"], cases["nil atomic"], cases["nil value"] = atomics, nilAtomic, nilValue
}

// Operations of sync/atomic, as methods and as functions.

type counters struct {
	n    atomic.Int64
	on   atomic.Bool
	next atomic.Pointer[counters]
	any  atomic.Value
	raw  uint32
	ptr  *atomic.Int32
	sum
}

type sum struct{ atomic.Uint64 }

var globalCount atomic.Int64

// swapped replaces what a variable points to.
func (c *counters) swapped(to *counters) int64 {
	*c = counters{}
	c.ptr = new(atomic.Int32)
	return to.n.Load()
}

func atomics() {
	c := &counters{ptr: new(atomic.Int32)}
	c.n.Store(c.n.Load() + 1)
	c.n.Add(2)
	if !c.on.Load() {
		c.on.Store(true)
	}
	c.next.Store(c)
	c.next.Load().next.Store(nil)
	c.any.Store("x")
	atomic.StoreUint32(&c.raw, atomic.LoadUint32(&c.raw)+7)
	atomic.AddUint32(&c.raw, ^uint32(0))
	c.ptr.Add(3)
	c.Uint64.Store(4)
	c.Store(c.Load() + 1)
	globalCount.Store(globalCount.Load() + 8)
	say("%d %v %v %v %d %d %d %d", c.n.Load(), c.on.Load(), c.next.Load(), c.any.Load(), c.raw,
		c.ptr.Load(), c.Uint64.Load(), globalCount.Load())
	var local atomic.Int32
	count := func() int32 { local.Store(local.Load() + 1); return local.Load() }
	say("%d %d", count(), count())
	d := new(counters)
	d.n.Store(5)
	c.ptr.Store(int32(c.swapped(d))) // it is open which one is stored to
	say("%d", c.n.Load())
}

func nilAtomic() {
	var c *counters
	say("%d", c.n.Load())
}

func nilValue() {
	var v atomic.Value
	v.Store(nil)
}
